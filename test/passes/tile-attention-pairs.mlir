// RUN: posenc-opt %s --posenc-tile-attention="bf16-pairs bf16-rows=32" --canonicalize --cse --split-input-file | FileCheck %s

// Queries and keys as they are, values in pairs of keys, and the scale after the product.
// CHECK-LABEL: func.func @plain
// CHECK:         %[[C:.*]] = arith.constant 0.180336878 : f32
// CHECK-DAG:     memref.alloc() {{.*}} : memref<16x2x32x64x2xbf16>
// CHECK-DAG:     memref.alloc() {{.*}} : memref<16x64x64x2xbf16>
// CHECK:         posenc_tile.pack %{{.*}} into %[[Q:alloc[^ ]*]] over (%{{.*}} = %{{.*}} to %{{.*}}) {
// CHECK:         posenc_tile.fill %[[SCALE:.*]] over
// CHECK-NEXT:      posenc_tile.yield %[[C]]
// CHECK:         posenc_tile.sweep q(%[[Q]] : memref<32x64xbf16>) k(%{{.*}} : memref<2x32x64x2xbf16{{.*}}) v(%{{.*}} : memref<64x64x2xbf16{{.*}}) scale(%[[SCALE]] : memref<32xf32>)
!x = memref<2x8x128x64xbf16>
func.func @plain(%q: !x, %k: !x, %v: !x, %out: !x) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %s, %c : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// Odd channels: a pair more; values in whole vectors.
// CHECK-LABEL: func.func @odd_channels
// CHECK-DAG:     memref.alloc() {{.*}} : memref<2x2x4x64x2xbf16>
// CHECK-DAG:     memref.alloc() {{.*}} : memref<2x64x16x2xbf16>
// CHECK:         posenc_tile.sweep q(%{{.*}} : memref<32x8xbf16>)
!k = memref<1x2x128x7xbf16>
!v = memref<1x2x128x5xbf16>
func.func @odd_channels(%q: !k, %k: !k, %v: !v, %out: !v) {
  posenc.attention q(%q : !k) k(%k : !k) v(%v : !v) into(%out : !v) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

// -----

// A table of bf16 is multiplied as pairs, and what the product is scaled with is a factor of the strip; one of f32 is
// multiplied with rows of f32.
// CHECK-LABEL: func.func @tables
// CHECK:         posenc_tile.product rows(%[[Q:.*]]) columns(%{{.*}}) into %{{.*}} : memref<32x64xbf16>, memref<1x32x64x2xbf16> into memref<32x33xf32>
// CHECK:         posenc_tile.product rows(%{{.*}}) columns(%{{.*}}) into %{{.*}} : memref<32x64xf32>, memref<1x64x64xf32> into memref<32x33xf32>
// CHECK:         posenc_tile.sweep q(%[[Q]] :
// CHECK-SAME:      terms(near strip %{{.*}}[%{{.*}}] * %{{[^:]*}} : memref<32x{{.*}}>, memref<32xf32>, left row %{{[^:]*}} * %{{.*}}, right row %{{[^:]*}} * %{{.*}}, near strip %{{[^*:]*}} : memref
!q = memref<1x4x200x64xbf16>
!t = memref<33x64xbf16>
!f = memref<33x64xf32>
func.func @tables(%q: !q, %k: !q, %v: !q, %t: !t, %f: !f, %out: !q) {
  posenc.attention q(%q : !q) k(%k : !q) v(%v : !q) into(%out : !q) with(%q : !q, %t : !t, %f : !f)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.clip<-16, 16>(%d)
    %x = posenc.dot %q[%b, %h, %r], %t[%c] : !q, !t
    %y = posenc.dot %q[%b, %h, %r], %f[%c] : !q, !f
    %sum = arith.addf %x, %y : f32
    %z = arith.addf %s, %sum : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// Widened: a few rows that read keys in place, and other types.
// CHECK-LABEL: func.func @negative_few_rows
// CHECK:         posenc_tile.sweep q(%{{.*}} : memref<1x64xf32>) k(%{{.*}} : memref<128x64xbf16
// CHECK-LABEL: func.func @negative_f16
// CHECK-NOT:     xbf16
// CHECK:         posenc_tile.sweep q(%{{.*}} : memref<48x64xf32>)
!one = memref<2x8x1x64xbf16>
!x = memref<2x8x128x64xbf16>
func.func @negative_few_rows(%q: !one, %k: !x, %v: !x, %out: !one) {
  posenc.attention q(%q : !one) k(%k : !x) v(%v : !x) into(%out : !one) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

!h = memref<2x8x128x64xf16>
func.func @negative_f16(%q: !h, %k: !h, %v: !h, %out: !h) {
  posenc.attention q(%q : !h) k(%k : !h) v(%v : !h) into(%out : !h) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}
