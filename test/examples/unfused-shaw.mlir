// The formula of shaw-kv.mlir, written as a framework computes it: every step is an op on its own, and the scores are
// tensors. Fusing the steps gives one posenc.attention.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + q[b,h,r] . relk[c]) / sqrt(D),   c = clip(j - r - past, -16, 16) + 16
//   P          = softmax_j(S)
//   o[b,h,r]   = sum_j P v[b,h,j] + sum_j P relv[c]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %relk  [C, D]         key vectors for all heads, from the farthest key behind to the farthest ahead: C = 33
//   %relv  [C, Dv]        value vectors for all heads, rows as relk
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
//
// Models: those of shaw-kv.

!x = tensor<?x8x?x64xf32>
!s = tensor<?x8x?x?xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %relk: tensor<33x64xf32>, %relv: tensor<33x64xf32>, %past: index) -> !x {
  %s0 = posenc.scores q(%q : !x) k(%k : !x) : !s
  %s1 = posenc.relative_logits s(%s0 : !s) q(%q : !x) table(%relk : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta) from(%past : index)
  %s2 = posenc.score_mod s(%s1 : !s) score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  }
  %p = posenc.softmax s(%s2 : !s)
  %o0 = posenc.values p(%p : !s) v(%v : !x) : !x
  %o = posenc.relative_values o(%o0 : !x) p(%p : !s) table(%relv : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta) from(%past : index)
  return %o : !x
}
