#ifndef DIALECTS_POSENC_POSENCREGIONOPS_TD
#define DIALECTS_POSENC_POSENCREGIONOPS_TD

include "dialects/PosEnc/PosEncBase.td"

/// An op of a score region: see posenc.attention. Schedules hold such regions too.
class PosEnc_ScoreOp<string mnemonic, list<Trait> traits = []> : PosEnc_Op<mnemonic, !listconcat(traits, [
    Pure, DeclareOpInterfaceMethods<ScoreOpInterface>,
    PredOpTrait<"the op stands in a score region",
                CPred<"::llvm::isa_and_nonnull<::mlir::posenc::ScoreRegionOpInterface>($_op.getParentOp())">>])>;

def YieldOp : PosEnc_Op<"yield", [
    Pure, Terminator, AttrSizedOperandSegments, ParentOneOf<["AttentionOp", "ScoreModOp"]>]> {
  let summary = "Ends a score region: the score of the pair, whether it is kept, its value rows";
  let description = [{
    `keep` acts after the score: nothing in the region can un-mask a pair, and the score of a pair that is not kept may
    be NaN or infinite. Without `keep` every pair is kept. A score of -inf has weight 0, like a pair that is not kept.
    `value_rows` has one row per value table of the attention; a row outside its table adds nothing.

    Example:

    ```mlir
    posenc.yield %score : f32 keep %visible value_rows(%row)
    ```
  }];
  let arguments = (ins
    Arg<F32, "the final score: a logit, natural units">:$score,
    Arg<Optional<I1>, "whether the pair takes part in the softmax">:$keep,
    Arg<Variadic<Index>, "a row of each value table">:$valueRows);
  let assemblyFormat = "$score `:` type($score) (`keep` $keep^)? (`value_rows` `(` $valueRows^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def RowOp : PosEnc_ScoreOp<"row"> {
  let summary = "The table row of some integers, by an index map";
  let description = [{
    `row = map(x...)`: a row in [0, rows of the map), or -1 if the map is partial and has no row there. Any integers are
    allowed. The maps are on the attributes' part of this page; `arith` says what needs no map (a shift, a remainder).

    - `row_c1`: as many integers as the map takes.

    Example:

    ```mlir
    %c = posenc.row #posenc.t5<32, 128, causal>(%delta)
    ```
  }];
  let arguments = (ins Arg<RowMapAttr, "the index map">:$map, Arg<Variadic<Index>, "the map's integers">:$x);
  let results = (outs Res<Index, "the row">:$row);
  let assemblyFormat = "$map `(` $x `)` attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def LookupOp : PosEnc_ScoreOp<"lookup", [InferTypeOpAdaptor]> {
  let summary = "An element of a captured tensor";
  let description = [{
    `element = table[indices...]`. Floats, f64 too, come as f32, integers (signed) as index, i1 as i1. `else` says what
    is read outside the table; without it the value there is unspecified. Nothing outside the table is ever read,
    whatever the indices. Dimensions are not broadcast: a table without a batch has no batch index.

    - `lookup_c1`: one index per dimension.
    - `lookup_c2`: an index that comes from a partial map needs `else`.
    - `lookup_c3`: `else` is a value of the table's kind: float, integer or i1.
    - `lookup_c4`: a static dimension that a map's row indexes has all rows of the map, unless there is an `else`.

    Example:

    ```mlir
    %bias = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
    %near = posenc.lookup %window[%row, %h] else 0.0 : tensor<9x8xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_Table, "a captured tensor or memref of any rank">:$table,
    Arg<Variadic<Index>, "one index per dimension of the table">:$indices,
    OptionalAttr<AnyAttrOf<[F64Attr, I64Attr, BoolAttr]>>:$outside);
  let results = (outs Res<AnyTypeOf<[F32, Index, I1]>, "the element">:$element);
  let assemblyFormat = "$table `[` $indices `]` (`else` custom<Literal>($outside)^)? attr-dict `:` type($table)";
  let hasVerifier = 1;
}

def DotOp : PosEnc_ScoreOp<"dot", [AttrSizedOperandSegments]> {
  let summary = "The inner product of two rows of captured tensors";
  let description = [{
    `product = sum_t x[xIndices..., t] y[yIndices..., t]`, unscaled, accumulated in f32. A captured query or key tensor is
    the unrotated operand, and keys are indexed by key head. `else` and indices outside are as in `posenc.lookup`: the
    product is `else` if either row is outside.

    - `dot_c1`: one index per dimension but the last, on either side.
    - `dot_c2`: rows of the same static length.
    - `dot_c3`: an index that comes from a partial map needs `else`.
    - `dot_c4`: a static dimension that a map's row indexes has all rows of the map, unless there is an `else`.

    Example:

    ```mlir
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : tensor<2x8x128x64xf32>, tensor<33x64xf32>
    ```
  }];
  let arguments = (ins
    Arg<PosEnc_FloatTable, "a captured tensor of rows [..., D]">:$x,
    Arg<Variadic<Index>, "the row of x">:$xIndices,
    Arg<PosEnc_FloatTable, "a captured tensor of rows [..., D]">:$y,
    Arg<Variadic<Index>, "the row of y">:$yIndices,
    OptionalAttr<F64Attr>:$outside);
  let results = (outs Res<F32, "the inner product">:$product);
  let assemblyFormat = [{
    $x `[` $xIndices `]` `,` $y `[` $yIndices `]` (`else` custom<Literal>($outside)^)? attr-dict `:` type($x) `,` type($y)
  }];
  let hasVerifier = 1;
}

def ActivationAttr : I32EnumAttr<"Activation", "the function between the layers of a network", [
    I32EnumAttrCase<"Relu", 0, "relu">, I32EnumAttrCase<"Silu", 1, "silu">, I32EnumAttrCase<"Gelu", 2, "gelu">,
    I32EnumAttrCase<"Tanh", 3, "tanh">]> {
  let cppNamespace = "::mlir::posenc";
}

def MlpOp : PosEnc_ScoreOp<"mlp", [AttrSizedOperandSegments]> {
  let summary = "One output of a small network on scalars";
  let description = [{
    `y = layers(x...)[output]`: `layers(%w1 plus %b1, %w2)` are the weights [out, in] of each layer, and after `plus` its
    bias [out]; between layers stands the activation: `relu`, `silu`, `gelu` (x (1 + erf(x / sqrt(2))) / 2) or `tanh`. An
    output outside the last layer is 0. FIRE (Li et al. 2023, arXiv:2310.04418), Swin v2's continuous bias (Liu et al.
    2021, arXiv:2111.09883) and dynamic position bias (CrossFormer, arXiv:2108.00154) are networks of positions. One
    whose inputs depend on the distance alone is evaluated once per distance.

    - `mlp_c1`: at least one input and one layer; the layers chain: the first takes as many values as there are inputs,
      each other one the outputs of the layer before; a bias has as many elements as its layer outputs. All extents but
      the last layer's outputs are static, and at most 4096.

    Example:

    ```mlir
    %x = posenc.lookup %table[%r, %h] : tensor<32x8xf32>
    %y = posenc.mlp relu(%x, %score)[%h] layers(%w1 plus %b1, %w2) : tensor<32x2xf32>, tensor<32xf32>, tensor<8x32xf32>
    ```
  }];
  let arguments = (ins
    Arg<ActivationAttr, "the function between layers">:$activation,
    Arg<Variadic<F32>, "the inputs">:$x,
    Arg<Index, "which output">:$output,
    Arg<Variadic<PosEnc_FloatTable>, "weights [out, in] of each layer">:$weights,
    Arg<Variadic<PosEnc_FloatTable>, "the biases, [out] each">:$biases,
    Arg<DenseBoolArrayAttr, "whether each layer has a bias">:$hasBias);
  let results = (outs Res<F32, "the output">:$y);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// A layer's weights and its bias, null without one.
    struct Layer {
      ::mlir::Value weights, bias;
    };
    /// The layers, if `operands` stand for the op's.
    ::llvm::SmallVector<Layer> getLayers(::mlir::ValueRange operands);
  }];
}

def RowScanOp : PosEnc_ScoreOp<"row_scan", [ParentOneOf<["AttentionOp", "ScoreModOp"]>]> {
  let summary = "The sum over the kept keys of a query from this key to the last";
  let description = [{
    `sum(r, j) = sum of x(r, j') over the kept keys j' >= j of query r`, where x is any value of the region. CoPE (Golovneva
    et al. 2024, arXiv:2405.18719) counts with it: the position of a key is the sum of gates, which the scores open, from
    it to the query. Unlike other values it depends on all pairs of its row.

    - `row_scan_c1`: whether a pair is kept does not depend on the sum.

    Example:

    ```mlir
    %sum = posenc.row_scan %score : f32
    ```
  }];
  let arguments = (ins Arg<F32, "what is summed">:$x);
  let results = (outs Res<F32, "the sum from this key on">:$sum);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

#endif // DIALECTS_POSENC_POSENCREGIONOPS_TD
