// RUN: posenc-opt %s --posenc-fuse-bias --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-bias --posenc-fuse-bias --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-bias --split-input-file --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>
#key = affine_map<(b, h, r, j) -> (b, j)>

// The page's example: a mask before the bias, as a choice.
// CHECK-LABEL: func.func @mask
// CHECK-NEXT:    %[[S:.*]] = posenc.scores
// CHECK-NEXT:    %[[Z:.*]] = posenc.score_mod s(%[[S]] : tensor<2x8x4x16xf32>)
// CHECK-NEXT:      with(
// CHECK-NEXT:      score(%[[X:.*]], %[[B:.*]], %[[H:.*]], %[[R:.*]], %[[J:.*]]) {
// CHECK-DAG:         %[[Y:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK-DAG:         %[[KEEP:.*]] = posenc.lookup %{{.*}}[%[[B]], %[[J]]] : tensor<2x16xi1>
// CHECK-DAG:         %[[E:.*]] = posenc.lookup %{{.*}}[%{{.*}}, %[[H]]] : tensor<32x8xf32>
// CHECK:             %[[W:.*]] = arith.addf %[[Y]], %[[E]]
// CHECK-NEXT:        posenc.yield %[[W]] : f32 keep %[[KEEP]]
// CHECK:         posenc.softmax s(%[[Z]] :
// REMARK: remark: [Passed] fuse-bias {{.*}}wrote posenc.relative_bias as a lookup of a score_mod
// REMARK: remark: [Passed] fuse-bias {{.*}}wrote 2 ops on scores as a score_mod
func.func @mask(%q: !q, %k: !k, %t: tensor<32x8xf32>, %real: tensor<2x16xi1>) -> !s {
  %infinity = arith.constant 0xFF800000 : f32
  %scale = arith.constant dense<0.125> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %scaled = arith.mulf %s, %scale : !s
  %empty = tensor.empty() : !s
  %masked = linalg.generic {indexing_maps = [#all, #key, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %real : !s, tensor<2x16xi1>) outs(%empty : !s) {
  ^bb0(%x: f32, %keep: i1, %out: f32):
    %y = arith.select %keep, %x, %infinity : f32
    linalg.yield %y : f32
  } -> !s
  %biased = posenc.relative_bias s(%masked : !s) table(%t : tensor<32x8xf32>) #posenc.t5<32, 128, bidirectional>(delta)
  %p = posenc.softmax s(%biased : !s)
  return %p : !s
}

// -----

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>

// Positions in a mask become those of the pair. It may be a term: what adds -inf removes.
// CHECK-LABEL: func.func @causal_term
// CHECK:         posenc.score_mod
// CHECK-NEXT:      score(%[[X:.*]], %{{.*}}, %{{.*}}, %[[R:.*]], %[[J:.*]]) {
// CHECK-NEXT:        %[[KEEP:.*]] = arith.cmpi sle, %[[J]], %[[R]] : index
// CHECK-NEXT:        posenc.yield %[[X]] : f32 keep %[[KEEP]]
func.func @causal_term(%q: !q, %k: !k) -> !s {
  %infinity = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(r, j) -> (r, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<4x16xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %j = linalg.index 1 : index
    %late = arith.cmpi sgt, %j, %r : index
    %y = arith.select %late, %infinity, %zero : f32
    linalg.yield %y : f32
  } -> tensor<4x16xf32>
  %es = tensor.empty() : !s
  %ms = linalg.broadcast ins(%m : tensor<4x16xf32>) outs(%es : !s) dimensions = [0, 1]
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.addf %ms, %s : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// A large negative number is no -inf: a row where it is all there is has a softmax.
// CHECK-LABEL: func.func @finite_mask
// CHECK:           %[[Y:.*]] = arith.select %{{.*}}, %{{.*}}, %cst
// CHECK-NEXT:      posenc.yield %[[Y]] : f32
// CHECK-NEXT:    }
func.func @finite_mask(%q: !q, %k: !k, %m: !s, %keep: tensor<2x8x4x16xi1>) -> !s {
  %min = arith.constant dense<-3.40282347E+38> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.select %keep, %s, %min : tensor<2x8x4x16xi1>, !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// Merged heads, transposes: indices that cancel.
// CHECK-LABEL: func.func @views
// CHECK:         %[[S:.*]] = posenc.scores
// CHECK-NEXT:    posenc.score_mod s(%[[S]] : {{.*}})
// CHECK-NEXT:      with(%{{.*}} : tensor<16x16xf32>)
// CHECK-NEXT:      score(%[[X:.*]], %[[B:.*]], %[[H:.*]], %{{.*}}, %[[J:.*]]) {
// CHECK:             %[[BH:.*]] = arith.muli %[[B]], %c8
// CHECK-NEXT:        %[[G:.*]] = arith.addi %[[BH]], %[[H]]
// CHECK-NEXT:        %[[E:.*]] = posenc.lookup %{{.*}}[%[[G]], %[[J]]]
// CHECK-NEXT:        arith.addf %[[X]], %[[E]]
func.func @views(%q: !q, %k: !k, %t: tensor<16x16xf32>) -> !s {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s3 = tensor.collapse_shape %s [[0, 1], [2], [3]] : !s into tensor<16x4x16xf32>
  %e3 = tensor.empty() : tensor<4x16x16xf32>
  %st = linalg.transpose ins(%s3 : tensor<16x4x16xf32>) outs(%e3 : tensor<4x16x16xf32>) permutation = [1, 2, 0]
  %zt = linalg.generic {
      indexing_maps = [affine_map<(r, j, g) -> (r, j, g)>, affine_map<(r, j, g) -> (g, j)>, affine_map<(r, j, g) -> (r, j, g)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%st, %t : tensor<4x16x16xf32>, tensor<16x16xf32>) outs(%e3 : tensor<4x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x16x16xf32>
  %e = tensor.empty() : tensor<16x4x16xf32>
  %z3 = linalg.transpose ins(%zt : tensor<4x16x16xf32>) outs(%e : tensor<16x4x16xf32>) permutation = [2, 0, 1]
  %z = tensor.expand_shape %z3 [[0, 1], [2], [3]] output_shape [2, 8, 4, 16] : tensor<16x4x16xf32> into !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// Square roots of a scale on both sides, one behind a rotation: both go to the scores.
// CHECK-LABEL: func.func @scales
// CHECK-SAME:    %[[Q:.*]]: tensor<2x8x4x64xf32>, %[[K:.*]]: tensor<2x8x16x64xf32>, %[[C:.*]]: f32
// CHECK-NEXT:    %[[QR:.*]] = posenc.rotate #{{.*}} x(%[[Q]] :
// CHECK-NEXT:    %[[S:.*]] = posenc.scores q(%[[QR]] : {{.*}}) k(%[[K]] :
// CHECK-NEXT:    posenc.score_mod s(%[[S]] :
// CHECK:             %[[Y:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:             %[[Z:.*]] = arith.divf %[[Y]], %{{.*}} : f32
// CHECK:             posenc.yield %[[Z]] : f32
// REMARK: remark: [Passed] fuse-bias {{.*}}moved a factor of the rows to the scores
func.func @scales(%q: !q, %k: !k, %c: f32) -> !s {
  %root = arith.constant dense<0.353553385> : !q
  %qs = arith.mulf %root, %q : !q
  %qr = posenc.rotate #posenc.rope<half, base = 10000.0> x(%qs : !q)
  %e = tensor.empty() : !k
  %ks = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : !k) outs(%e : !k) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.divf %x, %c : f32
    linalg.yield %y : f32
  } -> !k
  %s = posenc.scores q(%qr : !q) k(%ks : !k) : !s
  %p = posenc.softmax s(%s : !s)
  return %p : !s
}

// Scaled rows that something else needs stay; a factor per channel is none.
// CHECK-LABEL: func.func @negative_scales
// CHECK:         %[[QS:.*]] = arith.mulf
// CHECK:         %[[KS:.*]] = linalg.generic
// CHECK:         posenc.scores q(%[[QS]] : {{.*}}) k(%[[KS]] :
// CHECK-NOT:     posenc.score_mod
func.func @negative_scales(%q: !q, %k: !k, %w: tensor<64xf32>) -> (!s, !q) {
  %root = arith.constant dense<0.125> : !q
  %qs = arith.mulf %root, %q : !q
  %e = tensor.empty() : !k
  %ks = linalg.generic {
      indexing_maps = [#all, affine_map<(b, h, r, d) -> (d)>, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k, %w : !k, tensor<64xf32>) outs(%e : !k) {
  ^bb0(%x: f32, %c: f32, %out: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> !k
  %s = posenc.scores q(%qs : !q) k(%ks : !k) : !s
  %p = posenc.softmax s(%s : !s)
  return %p, %qs : !s, !q
}

// Scores that something else uses stay, and what follows is fused.
// CHECK-LABEL: func.func @used_twice
// CHECK:         %[[S:.*]] = posenc.scores
// CHECK:         %[[Z:.*]] = arith.mulf %[[S]]
// CHECK:         posenc.score_mod s(%[[Z]] :
// CHECK:         return %{{.*}}, %[[Z]]
// REMARK: remark: [Missed] fuse-bias {{.*}}these scores stay in memory: func.return of line [[#@LINE+9]] uses them too
func.func @used_twice(%q: !q, %k: !k, %bias: !s) -> (!s, !s) {
  %scale = arith.constant dense<0.125> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.mulf %s, %scale : !s
  %y = arith.addf %z, %bias : !s
  %x = math.tanh %y : !s
  %w = arith.mulf %x, %y : !s
  %p = posenc.softmax s(%w : !s)
  return %p, %z : !s, !s
}

// A second product of queries and keys, also where its queries are elsewhere.
// CHECK-LABEL: func.func @two_products
// CHECK-SAME:    %[[Q:.*]]: tensor<2x8x4x64xf32>, %[[K:.*]]: tensor<2x8x16x64xf32>, %[[Q2:.*]]: tensor<2x8x4x8xf32>, %[[K2:.*]]: tensor<2x4x16x8xf32>
// CHECK-NEXT:    %[[S:.*]] = posenc.scores q(%[[Q]] :
// CHECK-NEXT:    posenc.score_mod s(%[[S]] :
// CHECK-NEXT:      with(%[[Q2]] : tensor<2x8x4x8xf32>, %[[K2]] : tensor<2x4x16x8xf32>)
// CHECK-NEXT:      score(%[[X:.*]], %[[B:.*]], %[[H:.*]], %[[R:.*]], %[[J:.*]]) {
// CHECK:             %[[G:.*]] = arith.divui %[[H]], %c2
// CHECK:             %[[E:.*]] = posenc.dot %{{.*}}[%[[B]], %[[H]], %[[R]]], %{{.*}}[%[[B]], %[[G]], %[[J]]]
// CHECK:             arith.addf %[[E]], %[[X]]
func.func @two_products(%q: !q, %k: !k, %q2: tensor<2x8x4x8xf32>, %k2: tensor<2x4x16x8xf32>) -> !s {
  %s2 = posenc.scores q(%q2 : tensor<2x8x4x8xf32>) k(%k2 : tensor<2x4x16x8xf32>) : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.addf %s2, %s : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// A mixture of heads is no op on elements: what follows it is fused, and the remark says so.
// CHECK-LABEL: func.func @negative_talking_heads
// CHECK:         %[[T:.*]] = linalg.generic
// CHECK:         posenc.score_mod s(%[[T]] :
// REMARK: remark: [Missed] fuse-bias {{.*}}scores before linalg.generic of line [[#@LINE+4]] stay in memory: it is no op on elements
func.func @negative_talking_heads(%q: !q, %k: !k, %mix: tensor<8x8xf32>, %bias: !s) -> !s {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %zero = arith.constant dense<0.0> : !s
  %t = linalg.generic {
      indexing_maps = [affine_map<(b, h, r, j, g) -> (b, g, r, j)>, affine_map<(b, h, r, j, g) -> (h, g)>,
                       affine_map<(b, h, r, j, g) -> (b, h, r, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %mix : !s, tensor<8x8xf32>) outs(%zero : !s) {
  ^bb0(%x: f32, %c: f32, %sum: f32):
    %m = arith.mulf %x, %c : f32
    %n = arith.addf %sum, %m : f32
    linalg.yield %n : f32
  } -> !s
  %z = arith.addf %t, %bias : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// -----

!q = tensor<?x8x?x64xf16>
!s = tensor<?x8x?x?xf32>
!n = tensor<?x8x?x?xf16>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>

// Dynamic sizes, which are asked of the operands; scores in f16 are rounded as they were. f64 has no place in a table.
// CHECK-LABEL: func.func @narrow
// CHECK:         posenc.score_mod s(
// CHECK:           %[[A:.*]] = arith.truncf %s : f32 to f16
// CHECK:           %[[M:.*]] = arith.addf %[[A]], %{{.*}} : f16
// CHECK:           %[[W:.*]] = arith.extf %[[M]] : f16 to f32
// CHECK:           posenc.yield %[[W]] : f32
// CHECK:         posenc.softmax
func.func @narrow(%q: !q, %mask: !n, %wide: tensor<?x8x?x?xf64>) -> !s {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %s = posenc.scores q(%q : !q) k(%q : !q) : !s
  %b = tensor.dim %s, %c0 : !s
  %r = tensor.dim %s, %c2 : !s
  %j = tensor.dim %s, %c3 : !s
  %e = tensor.empty(%b, %r, %j) : !n
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %mask : !s, !n) outs(%e : !n) {
  ^bb0(%x: f32, %m: f16, %out: f16):
    %y = arith.truncf %x : f32 to f16
    %w = arith.addf %y, %m : f16
    linalg.yield %w : f16
  } -> !n
  %y = arith.extf %z : !n to !s
  %p = posenc.softmax s(%y : !s)
  return %p : !s
}

// CHECK-LABEL: func.func @negative_f64
// CHECK:         %[[W:.*]] = arith.truncf %{{.*}} : tensor<?x8x?x?xf64> to tensor<?x8x?x?xf32>
// CHECK:         posenc.score_mod
// CHECK-NEXT:      with(%[[W]] :
func.func @negative_f64(%q: !q, %wide: tensor<?x8x?x?xf64>) -> !s {
  %s = posenc.scores q(%q : !q) k(%q : !q) : !s
  %w = arith.truncf %wide : tensor<?x8x?x?xf64> to !s
  %z = arith.addf %s, %w : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// -----

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>

// A sum over the kept keys of a row takes in factors before it.
// CHECK-LABEL: func.func @scan
// CHECK:         %[[S:.*]] = posenc.scores
// CHECK-NEXT:    posenc.score_mod s(%[[S]]
// CHECK:           %[[T:.*]] = arith.mulf %s
// CHECK:           %[[KEEP:.*]] = arith.cmpi sle
// CHECK:           %[[SUM:.*]] = posenc.row_scan %[[T]]
// CHECK:           posenc.yield %[[SUM]] : f32 keep %[[KEEP]]
// CHECK:         posenc.softmax
func.func @scan(%q: !q, %k: !k) -> !s {
  %half = arith.constant dense<0.5> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %t = arith.mulf %s, %half : !s
  %y = posenc.score_mod s(%t : !s) score(%x, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    %sum = posenc.row_scan %x : f32
    posenc.yield %sum : f32 keep %keep
  }
  %p = posenc.softmax s(%y : !s)
  return %p : !s
}

// One over all keys takes them in on either side. A score of -inf in its region is no pair removed: it counts.
// CHECK-LABEL: func.func @scan_of_all
// CHECK:         %[[S:.*]] = posenc.scores
// CHECK-NEXT:    posenc.score_mod s(%[[S]]
// CHECK:           %[[SUM:.*]] = posenc.row_scan
// CHECK:           %[[Y:.*]] = arith.select %{{.*}}, %[[SUM]], %{{.*}} : f32
// CHECK:           %[[Z:.*]] = arith.mulf %[[Y]]
// CHECK:           posenc.yield %[[Z]] : f32
// CHECK-NEXT:    }
func.func @scan_of_all(%q: !q, %k: !k) -> !s {
  %half = arith.constant dense<0.5> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %t = arith.mulf %s, %half : !s
  %y = posenc.score_mod s(%t : !s) score(%x, %b, %h, %r, %j) {
    %infinity = arith.constant 0xFF800000 : f32
    %sum = posenc.row_scan %x : f32
    %more = arith.cmpf ogt, %sum, %x : f32
    %z = arith.select %more, %sum, %infinity : f32
    posenc.yield %z : f32
  }
  %z = arith.mulf %y, %half : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// What follows could keep a pair that was removed.
// CHECK-LABEL: func.func @negative_scan_keeps
// CHECK:         %[[Y:.*]] = posenc.score_mod
// CHECK:           posenc.row_scan
// CHECK:           keep
// CHECK:         posenc.score_mod s(%[[Y]]
// CHECK:           arith.maximumf
func.func @negative_scan_keeps(%q: !q, %k: !k) -> !s {
  %zero = arith.constant dense<0.0> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %y = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    %sum = posenc.row_scan %x : f32
    posenc.yield %sum : f32 keep %keep
  }
  %z = arith.maximumf %y, %zero : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// Removed before the sum, a pair would count no more, and -inf does.
// CHECK-LABEL: func.func @negative_scan_after_a_mask
// CHECK:         %[[M:.*]] = posenc.score_mod
// CHECK:           keep
// CHECK:         posenc.score_mod s(%[[M]]
// CHECK:           posenc.row_scan
// REMARK:      scores stay in memory: posenc.row_scan sums over the kept keys of its own score_mod
func.func @negative_scan_after_a_mask(%q: !q, %k: !k, %keep: tensor<2x8x4x16xi1>) -> !s {
  %inf = arith.constant dense<0xFF800000> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %t = arith.select %keep, %s, %inf : tensor<2x8x4x16xi1>, !s
  %y = posenc.score_mod s(%t : !s) score(%x, %b, %h, %r, %j) {
    %e = math.exp %x : f32
    %sum = posenc.row_scan %e : f32
    posenc.yield %sum : f32
  }
  %p = posenc.softmax s(%y : !s)
  return %p : !s
}

// Removed after the sum, a pair has counted.
// CHECK-LABEL: func.func @negative_scan_before_a_mask
// CHECK:         %[[Y:.*]] = posenc.score_mod
// CHECK:           posenc.row_scan
// CHECK:         posenc.score_mod s(%[[Y]]
// CHECK:           keep
// REMARK:      scores stay in memory: posenc.row_scan sums over the kept keys of its own score_mod
func.func @negative_scan_before_a_mask(%q: !q, %k: !k, %keep: tensor<2x8x4x16xi1>) -> !s {
  %inf = arith.constant dense<0xFF800000> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %y = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %sum = posenc.row_scan %x : f32
    posenc.yield %sum : f32
  }
  %t = arith.select %keep, %y, %inf : tensor<2x8x4x16xi1>, !s
  %p = posenc.softmax s(%t : !s)
  return %p : !s
}

// Transposed, the sum would go along the other side.
// CHECK-LABEL: func.func @negative_scan_transposed
// CHECK:         posenc.score_mod
// CHECK:           posenc.row_scan
// CHECK:         linalg.transpose
func.func @negative_scan_transposed(%q: !q, %k: !k) -> tensor<2x8x16x4xf32> {
  %e = tensor.empty() : tensor<2x8x16x4xf32>
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %y = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %sum = posenc.row_scan %x : f32
    posenc.yield %sum : f32
  }
  %t = linalg.transpose ins(%y : !s) outs(%e : tensor<2x8x16x4xf32>) permutation = [0, 1, 3, 2]
  %p = posenc.softmax s(%t : tensor<2x8x16x4xf32>)
  return %p : tensor<2x8x16x4xf32>
}
