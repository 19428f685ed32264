// Rotary positions with a cache of keys that were rotated when they were written: only the query turns.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, each rotated by its position
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// The cache of most implementations of LLaMA.
//
// Models: Llama, Mistral, Qwen2, as most servers cache keys.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) v(%v : !k)
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
