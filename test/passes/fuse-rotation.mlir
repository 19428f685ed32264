// RUN: posenc-opt %s --posenc-fuse-rotation --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-rotation --posenc-fuse-rotation --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-rotation --split-input-file --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

// The page's example.
// CHECK-LABEL: func.func @rope
// CHECK-SAME:    %[[Q:.*]]: tensor<2x8x4x64xf32>, %[[K:.*]]: tensor<2x8x16x64xf32>, %[[PAST:.*]]: index
// CHECK-NEXT:    posenc.attention q(%[[Q]] : tensor<2x8x4x64xf32>) rotate #[[ROPE:.*]] from(%[[PAST]] : index) k(%[[K]] : tensor<2x8x16x64xf32>) rotate #[[ROPE]] v(%[[K]] :
// REMARK: remark: [Passed] fuse-rotation {{.*}}the rotation of the queries is a clause of attention
// REMARK: remark: [Passed] fuse-rotation {{.*}}the rotation of the keys is a clause of attention
func.func @rope(%q: !q, %k: !k, %past: index) -> !q {
  %qr = posenc.rotate #rope from(%past : index) x(%q : !q)
  %kr = posenc.rotate #rope x(%k : !k)
  %o = posenc.attention q(%qr : !q) k(%kr : !k) v(%k : !k) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !q
  return %o : !q
}

// -----

!q = tensor<2x8x4x64xf32>
!n = tensor<2x8x4x64xbf16>
#rope = #posenc.rope<interleaved, width = 32>

// Tables, a position per row, the same rows as queries and keys, and conversions.
// CHECK-LABEL: func.func @tables
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x4x64xbf16>
// CHECK-NEXT:    posenc.attention q(%[[X]] : tensor<2x8x4x64xbf16>) rotate #[[ROPE:.*]] at(%[[IDS:.*]] : tensor<1x4xi64>) cos_sin(%[[C:.*]] : tensor<99x16xf32>, %[[S:.*]] : tensor<99x16xf32>) k(%[[X]] : tensor<2x8x4x64xbf16>) rotate #[[ROPE]] at(%[[IDS]] : {{.*}}) cos_sin(%[[C]] : tensor<99x16xf32>, %[[S]] :
func.func @tables(%x: !n, %ids: tensor<1x4xi64>, %c: tensor<99x16xf32>, %s: tensor<99x16xf32>) -> !n {
  %w = arith.extf %x : !n to !q
  %r = posenc.rotate #rope at(%ids : tensor<1x4xi64>) cos_sin(%c : tensor<99x16xf32>, %s : tensor<99x16xf32>) x(%w : !q)
  %n = arith.truncf %r : !q to !n
  %o = posenc.attention q(%n : !n) k(%n : !n) v(%x : !n) score(%z, %b, %h, %row, %j) { posenc.yield %z : f32 } -> !n
  return %o : !n
}

// -----

!q = tensor<2x8x4x64xf32>
!k = tensor<2x2x16x64xf32>
!w = tensor<2x2x4x16x64xf32>
!h = tensor<2x8x16x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

// Heads that were repeated before the rotation.
// CHECK-LABEL: func.func @repeated_heads
// CHECK-SAME:    %[[Q:.*]]: tensor<2x8x4x64xf32>, %[[K:.*]]: tensor<2x2x16x64xf32>, %[[V:.*]]: tensor<2x2x16x64xf32>
// CHECK-NEXT:    posenc.attention q(%[[Q]] : {{.*}}) k(%[[K]] : tensor<2x2x16x64xf32>) rotate #{{.*}} v(%[[V]] : tensor<2x2x16x64xf32>)
func.func @repeated_heads(%q: !q, %k: !k, %v: !k) -> !q {
  %e = tensor.empty() : !w
  %kb = linalg.broadcast ins(%k : !k) outs(%e : !w) dimensions = [2]
  %vb = linalg.broadcast ins(%v : !k) outs(%e : !w) dimensions = [2]
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : !w into !h
  %vv = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : !w into !h
  %kr = posenc.rotate #rope x(%kk : !h)
  %o = posenc.attention q(%q : !q) k(%kr : !h) v(%vv : !h) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !q
  return %o : !q
}

