// Rotary positions on a grid of patches whose coordinates are real: the centre of a patch, between -1 and 1, times 2 pi.
// Tokens in front of the patches have 0, 0 and are not turned.
//
//   S[b,h,r,j] = R(ids[:,0,r]) q[b,h,r] . R(ids[:,0,j]) k[b,h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(y, x) turns the channels (m, m + D/2) by the angle y f[m] for m < D/4, and x f[m - D/4] for the others,
//   f[m] = 100^(-4m/D)
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, N, D]   keys, not rotated yet
//   %v    [B, H, N, Dv]  values
//   %ids  [A, 1, N]      2 pi times the coordinates of each token
//   %o    [B, H, N, Dv]  result
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Simeoni et al., DINOv3, 2025, released code. https://arxiv.org/abs/2508.10104
//
// Models: DINOv3.

!x = tensor<?x8x?x64xf32>
#rope = #posenc.rope<half, base = 100.0, sections = [16, 16], restart>

func.func @attention(%q: !x, %k: !x, %v: !x, %ids: tensor<2x1x?xf32>) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope at(%ids : tensor<2x1x?xf32>) k(%k : !x) rotate #rope at(%ids : tensor<2x1x?xf32>) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  return %o : !x
}
