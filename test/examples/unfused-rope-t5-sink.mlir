// Rotary positions, T5's bias and a sink, written as a framework computes them: every step is an op on its own, and the
// scores are tensors. Fusing the steps gives one posenc.attention.
//
//   S[b,h,r,j]  = R(r + past) q[b,h,r] . R(j) k[b,g,j] + table[bucket(j - r - past), h]  where  j <= r + past
//   o[b,h,r]    = sum_j exp(S) v[b,g,j] / (exp(sinks[h]) + sum_j exp(S)),   g = h / (H / Hkv)
//   lse[b,h,r]  = log sum_j exp(S), without the sink
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//   bucket: T5's, for the past, up to distance 128
//
//   %q      [B, H, N, D]     queries
//   %k      [B, Hkv, M, D]   keys, not rotated yet
//   %v      [B, Hkv, M, Dv]  values
//   %table  [C, H]           bias, a row per bucket: C = 32
//   %sinks  [H]              logit of the sink, natural units
//   %past   index            position of query row 0
//   %o      [B, H, N, Dv]    result; a row that sees no key is zero
//   %lse    [B, H, N]        log-sum-exp; -inf for a row that sees no key
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020 (the bias).
// https://arxiv.org/abs/1910.10683
// OpenAI, gpt-oss-120b & gpt-oss-20b Model Card, 2025 (the sink). https://arxiv.org/abs/2508.10925
//
// Models: none; a spelling.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
!s = tensor<?x8x?x?xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %table: tensor<32x8xf32>, %sinks: tensor<8xf32>, %past: index) -> (!x, tensor<?x8x?xf32>) {
  %q1 = posenc.rotate #rope from(%past : index) x(%q : !x)
  %k1 = posenc.rotate #rope x(%k : !k)
  %s0 = posenc.scores q(%q1 : !x) k(%k1 : !k) : !s
  %s1 = posenc.relative_bias s(%s0 : !s) table(%table : tensor<32x8xf32>) #posenc.t5<32, 128, causal>(delta) from(%past : index)
  %s2 = posenc.score_mod s(%s1 : !s) with(%past : index) score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %s : f32 keep %keep
  }
  %p, %lse = posenc.softmax s(%s2 : !s) sink(%sinks : tensor<8xf32>) lse : tensor<?x8x?xf32>
  %o = posenc.values p(%p : !s) v(%v : !k) : !x
  return %o, %lse : !x, tensor<?x8x?xf32>
}
