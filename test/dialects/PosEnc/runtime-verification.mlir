// RUN: posenc-opt %s --generate-runtime-verification=verbose-level=0 | FileCheck %s

// Dynamic extents that must agree are asserted to; static ones are verified.
// CHECK-LABEL: func.func @attention
// CHECK:         cf.assert {{.*}}attention_c2
// CHECK:         cf.assert {{.*}}attention_c2
// CHECK:         cf.assert {{.*}}attention_c4
// CHECK:         cf.assert {{.*}}attention_c5
// CHECK:         cf.assert {{.*}}attention_c6
// CHECK:         cf.assert {{.*}}rotate_c1: expected one offset per batch
// CHECK:         cf.assert {{.*}}rotate_c1: expected one position per row
// CHECK:         cf.assert {{.*}}rotate_c1: expected positions of each batch, or of one
// CHECK-NOT:     cf.assert
// CHECK:         posenc.attention
#rope = #posenc.rope<half, base = 10000.0>
!q = tensor<2x8x?x64xf32>
!k = tensor<2x?x?x64xf32>
func.func @attention(%q: !q, %k: !k, %v: !k, %t: tensor<?x9x64xf32>, %sinks: tensor<?xf32>, %past: tensor<?xi64>,
                     %ids: tensor<?x?xi64>) -> !q {
  %o = posenc.attention q(%q : !q) rotate #rope from(%past : tensor<?xi64>) k(%k : !k) rotate #rope at(%ids : tensor<?x?xi64>)
      v(%v : !k) value_tables(%t : tensor<?x9x64xf32>) sink(%sinks : tensor<?xf32>)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 value_rows(%j) } -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @axes
// CHECK:         cf.assert {{.*}}rotate_c1: expected positions on each axis
// CHECK:         cf.assert {{.*}}rotate_c1: expected one position per row
// CHECK:         cf.assert {{.*}}rotate_c1: expected positions of each batch, or of one
// CHECK-NOT:     cf.assert
// CHECK:         posenc.rotate
func.func @axes(%x: !q, %ids: tensor<?x?x?xi64>) -> !q {
  %o = posenc.rotate #posenc.rope<half, base = 10000.0, sections = [16, 16]> at(%ids : tensor<?x?x?xi64>) x(%x : !q)
  return %o : !q
}

// CHECK-LABEL: func.func @negative_static
// CHECK-NOT:     cf.assert
// CHECK:         return
!x = tensor<2x8x4x64xf32>
func.func @negative_static(%q: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @unfused
// CHECK:         cf.assert {{.*}}scores_c1
// CHECK:         cf.assert {{.*}}relative_c2: expected one offset per batch
// CHECK:         cf.assert {{.*}}relative_c2: expected a table [C,H]
// CHECK:         cf.assert {{.*}}relative_c3
// CHECK:         cf.assert {{.*}}softmax_c1
// CHECK:         cf.assert {{.*}}values_c1
// CHECK:         cf.assert {{.*}}relative_c4
!s = tensor<2x8x?x?xf32>
func.func @unfused(%q: !q, %k: tensor<2x?x?x64xf32>, %b: tensor<32x?xf32>, %t: tensor<?x33x64xf32>, %sinks: tensor<?xf32>,
                   %past: tensor<?xi64>) -> !q {
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.relative_bias s(%s0 : !s) table(%b : tensor<32x?xf32>) #posenc.t5<32, 128, causal>(delta) from(%past : tensor<?xi64>)
  %s2 = posenc.relative_logits s(%s1 : !s) k(%k : !k) table(%t : tensor<?x33x64xf32>) #posenc.clip<-16, 16>(lag)
  %p = posenc.softmax s(%s2 : !s) sink(%sinks : tensor<?xf32>)
  %o = posenc.values p(%p : !s) v(%k : !k) : !q
  %r = posenc.relative_values o(%o : !q) p(%p : !s) table(%t : tensor<?x33x64xf32>) #posenc.clip<-16, 16>(lag)
  return %r : !q
}

// What a result's type says of dynamic extents of the operands.
// CHECK-LABEL: func.func @results
// CHECK:         cf.assert {{.*}}attention_c2
// CHECK:         cf.assert {{.*}}attention_c7
// CHECK-NOT:     cf.assert
// CHECK:         posenc.attention
// CHECK:         cf.assert {{.*}}scores_c1
// CHECK:         cf.assert {{.*}}scores_c1
// CHECK-NOT:     cf.assert
// CHECK:         posenc.scores
// CHECK-NOT:     cf.assert
// CHECK:         posenc.scores
// CHECK:         cf.assert {{.*}}softmax_c1
// CHECK:         posenc.softmax
// CHECK:         cf.assert {{.*}}values_c1
// CHECK:         posenc.values
!d = tensor<2x8x?x64xf32>
func.func @results(%q: !d) -> (!x, tensor<2x8x4xf32>, tensor<2x8x4x4xf32>, tensor<2x8x4xf32>, !x) {
  %o, %lse = posenc.attention q(%q : !d) k(%q : !d) v(%q : !d)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> (!x, tensor<2x8x4xf32>)
  %s4 = posenc.scores q(%q : !d) k(%q : !d) : tensor<2x8x4x4xf32>
  %s = posenc.scores q(%q : !d) k(%q : !d) : !s
  %p, %l = posenc.softmax s(%s : !s) lse : tensor<2x8x4xf32>
  %v = posenc.values p(%p : !s) v(%o : !x) : !x
  return %o, %lse, %s4, %l, %v : !x, tensor<2x8x4xf32>, tensor<2x8x4x4xf32>, tensor<2x8x4xf32>, !x
}
