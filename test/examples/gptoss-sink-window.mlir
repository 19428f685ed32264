// gpt-oss, a sliding layer: rotary positions stretched by YaRN, a causal window of 128 keys (the own one included),
// grouped heads, and a learned sink: a logit per head that only enlarges the denominator.
//
//   S[b,h,r,j]  = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  0 <= r + past - j < 128,   g = h / (H / Hkv)
//   o[b,h,r]    = sum_j exp(S) v[b,g,j] / (exp(sinks[h]) + sum_j exp(S))
//   lse[b,h,r]  = log sum_j exp(S), without the sink
//   R(p) turns the channels (m, m + D/2) by p f[m]; f is 150000^(-2m/D) blended with f/32 by YaRN, the ends of the
//   blend not rounded, and R carries the factor 0.1 log(32) + 1
//
//   %q      [B, H, N, D]     queries
//   %k      [B, Hkv, M, D]   keys, not rotated yet
//   %v      [B, Hkv, M, Dv]  values
//   %sinks  [H]              logit of the sink, natural units
//   %past   index            position of query row 0
//   %o      [B, H, N, Dv]    result; a row that sees no key is zero
//   %lse    [B, H, N]        log-sum-exp; -inf for a row that sees no key
//
// OpenAI, gpt-oss-120b & gpt-oss-20b Model Card, 2025. https://arxiv.org/abs/2508.10925
// Peng et al., YaRN, 2023. https://arxiv.org/abs/2309.00071
//
// Models: gpt-oss-20b, gpt-oss-120b.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 150000.0, scaling = #posenc.yarn<factor = 32.0, original = 4096, truncate = false>>

func.func @attention(%q: !x, %k: !k, %v: !k, %sinks: tensor<8xf32>, %past: index) -> (!x, tensor<?x8x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
      sink(%sinks : tensor<8xf32>)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %keep = arith.cmpi sle, %j, %i : index
    %w = arith.constant 128 : index
    %near = arith.cmpi slt, %lag, %w : index
    %both = arith.andi %keep, %near : i1
    posenc.yield %t : f32 keep %both
  } -> (!x, tensor<?x8x?xf32>)
  return %o, %lse : !x, tensor<?x8x?xf32>
}
