// RUN: posenc-opt %s --posenc-fuse-relative-gather --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-relative-gather --posenc-fuse-relative-gather --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-relative-gather --split-input-file --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!s = tensor<2x8x4x16xf32>

// The page's example: the table's rows stand for distances.
// CHECK-LABEL: func.func @gather
// CHECK-NOT:     linalg
// CHECK:         posenc.score_mod
// CHECK-NEXT:      with(%[[T:.*]] : tensor<19x8xf32>)
// CHECK-NEXT:      score(%{{.*}}, %{{.*}}, %[[H:.*]], %[[R:.*]], %[[J:.*]]) {
// CHECK:             %[[D:.*]] = arith.subi %[[J]], %[[R]]
// CHECK:             %[[C:.*]] = arith.addi %[[D]], %c3
// CHECK:             posenc.lookup %{{.*}}[%[[C]], %[[H]]]
// REMARK: [[@LINE+3]]:11: remark: [Passed] fuse-relative-gather {{.*}}wrote linalg.generic of all rows and keys as a read of the score region
func.func @gather(%s: !s, %t: tensor<19x8xf32>) -> !s {
  %empty = tensor.empty() : tensor<8x4x16xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(h, r, j) -> (h, r, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
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
  %z = posenc.score_mod s(%s : !s) with(%bias : tensor<8x4x16xf32>) score(%x, %b, %h, %r, %j) {
    %e = posenc.lookup %bias[%h, %r, %j] : tensor<8x4x16xf32>
    %y = arith.addf %x, %e : f32
    posenc.yield %y : f32
  }
  return %z : !s
}

// -----

!s = tensor<2x8x4x4xf32>
!q = tensor<2x8x4x64xf32>

// The skew of Transformer-XL: a column is put before the product of queries and all relative rows, and every row moves by
// one more. What is read is the row of a distance.
// CHECK-LABEL: func.func @skew
// CHECK-SAME:    %{{.*}}: tensor<2x8x4x4xf32>, %[[Q:.*]]: tensor<2x8x4x64xf32>, %[[REL:.*]]: tensor<8x7x64xf32>
// CHECK-NOT:     linalg
// CHECK-NOT:     tensor.
// CHECK:         posenc.score_mod
// CHECK-NEXT:      with(%[[Q]] : tensor<2x8x4x64xf32>, %[[REL]] : tensor<8x7x64xf32>)
// CHECK-NEXT:      score(%[[X:.*]], %[[B:.*]], %[[H:.*]], %[[R:.*]], %[[J:.*]]) {
// CHECK-DAG:         %[[THREE:.*]] = arith.constant 3
// CHECK-DAG:         %[[J3:.*]] = arith.addi %[[J]], %[[THREE]]
// CHECK:             %[[C:.*]] = arith.subi %[[J3]], %[[R]]
// CHECK:             %[[E:.*]] = posenc.dot %{{.*}}[%[[B]], %[[H]], %[[R]]], %{{.*}}[%[[H]], %[[C]]] : tensor<2x8x4x64xf32>, tensor<8x7x64xf32>
// CHECK:             arith.addf %[[X]], %[[E]]
func.func @skew(%s: !s, %q: !q, %rel: tensor<8x7x64xf32>) -> !s {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4x7xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x4x7xf32>) -> tensor<2x8x4x7xf32>
  %x0 = linalg.generic {
      indexing_maps = [affine_map<(b, h, r, c, d) -> (b, h, r, d)>, affine_map<(b, h, r, c, d) -> (h, c, d)>,
                       affine_map<(b, h, r, c, d) -> (b, h, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %rel : !q, tensor<8x7x64xf32>) outs(%z0 : tensor<2x8x4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %sum, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x8x4x7xf32>
  %column = arith.constant dense<0.0> : tensor<2x8x4x1xf32>
  %x1 = tensor.concat dim(3) %column, %x0 : (tensor<2x8x4x1xf32>, tensor<2x8x4x7xf32>) -> tensor<2x8x4x8xf32>
  %x2 = tensor.collapse_shape %x1 [[0], [1], [2, 3]] : tensor<2x8x4x8xf32> into tensor<2x8x32xf32>
  %x3 = tensor.extract_slice %x2[0, 0, 4] [2, 8, 28] [1, 1, 1] : tensor<2x8x32xf32> to tensor<2x8x28xf32>
  %x4 = tensor.expand_shape %x3 [[0], [1], [2, 3]] output_shape [2, 8, 4, 7] : tensor<2x8x28xf32> into tensor<2x8x4x7xf32>
  %x5 = tensor.extract_slice %x4[0, 0, 0, 0] [2, 8, 4, 4] [1, 1, 1, 1] : tensor<2x8x4x7xf32> to !s
  %z = posenc.score_mod s(%s : !s) with(%x5 : !s) score(%x, %b, %h, %r, %j) {
    %y = posenc.lookup %x5[%b, %h, %r, %j] : !s
    %w = arith.addf %x, %y : f32
    posenc.yield %w : f32
  }
  return %z : !s
}

// The skew of the Conformer: a column before, all rows but the first of the transposed shape. What two reshapes divide, a
// third puts together again.
// CHECK-LABEL: func.func @skew_by_reshapes
// CHECK-NOT:     tensor.
// CHECK:         posenc.score_mod
// CHECK:           score(%{{.*}}, %[[B:.*]], %[[H:.*]], %[[R:.*]], %[[J:.*]]) {
// CHECK-NOT:         arith.remui
// CHECK-DAG:         %[[J3:.*]] = arith.addi %[[J]], %c3
// CHECK:             %[[C:.*]] = arith.subi %[[J3]], %[[R]]
// CHECK:             posenc.lookup %{{.*}}[%[[H]], %[[R]], %[[C]]] : tensor<8x4x7xf32>
func.func @skew_by_reshapes(%s: !s, %x0: tensor<8x4x7xf32>) -> !s {
  %zero = arith.constant 0.0 : f32
  %x1 = tensor.pad %x0 low[0, 0, 1] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<8x4x7xf32> to tensor<8x4x8xf32>
  %x2 = tensor.collapse_shape %x1 [[0], [1, 2]] : tensor<8x4x8xf32> into tensor<8x32xf32>
  %x3 = tensor.expand_shape %x2 [[0], [1, 2]] output_shape [8, 8, 4] : tensor<8x32xf32> into tensor<8x8x4xf32>
  %x4 = tensor.extract_slice %x3[0, 1, 0] [8, 7, 4] [1, 1, 1] : tensor<8x8x4xf32> to tensor<8x7x4xf32>
  %x5 = tensor.collapse_shape %x4 [[0], [1, 2]] : tensor<8x7x4xf32> into tensor<8x28xf32>
  %x6 = tensor.expand_shape %x5 [[0], [1, 2]] output_shape [8, 4, 7] : tensor<8x28xf32> into tensor<8x4x7xf32>
  %x7 = tensor.extract_slice %x6[0, 0, 0] [8, 4, 4] [1, 1, 1] : tensor<8x4x7xf32> to tensor<8x4x4xf32>
  %z = posenc.score_mod s(%s : !s) with(%x7 : tensor<8x4x4xf32>) score(%x, %b, %h, %r, %j) {
    %y = posenc.lookup %x7[%h, %r, %j] : tensor<8x4x4xf32>
    %w = arith.addf %x, %y : f32
    posenc.yield %w : f32
  }
  return %z : !s
}

// -----

!s = tensor<2x8x4x16xf32>
!k = tensor<2x2x16x64xf32>

// Sugar: the keys' rows, by key head, and zero where the map has no row.
// CHECK-LABEL: func.func @relative_logits
// CHECK:           %[[C:.*]] = posenc.row #posenc.band<-4, 4>
// CHECK:           %[[G:.*]] = arith.divui
// CHECK:           posenc.dot %{{.*}}[%{{.*}}, %[[G]], %{{.*}}], %{{.*}}[%[[C]]] else 0.000000e+00
// REMARK: remark: [Passed] fuse-relative-gather {{.*}}wrote posenc.relative_logits as a dot of a score_mod
func.func @relative_logits(%s: !s, %k: !k, %t: tensor<9x64xf32>) -> !s {
  %z = posenc.relative_logits s(%s : !s) k(%k : !k) table(%t : tensor<9x64xf32>) #posenc.band<-4, 4>(lag)
  return %z : !s
}

// A sum over something else than channels stays a tensor.
// CHECK-LABEL: func.func @negative_product_of_f16
// CHECK:         linalg.generic
// CHECK:           posenc.lookup %{{.*}} : tensor<4x16xf16>
// REMARK: remark: [Missed] fuse-relative-gather {{.*}}a tensor of all rows and keys stays in memory: linalg.generic of line [[#@LINE+3]]
func.func @negative_product_of_f16(%s: !s, %a: tensor<4x64xf16>, %c: tensor<16x64xf16>) -> !s {
  %zero = arith.constant dense<0.0> : tensor<4x16xf16>
  %x0 = linalg.generic {
      indexing_maps = [affine_map<(r, j, d) -> (r, d)>, affine_map<(r, j, d) -> (j, d)>, affine_map<(r, j, d) -> (r, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %c : tensor<4x64xf16>, tensor<16x64xf16>) outs(%zero : tensor<4x16xf16>) {
  ^bb0(%x: f16, %y: f16, %sum: f16):
    %m = arith.mulf %x, %y : f16
    %n = arith.addf %sum, %m : f16
    linalg.yield %n : f16
  } -> tensor<4x16xf16>
  %z = posenc.score_mod s(%s : !s) with(%x0 : tensor<4x16xf16>) score(%x, %b, %h, %r, %j) {
    %y = posenc.lookup %x0[%r, %j] : tensor<4x16xf16>
    %w = arith.addf %x, %y : f32
    posenc.yield %w : f32
  }
  return %z : !s
}
