// Rotary positions on a grid of patches: the first half of the pairs turns by the row, with the even frequencies of all
// channels, the second half by the column with the odd ones. They come as an operand.
//
//   S[b,h,r,j] = R(ids[:,0,r]) q[b,h,r] . R(ids[:,0,j]) k[b,h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(y, x) turns the channels (m, m + D/2) by the angle y f[m] for m < D/4, and x f[m] for the others
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, N, D]   keys, not rotated yet
//   %v    [B, H, N, Dv]  values
//   %ids  [A, 1, N]      row and column of each patch
//   %f    [F]            10000^(-4m/D) for m < D/4, then 10000^(-(4m + 2)/D): F = D/2
//   %o    [B, H, N, Dv]  result
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Agrawal et al., Pixtral 12B, 2024, and its released code. https://arxiv.org/abs/2410.07073
//
// Models: Pixtral: vision encoder.

!x = tensor<?x8x?x64xf32>
#rope = #posenc.rope<half, sections = [16, 16]>

func.func @attention(%q: !x, %k: !x, %v: !x, %ids: tensor<2x1x?xi64>, %f: tensor<32xf32>) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope at(%ids : tensor<2x1x?xi64>) freqs(%f : tensor<32xf32>) k(%k : !x) rotate #rope at(%ids : tensor<2x1x?xi64>) freqs(%f : tensor<32xf32>) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  return %o : !x
}
