// Llama 4, a layer with rotary positions: causal attention inside chunks of 8192 tokens. A query sees the keys of its
// own chunk only, one of them at the chunk's beginning, 8192 at its end.
//
//   S[b,h,r,j] = R(i) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= i  and  i / 8192 = j / 8192,
//   i = r + past,  g = h / (H / Hkv);  quotients are rounded down
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (2m, 2m + 1) by the angle p 500000^(-2m/D)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Meta, Llama 4, 2025. https://ai.meta.com/blog/llama-4-multimodal-intelligence
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
//
// Models: Llama 4 Scout, Llama 4 Maverick: three layers of four.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<interleaved, base = 500000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %w = arith.constant 8192 : index
    %ci = arith.divui %i, %w : index
    %cj = arith.divui %j, %w : index
    %same = arith.cmpi eq, %ci, %cj : index
    %behind = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %same, %behind : i1
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
