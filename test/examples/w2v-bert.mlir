// wav2vec2-BERT and SeamlessM4T v2, relative_key: vectors for the distance on the key side, clipped much earlier ahead
// than behind.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[c]) / sqrt(D),   c = clip(j - r, -64, 8) + 64
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, M, D]   keys
//   %v    [B, H, M, Dv]  values
//   %rel  [C, D]         vectors for all heads, from the farthest key behind to the farthest ahead: C = 73
//   %o    [B, H, N, Dv]  result
//
// Seamless Communication, Seamless: Multilingual Expressive and Streaming Speech Translation, 2023.
// https://arxiv.org/abs/2312.05187
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
//
// Models: wav2vec2-BERT, SeamlessM4T v2.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<73x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<73x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-64, 8>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<73x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
