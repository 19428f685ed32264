// RUN: posenc-opt %s --posenc-decompose --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-decompose=compute-type=f64 --split-input-file | FileCheck %s --check-prefix=F64
// RUN: posenc-opt %s --posenc-decompose=keep-attention --split-input-file | FileCheck %s --check-prefix=KEEP
// RUN: posenc-opt %s --posenc-decompose="keep-attention compute-type=f64" --split-input-file | FileCheck %s --check-prefix=KEEP
// RUN: posenc-opt %s --posenc-decompose --posenc-decompose --split-input-file | FileCheck %s

// The page's example.
// CHECK-LABEL: func.func @scores
// CHECK:         linalg.fill
// CHECK:         %[[S:.*]] = linalg.generic {{.*}}["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT:     posenc
// CHECK:         return %[[S]]
func.func @scores(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>) -> tensor<2x8x4x16xf32> {
  %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
  return %s : tensor<2x8x4x16xf32>
}

// -----

// Key heads are repeated for the query heads that read them.
// CHECK-LABEL: func.func @grouped_heads
// CHECK:         %[[GROUP:.*]] = arith.divui
// CHECK:         linalg.generic
// CHECK:           arith.divui %{{.*}}, %[[GROUP]]
// CHECK:           tensor.extract
func.func @grouped_heads(%q: tensor<2x8x4x64xf32>, %k: tensor<2x?x16x64xf32>) -> tensor<2x8x4x16xf32> {
  %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x?x16x64xf32>) : tensor<2x8x4x16xf32>
  return %s : tensor<2x8x4x16xf32>
}

// -----

// Narrow operands are widened as they are read, the result is rounded once.
// CHECK-LABEL: func.func @bf16
// CHECK:         arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT:     truncf
// CHECK:         return
// F64-LABEL:   func.func @bf16
// F64:           arith.extf %{{.*}} : f32 to f64
func.func @bf16(%q: tensor<2x8x4x64xbf16>) -> tensor<2x8x4x64xbf16> {
  %o = posenc.attention q(%q : tensor<2x8x4x64xbf16>) k(%q : tensor<2x8x4x64xbf16>) v(%q : tensor<2x8x4x64xbf16>)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> tensor<2x8x4x64xbf16>
  return %o : tensor<2x8x4x64xbf16>
}

// -----

// No read leaves its table, whatever the index: every one stands behind a comparison.
// CHECK-LABEL: func.func @guards
// CHECK:         arith.cmpi ult
// CHECK:         scf.if
// CHECK-NEXT:      tensor.extract %{{.*}} : tensor<9x8xf32>
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[OUTSIDE:.*]] : f32
func.func @guards(%s: tensor<2x8x4x16xf32>, %t: tensor<9x8xf32>) -> tensor<2x8x4x16xf32> {
  %r = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) with(%t : tensor<9x8xf32>) score(%x, %b, %h, %r, %j) {
    %bias = posenc.lookup %t[%j, %h] else -2.5 : tensor<9x8xf32>
    posenc.yield %bias : f32
  }
  return %r : tensor<2x8x4x16xf32>
}

// -----

// A pair that is not kept is -inf, whatever its score.
// CHECK-LABEL: func.func @keep
// CHECK-DAG:     %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[INF]]
func.func @keep(%s: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
  %r = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) score(%x, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %x : f32 keep %keep
  }
  return %r : tensor<2x8x4x16xf32>
}

// -----

// In f64 the region is f64 too, and a bit pattern is that of the type as written.
// F64-LABEL:   func.func @region
// F64-DAG:       %[[C:.*]] = arith.constant 1.250000e-01 : f64
// F64:           arith.mulf %{{.*}}, %[[C]] : f64
// F64:           %[[NARROW:.*]] = arith.truncf %{{.*}} : f64 to f32
// F64:           arith.bitcast %[[NARROW]] : f32 to i32
// F64:           %[[BACK:.*]] = arith.bitcast %{{.*}} : i32 to f32
// F64:           arith.extf %[[BACK]] : f32 to f64
// CHECK-LABEL: func.func @region
func.func @region(%s: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
  %r = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) score(%x, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %y = arith.mulf %x, %c : f32
    %wide = arith.extf %y : f32 to f64
    %again = arith.truncf %wide : f64 to f32
    %bits = arith.bitcast %again : f32 to i32
    %z = arith.bitcast %bits : i32 to f32
    posenc.yield %z : f32
  }
  return %r : tensor<2x8x4x16xf32>
}

// -----

// In f64, what passes from op to op is not rounded; what others see is.
// F64-LABEL:   func.func @between_ops
// F64-NOT:       truncf
// F64:           math.exp %{{.*}} : f64
// F64:           arith.truncf %{{.*}} : f64 to f32
// F64-NOT:       truncf
// F64:           return
// CHECK-LABEL: func.func @between_ops
func.func @between_ops(%q: tensor<2x8x4x64xf32>) -> tensor<2x8x4x4xf32> {
  %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%q : tensor<2x8x4x64xf32>) : tensor<2x8x4x4xf32>
  %p = posenc.softmax s(%s : tensor<2x8x4x4xf32>)
  return %p : tensor<2x8x4x4xf32>
}

// -----

