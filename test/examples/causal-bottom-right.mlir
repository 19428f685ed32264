// Causal attention with grouped heads. The N queries are the last N of the M tokens: the last query sees every key
// (aligned at the bottom right), whether N = M, a chunk of a prompt, or one decoded token.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,g,j] / sqrt(D)  where  j <= r + M - N,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q  [B, H, N, D]     queries
//   %k  [B, Hkv, M, D]   keys
//   %v  [B, Hkv, M, Dv]  values
//   %o  [B, H, N, Dv]    result; a row that sees no key (N > M) is zero
//
// Vaswani et al., Attention Is All You Need, 2017, section 3.2.3. https://arxiv.org/abs/1706.03762
// Ainslie et al., GQA, 2023 (grouped heads). https://arxiv.org/abs/2305.13245
//
// Models: GPT-2, OPT and others with absolute positions, with a cache of keys.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k) -> !x {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %q, %c2 : !x
  %m = tensor.dim %k, %c2 : !k
  %past = arith.subi %m, %n : index
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
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
