// RUN: posenc-opt %s --posenc-results-to-arguments --split-input-file --verify-diagnostics | FileCheck %s
// RUN: posenc-opt %s --posenc-results-to-arguments --posenc-results-to-arguments --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<1x8x?x64xf32>
!k = tensor<1x8x16x64xf32>

// The page's example: attention computes in the caller's memory.
// CHECK-LABEL: func.func @attention
// CHECK-SAME:      (%[[Q:.*]]: tensor<1x8x?x64xf32> {bufferization.writable = false},
// CHECK-SAME:       %{{.*}}: tensor<1x8x16x64xf32> {bufferization.writable = false},
// CHECK-SAME:       %[[RESULT:.*]]: memref<1x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>) {
// CHECK-DAG:     tensor.dim %[[Q]]
// CHECK-DAG:     memref.dim %[[RESULT]]
// CHECK:         cf.assert %{{.*}}, "argument 2 (result): dimension 2 is not that of what is computed"
// CHECK-NOT:     cf.assert
// CHECK:         %[[D:.*]] = bufferization.to_tensor %[[RESULT]] restrict writable
// CHECK:         %[[O:.*]] = posenc.attention
// CHECK-NEXT:        into(%[[D]] :
// CHECK:         bufferization.materialize_in_destination %[[O]] in restrict writable %[[RESULT]]
// CHECK:         return{{$}}
func.func @attention(%q: !x, %k: !k) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%k : !k) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !x
  return %o : !x
}

// So does attention with two results, in whatever order they are returned.
// CHECK-LABEL: func.func @both
// CHECK-SAME:      %[[LSE:[^:]*]]: memref<1x8x?xf32, strided<[?, ?, ?], offset: ?>>
// CHECK-SAME:      %[[OUT:[^:]*]]: memref<1x8x?x64xf32,
// CHECK:         cf.assert %{{.*}}, "argument 3 (result1): dimension 2
// CHECK:         %[[DOUT:.*]] = bufferization.to_tensor %[[OUT]]
// CHECK:         cf.assert %{{.*}}, "argument 2 (result0): dimension 2
// CHECK:         %[[DLSE:.*]] = bufferization.to_tensor %[[LSE]]
// CHECK:         into(%[[DOUT]] : {{.*}}, %[[DLSE]] : {{.*}})
func.func @both(%q: !x, %k: !k) -> (tensor<1x8x?xf32>, !x) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !k) v(%k : !k) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, tensor<1x8x?xf32>)
  return %lse, %o : tensor<1x8x?xf32>, !x
}

// One that is not returned has no place there.
// CHECK-LABEL: func.func @negative_one_of_two
// CHECK-NOT:     into(
// CHECK:         cf.assert %{{.*}}, "argument 2 (result): dimension 2
// CHECK:         bufferization.materialize_in_destination
func.func @negative_one_of_two(%q: !x, %k: !k) -> !x {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !k) v(%k : !k) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, tensor<1x8x?xf32>)
  return %o : !x
}

// A destination that the program has stays.
// CHECK-LABEL: func.func @negative_destination
// CHECK-SAME:      %[[D:[^:]*]]: tensor<1x8x16x64xf32> {bufferization.writable = false}, %{{[^:]*}}: memref
// CHECK:           into(%[[D]] :
func.func @negative_destination(%k: !k, %d: !k) -> !k {
  %o = posenc.attention q(%k : !k) k(%k : !k) v(%k : !k) into(%d : !k) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !k
  return %o : !k
}

// Scalars, arguments and memrefs are copied; static sizes need no check.
// CHECK-LABEL: func.func @others
// CHECK-SAME:      %[[X:[^:]*]]: tensor<4xf32> {bufferization.writable = false}, %[[M:[^:]*]]: memref<4xf32>, %[[I:[^:]*]]: index,
// CHECK-SAME:      %[[R0:[^:]*]]: memref<4xf32, strided<[?], offset: ?>>, %[[R1:[^:]*]]: memref<4xf32, strided<[?], offset: ?>>, %[[R2:[^:]*]]: memref<index>)
// CHECK-NOT:     cf.assert
// CHECK:         bufferization.materialize_in_destination %[[X]] in restrict writable %[[R0]]
// CHECK:         memref.copy %[[M]], %[[R1]]
// CHECK:         memref.store %[[I]], %[[R2]][]
func.func @others(%x: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> (tensor<4xf32>, memref<4xf32>, index) {
  return %x, %m, %i : tensor<4xf32>, memref<4xf32>, index
}

// CHECK-LABEL: func.func private @negative_private
// CHECK-SAME:      -> f32
func.func private @negative_private(%x: f32) -> f32 {
  return %x : f32
}

// -----

// The module's own calls are of a copy.
// CHECK-LABEL: func.func @called
// CHECK-SAME:      memref<f32>) {
// CHECK-LABEL: func.func @caller
// CHECK:         call @[[COPY:called_.*]](%{{.*}}) : (f32) -> f32
// CHECK:       func.func private @[[COPY]](%{{.*}}: f32) -> f32 {
func.func @called(%x: f32) -> f32 {
  return %x : f32
}
func.func @caller(%x: f32) -> f32 {
  %y = call @called(%x) : (f32) -> f32
  return %y : f32
}

// -----

// expected-error@+1 {{result 0 of type 'vector<4xf32>' has no form in memory of the caller}}
func.func @negative_vector(%x: vector<4xf32>) -> vector<4xf32> {
  return %x : vector<4xf32>
}
