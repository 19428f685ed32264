// Rotary positions with a searched factor for each pair: one list for sequences within the trained context of 4096 tokens,
// another beyond. Here the first 4 channels rotate, which have two pairs.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + 2), m < 2, by the angle p 10000^(-2m/4) / e[m] and scales them by 1.19023807;
//   e = (1.1, 2.5) if n > 4096, else (1, 1.05)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %n     index            tokens of the sequence, past ones included
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Ding et al., LongRoPE, 2024. https://arxiv.org/abs/2402.13753
// Microsoft, Phi-3, released code.
//
// Models: Phi-3 and Phi-3.5 with 128k tokens, Phi-4-mini.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0, width = 4, scaling = #posenc.longrope<short = [1.0, 1.05], long = [1.1, 2.5], original = 4096, attention_factor = 1.19023807>>

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
