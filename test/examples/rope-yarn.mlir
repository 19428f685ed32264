// Rotary positions stretched by YaRN, for 16 times the length of the training.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by p f[m]; f is 10000^(-2m/D) where a wave fits into 4096 positions 32 times
//   or more, f/16 where it fits once or less, blended between, and R carries the factor 0.1 log(16) + 1
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Peng et al., YaRN, 2023. https://arxiv.org/abs/2309.00071
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
//
// Models: Yarn-Llama-2, Qwen2.5 with 128k tokens.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 16.0, original = 4096>>

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
