// Rotary positions of Llama 3.1: pairs that turn less than once within 8192 tokens are slowed down by 8, those that turn
// more than four times are kept, and between them the frequency is blended.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p f'[m], with f[m] = 500000^(-2m/D) and the turns n = 8192 f[m] / 2 pi:
//   f' = f / 8 where n < 1, f where n > 4, else (1 - t) f / 8 + t f with t = (n - 1) / 3
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Llama Team, The Llama 3 Herd of Models, 2024, and its released code. https://arxiv.org/abs/2407.21783
//
// Models: Llama 3.1, 3.2, 3.3.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 500000.0, scaling = #posenc.llama3<factor = 8.0, low = 1.0, high = 4.0, original = 8192>>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
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
