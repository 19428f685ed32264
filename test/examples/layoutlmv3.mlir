// LayoutLMv3, text on a page: the biases of layoutlmv2.mlir, which the scale divides, too.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + t1[near(j - r), h]
//                + tx[far(px[b,j] - px[b,r]), h] + ty[far(py[b,j] - py[b,r]), h]) / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   near, far: T5's buckets in both directions, of distances up to 128 and 256
//
//   %q   [B, H, N, D]   queries
//   %k   [B, H, M, D]   keys
//   %v   [B, H, M, Dv]  values
//   %t1  [C, H]         bias by the distance in the text, a row per bucket: C = 32
//   %tx  [Cbox, H]      bias by the distance in x: Cbox = 64
//   %ty  [Cbox, H]      bias by the distance in y
//   %px  [B, N]         left edge of each token's box; N = M
//   %py  [B, N]         bottom edge
//   %o   [B, H, N, Dv]  result
//
// Huang et al., LayoutLMv3, 2022. https://arxiv.org/abs/2204.08387
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020 (the buckets).
// https://arxiv.org/abs/1910.10683
//
// Models: LayoutLMv3.

!x = tensor<?x8x?x64xf32>
#box = #posenc.t5<64, 256, bidirectional>

func.func @attention(%q: !x, %k: !x, %v: !x, %t1: tensor<32x8xf32>, %tx: tensor<64x8xf32>, %ty: tensor<64x8xf32>, %px: tensor<?x?xi64>, %py: tensor<?x?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%t1 : tensor<32x8xf32>, %tx : tensor<64x8xf32>, %ty : tensor<64x8xf32>, %px : tensor<?x?xi64>, %py : tensor<?x?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c1 = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %b1 = posenc.lookup %t1[%c1, %h] : tensor<32x8xf32>
    %xr = posenc.lookup %px[%b, %r] : tensor<?x?xi64>
    %xj = posenc.lookup %px[%b, %j] : tensor<?x?xi64>
    %dx = arith.subi %xj, %xr : index
    %cx = posenc.row #box(%dx)
    %bx = posenc.lookup %tx[%cx, %h] : tensor<64x8xf32>
    %yr = posenc.lookup %py[%b, %r] : tensor<?x?xi64>
    %yj = posenc.lookup %py[%b, %j] : tensor<?x?xi64>
    %dy = arith.subi %yj, %yr : index
    %cy = posenc.row #box(%dy)
    %by = posenc.lookup %ty[%cy, %h] : tensor<64x8xf32>
    %z1 = arith.addf %s, %b1 : f32
    %z2 = arith.addf %z1, %bx : f32
    %z3 = arith.addf %z2, %by : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %z3, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
