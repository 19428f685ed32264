#ifndef DIALECTS_POSENC_POSENCUNFUSEDOPS_TD
#define DIALECTS_POSENC_POSENCUNFUSEDOPS_TD

include "dialects/PosEnc/PosEncBase.td"

//===----------------------------------------------------------------------===//
// The steps of attention as ops on tensors alone: fusing or decomposing removes
// them before bufferization
//===----------------------------------------------------------------------===//

class PosEnc_UnfusedOp<string mnemonic, list<Trait> traits = []>
    : PosEnc_Op<mnemonic, !listconcat(traits, [Pure])> {
  let hasVerifier = 1;
}
def PosEnc_ChecksExtents : DeclareOpInterfaceMethods<RuntimeVerifiableOpInterface>;

def RotateOp : PosEnc_UnfusedOp<"rotate", [PosEnc_ChecksExtents, AttrSizedOperandSegments]> {
  let summary = "Rotates the rows of a tensor by their positions";
  let description = [{
    `result[b, h, r]` is row `x[b, h, r]` rotated as the rope says (see `#posenc.rope`), at position r, or
    - `from(%p)`: p + r; p is an index, or [B], one per batch;
    - `at(%ids)`: ids[b, r] of a tensor [B, L] or [1, L] of integers or floats; ids[axis, b, r] of [axes, B, L] or
      [axes, 1, L] if the rope has sections.

    The angle is position times `base^(-2m/width)`, changed by the scaling, which may need `length(%n)`, the tokens of the
    sequence so far, the past ones included; or, with `freqs(%f)`, position times f[m], f
    [width / 2]; or `cos_sin(%c, %s)` gives cosine and sine at [position, m] of two tables [P, width / 2], which the
    positions must not leave (outside, the row is unspecified). The clauses `rotate` of `posenc.attention` have the same
    spelling. Syntax: `posenc.rotate` as there, without the word `rotate`, then `x(%x : T)`.

    - `rotate_c1`: the rotation fits the rows: an even width inside them, of at most 65536; one of base, freqs and cos_sin;
      tables of width / 2 columns; sections of width / 2 pairs, and as many axes of positions; as many factors of a
      scaling as pairs; positions [B], or [B,L] or [1,L], or with sections [axes,B,L] or [axes,1,L]; integer positions
      beside cos_sin; length if the scaling needs it, and only then.
    - `rotate_c2`: the result has the type of x.
    - `rotate_c3`: x is [B,H,L,D] with D static.

    Example:

    ```mlir
    #rope = #posenc.rope<half, base = 10000.0>
    func.func @rotate(%x: tensor<2x8x128x64xf32>, %past: index) -> tensor<2x8x128x64xf32> {
      %r = posenc.rotate #rope from(%past : index) x(%x : tensor<2x8x128x64xf32>)
      return %r : tensor<2x8x128x64xf32>
    }
    ```
  }];
  let arguments = (ins
    RopeAttr:$rope,
    Arg<Optional<PosEnc_TensorPosition>, "the position of row 0, or one per row">:$position,
    Arg<Optional<Index>, "the length of the sequence, for the scaling">:$length,
    Arg<Optional<PosEnc_FloatTensorTable>, "radians per position of each pair, [width / 2]">:$freqs,
    Arg<Optional<PosEnc_FloatTensorTable>, "cosines [P, width / 2]">:$cos,
    Arg<Optional<PosEnc_FloatTensorTable>, "sines [P, width / 2]">:$sin,
    Arg<PosEnc_Tensor, "rows [B,H,L,D]">:$x);
  let results = (outs Res<PosEnc_Tensor, "the rotated rows">:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::posenc::Rotation getRotation();
  }];
}

