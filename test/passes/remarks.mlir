// RUN: posenc-opt %s --posenc-decompose --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: posenc-opt %s --posenc-decompose -o /dev/null 2>&1 | count 0
// RUN: posenc-opt %s --posenc-decompose=keep-attention --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 | count 0

// CHECK: remarks.mlir:[[@LINE+4]]:8: remark: [Passed] decompose | Category:posenc {{.*}}wrote posenc.attention as plain linalg, with all N x M scores in memory
// CHECK-NOT: remark
!x = tensor<2x8x4x64xf32>
func.func @attention(%q: !x, %t: tensor<8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%t : tensor<8xf32>) score(%s, %b, %h, %r, %j) {
    %bias = posenc.lookup %t[%h] : tensor<8xf32>
    posenc.yield %bias : f32
  } -> !x
  return %o : !x
}
