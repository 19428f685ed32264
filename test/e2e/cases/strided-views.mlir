// q, k, v and the result as views with any strides: the caller holds them with the channels outside ([1, 1, D, N]), and
// the last one in the lower part of a larger buffer. The result is that of copies without gaps.
//
// RUN: %run-targets %s --function=attention --input="1x1x2x3xf32=[1 0 1][0 1 1]" \
// RUN:   --input="1x1x2x3xf32=[0.5 1 0][1 -1 2]" --input="1x1x2x3xf32=[1 2 3][4 5 6]" --input=1x1x4x3xf32=7 \
// RUN:   --expected-output="1x1x4x3xf32=[7 7 7][7 7 7][1.87912784 2.44588805 2.22588957][4.87912784 5.44588805 5.22588957]"
// RUN: %run-targets %s --function=copies --input="1x1x3x2xf32=[1 0][0 1][1 1]" \
// RUN:   --input="1x1x3x2xf32=[0.5 1][1 -1][0 2]" --input="1x1x3x2xf32=[1 4][2 5][3 6]" --input=1x1x3x2xf32=7 \
// RUN:   --expected-output="1x1x3x2xf32=[1.87912784 4.87912784][2.44588805 5.44588805][2.22588957 5.22588957]"

!outer = memref<1x1x2x?xf32>
!view = memref<1x1x?x2xf32, strided<[?, ?, 1, ?]>>
!part = memref<1x1x2x?xf32, strided<[?, ?, ?, 1], offset: ?>>
!target = memref<1x1x?x2xf32, strided<[?, ?, 1, ?], offset: ?>>

func.func @attention(%q: !outer, %k: !outer, %v: !outer, %buffer: memref<1x1x4x?xf32>) {
  %c3 = arith.constant 3 : index
  %n = memref.dim %buffer, %c3 : memref<1x1x4x?xf32>
  %qt = memref.transpose %q (b, h, d, n) -> (b, h, n, d) : !outer to !view
  %kt = memref.transpose %k (b, h, d, n) -> (b, h, n, d) : !outer to !view
  %vt = memref.transpose %v (b, h, d, n) -> (b, h, n, d) : !outer to !view
  %lower = memref.subview %buffer[0, 0, 2, 0] [1, 1, 2, %n] [1, 1, 1, 1] : memref<1x1x4x?xf32> to !part
  %out = memref.transpose %lower (b, h, d, n) -> (b, h, n, d) : !part to !target
  posenc.attention q(%qt : !view) k(%kt : !view) v(%vt : !view)
      into(%out : !target)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

!x = memref<1x1x?x2xf32>

func.func @copies(%q: !x, %k: !x, %v: !x, %out: !x) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      into(%out : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}
