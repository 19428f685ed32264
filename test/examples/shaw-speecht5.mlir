// SpeechT5, encoder: vectors for the clipped distance on the key side, by query minus key. The range is even: one more
// row for keys ahead than for keys behind.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[c]) / sqrt(D),   c = clip(r - j, -160, 159) + 160
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, M, D]   keys
//   %v    [B, H, M, Dv]  values
//   %rel  [C, D]         vectors for all heads, from the farthest key ahead to the farthest behind: C = 320
//   %o    [B, H, N, Dv]  result
//
// Ao et al., SpeechT5, 2021. https://arxiv.org/abs/2110.07205
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
//
// Models: SpeechT5: encoder.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<320x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<320x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %row = posenc.row #posenc.clip<-160, 159>(%lag)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<320x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
