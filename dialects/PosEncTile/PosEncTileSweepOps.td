#ifndef DIALECTS_POSENCTILE_POSENCTILESWEEPOPS_TD
#define DIALECTS_POSENCTILE_POSENCTILESWEEPOPS_TD

include "dialects/PosEncTile/PosEncTileBase.td"

def SweepOp : PosEncTile_RegionOp<"sweep", [AttrSizedOperandSegments]> {
  let summary = "A tile of query rows over its keys, with an online softmax";
  let description = [{
    For the rows r in [i0, i1) and the keys j in [lo, hi), with d = j - r, p = r - i0:

    ```
    y        = scale[p] (q[p, :] . key j) + sum of the terms for all pairs + sum of those of the pair's class
    z, keep  = score(y, r, j, its terms...)                without a region: y, true
    kept     = keep, d in [a, b], and every mask term is not 0
    m[p]     = a number near the greatest kept z
    l[p]     = sum of exp2(z - m[p]) over the kept pairs
    o[p, :]  = sum of exp2(z - m[p]) v[j, :]
    w[p, c]  = the same of the pairs with bucket c
    ```

    m is in units of log2; exp2(m) l is the softmax's denominator whatever m is, and a row without a kept pair, or with
    scores of -inf only, has l = 0 and o = 0. What weighs 0 adds nothing, whatever its value row holds. Keys are visited
    in blocks of `block`, that with the key `first` before the others, which ascend. Nothing of keys and values in place
    outside [lo, hi) is read; packed ones are there up to the end of the block of key hi - 1.

    **Keys** are packed as columns or as columns of pairs, from key 0 on, or in place, one in a row. Packed keys are faster
    where many rows read them, keys in place where packing them would cost more than it saves. **Values** are in place,
    or packed as columns, one of each key, whose channels from Dv on are zeros. Where they are packed as bf16 a lowering
    may round the weights that they are multiplied with. **scale**, 1 without, is a factor of the products per row: for
    q that cannot take it without being rounded.

    **Rows of heads.** With `rows(%i0 to %i1 all %i)` the rows are heads of a group that share their keys, and each has the
    query row i of its head: r = i and d = j - i for all of them, and p counts heads.

    **Classes.** With `near(a to b)` a pair is left if d <= a, else right if d >= b, else near; without, all are near. A
    lowering may take any pair as near: near terms hold for far pairs too, as far as a block and the rows of a tile from
    a near one, and are the same there as the left or right ones.

    **Terms** say where they go (`all` pairs, `near`, `left`, `right`, as arguments of `score`, as a `mask`), and how they
    are addressed:

    | kind | element |
    |---|---|
    | `row %x` | x[p] |
    | `key %x[%from]` | x[j - from] |
    | `lag %x[%from]` | x[d - from] |
    | `strip %x[%from]` | x[p, d - from] |
    | `tile %x` | x[p, j - n], written by `each_block` |
    | `pair %x` | x[r, j] |

    A term `... * %g` is multiplied by g[p]. An element is read for kept pairs only, or is inside its memref.

    **Buckets** are matrices [rows, buckets], one per table of value rows: with `lag %w[%from]` the bucket of a pair is
    d - from clamped into w; with `tile %w by %rows` it is rows[p, j - n], with `score %w` the next result of the region
    after `keep`; of these two, numbers outside w add nothing.

    **visits(%n)** says whether the block of the keys [n, n + block) can hold a pair of the tile that is kept; blocks where
    it is false are passed over. Without it all blocks from lo to hi are visited.

    **each_block(%n)** runs before the block of the keys [n, n + block), unless all pairs of the tile and the block are
    left or all are right. Its yield need not be written.

    - `sweep_c1`: q and k have the same channels; v, o and l have the rows and channels that they say, packed v no fewer.
    - `sweep_c2`: a term's memref has the dimensions of its kind, and of its factor one.
    - `sweep_c3`: left and right terms need near.
    - `sweep_c4`: terms and buckets by tile need each_block.
    - `sweep_c5`: score takes f32, two index, and f32 for each of its terms; it yields f32, i1 for keep, and index for each
      bucket by score. visits takes an index and yields i1, each_block takes an index and yields nothing.
    - `sweep_c6`: block is a multiple of the width of panels; packed keys and q are f32, columns of pairs and their q bf16.

    Online softmax: Milakov and Gimelshein 2018 (arXiv:1805.02867).

    Example: causal attention with a vector of biases over the distance.

    ```mlir
    posenc_tile.sweep q(%qp : memref<48x64xf32>) k(%kp : memref<?x64x64xf32>) v(%v : memref<?x64xf32>)
        rows(%i0 to %i1) keys(%zero to %hi first %first) block(64) keep(%from to %past)
        terms(all lag %bias[%dlo] : memref<?xf32>)
        into(%m : memref<48xf32>, %l : memref<48xf32>, %o : memref<48x64xf32>)
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_RowFactor, "packed query rows [rows, C]", [MemRead]>:$q,
    Arg<MemRefRankOf<[F16, BF16, F32], [2, 3, 4]>,
        "keys, in place [keys, C] or packed [panels, C, W] or [panels, C / 2, W, 2]", [MemRead]>:$k,
    Arg<MemRefRankOf<[F16, BF16, F32], [2, 3]>, "values, in place [keys, Dv] or packed [panels, Dv, W]", [MemRead]>:$v,
    Arg<Optional<PosEncTile_Vector>, "a factor of the products per row, [rows]", [MemRead]>:$scale,
    Arg<Index, "the first row">:$rowLo,
    Arg<Index, "the end of the rows">:$rowHi,
    Arg<Optional<Index>, "the query row of all rows, which are heads">:$queryRow,
    Arg<Index, "the first key">:$keyLo,
    Arg<Index, "the end of the keys">:$keyHi,
    Arg<Index, "a key of the block that is visited first">:$first,
    Arg<Optional<Index>, "the least distance that is kept">:$keepLo,
    Arg<Optional<Index>, "the greatest distance that is kept">:$keepHi,
    Arg<Optional<Index>, "the greatest distance of the left class">:$nearLo,
    Arg<Optional<Index>, "the least distance of the right class">:$nearHi,
    Arg<Variadic<MemRefRankOf<[F32], [1, 2]>>, "the terms", [MemRead]>:$terms,
    Arg<Variadic<Index>, "where each term that is addressed by key or distance begins">:$termOffsets,
    Arg<Variadic<PosEncTile_Vector>, "a factor per row, of each term that has one", [MemRead]>:$termFactors,
    Arg<Variadic<PosEncTile_Rows>, "weights per bucket [rows, buckets]", [MemWrite]>:$buckets,
    Arg<Variadic<Index>, "the distance of the first bucket, of each that is addressed by distance">:$bucketOffsets,
    Arg<Variadic<MemRefRankOf<[Index], [2]>>, "the buckets of a tile, of each that is addressed by it", [MemRead]>:$bucketTiles,
    Arg<PosEncTile_Vector, "what the scores are relative to, [rows]", [MemWrite]>:$m,
    Arg<PosEncTile_Vector, "the sums of the weights, [rows]", [MemWrite]>:$l,
    Arg<PosEncTile_Rows, "the weighted sums of the values, [rows, Dv]", [MemWrite]>:$o,
    TermArrayAttr:$termKinds,
    BucketArrayAttr:$bucketKinds,
    ConfinedAttr<I64Attr, [IntPositive]>:$block);
  let regions = (region MaxSizedRegion<1>:$visits, MaxSizedRegion<1>:$eachBlock, MaxSizedRegion<1>:$score);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasKeysInPlace() { return getK().getType().getRank() == 2; }
    bool hasPairsOfKeys() { return getK().getType().getRank() == 4; }
    bool hasPackedValues() { return getV().getType().getRank() == 3; }

    /// A term with its operands; what it does not have is null.
    struct Term {
      TermUse use;
      TermKind kind;
      Value table, offset, factor;
    };
    SmallVector<Term> getTermList();
    /// A bucket matrix with its operands; what it does not have is null.
    struct Bucket {
      BucketKind kind;
      Value weights, offset, tile;
    };
    SmallVector<Bucket> getBucketList();
  }];
}

def MergeOp : PosEncTile_Op<"merge", [AttrSizedOperandSegments]> {
  let summary = "The sums of a tile from those of parts of its keys";
  let description = [{
    Each of S sweeps of the same rows has visited a part of the keys. With l_s[p] = 0 for a part without a pair of row p:

    ```
    m[p]    = max of m_s[p] over the parts with l_s[p] != 0, and a constant, so that the factors sum up to less than 1
    o[p, :] = sum_s exp2(m_s[p] - m[p]) o_s[p, :]           the same for l and for the weights of buckets
    ```

    What is multiplied with a factor of 0 adds nothing. The order of the sum is that of the parts.

    - `merge_c1`: a matrix of parts has the dimensions of its result behind that of the parts; S is the same for all.

    Partial sums of attention and their log-sum-exp: Dao et al. 2023, "Flash-Decoding for long-context inference".

    Example:

    ```mlir
    posenc_tile.merge(%ms, %ls, %os) into(%m, %l, %o)
        : memref<?x48xf32>, memref<?x48xf32>, memref<?x48x64xf32> into memref<48xf32>, memref<48xf32>, memref<48x64xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_Rows, "what the scores of a part are relative to, [S, rows]", [MemRead]>:$partM,
    Arg<PosEncTile_Rows, "the sums of the weights of a part, [S, rows]", [MemRead]>:$partL,
    Arg<PosEncTile_Columns, "the weighted sums of the values of a part, [S, rows, Dv]", [MemRead]>:$partO,
    Arg<Variadic<PosEncTile_Columns>, "weights per bucket of a part, [S, rows, buckets]", [MemRead]>:$partBuckets,
    Arg<PosEncTile_Vector, "what the scores are relative to, [rows]", [MemWrite]>:$m,
    Arg<PosEncTile_Vector, "the sums of the weights, [rows]", [MemWrite]>:$l,
    Arg<PosEncTile_Rows, "the weighted sums of the values, [rows, Dv]", [MemWrite]>:$o,
    Arg<Variadic<PosEncTile_Rows>, "weights per bucket, [rows, buckets]", [MemWrite]>:$buckets);
  let assemblyFormat = [{
    `(` $partM `,` $partL `,` $partO `)` (`buckets` `(` $partBuckets^ `:` type($partBuckets) `)`)?
    `into` `(` $m `,` $l `,` $o `)` (`buckets` `(` $buckets^ `:` type($buckets) `)`)? attr-dict
    `:` type($partM) `,` type($partL) `,` type($partO) `into` type($m) `,` type($l) `,` type($o)
  }];
  let hasVerifier = 1;
}

def FinishOp : PosEncTile_Op<"finish", [AttrSizedOperandSegments]> {
  let summary = "The results of a tile from the sums of its sweep";
  let description = [{
    For every row p of `out`, with L = l[p] + exp2(sink log2(e) - m[p]):

    ```
    out[p, :] = (o[p, :] + sum_t sum_c w_t[p, c] table_t[c, :]) / L
    lse[p]    = ln(2) (m[p] + log2(l[p]))
    ```

    A row with l = 0, or whose `keep` is false, gives zeros and a log-sum-exp of -inf. What weighs 0 adds nothing,
    whatever its table row holds.

    - `finish_c1`: out has the channels of o and of every table; a table has as many rows as its buckets.

    Example:

    ```mlir
    posenc_tile.finish(%m, %l, %o) sink(%sink) into %out
        : memref<48xf32>, memref<48xf32>, memref<48x64xf32> into memref<?x64xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_Vector, "what the scores are relative to, [rows]", [MemRead]>:$m,
    Arg<PosEncTile_Vector, "the sums of the weights, [rows]", [MemRead]>:$l,
    Arg<PosEncTile_Rows, "the weighted sums of the values, [rows, Dv]", [MemRead]>:$o,
    Arg<Variadic<PosEncTile_Rows>, "weights per bucket", [MemRead]>:$buckets,
    Arg<Variadic<PosEncTile_Rows>, "the value row of each bucket", [MemRead]>:$tables,
    Arg<Optional<F32>, "a logit in the denominator, natural units">:$sink,
    Arg<Optional<MemRefRankOf<[I1], [1]>>, "whether the row keeps any pair, [rows]", [MemRead]>:$keep,
    Arg<MemRefRankOf<[F16, BF16, F32], [2]>, "the results, [rows of the tile, Dv]", [MemWrite]>:$out,
    Arg<Optional<PosEncTile_Vector>, "the log-sum-exp, [rows of the tile]", [MemWrite]>:$lse);
  let assemblyFormat = [{
    `(` $m `,` $l `,` $o `)`
    (`buckets` `(` $buckets^ `:` type($buckets) `)` `tables` `(` $tables `:` type($tables) `)`)?
    (`sink` `(` $sink^ `)`)? (`keep` `(` $keep^ `:` type($keep) `)`)?
    `into` $out (`lse` `(` $lse^ `:` type($lse) `)`)? attr-dict
    `:` type($m) `,` type($l) `,` type($o) `into` type($out)
  }];
  let hasVerifier = 1;
}

#endif // DIALECTS_POSENCTILE_POSENCTILESWEEPOPS_TD
