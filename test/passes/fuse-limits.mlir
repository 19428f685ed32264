// What a region cannot say or an attention cannot take stays as it is; and what is used often is written once.
//
// RUN: posenc-opt %s --posenc-fuse-bias --posenc-fuse-relative-gather --posenc-fuse-attention --posenc-fuse-rotation \
// RUN:   --split-input-file --allow-unregistered-dialect | FileCheck %s

!q = tensor<2x4x35x16xf32>
!k = tensor<2x2x75x16xf32>
!s = tensor<2x4x35x75xf32>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>
#first = affine_map<(b, h, r, j) -> (0)>
#rope = #posenc.rope<half, base = 10000.0>

// Sums of sums of sums: 2^40 ways lead back to the scores, 2^26 to a position.
// CHECK-LABEL: func.func @doubled
// CHECK:         %[[S:.*]] = posenc.scores
// CHECK-NEXT:    posenc.score_mod s(%[[S]]
// CHECK-COUNT-40: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         posenc.softmax
func.func @doubled(%q: !q, %k: !k) -> !s {
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = arith.addf %s0, %s0 : !s
  %s2 = arith.addf %s1, %s1 : !s
  %s3 = arith.addf %s2, %s2 : !s
  %s4 = arith.addf %s3, %s3 : !s
  %s5 = arith.addf %s4, %s4 : !s
  %s6 = arith.addf %s5, %s5 : !s
  %s7 = arith.addf %s6, %s6 : !s
  %s8 = arith.addf %s7, %s7 : !s
  %s9 = arith.addf %s8, %s8 : !s
  %s10 = arith.addf %s9, %s9 : !s
  %s11 = arith.addf %s10, %s10 : !s
  %s12 = arith.addf %s11, %s11 : !s
  %s13 = arith.addf %s12, %s12 : !s
  %s14 = arith.addf %s13, %s13 : !s
  %s15 = arith.addf %s14, %s14 : !s
  %s16 = arith.addf %s15, %s15 : !s
  %s17 = arith.addf %s16, %s16 : !s
  %s18 = arith.addf %s17, %s17 : !s
  %s19 = arith.addf %s18, %s18 : !s
  %s20 = arith.addf %s19, %s19 : !s
  %s21 = arith.addf %s20, %s20 : !s
  %s22 = arith.addf %s21, %s21 : !s
  %s23 = arith.addf %s22, %s22 : !s
  %s24 = arith.addf %s23, %s23 : !s
  %s25 = arith.addf %s24, %s24 : !s
  %s26 = arith.addf %s25, %s25 : !s
  %s27 = arith.addf %s26, %s26 : !s
  %s28 = arith.addf %s27, %s27 : !s
  %s29 = arith.addf %s28, %s28 : !s
  %s30 = arith.addf %s29, %s29 : !s
  %s31 = arith.addf %s30, %s30 : !s
  %s32 = arith.addf %s31, %s31 : !s
  %s33 = arith.addf %s32, %s32 : !s
  %s34 = arith.addf %s33, %s33 : !s
  %s35 = arith.addf %s34, %s34 : !s
  %s36 = arith.addf %s35, %s35 : !s
  %s37 = arith.addf %s36, %s36 : !s
  %s38 = arith.addf %s37, %s37 : !s
  %s39 = arith.addf %s38, %s38 : !s
  %s40 = arith.addf %s39, %s39 : !s
  %p = posenc.softmax s(%s40 : !s)
  return %p : !s
}

