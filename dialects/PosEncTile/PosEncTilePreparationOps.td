#ifndef DIALECTS_POSENCTILE_POSENCTILEPREPARATIONOPS_TD
#define DIALECTS_POSENCTILE_POSENCTILEPREPARATIONOPS_TD

include "dialects/PosEncTile/PosEncTileBase.td"

def YieldOp : PosEncTile_Op<"yield", [
    Pure, Terminator, ParentOneOf<["AnglesOp", "FillOp", "PackOp", "ScanOp", "SweepOp"]>]> {
  let summary = "Ends a region of the schedule";
  let description = [{
    Its operands are what the op around it asks for.

    Example:

    ```mlir
    posenc_tile.fill %distances over(%d = %lo to %hi) {
      posenc_tile.yield %d : index
    } : memref<?xindex>
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyType>, "the results of the region">:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange{}); }]>];
}

def FillOp : PosEncTile_RegionOp<"fill", [SameVariadicOperandSize]> {
  let summary = "A vector or matrix of a region's values";
  let description = [{
    `dest[x - lo] = region(x)` for x in [lo, hi), or `dest[x - lo, y - lo'] = region(x, y)`. The region consists of
    `arith`, `math` and score ops, like that of an attention. A vector over distances, keys or rows holds what a score
    adds there; a matrix what no rule takes apart.

    - `fill_c1`: one or two ranges, as many as `dest` has dimensions.
    - `fill_c2`: the region takes one index per range and yields one element of `dest`.

    Example: T5's biases of one head, over all distances.

    ```mlir
    posenc_tile.fill %bias over(%d = %lo to %hi) {
      %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
      %x = posenc.lookup %table[%c, %h] : memref<32x8xf32>
      posenc_tile.yield %x : f32
    } : memref<?xf32>
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the first integer of each range">:$lbs,
    Arg<Variadic<Index>, "the end of each range">:$ubs,
    Arg<MemRefRankOf<[F32, Index, I1], [1, 2]>, "what is filled", [MemWrite]>:$dest);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $dest `over` custom<Ranges>($lbs, $ubs, $body) attr-dict `:` type($dest)
  }];
  let hasVerifier = 1;
}

def AnglesOp : PosEncTile_RegionOp<"angles", [AttrSizedOperandSegments]> {
  let summary = "Cosines and sines of a rotation for a range of rows";
  let description = [{
    `cos[i, m]` and `sin[i, m]` of the angle of row i and channel pair m, for i in [0, hi), times the rotation's factors:
    what `posenc.rotate` multiplies with. The region yields the position of row i, index or float; of a rope with sections,
    that of row i and axis a. They are computed in f64 and rounded to f32. Rotations: Su et al. 2021 (arXiv:2104.09864).

    - `angles_c1`: cos and sin are [rows, width / 2], with the width that the rope rotates, static and up to 2^16.
    - `angles_c2`: the region takes an index, two if the rope has sections, and yields a position, index or float.
    - `angles_c3`: a rope without a base has tables: frequencies [width / 2], or cosines and sines [positions, width / 2].
    - `angles_c4`: the length is there if the rope's scaling needs it, and only then.

    Example:

    ```mlir
    posenc_tile.angles %cos, %sin rotate #posenc.rope<half, base = 1.0e+04, width = 64> to(%n) by(%i) {
      %p = arith.addi %i, %past : index
      posenc_tile.yield %p : index
    } : memref<?x32xf32>, memref<?x32xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_Rows, "the cosines, [rows, width / 2]", [MemWrite]>:$cos,
    Arg<PosEncTile_Rows, "the sines, [rows, width / 2]", [MemWrite]>:$sin,
    RopeAttr:$rope,
    Arg<Index, "the end of the rows">:$hi,
    Arg<Optional<Index>, "the length of the sequence">:$length,
    Arg<Optional<PosEncTile_Source>, "given frequencies, [width / 2]", [MemRead]>:$freqs,
    Arg<Optional<PosEncTile_Source>, "given cosines, [positions, width / 2]", [MemRead]>:$cosTable,
    Arg<Optional<PosEncTile_Source>, "given sines, [positions, width / 2]", [MemRead]>:$sinTable);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $cos `,` $sin `rotate` qualified($rope) `to` `(` $hi `)` (`length` `(` $length^ `)`)?
    (`freqs` `(` $freqs^ `:` type($freqs) `)`)?
    (`cos_sin` `(` $cosTable^ `:` type($cosTable) `,` $sinTable `:` type($sinTable) `)`)?
    `by` custom<IndexRegion>($body) attr-dict `:` type($cos) `,` type($sin)
  }];
  let hasVerifier = 1;
}

