// Rotary positions whose base grows with the sequence, once it is longer than the trained context of 2048 tokens. All keys
// must have been rotated at the same length.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p B^(-2m/D), B = 10000 (2 L / 2048 - 1)^(D/(D-2)), L = max(n, 2048)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %n     index            tokens of the sequence, past ones included
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Peng et al., YaRN, 2023, appendix B.3. https://arxiv.org/abs/2309.00071
//
// Models: InternLM2.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 2048>>

func.func @attention(%q: !x, %k: !k, %v: !k, %n: index, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) length(%n : index) k(%k : !k) rotate #rope length(%n : index) v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
