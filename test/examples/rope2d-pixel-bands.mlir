// Rotary positions on a grid of pixels with given frequencies: coordinates between -1 and 1, bands from pi on that lie at
// equal distances.
//
//   S[b,h,r,j] = R(ids[:,0,r]) q[b,h,r] . R(ids[:,0,j]) k[b,h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(y, x) turns the channels (2m, 2m + 1) by the angle y f[m] for m < D/4, and x f[m] for the others
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, N, D]   keys, not rotated yet
//   %v    [B, H, N, Dv]  values
//   %ids  [A, 1, N]      coordinates of each pixel
//   %f    [F]            radians per unit of each pair, F = D/2
//   %o    [B, H, N, Dv]  result
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Jaegle et al., Perceiver, 2021 (the bands). https://arxiv.org/abs/2103.03206
// Wang, rotary-embedding-torch, 2021, released code.
//
// Models: none known.

!x = tensor<?x8x?x64xf32>
#rope = #posenc.rope<interleaved, sections = [16, 16]>

func.func @attention(%q: !x, %k: !x, %v: !x, %ids: tensor<2x1x?xf32>, %f: tensor<32xf32>) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope at(%ids : tensor<2x1x?xf32>) freqs(%f : tensor<32xf32>) k(%k : !x) rotate #rope at(%ids : tensor<2x1x?xf32>) freqs(%f : tensor<32xf32>) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  return %o : !x
}