def ScoresOp : PosEnc_UnfusedOp<"scores", [PosEnc_ChecksExtents]> {
  let summary = "The unscaled products of queries and keys";
  let description = [{
    `s[b, h, r, j] = q[b, h, r] . k[b, h / (H / Hkv), j]`, in f32.

    - `scores_c1`: q [B,H,N,D], k [B,Hkv,M,D], s [B,H,N,M] of f32, H a multiple of Hkv, D static and at least 1.

    Example:

    ```mlir
    func.func @scores(%q: tensor<2x8x4x64xbf16>, %k: tensor<2x2x16x64xbf16>) -> tensor<2x8x4x16xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xbf16>) k(%k : tensor<2x2x16x64xbf16>) : tensor<2x8x4x16xf32>
      return %s : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<PosEnc_Tensor, "queries [B,H,N,D]">:$q, Arg<PosEnc_Tensor, "keys [B,Hkv,M,D]">:$k);
  let results = (outs Res<PosEnc_Tensor, "scores [B,H,N,M] of f32">:$s);
  let assemblyFormat = "`q` `(` $q `:` type($q) `)` `k` `(` $k `:` type($k) `)` attr-dict `:` type($s)";
}

def ScoreModOp : PosEnc_UnfusedOp<"score_mod", [
    IsolatedFromAbove, SingleBlock, ScoreRegionOpInterface, AllTypesMatch<["s", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "The score region of attention on a tensor of scores";
  let description = [{
    `result[b, h, r, j]` is the score that the region yields for `s[b, h, r, j]`, or -inf where the pair is not kept. The
    region, its captures and constraints are those of `posenc.attention`, without value rows.
    Syntax: `posenc.score_mod s(%s : T) [with(%x : T, ...)] score(%s, %b, %h, %r, %j)` and the region.

    - `score_mod_c1`: s is [B,H,N,M] of f32.
    - `score_mod_c8 to score_mod_c11`: as attention_c8 to attention_c11.

    Example:

    ```mlir
    func.func @scale(%s: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
      %r = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) score(%x, %b, %h, %r, %j) {
        %c = arith.constant 0.125 : f32
        %z = arith.mulf %x, %c : f32
        posenc.yield %z : f32
      }
      return %r : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Tensor, "scores [B,H,N,M] of f32">:$s,
    Arg<Variadic<PosEnc_TensorCapture>, "values that the region sees">:$captures);
  let results = (outs Res<PosEnc_Tensor, "the new scores">:$result);
  let regions = (region SizedRegion<1>:$score);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    YieldOp getYield();
  }];
}