// Angles are f64; the pairs are two slices of the channels.
// CHECK-LABEL: func.func @rotate_interleaved
// CHECK:         arith.sitofp %{{.*}} : i64 to f64
// CHECK:         math.cos %{{.*}} : f64
// CHECK:         math.sin %{{.*}} : f64
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0, 16] [2, 8, 4, 16] [1, 1, 1, 2]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0, 17] [2, 8, 4, 16] [1, 1, 1, 2]
// CHECK:         tensor.insert_slice
// CHECK:         tensor.insert_slice
func.func @rotate_interleaved(%x: tensor<2x8x4x64xbf16>) -> tensor<2x8x4x64xbf16> {
  %r = posenc.rotate #posenc.rope<interleaved, base = 10000.0, start = 16, width = 32> x(%x : tensor<2x8x4x64xbf16>)
  return %r : tensor<2x8x4x64xbf16>
}

// -----

// On memrefs everything is read before the destination is written.
// CHECK-LABEL: func.func @memref
// CHECK:         bufferization.to_tensor %{{.*}} restrict
// CHECK:         linalg.generic
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %{{.*}}
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %{{.*}}
// CHECK-NOT:     linalg
// CHECK:         return
func.func @memref(%q: memref<2x8x4x64xf32>, %o: memref<2x8x4x64xf32, strided<[?, ?, ?, ?]>>, %l: memref<2x8x4xf32>) {
  posenc.attention q(%q : memref<2x8x4x64xf32>) k(%q : memref<2x8x4x64xf32>) v(%q : memref<2x8x4x64xf32>)
      into(%o : memref<2x8x4x64xf32, strided<[?, ?, ?, ?]>>, %l : memref<2x8x4xf32>)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return
}

// -----

// On tensors the destination is where the result is written.
// CHECK-LABEL: func.func @into
// CHECK-SAME:      %[[O:[^:]*]]: tensor<2x8x4x64xbf16>)
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} outs(%[[O]] : tensor<2x8x4x64xbf16>)
// CHECK:         return %[[R]]
func.func @into(%q: tensor<2x8x4x64xf32>, %o: tensor<2x8x4x64xbf16>) -> tensor<2x8x4x64xbf16> {
  %r = posenc.attention q(%q : tensor<2x8x4x64xf32>) k(%q : tensor<2x8x4x64xf32>) v(%q : tensor<2x8x4x64xf32>)
      into(%o : tensor<2x8x4x64xbf16>) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return %r : tensor<2x8x4x64xbf16>
}

// -----

// The sugar is one op of a score region.
// CHECK-LABEL: func.func @sugar
// CHECK:         linalg.generic
// CHECK:           tensor.extract %{{.*}} : tensor<32x8xf32>
// CHECK:         linalg.generic
// CHECK:           scf.for
// CHECK:         return
func.func @sugar(%s: tensor<2x8x4x16xf32>, %k: tensor<2x2x16x64xf32>, %t: tensor<32x8xf32>, %u: tensor<8x9x64xf32>,
                 %past: tensor<2xi32>) -> tensor<2x8x4x16xf32> {
  %0 = posenc.relative_bias s(%s : tensor<2x8x4x16xf32>) table(%t : tensor<32x8xf32>)
      #posenc.t5<32, 128, causal>(delta) from(%past : tensor<2xi32>)
  %1 = posenc.relative_logits s(%0 : tensor<2x8x4x16xf32>) k(%k : tensor<2x2x16x64xf32>)
      table(%u : tensor<8x9x64xf32>) #posenc.band<-4, 4>(lag)
  return %1 : tensor<2x8x4x16xf32>
}

// -----

// Attention stays, with what its region holds; the ops beside it do not.
// KEEP-LABEL:  func.func @beside_attention
// KEEP-NOT:      posenc.rotate
// KEEP:          posenc.attention
// KEEP:            posenc.row
// KEEP:            posenc.lookup
// KEEP:            posenc.yield
// KEEP-NOT:      posenc
// KEEP:          return
// CHECK-LABEL: func.func @beside_attention
// CHECK-NOT:     posenc
// CHECK:         return
func.func @beside_attention(%x: tensor<2x8x4x64xf32>, %t: tensor<33x8xf32>) -> tensor<2x8x4x4xf32> {
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> x(%x : tensor<2x8x4x64xf32>)
  %o = posenc.attention q(%r : tensor<2x8x4x64xf32>) k(%r : tensor<2x8x4x64xf32>) v(%x : tensor<2x8x4x64xf32>)
      with(%t : tensor<33x8xf32>) score(%s, %b, %h, %r, %j) {
    %c = posenc.row #posenc.clip<-16, 16>(%j)
    %bias = posenc.lookup %t[%c, %h] : tensor<33x8xf32>
    posenc.yield %bias : f32
  } -> tensor<2x8x4x64xf32>
  %s = posenc.scores q(%o : tensor<2x8x4x64xf32>) k(%x : tensor<2x8x4x64xf32>) : tensor<2x8x4x4xf32>
  return %s : tensor<2x8x4x4xf32>
}

// -----

// Nothing to do.
// CHECK-LABEL: func.func @negative_no_posenc
// CHECK-NEXT:    return
func.func @negative_no_posenc() {
  return
}
