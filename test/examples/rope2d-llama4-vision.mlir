// Rotary positions on a grid of patches, adjacent channels paired: the first half of the channels turns by the column, the
// second half by the row. Positions count from 1; the class token has 0, 0 and is not turned.
//
//   S[b,h,r,j] = R(ids[:,0,r]) q[b,h,r] . R(ids[:,0,j]) k[b,h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(x, y) turns the channels (2m, 2m + 1) by the angle x f[m] for m < D/4, and y f[m - D/4] for the others,
//   f[m] = 10000^(-4m/D)
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, N, D]   keys, not rotated yet
//   %v    [B, H, N, Dv]  values
//   %ids  [A, 1, N]      column and row of each token
//   %o    [B, H, N, Dv]  result
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Meta, Llama 4, 2025, released code of the vision tower.
//
// Models: Llama 4: vision encoder.

!x = tensor<?x8x?x64xf32>
#rope = #posenc.rope<interleaved, base = 10000.0, sections = [16, 16], restart>

func.func @attention(%q: !x, %k: !x, %v: !x, %ids: tensor<2x1x?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope at(%ids : tensor<2x1x?xi64>) k(%k : !x) rotate #rope at(%ids : tensor<2x1x?xi64>) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  return %o : !x
}
