#ifndef PASSES_FUSIONPASSES_TD
#define PASSES_FUSIONPASSES_TD

include "mlir/Pass/PassBase.td"

def PosEnc_MaskValue : Option<"maskValue", "mask-value", "double", "-std::numeric_limits<double>::infinity()",
    "Constants down from this number, such as the least float, remove pairs: a row of nothing else is zeros">;

def PosEncFuseBiasPass : Pass<"posenc-fuse-bias"> {
  let summary = "Take ops on scores to score regions";
  let description = [{
    Writes what is computed with a tensor of scores [B,H,N,M], from `posenc.scores` to `posenc.softmax`, as the region of
    one `posenc.score_mod`: `posenc.relative_bias`, `posenc.score_mod`, and the elementwise ops of `arith`, `math` and
    `linalg` on tensors. Transposes, broadcasts, reshapes and casts between them become indices. What is added, multiplied
    or chosen is followed back in the same way, so that a mask made of positions becomes a comparison; what is made by
    other ops stays a tensor, which the region reads by `posenc.lookup`. A second product of queries and keys becomes a
    `posenc.dot`. The order of ops and of operands has no part in this.

    - **Masks.** A sum with -inf, or a choice of -inf, removes the pair (`keep`), and what follows keeps it removed: sums,
      and products with positive constants. A row without a pair is then a row of zeros, as in `posenc.softmax`. Where a
      mask is a large negative number, such as the least finite float, it stays a term: a row in which all pairs have it
      gives a mean of the values, not zeros. If there is no such row, or nobody reads it, `mask-value=-1e30` says that
      constants down from there remove pairs; blocks of removed pairs are then passed over, which makes a causal program
      about twice as fast. A mask that is a tensor of floats stays a term too.
    - **Scales.** A factor of all queries or keys, a constant or one number known at run time, moves to the scores: through
      rotations, reshapes, transposes and conversions, if nothing else uses the scaled rows.
    - **Used twice.** Scores that something else uses too stay in memory, and a remark says by whom. What follows is fused.

    Before: any ops. After: `posenc.softmax` and `posenc.relative_logits` take scores from `posenc.scores`, one
    `posenc.score_mod` or an op that has no place in a region. Rounding: a factor of queries or keys is multiplied with the
    product instead, and is f32; else the same. A removed pair stays removed where its scores would be NaN.

    ```mlir
    // Before
    #all = affine_map<(b, h, r, j) -> (b, h, r, j)>
    #key = affine_map<(b, h, r, j) -> (b, j)>
    func.func @mask(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %t: tensor<32x8xf32>,
                    %real: tensor<2x16xi1>) -> tensor<2x8x4x16xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
      %infinity = arith.constant 0xFF800000 : f32
      %scale = arith.constant dense<0.125> : tensor<2x8x4x16xf32>
      %scaled = arith.mulf %s, %scale : tensor<2x8x4x16xf32>
      %empty = tensor.empty() : tensor<2x8x4x16xf32>
      %masked = linalg.generic {
          indexing_maps = [#all, #key, #all],
          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%scaled, %real : tensor<2x8x4x16xf32>, tensor<2x16xi1>) outs(%empty : tensor<2x8x4x16xf32>) {
      ^bb0(%x: f32, %keep: i1, %out: f32):
        %y = arith.select %keep, %x, %infinity : f32
        linalg.yield %y : f32
      } -> tensor<2x8x4x16xf32>
      %biased = posenc.relative_bias s(%masked : tensor<2x8x4x16xf32>) table(%t : tensor<32x8xf32>)
          #posenc.t5<32, 128, bidirectional>(delta)
      %p = posenc.softmax s(%biased : tensor<2x8x4x16xf32>)
      return %p : tensor<2x8x4x16xf32>
    }
    // After
    func.func @mask(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %t: tensor<32x8xf32>,
                    %real: tensor<2x16xi1>) -> tensor<2x8x4x16xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) with(%real : tensor<2x16xi1>, %t : tensor<32x8xf32>)
          score(%x, %b, %h, %r, %j) {
        %scale = arith.constant 0.125 : f32
        %y = arith.mulf %x, %scale : f32
        %keep = posenc.lookup %real[%b, %j] : tensor<2x16xi1>
        %delta = arith.subi %j, %r : index
        %c = posenc.row #posenc.t5<32, 128, bidirectional>(%delta)
        %bias = posenc.lookup %t[%c, %h] : tensor<32x8xf32>
        %w = arith.addf %y, %bias : f32
        posenc.yield %w : f32 keep %keep
      }
      %p = posenc.softmax s(%z : tensor<2x8x4x16xf32>)
      return %p : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let options = [PosEnc_MaskValue];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::posenc::PosEncDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PosEncFuseRelativeGatherPass : Pass<"posenc-fuse-relative-gather"> {
  let summary = "Take reads of relative tables to score regions";
  let description = [{
    Writes reads of relative tables as ops of score regions. `posenc.relative_logits` becomes a `posenc.dot`. Where a
    region looks up a tensor of all rows and keys, the ops that made that tensor are followed back: a `tensor.extract` by
    computed indices becomes a `posenc.lookup` with those; padding, slices and reshapes become indices, so that the skew of
    a product of queries and all relative rows (Shaw, Transformer-XL) becomes a difference of positions; and a product over
    one dimension of two tensors, in f32, becomes a `posenc.dot` of their rows.

    Run it after `posenc-fuse-bias`, which makes such lookups. A lookup that stays says in a remark which op made the
    tensor.

    Before: any ops. After: no `posenc.relative_logits`. Rounding: the same, up to the order of the sum of a product.

    ```mlir
    // Before
    #all = affine_map<(r, j) -> (r, j)>
    func.func @gather(%s: tensor<2x8x4x16xf32>, %t: tensor<19x8xf32>) -> tensor<2x8x4x16xf32> {
      %empty = tensor.empty() : tensor<8x4x16xf32>
      %bias = linalg.generic {
          indexing_maps = [affine_map<(h, r, j) -> (h, r, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
          outs(%empty : tensor<8x4x16xf32>) {
      ^bb0(%out: f32):
        %h = linalg.index 0 : index
        %r = linalg.index 1 : index
        %j = linalg.index 2 : index
        %last = arith.constant 3 : index
        %delta = arith.subi %j, %r : index
        %c = arith.addi %delta, %last : index
        %e = tensor.extract %t[%c, %h] : tensor<19x8xf32>
        linalg.yield %e : f32
      } -> tensor<8x4x16xf32>
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) with(%bias : tensor<8x4x16xf32>) score(%x, %b, %h, %r, %j) {
        %e = posenc.lookup %bias[%h, %r, %j] : tensor<8x4x16xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }
      return %z : tensor<2x8x4x16xf32>
    }
    // After
    func.func @gather(%s: tensor<2x8x4x16xf32>, %t: tensor<19x8xf32>) -> tensor<2x8x4x16xf32> {
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) with(%t : tensor<19x8xf32>) score(%x, %b, %h, %r, %j) {
        %last = arith.constant 3 : index
        %delta = arith.subi %j, %r : index
        %c = arith.addi %delta, %last : index
        %e = posenc.lookup %t[%c, %h] : tensor<19x8xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }
      return %z : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let options = [PosEnc_MaskValue];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::posenc::PosEncDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PosEncFuseAttentionPass : Pass<"posenc-fuse-attention"> {
  let summary = "Take the steps of attention to one op";
  let description = [{
    Writes `posenc.scores`, the score_mods after it, `posenc.softmax`, `posenc.values`, and the `posenc.relative_values`
    added to that, at once or as sums of their own, as one `posenc.attention`. Adjacent score_mods become one first; ops of other dialects on scores are for
    `posenc-fuse-bias`.

    Keys and values whose heads are copies (a broadcast [B,Hkv,G,M,D], its heads merged) are read where they are, as Hkv
    heads; a copy in another order, such as [B,M,Hkv,G,D], leaves a transpose of the Hkv heads. Operands that were widened to f32 are read as they were, and an output that is rounded to f16 or bf16 is
    written so.

    Nothing is fused that would be computed twice: where something else uses the scores or the weights, or a step stands in
    another block, all steps stay, and a remark says why.

    Before: any ops. After: a `posenc.attention` for each complete chain of steps. Rounding: weights that are rounded to a
    narrower type before the values, and outputs that are so before value tables are added, are not; else the same.

    ```mlir
    // Before
    func.func @shaw(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %v: tensor<2x8x16x64xf32>,
                    %t: tensor<33x64xf32>) -> tensor<2x8x4x64xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) score(%x, %b, %h, %r, %j) {
        %scale = arith.constant 0.125 : f32
        %y = arith.mulf %x, %scale : f32
        posenc.yield %y : f32
      }
      %p = posenc.softmax s(%z : tensor<2x8x4x16xf32>)
      %o = posenc.values p(%p : tensor<2x8x4x16xf32>) v(%v : tensor<2x8x16x64xf32>) : tensor<2x8x4x64xf32>
      %r = posenc.relative_values o(%o : tensor<2x8x4x64xf32>) p(%p : tensor<2x8x4x16xf32>)
          table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
      return %r : tensor<2x8x4x64xf32>
    }
    // After
    func.func @shaw(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %v: tensor<2x8x16x64xf32>,
                    %t: tensor<33x64xf32>) -> tensor<2x8x4x64xf32> {
      %o = posenc.attention q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) v(%v : tensor<2x8x16x64xf32>)
          value_tables(%t : tensor<33x64xf32>)
          score(%s, %b, %h, %r, %j) {
        %scale = arith.constant 0.125 : f32
        %z = arith.mulf %s, %scale : f32
        %delta = arith.subi %j, %r : index
        %c = posenc.row #posenc.clip<-16, 16>(%delta)
        posenc.yield %z : f32 value_rows(%c)
      } -> tensor<2x8x4x64xf32>
      return %o : tensor<2x8x4x64xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::posenc::PosEncDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PosEncFuseRotationPass : Pass<"posenc-fuse-rotation"> {
  let summary = "Take rotations to clauses of attention";
  let description = [{
    Makes a `posenc.rotate` in front of the queries or keys of `posenc.attention` its clause, so that rows are rotated as
    they are read. Casts of shapes and conversions of elements between the two are looked through. If the keys are copies
    of fewer heads before the rotation, they and the values are read as those (see `posenc-fuse-attention`). A rotation
    whose rows something else uses too, such as a cache of rotated keys, stays, and a remark says by whom.

    Run it after `posenc-fuse-attention`: the scores alone have no clause for rotations.

    Before: any ops. After: the same, without the rotations that became clauses. Rounding: rows of f16 and bf16 are not
    rounded between the rotation and the product.

    ```mlir
    // Before
    #rope = #posenc.rope<half, base = 10000.0>
    func.func @rope(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %past: index) -> tensor<2x8x4x64xf32> {
      %qr = posenc.rotate #rope from(%past : index) x(%q : tensor<2x8x4x64xf32>)
      %kr = posenc.rotate #rope x(%k : tensor<2x8x16x64xf32>)
      %o = posenc.attention q(%qr : tensor<2x8x4x64xf32>) k(%kr : tensor<2x8x16x64xf32>) v(%k : tensor<2x8x16x64xf32>)
          score(%s, %b, %h, %r, %j) {
        posenc.yield %s : f32
      } -> tensor<2x8x4x64xf32>
      return %o : tensor<2x8x4x64xf32>
    }
    // After
    #rope = #posenc.rope<half, base = 10000.0>
    func.func @rope(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %past: index) -> tensor<2x8x4x64xf32> {
      %o = posenc.attention q(%q : tensor<2x8x4x64xf32>) rotate #rope from(%past : index)
          k(%k : tensor<2x8x16x64xf32>) rotate #rope v(%k : tensor<2x8x16x64xf32>)
          score(%s, %b, %h, %r, %j) {
        posenc.yield %s : f32
      } -> tensor<2x8x4x64xf32>
      return %o : tensor<2x8x4x64xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::posenc::PosEncDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PosEncUnfusePass : Pass<"posenc-unfuse"> {
  let summary = "Take attention to its steps";
  let description = [{
    Writes each `posenc.attention` on tensors as `posenc.rotate`, `posenc.scores`, one `posenc.score_mod`,
    `posenc.softmax`, `posenc.values` and `posenc.relative_values`, in order to look at the steps, or to change one of them.
    The passes `posenc-fuse-attention` and `posenc-fuse-rotation` take it back to what it was. Attention that the steps
    cannot say stays, and a remark says why: on memrefs, with a destination, or with value rows that are no map of the
    distance of a key and a row.

    Before: any ops. After: no `posenc.attention` but those. Rounding: rotated rows of f16 and bf16 are rounded to their
    type, and so is an output before the rows of value tables are added to it; else the same.

    ```mlir
    // Before
    func.func @causal(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %v: tensor<2x8x16x64xf32>) -> tensor<2x8x4x64xf32> {
      %o = posenc.attention q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) v(%v : tensor<2x8x16x64xf32>)
          score(%s, %b, %h, %r, %j) {
        %keep = arith.cmpi sle, %j, %r : index
        posenc.yield %s : f32 keep %keep
      } -> tensor<2x8x4x64xf32>
      return %o : tensor<2x8x4x64xf32>
    }
    // After
    func.func @causal(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>, %v: tensor<2x8x16x64xf32>) -> tensor<2x8x4x64xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) score(%x, %b, %h, %r, %j) {
        %keep = arith.cmpi sle, %j, %r : index
        posenc.yield %x : f32 keep %keep
      }
      %p = posenc.softmax s(%z : tensor<2x8x4x16xf32>)
      %o = posenc.values p(%p : tensor<2x8x4x16xf32>) v(%v : tensor<2x8x16x64xf32>) : tensor<2x8x4x64xf32>
      return %o : tensor<2x8x4x64xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::posenc::PosEncDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // PASSES_FUSIONPASSES_TD
