#ifndef DIALECTS_POSENC_POSENCATTENTIONOP_TD
#define DIALECTS_POSENC_POSENCATTENTIONOP_TD

include "dialects/PosEnc/PosEncBase.td"

def AttentionOp : PosEnc_Op<"attention", [
    IsolatedFromAbove, SingleBlock, AttrSizedOperandSegments, AttrSizedResultSegments, ScoreRegionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<RuntimeVerifiableOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Attention whose score is computed by a region";
  let description = [{
    For every batch b, head h, query row r and key j, with g = h / (H / Hkv) the key head:

    ```
    s            = q'[b, h, r] . k'[b, g, j]                 q', k': rotated if the clause says so; f32, unscaled
    z, keep, c.. = region(s, b, h, r, j, captures...)
    P[b, h, r, :] = exp(z) over the kept keys / (their sum + exp(sink[h]))
    out[b, h, r]  = sum_j P_j (v[b, g, j] + sum_t valueTable_t[(h,) c_t])
    lse[b, h, r]  = ln of the sum of exp(z) over the kept keys; the sink is not counted
    ```

    Syntax, T being types; what stands in brackets may be left out, but the order is this one:

    ```
    operation ::= `posenc.attention` `q(`%q : T`)` [rotation] `k(`%k : T`)` [rotation] `v(`%v : T`)`
                  [`value_tables(`%t : T, ...`)`] [`sink(`%s : T`)`] [`into(`%out : T [, %lse : T]`)`]
                  [`with(`%x : T, ...`)`] `score(`%s, %b, %h, %r, %j`)` region [`->` T | `->` `(`T, T`)`]
    rotation  ::= `rotate` rope [`from(`%p : T`)` | `at(`%ids : T`)`] [`length(`%n : index`)`]
                  [`freqs(`%f : T`)` | `cos_sin(`%c : T, %s : T`)`]
    ```

    Two results, the second being the log-sum-exp, are `%o, %lse = posenc.attention ...`.

    The region is straight-line code of `arith` and `math` on scalars, and of the ops `posenc.row`, `posenc.lookup`,
    `posenc.dot`, `posenc.mlp` and `posenc.row_scan`; it ends in `posenc.yield`. Scores are f32, positions index,
    conditions i1. `with` captures values under their own name (`%t = %x#1` renames one); nothing else of the surrounding
    program is seen. A scale, a mask, a softcap stand in the region, where the formula has them. A row without a kept pair
    gives zeros and a log-sum-exp of -inf, with a sink too. What a removed pair computes, indices out of bounds and
    divisions by 0 included, has no effect.

    `q`, `k` and `v` are f32, f16 or bf16; scores, softmax and sums are f32. The op takes tensors or memrefs with any
    strides. On memrefs `into` says where the results go, and must not overlap with what the op reads. On tensors it may be
    left out, and the result type stands after the region; if it is given, bufferization writes the results to its memory,
    unless something still reads what is there. Softmax attention is that of Vaswani et al. 2017 (arXiv:1706.03762).

    - `attention_c1`: q, k, v and out have four dimensions.
    - `attention_c2`: q [B,H,N,D], k [B,Hkv,M,D], v [B,Hkv,M,Dv], out [B,H,N,Dv].
    - `attention_c3`: D and Dv are static, agree and are at least 1.
    - `attention_c4`: H is a multiple of Hkv.
    - `attention_c5`: value tables are [C,Dv], or [H,C,Dv] for one per head.
    - `attention_c6`: sink is [H].
    - `attention_c7`: lse is [B,H,N] of f32.
    - `attention_c8`: the region's arguments are f32, four index, and the captures.
    - `attention_c9`: the region is straight-line code of arith and math on scalars and of score ops, without side
      effects.
    - `attention_c10`: the region ends in posenc.yield.
    - `attention_c11`: it yields one value row per value table.
    - `attention_c12`: q, k, v and `into` are all tensors or all memrefs; captures, positions and tables may be
      either.
    - `attention_c13`: memrefs need `into` and have no results; tensors have a result per destination, or as the
      result types say.

    Example: T5 encoder self-attention, whose formula has no scale.

    ```mlir
    func.func @attention(%q: tensor<2x8x128x64xf32>, %k: tensor<2x8x128x64xf32>, %v: tensor<2x8x128x64xf32>,
                         %table: tensor<32x8xf32>) -> tensor<2x8x128x64xf32> {
      %o = posenc.attention q(%q : tensor<2x8x128x64xf32>) k(%k : tensor<2x8x128x64xf32>) v(%v : tensor<2x8x128x64xf32>)
          with(%table : tensor<32x8xf32>)
          score(%s, %b, %h, %r, %j) {
        %delta = arith.subi %j, %r : index
        %c = posenc.row #posenc.t5<32, 128, bidirectional>(%delta)
        %bias = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
        %z = arith.addf %s, %bias : f32
        posenc.yield %z : f32
      } -> tensor<2x8x128x64xf32>
      return %o : tensor<2x8x128x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Operand, "queries [B,H,N,D]">:$q,
    Arg<PosEnc_Operand, "keys [B,Hkv,M,D]">:$k,
    Arg<PosEnc_Operand, "values [B,Hkv,M,Dv]">:$v,
    Arg<Optional<PosEnc_Operand>, "where the output goes, [B,H,N,Dv]">:$out,
    Arg<Optional<PosEnc_Operand>, "where the log-sum-exp goes, [B,H,N] of f32">:$lse,
    OptionalAttr<RopeAttr>:$qRope,
    Arg<Optional<PosEnc_Position>, "positions of the query rows">:$qPosition,
    Arg<Optional<Index>, "the length of the sequence, for the scaling of the query rotation">:$qLength,
    Arg<Optional<PosEnc_FloatTable>, "frequencies of the query rotation">:$qFreqs,
    Arg<Optional<PosEnc_FloatTable>, "cosines of the query rotation">:$qCos,
    Arg<Optional<PosEnc_FloatTable>, "sines of the query rotation">:$qSin,
    OptionalAttr<RopeAttr>:$kRope,
    Arg<Optional<PosEnc_Position>, "positions of the keys">:$kPosition,
    Arg<Optional<Index>, "the length of the sequence, for the scaling of the key rotation">:$kLength,
    Arg<Optional<PosEnc_FloatTable>, "frequencies of the key rotation">:$kFreqs,
    Arg<Optional<PosEnc_FloatTable>, "cosines of the key rotation">:$kCos,
    Arg<Optional<PosEnc_FloatTable>, "sines of the key rotation">:$kSin,
    Arg<Variadic<PosEnc_FloatTable>, "tables of rows added to the values">:$valueTables,
    Arg<Optional<PosEnc_FloatTable>, "a logit per head in the denominator, [H]">:$sink,
    Arg<Variadic<PosEnc_Capture>, "values that the region sees">:$captures);
  let results = (outs
    Res<Optional<PosEnc_Tensor>, "the output [B,H,N,Dv]">:$result,
    Res<Optional<PosEnc_Tensor>, "the log-sum-exp [B,H,N] of f32">:$lseResult);
  let regions = (region SizedRegion<1>:$score);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The rotation clauses; their rope is null where there is none.
    ::mlir::posenc::Rotation getQueryRotation();
    ::mlir::posenc::Rotation getKeyRotation();
    /// An empty one takes the clause away.
    void setQueryRotation(const ::mlir::posenc::Rotation &rotation);
    void setKeyRotation(const ::mlir::posenc::Rotation &rotation);
    YieldOp getYield();
  }];
}

#endif // DIALECTS_POSENC_POSENCATTENTIONOP_TD