// -----

!x = tensor<2x8x4x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

// Rotated keys that go into a cache are there anyway.
// CHECK-LABEL: func.func @negative_cache
// CHECK:         %[[K:.*]] = posenc.rotate
// CHECK:         posenc.attention q(%{{.*}} : {{.*}}) k(%[[K]] : tensor<2x8x4x64xf32>) v(
// REMARK: [[@LINE+2]]:9: remark: [Missed] fuse-rotation {{.*}}the rotated keys stay in memory: func.return of line [[#@LINE+4]] uses them too
func.func @negative_cache(%x: !x) -> (!x, !x) {
  %kr = posenc.rotate #rope x(%x : !x)
  %o = posenc.attention q(%x : !x) k(%kr : !x) v(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  return %o, %kr : !x, !x
}

// A region that reads the rotated queries needs them too.
// CHECK-LABEL: func.func @negative_captured
// CHECK:         posenc.rotate
// REMARK: [[@LINE+2]]:9: remark: [Missed] fuse-rotation {{.*}}the rotated queries stay in memory: posenc.attention of line [[#@LINE+3]] uses them too
func.func @negative_captured(%x: !x, %t: tensor<4x64xf32>) -> !x {
  %qr = posenc.rotate #rope x(%x : !x)
  %o = posenc.attention q(%qr : !x) k(%x : !x) v(%x : !x) with(%qr : !x, %t : tensor<4x64xf32>) score(%s, %b, %h, %r, %j) {
    %e = posenc.dot %qr[%b, %h, %r], %t[%j] : !x, tensor<4x64xf32>
    %z = arith.addf %s, %e : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @negative_twice
// CHECK:         posenc.rotate
// CHECK-NOT:     posenc.rotate
// CHECK:         posenc.attention
// REMARK: [[@LINE+2]]:9: remark: [Missed] fuse-rotation {{.*}}the queries are rotated twice: attention takes one rotation
func.func @negative_twice(%x: !x) -> !x {
  %q0 = posenc.rotate #rope x(%x : !x)
  %o = posenc.attention q(%q0 : !x) rotate #rope k(%x : !x) v(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// The inner of two rotations stays.
// CHECK-LABEL: func.func @negative_inner
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x4x64xf32>
// CHECK-NEXT:    %[[K:.*]] = posenc.rotate #{{.*}} x(%[[X]] :
// CHECK-NEXT:    posenc.attention q(%[[X]] : {{.*}}) k(%[[K]] : {{.*}}) rotate #{{.*}} v(
// REMARK: remark: [Passed] fuse-rotation {{.*}}the rotation of the keys is a clause of attention
// REMARK: [[@LINE+2]]:9: remark: [Missed] fuse-rotation {{.*}}the keys are rotated twice: attention takes one rotation
func.func @negative_inner(%x: !x) -> !x {
  %k0 = posenc.rotate #rope x(%x : !x)
  %k1 = posenc.rotate #rope x(%k0 : !x)
  %o = posenc.attention q(%x : !x) k(%k1 : !x) v(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// Rows of a cache that is rotated as a whole.
// CHECK-LABEL: func.func @negative_slice
// CHECK:         posenc.rotate
// CHECK:         posenc.attention q(%{{.*}} : {{.*}}) k(%{{.*}} : tensor<2x8x4x64xf32>) v(
// REMARK: [[@LINE+2]]:9: remark: [Missed] fuse-rotation {{.*}}the rotated keys go through tensor.extract_slice of line [[#@LINE+3]] before attention reads them: rotate after it
func.func @negative_slice(%x: !x, %cache: tensor<2x8x16x64xf32>) -> !x {
  %kr = posenc.rotate #rope x(%cache : tensor<2x8x16x64xf32>)
  %k = tensor.extract_slice %kr[0, 0, 12, 0] [2, 8, 4, 64] [1, 1, 1, 1] : tensor<2x8x16x64xf32> to !x
  %o = posenc.attention q(%x : !x) k(%k : !x) v(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// Rows with channels that are not rotated: the clause says which are.
// CHECK-LABEL: func.func @negative_concatenated
// CHECK:         posenc.rotate
// REMARK: [[@LINE+3]]:8: remark: [Missed] fuse-rotation {{.*}}the rotated keys go through tensor.concat of line [[#@LINE+5]] before attention reads them: rotate after it
func.func @negative_concatenated(%x: !x) -> !x {
  %half = tensor.extract_slice %x[0, 0, 0, 0] [2, 8, 4, 32] [1, 1, 1, 1] : !x to tensor<2x8x4x32xf32>
  %r = posenc.rotate #rope x(%half : tensor<2x8x4x32xf32>)
  %rest = tensor.extract_slice %x[0, 0, 0, 32] [2, 8, 4, 32] [1, 1, 1, 1] : !x to tensor<2x8x4x32xf32>
  %k = tensor.concat dim(3) %r, %rest : (tensor<2x8x4x32xf32>, tensor<2x8x4x32xf32>) -> !x
  %o = posenc.attention q(%x : !x) k(%k : !x) v(%x : !x) score(%s, %b, %h, %row, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// Keys that are values, too, by way of a copy.
// CHECK-LABEL: func.func @negative_copied
// CHECK:         posenc.rotate
// CHECK:         posenc.attention q(%{{[^)]*}}) k(%{{[^)]*}}) v(
// REMARK: remark: [Missed] fuse-rotation {{.*}}the rotated keys stay in memory: linalg.copy of line [[#]] uses them too
func.func @negative_copied(%x: !x) -> !x {
  %k = posenc.rotate #rope x(%x : !x)
  %e = tensor.empty() : !x
  %v = linalg.copy ins(%k : !x) outs(%e : !x) -> !x
  %o = posenc.attention q(%x : !x) k(%k : !x) v(%v : !x) score(%s, %b, %h, %row, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// Keys rotated once, before a loop.
// CHECK-LABEL: func.func @negative_before_a_loop
// CHECK:         posenc.rotate
// CHECK-NEXT:    scf.for
// REMARK: remark: [Missed] fuse-rotation {{.*}}the rotated keys stay in memory: attention stands in another block, which may run more often
func.func @negative_before_a_loop(%x: !x, %n: index) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = posenc.rotate #rope x(%x : !x)
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%q = %x) -> !x {
    %o = posenc.attention q(%q : !x) k(%k : !x) v(%x : !x) score(%s, %b, %h, %row, %j) { posenc.yield %s : f32 } -> !x
    scf.yield %o : !x
  }
  return %y : !x
}

// -----

!x = tensor<2x8x4x64xf32>
!w = tensor<2x8x4x64xbf16>
#rope = #posenc.rope<half, base = 10000.0>

// Conversions between casts of shapes.
// CHECK-LABEL: func.func @conversion_between_casts
// CHECK:         posenc.attention q(%{{[^)]*}}) rotate
func.func @conversion_between_casts(%x: !x, %n: !w) -> !x {
  %r = posenc.rotate #rope x(%n : !w)
  %m = tensor.collapse_shape %r [[0, 1], [2], [3]] : !w into tensor<16x4x64xbf16>
  %w = arith.extf %m : tensor<16x4x64xbf16> to tensor<16x4x64xf32>
  %q = tensor.expand_shape %w [[0, 1], [2], [3]] output_shape [2, 8, 4, 64] : tensor<16x4x64xf32> into !x
  %o = posenc.attention q(%q : !x) k(%x : !x) v(%x : !x) score(%s, %b, %h, %row, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}