// CHECK-LABEL: func.func @doubled_position
// CHECK:         posenc.lookup
func.func @doubled_position(%s: !s, %t: tensor<?xf32>) -> !s {
  %e = tensor.empty() : tensor<35x75xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(r, j) -> (r, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<35x75xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d0 = arith.addi %r, %j : index
    %d1 = arith.addi %d0, %d0 : index
    %d2 = arith.addi %d1, %d1 : index
    %d3 = arith.addi %d2, %d2 : index
    %d4 = arith.addi %d3, %d3 : index
    %d5 = arith.addi %d4, %d4 : index
    %d6 = arith.addi %d5, %d5 : index
    %d7 = arith.addi %d6, %d6 : index
    %d8 = arith.addi %d7, %d7 : index
    %d9 = arith.addi %d8, %d8 : index
    %d10 = arith.addi %d9, %d9 : index
    %d11 = arith.addi %d10, %d10 : index
    %d12 = arith.addi %d11, %d11 : index
    %d13 = arith.addi %d12, %d12 : index
    %d14 = arith.addi %d13, %d13 : index
    %d15 = arith.addi %d14, %d14 : index
    %d16 = arith.addi %d15, %d15 : index
    %d17 = arith.addi %d16, %d16 : index
    %d18 = arith.addi %d17, %d17 : index
    %d19 = arith.addi %d18, %d18 : index
    %d20 = arith.addi %d19, %d19 : index
    %d21 = arith.addi %d20, %d20 : index
    %d22 = arith.addi %d21, %d21 : index
    %d23 = arith.addi %d22, %d22 : index
    %d24 = arith.addi %d23, %d23 : index
    %d25 = arith.addi %d24, %d24 : index
    %d26 = arith.addi %d25, %d25 : index
    %x = tensor.extract %t[%d26] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<35x75xf32>
  %z = posenc.score_mod s(%s : !s) with(%g : tensor<35x75xf32>) score(%y, %b, %h, %r, %j) {
    %l = posenc.lookup %g[%r, %j] : tensor<35x75xf32>
    %w = arith.addf %y, %l : f32
    posenc.yield %w : f32
  }
  return %z : !s
}

// A place outside of a concatenation, where the value is unspecified.
// CHECK-LABEL: func.func @outside
// CHECK:         posenc.score_mod
// CHECK-NOT:     posenc.lookup
func.func @outside(%s: !s, %a: tensor<2x35x75xf32>) -> !s {
  %g = tensor.concat dim(0) %a, %a : (tensor<2x35x75xf32>, tensor<2x35x75xf32>) -> tensor<4x35x75xf32>
  %z = posenc.score_mod s(%s : !s) with(%g : tensor<4x35x75xf32>) score(%x, %b, %h, %r, %j) {
    %four = arith.constant 4 : index
    %i = arith.addi %b, %four : index
    %l = posenc.lookup %g[%i, %r, %j] : tensor<4x35x75xf32>
    %y = arith.addf %x, %l : f32
    posenc.yield %y : f32
  }
  return %z : !s
}

// Tensors with an encoding, whose layout is not known here.
// CHECK-LABEL: func.func @negative_encoded_factor
// CHECK:         linalg.generic
// CHECK:         posenc.scores
// CHECK-NEXT:    posenc.softmax
func.func @negative_encoded_factor(%q: !q, %k: !k, %c: tensor<1xf32, "encoded">) -> !s {
  %e = tensor.empty() : !q
  %scaled = linalg.generic {
      indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q, %c : !q, tensor<1xf32, "encoded">) outs(%e : !q) {
  ^bb0(%x: f32, %factor: f32, %out: f32):
    %y = arith.mulf %x, %factor : f32
    linalg.yield %y : f32
  } -> !q
  %s = posenc.scores q(%scaled : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  return %p : !s
}

// CHECK-LABEL: func.func @negative_encoded_rows
// CHECK-SAME:      %{{.*}}: tensor<2x4x35x16xf32>, %[[K:.*]]: tensor<2x1x75x16xf32, "encoded">
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[K]]
// CHECK:         posenc.attention {{.*}} k(%[[COPY]]
func.func @negative_encoded_rows(%q: !q, %k: tensor<2x1x75x16xf32, "encoded">) -> !q {
  %e = tensor.empty() : tensor<2x4x75x16xf32>
  %copies = linalg.generic {
      indexing_maps = [affine_map<(b, h, r, j) -> (b, 0, r, j)>, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x1x75x16xf32, "encoded">) outs(%e : tensor<2x4x75x16xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<2x4x75x16xf32>
  %s = posenc.scores q(%q : !q) k(%copies : tensor<2x4x75x16xf32>) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%copies : tensor<2x4x75x16xf32>) : !q
  return %o : !q
}

// Elements that attention does not take stay widened.
// CHECK-LABEL: func.func @negative_f8
// CHECK-SAME:      %[[Q8:.*]]: tensor<2x4x35x16xf8E5M2>
// CHECK:         %[[Q:.*]] = arith.extf %[[Q8]]
// CHECK:         posenc.attention q(%[[Q]] : {{.*}} rotate
func.func @negative_f8(%q8: tensor<2x4x35x16xf8E5M2>, %k: !k) -> !q {
  %q = arith.extf %q8 : tensor<2x4x35x16xf8E5M2> to !q
  %rotated = posenc.rotate #rope x(%q : !q)
  %s = posenc.scores q(%rotated : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%k : !k) : !q
  return %o : !q
}

// Numbers that a region has no type for.
// CHECK-LABEL: func.func @negative_i4
// CHECK-NOT:     posenc.score_mod
// CHECK:         linalg.generic
// CHECK:         posenc.softmax
func.func @negative_i4(%q: !q, %k: !k, %c: i4) -> !s {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : !s) outs(%e : !s) {
  ^bb0(%x: f32, %out: f32):
    %f = arith.uitofp %c : i4 to f32
    %y = arith.addf %x, %f : f32
    linalg.yield %y : f32
  } -> !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// Constants of other dialects are captured.
// CHECK-LABEL: func.func @other_constant
// CHECK:         %[[C:.*]] = llvm.mlir.constant(5.000000e-01
// CHECK:         posenc.score_mod
// CHECK-NEXT:      with(%[[C]] : f32)
func.func @other_constant(%q: !q, %k: !k) -> !s {
  %c = llvm.mlir.constant(5.000000e-01 : f32) : f32
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %f = tensor.splat %c : !s
  %z = arith.mulf %s, %f : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// -----

!q = tensor<2x4x35x16xf32>
!k = tensor<2x2x75x16xf32>
!s = tensor<2x4x35x75xf32>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>

// A factor stays where something else reads the products: another result of the same op, or a capture.
// CHECK-LABEL: func.func @negative_two_results
// CHECK:         %[[Q:.*]] = arith.mulf
// CHECK:         posenc.scores q(%[[Q]]
// CHECK:         linalg.generic
// CHECK:         posenc.score_mod
func.func @negative_two_results(%q: !q, %k: !k, %m: tensor<75xf32>) -> (!s, !s) {
  %c = arith.constant dense<0.25> : !q
  %scaled = arith.mulf %q, %c : !q
  %s = posenc.scores q(%scaled : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %z:2 = linalg.generic {
      indexing_maps = [#all, affine_map<(b, h, r, j) -> (j)>, #all, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %m : !s, tensor<75xf32>) outs(%e, %e : !s, !s) {
  ^bb0(%x: f32, %bias: f32, %a: f32, %b: f32):
    %y = arith.addf %x, %bias : f32
    linalg.yield %y, %x : f32, f32
  } -> (!s, !s)
  %p = posenc.softmax s(%z#0 : !s)
  return %z#1, %p : !s, !s
}

// CHECK-LABEL: func.func @negative_captured
// CHECK:         %[[Q:.*]] = arith.mulf
// CHECK:         %[[S:.*]] = posenc.scores q(%[[Q]]
// CHECK-NEXT:    posenc.score_mod s(%[[S]]
// CHECK-NEXT:      with(%[[S]]
// CHECK:         posenc.values
func.func @negative_captured(%q: !q, %k: !k) -> !q {
  %c = arith.constant dense<0.25> : !q
  %scaled = arith.mulf %q, %c : !q
  %s = posenc.scores q(%scaled : !q) k(%k : !k) : !s
  %z = posenc.score_mod s(%s : !s) with(%s : !s) score(%x, %b, %h, %r, %j) {
    %zero = arith.constant 0 : index
    %first = posenc.lookup %s[%b, %h, %r, %zero] : !s
    %y = arith.subf %x, %first : f32
    posenc.yield %y : f32
  }
  %p = posenc.softmax s(%z : !s)
  %o = posenc.values p(%p : !s) v(%k : !k) : !q
  return %o : !q
}

// Rows that were too large for f16 before they were scaled.
// CHECK-LABEL: func.func @negative_rounded_factor
// CHECK:         arith.mulf
// CHECK:         arith.truncf
// CHECK:         posenc.scores
// CHECK-NEXT:    posenc.softmax
func.func @negative_rounded_factor(%q: !q, %k: tensor<2x2x75x16xf16>) -> !s {
  %c = arith.constant dense<0.001> : !q
  %scaled = arith.mulf %q, %c : !q
  %narrow = arith.truncf %scaled : !q to tensor<2x4x35x16xf16>
  %s = posenc.scores q(%narrow : tensor<2x4x35x16xf16>) k(%k : tensor<2x2x75x16xf16>) : !s
  %p = posenc.softmax s(%s : !s)
  return %p : !s
}

// Rows that were f16 before.
// CHECK-LABEL: func.func @widened_factor
// CHECK-NOT:     arith.mulf {{.*}} : tensor
// CHECK:         posenc.score_mod
func.func @widened_factor(%q: tensor<2x4x35x16xf16>, %k: tensor<2x2x75x16xf16>) -> !s {
  %c = arith.constant dense<0.001> : !q
  %wide = arith.extf %q : tensor<2x4x35x16xf16> to !q
  %scaled = arith.mulf %wide, %c : !q
  %narrow = arith.truncf %scaled : !q to tensor<2x4x35x16xf16>
  %s = posenc.scores q(%narrow : tensor<2x4x35x16xf16>) k(%k : tensor<2x2x75x16xf16>) : !s
  %p = posenc.softmax s(%s : !s)
  return %p : !s
}

// Dynamic sizes may differ: transposed scores are not those of the pair, though their type is.
// CHECK-LABEL: func.func @negative_transposed
// CHECK:         linalg.transpose
// CHECK-NEXT:    posenc.softmax
func.func @negative_transposed(%q: tensor<2x4x?x16xf32>, %k: tensor<2x4x?x16xf32>) -> tensor<2x4x?x?xf32> {
  %two = arith.constant 2 : index
  %n = tensor.dim %q, %two : tensor<2x4x?x16xf32>
  %m = tensor.dim %k, %two : tensor<2x4x?x16xf32>
  %s = posenc.scores q(%k : tensor<2x4x?x16xf32>) k(%q : tensor<2x4x?x16xf32>) : tensor<2x4x?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<2x4x?x?xf32>
  %t = linalg.transpose ins(%s : tensor<2x4x?x?xf32>) outs(%e : tensor<2x4x?x?xf32>) permutation = [0, 1, 3, 2]
  %p = posenc.softmax s(%t : tensor<2x4x?x?xf32>)
  return %p : tensor<2x4x?x?xf32>
}

// A contraction that is no product of rows.
// CHECK-LABEL: func.func @negative_contraction
// CHECK:         math.exp
// CHECK:         posenc.score_mod
// CHECK-NOT:     posenc.dot
func.func @negative_contraction(%s: !s, %q: tensor<35x16xf32>, %k: tensor<75x16xf32>) -> !s {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<35x75xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<35x75xf32>) -> tensor<35x75xf32>
  %g = linalg.generic {
      indexing_maps = [affine_map<(r, j, d) -> (r, d)>, affine_map<(r, j, d) -> (j, d)>, affine_map<(r, j, d) -> (r, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<35x16xf32>, tensor<75x16xf32>) outs(%f : tensor<35x75xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %x = math.exp %a : f32
    %y = arith.mulf %x, %b : f32
    %z = arith.addf %sum, %y : f32
    linalg.yield %z : f32
  } -> tensor<35x75xf32>
  %z = posenc.score_mod s(%s : !s) with(%g : tensor<35x75xf32>) score(%x, %b, %h, %r, %j) {
    %l = posenc.lookup %g[%r, %j] : tensor<35x75xf32>
    %y = arith.addf %x, %l : f32
    posenc.yield %y : f32
  }
  return %z : !s
}

// Sums over kept keys are not read by other regions, whose pairs are others.
// CHECK-LABEL: func.func @negative_scan_read
// CHECK:         posenc.row_scan
// CHECK:         posenc.score_mod
// CHECK-NOT:     posenc.row_scan
// CHECK:           posenc.lookup
func.func @negative_scan_read(%q: !q, %k: !k, %s: !s) -> !s {
  %t = posenc.scores q(%q : !q) k(%k : !k) : !s
  %sums = posenc.score_mod s(%t : !s) score(%x, %b, %h, %r, %j) {
    %sum = posenc.row_scan %x : f32
    posenc.yield %sum : f32
  }
  %z = posenc.score_mod s(%s : !s) with(%sums : !s) score(%x, %b, %h, %r, %j) {
    %l = posenc.lookup %sums[%b, %h, %r, %j] : !s
    %y = arith.addf %x, %l : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %y : f32 keep %keep
  }
  return %z : !s
}

// A read and the sum in one op, as fusion of elementwise ops leaves it.
// CHECK-LABEL: func.func @read_and_add
// CHECK:         posenc.attention
// CHECK-SAME:      q(
// CHECK:           posenc.lookup
// CHECK-NOT:     linalg.generic
func.func @read_and_add(%q: !q, %k: !k, %t: tensor<200x4xf32>, %ids: tensor<35x75xi32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %z = linalg.generic {
      indexing_maps = [#all, affine_map<(b, h, r, j) -> (r, j)>, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %ids : !s, tensor<35x75xi32>) outs(%e : !s) {
  ^bb0(%x: f32, %id: i32, %out: f32):
    %i = arith.index_cast %id : i32 to index
    %h = linalg.index 1 : index
    %bias = tensor.extract %t[%i, %h] : tensor<200x4xf32>
    %y = arith.addf %x, %bias : f32
    linalg.yield %y : f32
  } -> !s
  %p = posenc.softmax s(%z : !s)
  %o = posenc.values p(%p : !s) v(%k : !k) : !q
  return %o : !q
}

// Sizes that are asked of merged heads.
// CHECK-LABEL: func.func @merged_heads
// CHECK:         posenc.attention
// CHECK-NOT:     tensor.collapse_shape
func.func @merged_heads(%q: tensor<?x4x?x16xf32>, %k: tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = posenc.scores q(%q : tensor<?x4x?x16xf32>) k(%k : tensor<?x4x?x16xf32>) : tensor<?x4x?x?xf32>
  %merged = tensor.collapse_shape %s [[0, 1], [2], [3]] : tensor<?x4x?x?xf32> into tensor<?x?x?xf32>
  %bh = tensor.dim %merged, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %merged, %c1 : tensor<?x?x?xf32>
  %m = tensor.dim %merged, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%bh, %n, %m) : tensor<?x?x?xf32>
  %doubled = linalg.add ins(%merged, %merged : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %b = tensor.dim %q, %c0 : tensor<?x4x?x16xf32>
  %split = tensor.expand_shape %doubled [[0, 1], [2], [3]] output_shape [%b, 4, %n, %m] : tensor<?x?x?xf32> into tensor<?x4x?x?xf32>
  %p = posenc.softmax s(%split : tensor<?x4x?x?xf32>)
  %o = posenc.values p(%p : tensor<?x4x?x?xf32>) v(%k : tensor<?x4x?x16xf32>) : tensor<?x4x?x16xf32>
  return %o : tensor<?x4x?x16xf32>
}

// An op that is not known.
// CHECK-LABEL: func.func @negative_unknown
// CHECK:         "other.op"
// CHECK-NEXT:    posenc.softmax
func.func @negative_unknown(%q: !q, %k: !k) -> !s {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = "other.op"(%s) : (!s) -> !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// -----

// In a graph an op may be made of itself.
// CHECK-LABEL: "test.graph"
// CHECK:         arith.addf
// CHECK:         posenc.softmax
"builtin.module"() ({
  %s = "test.graph"() : () -> tensor<2x4x35x75xf32>
  %a = arith.addf %a, %s : tensor<2x4x35x75xf32>
  %p = posenc.softmax s(%a : tensor<2x4x35x75xf32>)
  "test.use"(%p) : (tensor<2x4x35x75xf32>) -> ()
}) : () -> ()
