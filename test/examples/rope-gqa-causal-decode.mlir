// One decode step of a Llama-like model: 32 query heads on 8 key heads, keys cached unrotated, and a cache that some
// rows of the batch have not filled.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past and j < lengths[b],
//   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 500000^(-2m/D)
//
//   %q        [B, H, N, D]     the new token: N = 1
//   %k        [B, Hkv, M, D]   key cache, not rotated
//   %v        [B, Hkv, M, Dv]  value cache
//   %past     index            position of the new token
//   %lengths  [B]              keys that exist in each row of the batch
//   %o        [B, H, N, Dv]    result; zero where there is no key
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Ainslie et al., GQA, 2023. https://arxiv.org/abs/2305.13245
//
// Models: Llama 2 70B, Llama 3, Mistral, Qwen2.

!x = tensor<?x32x1x128xbf16>
!k = tensor<?x8x?x128xbf16>
#rope = #posenc.rope<half, base = 500000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index, %lengths: tensor<?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
      with(%past : index, %lengths : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.0883883461 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    %n = posenc.lookup %lengths[%b] : tensor<?xi64>
    %real = arith.cmpi slt, %j, %n : index
    %both = arith.andi %keep, %real : i1
    posenc.yield %t : f32 keep %both
  } -> !x
  return %o : !x
}
