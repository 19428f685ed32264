// RUN: posenc-opt %s --canonicalize | FileCheck %s

!x = tensor<2x8x4x64xf32>
!s = tensor<2x8x4x5xf32>

// CHECK-LABEL: func.func @unused_and_equal_captures
// CHECK-SAME:      %[[Q:[^:]*]]: {{.*}}, %[[T:[^:]*]]: tensor<8xf32>
// CHECK:         with(%[[T]] : tensor<8xf32>)
// CHECK-NEXT:    score
// CHECK:           %[[X:.*]] = posenc.lookup %[[T]][%h]
// CHECK-NEXT:      %[[Y:.*]] = posenc.lookup %[[T]][%h]
// CHECK-NEXT:      arith.addf %[[X]], %[[Y]]
func.func @unused_and_equal_captures(%q: !x, %t: tensor<8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
      with(%q : !x, %t : tensor<8xf32>, %again = %t : tensor<8xf32>)
      score(%s, %b, %h, %i, %j) {
    %x = posenc.lookup %t[%h] : tensor<8xf32>
    %y = posenc.lookup %again[%h] : tensor<8xf32>
    %z = arith.addf %x, %y : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}

// A constant offset goes inside, and what depends on it alone is folded.
// CHECK-LABEL: func.func @constant_capture
// CHECK-NOT:     with
// CHECK:         score
// CHECK:           %[[C3:.*]] = arith.constant 3 : index
// CHECK:           arith.addi %r, %[[C3]]
func.func @constant_capture(%s: !s) -> !s {
  %past = arith.constant 3 : index
  %o = posenc.score_mod s(%s : !s) with(%past : index) score(%x, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %x : f32 keep %keep
  }
  return %o : !s
}

// CHECK-LABEL: func.func @always_kept
// CHECK:         posenc.yield %{{.*}} : f32{{$}}
func.func @always_kept(%q: !x) -> !x {
  %true = arith.constant true
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%true : i1) score(%s, %b, %h, %i, %j) {
    posenc.yield %s : f32 keep %true
  } -> !x
  return %o : !x
}

// A pair that is never kept stays so: the result is zeros, not a softmax.
// CHECK-LABEL: func.func @never_kept
// CHECK:         posenc.yield %{{.*}} : f32 keep %{{.*}}
func.func @never_kept(%q: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %i, %j) {
    %false = arith.constant false
    posenc.yield %s : f32 keep %false
  } -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @identity_score_mod
// CHECK-SAME:      %[[S:[^:]*]]: tensor
// CHECK-NEXT:    return %[[S]]
func.func @identity_score_mod(%s: !s, %t: tensor<8xf32>) -> !s {
  %o = posenc.score_mod s(%s : !s) with(%t : tensor<8xf32>) score(%x, %b, %h, %i, %j) {
    %unused = posenc.lookup %t[%h] : tensor<8xf32>
    posenc.yield %x : f32
  }
  return %o : !s
}

// CHECK-LABEL: func.func @negative_masking_score_mod
// CHECK:         posenc.score_mod
func.func @negative_masking_score_mod(%s: !s) -> !s {
  %o = posenc.score_mod s(%s : !s) score(%x, %b, %h, %i, %j) {
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %x : f32 keep %keep
  }
  return %o : !s
}

// On tensors the op has no effects: what is unused goes, what is equal is one.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    return
func.func @dead(%q: !x) {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return
}

// On memrefs it writes.
// CHECK-LABEL: func.func @negative_writes
// CHECK:         posenc.attention
!m = memref<2x8x4x64xf32>
func.func @negative_writes(%q: !m) {
  posenc.attention q(%q : !m) k(%q : !m) v(%q : !m) into(%q : !m) score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 }
  return
}
