// Multi-head latent attention, unfolded: of 192 channels the last 64 carry rotary positions, adjacent channels paired
// and stretched by YaRN; values have 128. YaRN also has a factor in the scale.
//
//   S[b,h,r,j] = s R(r + past) q[b,h,r] . R(j) k[b,h,j]  where  j <= r + past,   s = (0.0707 log(40) + 1)^2 / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(p) turns the channels (128 + 2m, 129 + 2m) by p f[m]; f is 10000^(-2m/64) blended with f/40 by YaRN, and R
//   carries the factor (0.1 log(40) + 1) / (0.0707 log(40) + 1) on those channels
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys, not rotated yet
//   %v     [B, H, M, Dv]  values
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// DeepSeek-AI, DeepSeek-V2, 2024. https://arxiv.org/abs/2405.04434
// Peng et al., YaRN, 2023. https://arxiv.org/abs/2309.00071
//
// Models: DeepSeek-V2, DeepSeek-V3: prefill; their configurations choose the two factors of YaRN.

!x = tensor<?x16x?x192xbf16>
!v = tensor<?x16x?x128xbf16>
#rope = #posenc.rope<interleaved, base = 10000.0, start = 128, width = 64, scaling = #posenc.yarn<factor = 40.0, original = 4096, attention_factor = 1.08572638>>

func.func @attention(%q: !x, %k: !x, %v: !v, %past: index) -> !v {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !x) rotate #rope v(%v : !v)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.114721382 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %t : f32 keep %keep
  } -> !v
  return %o : !v
}
