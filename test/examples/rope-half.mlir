// Rotary positions, half-split pairs, in both directions: queries and keys are turned by angles that grow with the
// position, so that their product depends on the distance alone.
//
//   S[b,h,r,j] = R(r) q[b,h,r] . R(j) k[b,h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q  [B, H, N, D]   queries
//   %k  [B, H, M, D]   keys, not rotated yet
//   %v  [B, H, M, Dv]  values
//   %o  [B, H, N, Dv]  result
//
// Su et al., RoFormer, 2021; pairs of channels D/2 apart as in GPT-NeoX. https://arxiv.org/abs/2104.09864
//
// Models: ESM-2, ModernBERT's global layers.

!x = tensor<?x8x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !x, %v: !x) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope k(%k : !x) rotate #rope v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  return %o : !x
}