def SoftmaxOp : PosEnc_UnfusedOp<"softmax", [PosEnc_ChecksExtents, AllTypesMatch<["s", "p"]>]> {
  let summary = "Softmax over the keys";
  let description = [{
    `p[b, h, r, j] = exp(s_j) / (sum_j exp(s_j) + exp(sink[h]))`, a sink being a learned logit per head that takes weight
    from all keys (Xiao et al. 2023, arXiv:2309.17453; gpt-oss); `lse[b, h, r]` is the natural log-sum-exp of the
    scores, the sink not counted. A row whose scores are all -inf gives zeros and a log-sum-exp of -inf.

    - `softmax_c1`: s is [B,H,N,M] of f32, sink [H], lse [B,H,N] of f32.

    Example:

    ```mlir
    func.func @softmax(%s: tensor<2x8x4x16xf32>, %sink: tensor<8xf32>) -> (tensor<2x8x4x16xf32>, tensor<2x8x4xf32>) {
      %p, %lse = posenc.softmax s(%s : tensor<2x8x4x16xf32>) sink(%sink : tensor<8xf32>) lse : tensor<2x8x4xf32>
      return %p, %lse : tensor<2x8x4x16xf32>, tensor<2x8x4xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Tensor, "scores [B,H,N,M] of f32">:$s,
    Arg<Optional<PosEnc_FloatTensorTable>, "a logit per head in the denominator, [H]">:$sink);
  let results = (outs
    Res<PosEnc_Tensor, "weights [B,H,N,M]">:$p,
    Res<Optional<PosEnc_Tensor>, "the log-sum-exp [B,H,N] of f32">:$lse);
  let assemblyFormat = [{
    `s` `(` $s `:` type($s) `)` (`sink` `(` $sink^ `:` type($sink) `)`)? (`lse` `:` type($lse)^)? attr-dict
  }];
}

def ValuesOp : PosEnc_UnfusedOp<"values", [PosEnc_ChecksExtents]> {
  let summary = "The weighted sum of the values";
  let description = [{
    `o[b, h, r] = sum_j p[b, h, r, j] v[b, h / (H / Hkv), j]`, accumulated in f32. A pair of weight 0 adds nothing,
    whatever its value row holds.

    - `values_c1`: p [B,H,N,M] of f32, v [B,Hkv,M,Dv], o [B,H,N,Dv], H a multiple of Hkv, Dv static and at least 1.

    Example:

    ```mlir
    func.func @values(%p: tensor<2x8x4x16xf32>, %v: tensor<2x2x16x64xbf16>) -> tensor<2x8x4x64xbf16> {
      %o = posenc.values p(%p : tensor<2x8x4x16xf32>) v(%v : tensor<2x2x16x64xbf16>) : tensor<2x8x4x64xbf16>
      return %o : tensor<2x8x4x64xbf16>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Tensor, "weights [B,H,N,M] of f32">:$p, Arg<PosEnc_Tensor, "values [B,Hkv,M,Dv]">:$v);
  let results = (outs Res<PosEnc_Tensor, "the output [B,H,N,Dv]">:$o);
  let assemblyFormat = "`p` `(` $p `:` type($p) `)` `v` `(` $v `:` type($v) `)` attr-dict `:` type($o)";
}

//===----------------------------------------------------------------------===//
// Sugar: each is exactly one op of a score region, or one value row
//===----------------------------------------------------------------------===//

def RelationAttr : I32EnumAttr<"Relation", "the distance that a map is applied to", [
    I32EnumAttrCase<"Lag", 0, "lag">, I32EnumAttrCase<"Delta", 1, "delta">]> {
  let cppNamespace = "::mlir::posenc";
}

def RowsOfAttr : I32EnumAttr<"RowsOf", "whose rows meet the table", [
    I32EnumAttrCase<"Query", 0, "q">, I32EnumAttrCase<"Key", 1, "k">]> {
  let cppNamespace = "::mlir::posenc";
}

class PosEnc_RelativeOp<string mnemonic, list<Trait> traits>
    : PosEnc_UnfusedOp<mnemonic, !listconcat(traits, [PosEnc_ChecksExtents])>;

def RelativeBiasOp : PosEnc_RelativeOp<"relative_bias", [AllTypesMatch<["s", "result"]>]> {
  let summary = "Adds a scalar of a table by distance to the scores";
  let description = [{
    `result[b, h, r, j] = s[b, h, r, j] + table[map(x), h]`, x the lag (query minus key) or the delta (key minus query)
    of position p + r and key j; p is `from`, an index or [B], by default 0. Where a partial map has no row, 0 is added.
    T5 (Raffel et al. 2020, arXiv:1910.10683) adds such a scalar by delta. Papers use either distance, so one is required.

    - `relative_c1`: the map takes one integer.
    - `relative_c2`: s is [B,H,N,M] of f32, the table [C,H], from an index or [B] of integers.

    Example:

    ```mlir
    func.func @bias(%s: tensor<2x8x4x16xf32>, %t: tensor<32x8xf32>) -> tensor<2x8x4x16xf32> {
      %r = posenc.relative_bias s(%s : tensor<2x8x4x16xf32>) table(%t : tensor<32x8xf32>)
          #posenc.t5<32, 128, bidirectional>(delta)
      return %r : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Tensor, "scores [B,H,N,M] of f32">:$s, Arg<PosEnc_FloatTensorTable, "biases [C,H]">:$table, RowMapAttr:$map,
    RelationAttr:$of, Arg<Optional<PosEnc_TensorPosition>, "the position of row 0">:$position);
  let results = (outs Res<PosEnc_Tensor, "the new scores">:$result);
  let assemblyFormat = [{
    `s` `(` $s `:` type($s) `)` `table` `(` $table `:` type($table) `)` $map `(` $of `)`
    (`from` `(` $position^ `:` type($position) `)`)? attr-dict
  }];
}

def RelativeLogitsOp : PosEnc_RelativeOp<"relative_logits", [AllTypesMatch<["s", "result"]>]> {
  let summary = "Adds products of query or key rows and a table by distance to the scores";
  let description = [{
    `result[b, h, r, j] = s[b, h, r, j] + x . table[(h,) map(distance)]`, x the query row q[b, h, r], or with `k` the key
    row k[b, h / (H / Hkv), j] (Shaw et al. 2018, arXiv:1803.02155: q and delta; DeBERTa, arXiv:2006.03654: both and
    lag). Distances and `from` are as in `posenc.relative_bias`; where a partial map has no row, 0 is added.

    - `relative_c1`: the map takes one integer.
    - `relative_c3`: s is [B,H,N,M] of f32, q [B,H,N,D] or k [B,Hkv,M,D], the table [C,D] or [H,C,D], D static, from
      an index or [B] of integers.

    Example:

    ```mlir
    func.func @shaw(%s: tensor<2x8x4x16xf32>, %q: tensor<2x8x4x64xf32>, %t: tensor<33x64xf32>) -> tensor<2x8x4x16xf32> {
      %r = posenc.relative_logits s(%s : tensor<2x8x4x16xf32>) q(%q : tensor<2x8x4x64xf32>)
          table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
      return %r : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Tensor, "scores [B,H,N,M] of f32">:$s, RowsOfAttr:$side,
    Arg<PosEnc_Tensor, "queries [B,H,N,D] or keys [B,Hkv,M,D]">:$x,
    Arg<PosEnc_FloatTensorTable, "rows [C,D] or [H,C,D]">:$table, RowMapAttr:$map, RelationAttr:$of,
    Arg<Optional<PosEnc_TensorPosition>, "the position of row 0">:$position);
  let results = (outs Res<PosEnc_Tensor, "the new scores">:$result);
  let assemblyFormat = [{
    `s` `(` $s `:` type($s) `)` $side `(` $x `:` type($x) `)` `table` `(` $table `:` type($table) `)`
    $map `(` $of `)` (`from` `(` $position^ `:` type($position) `)`)? attr-dict
  }];
}

def RelativeValuesOp : PosEnc_RelativeOp<"relative_values", [AllTypesMatch<["o", "result"]>]> {
  let summary = "Adds the weighted sum of a table's rows by distance to the output";
  let description = [{
    `result[b, h, r] = o[b, h, r] + sum_j p[b, h, r, j] table[(h,) map(distance)]` (Shaw et al. 2018, arXiv:1803.02155).
    Distances and `from` are as in
    `posenc.relative_bias`; where a partial map has no row, nothing is added.

    - `relative_c1`: the map takes one integer.
    - `relative_c4`: o is [B,H,N,Dv], p [B,H,N,M] of f32, the table [C,Dv] or [H,C,Dv], Dv static, from an index or
      [B] of integers.

    Example:

    ```mlir
    func.func @values(%o: tensor<2x8x4x64xf32>, %p: tensor<2x8x4x16xf32>, %t: tensor<33x64xf32>) -> tensor<2x8x4x64xf32> {
      %r = posenc.relative_values o(%o : tensor<2x8x4x64xf32>) p(%p : tensor<2x8x4x16xf32>)
          table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
      return %r : tensor<2x8x4x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Tensor, "the output [B,H,N,Dv]">:$o, Arg<PosEnc_Tensor, "weights [B,H,N,M] of f32">:$p,
    Arg<PosEnc_FloatTensorTable, "rows [C,Dv] or [H,C,Dv]">:$table, RowMapAttr:$map, RelationAttr:$of,
    Arg<Optional<PosEnc_TensorPosition>, "the position of row 0">:$position);
  let results = (outs Res<PosEnc_Tensor, "the new output">:$result);
  let assemblyFormat = [{
    `o` `(` $o `:` type($o) `)` `p` `(` $p `:` type($p) `)` `table` `(` $table `:` type($table) `)`
    $map `(` $of `)` (`from` `(` $position^ `:` type($position) `)`)? attr-dict
  }];
}

#endif // DIALECTS_POSENC_POSENCUNFUSEDOPS_TD