def ScanOp : PosEncTile_RegionOp<"scan", [SameVariadicOperandSize]> {
  let summary = "Sums of a region's values over later keys";
  let description = [{
    `dest[r - lo, j - lo'] = sum of x(r, j') over the j' in [j, hi') with keep(r, j')`, for r in [lo, hi) and j in [lo',
    hi'), where the region yields x and keep. The sums of `posenc.row_scan`, for a tile of rows.

    - `scan_c1`: two ranges, rows and keys.
    - `scan_c2`: the region takes two index and yields f32 and i1.

    Example: how many keys a row of a causal mask has left.

    ```mlir
    posenc_tile.scan %e over(%r = %i0 to %i1, %j = %lo to %hi) {
      %one = arith.constant 1.0 : f32
      %keep = arith.cmpi sle, %j, %r : index
      posenc_tile.yield %one, %keep : f32, i1
    } : memref<48x?xf32>
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the first row, the first key">:$lbs,
    Arg<Variadic<Index>, "the end of the rows, of the keys">:$ubs,
    Arg<PosEncTile_Rows, "the sums", [MemWrite]>:$dest);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $dest `over` custom<Ranges>($lbs, $ubs, $body) attr-dict `:` type($dest)
  }];
  let hasVerifier = 1;
}

def PackOp : PosEncTile_RegionOp<"pack", [AttrSizedOperandSegments]> {
  let summary = "Rows of tables, added, rotated and scaled, as a packed matrix";
  let description = [{
    For i in [lo, hi), `scale(i) (rotate(x[ix(i), :]) + sum_t u_t[iu_t(i), :])` becomes row or column i - lo of `dest`, in
    its channels from `channel` on. The region yields the indices of a row of the first source, of each further source,
    then the scale if the op is `scaled`, then whether the row is there if it is `conditional`. A row outside a source
    counts as zeros; what is not there is not read, and zeros. Rows or columns of `dest` from hi - lo on are zeros in
    these channels, and so are the channels after them in all of `dest`. What is bf16 in `dest` is rounded to it once.

    With `rotate` the channels of the first source turn by row i of `cos` and `sin`, made by `posenc_tile.angles`.

    - `pack_c1`: at least one source; all have one static last dimension, that fits in the channels of `dest`; columns of
      pairs have pairs of bf16.
    - `pack_c2`: the region takes an index and yields the indices of every source, a scale if the op is scaled, i1 if it
      is conditional.
    - `pack_c3`: cos and sin are [rows, width / 2] of a rope that fits the rows.

    Example: a tile of queries with Transformer-XL's bias, and the keys in columns.

    ```mlir
    posenc_tile.pack %q, %u into %qu over(%i = %i0 to %i1) scaled {
      %scale = arith.constant 0.18033688 : f32
      posenc_tile.yield %b, %h, %i, %h, %scale : index, index, index, index, f32
    } : memref<2x8x128x64xf32>, memref<8x64xf32> into memref<48x64xf32>
    posenc_tile.pack %k into %kp over(%j = %zero to %n) {
      posenc_tile.yield %b, %h, %j : index, index, index
    } : memref<2x8x128x64xf32> into memref<?x64x64xf32>
    ```
  }];
  let arguments = (ins
    Arg<Variadic<PosEncTile_Source>, "tables whose rows are added", [MemRead]>:$sources,
    Arg<PosEncTile_Packed, "the packed matrix", [MemWrite]>:$dest,
    Arg<Index, "the first integer">:$lo,
    Arg<Index, "the end of the integers">:$hi,
    Arg<Optional<PosEncTile_Rows>, "cosines of the rotation of the first source", [MemRead]>:$cos,
    Arg<Optional<PosEncTile_Rows>, "sines of the rotation of the first source", [MemRead]>:$sin,
    OptionalAttr<RopeAttr>:$rope,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$channel,
    UnitAttr:$scaled,
    UnitAttr:$conditional);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `into` $dest (`channel` `(` $channel^ `)`)?
    (`rotate` qualified($rope)^ `by` `(` $cos `:` type($cos) `,` $sin `:` type($sin) `)`)?
    `over` custom<Range>($lo, $hi, $body, $scaled, $conditional) attr-dict
    `:` type($sources) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def ProductOp : PosEncTile_Op<"product"> {
  let summary = "The products of packed rows and packed columns";
  let description = [{
    `dest[r, c] = sum_t rows[r, t] columns[c, t]`. If `dest` has three dimensions, it is `dest[c / W, r, c % W]`.
    That is for the rows and columns that all three have.

    - `product_c1`: rows and columns have the same channels and one element type; columns of pairs have pairs of bf16.

    Example: the logits of Shaw's 33 relative keys for a tile of queries.

    ```mlir
    posenc_tile.product rows(%qp) columns(%tp) into %t : memref<48x64xf32>, memref<1x64x64xf32> into memref<48x33xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_RowFactor, "packed rows", [MemRead]>:$rows,
    Arg<PosEncTile_ColumnFactor, "packed columns, or columns of pairs", [MemRead]>:$columns,
    Arg<PosEncTile_Products, "the products", [MemWrite]>:$dest);
  let assemblyFormat = [{
    `rows` `(` $rows `)` `columns` `(` $columns `)` `into` $dest attr-dict
    `:` type($rows) `,` type($columns) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def StripOp : PosEncTile_Op<"strip"> {
  let summary = "Products of a tile and a table's rows in the order of distances";
  let description = [{
    `strip[r, x] = products[r, rowNumbers[x]]`, and 0 where that is no element of `products`, for the x that have a row
    number and a place in the strip. A sweep reads the strip along the distance.

    Example:

    ```mlir
    posenc_tile.strip %t rows(%numbers) into %e : memref<48x33xf32>, memref<?xindex> into memref<48x?xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_Rows, "products of a tile's rows and a table", [MemRead]>:$products,
    Arg<PosEncTile_RowNumbers, "the table row of each distance", [MemRead]>:$rowNumbers,
    Arg<PosEncTile_Rows, "the strip", [MemWrite]>:$strip);
  let assemblyFormat = [{
    $products `rows` `(` $rowNumbers `)` `into` $strip attr-dict
    `:` type($products) `,` type($rowNumbers) `into` type($strip)
  }];
}

def SkewOp : PosEncTile_Op<"skew"> {
  let summary = "Products of a table's rows and a block of keys, as a tile of queries sees them";
  let description = [{
    `tile[r, l] = products[rowNumbers[from + l - r], l]`, and 0 where that is no entry or no row.

    Example: DeBERTa's position-to-content logits of a block of keys.

    ```mlir
    posenc_tile.skew %s rows(%numbers) from(%from) into %tile : memref<512x64xf32>, memref<?xindex> into memref<48x64xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEncTile_Rows, "products of a table and a block of keys", [MemRead]>:$products,
    Arg<PosEncTile_RowNumbers, "the table row of each distance", [MemRead]>:$rowNumbers,
    Arg<Index, "the entry of the first row and key">:$from,
    Arg<PosEncTile_Rows, "the tile", [MemWrite]>:$tile);
  let assemblyFormat = [{
    $products `rows` `(` $rowNumbers `)` `from` `(` $from `)` `into` $tile attr-dict
    `:` type($products) `,` type($rowNumbers) `into` type($tile)
  }];
}

#endif // DIALECTS_POSENCTILE_POSENCTILEPREPARATIONOPS_TD
