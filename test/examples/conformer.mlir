// Conformer: the four terms of Transformer-XL in both directions. The query meets the content and the position of a
// key, and so does a learned vector that is the same for all queries, one for either.
//
//   S[b,h,r,j] = ((q[b,h,r] + u[h]) . k[b,h,j] + (q[b,h,r] + v_bias[h]) . rel[h, j - r + last]) / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %u       [H, D]         what every query asks of the content
//   %v_bias  [H, D]         what every query asks of the position
//   %rel     [H, L, D]      projected sinusoids, from the farthest key behind to the farthest ahead: L >= last + M
//   %last    index          row of distance 0: at least N - 1
//   %o       [B, H, N, Dv]  result
//
// Dai et al., Transformer-XL, 2019. https://arxiv.org/abs/1901.02860
// Gulati et al., Conformer, 2020. https://arxiv.org/abs/2005.08100
// ESPnet, NeMo, wav2vec2-Conformer, FastSpeech2-Conformer, Parakeet.
//
// Models: Conformer (ESPnet, NeMo), wav2vec2-Conformer, Parakeet.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %u: tensor<8x64xf32>, %v_bias: tensor<8x64xf32>, %rel: tensor<8x?x64xf32>, %last: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %k : !x, %u : tensor<8x64xf32>, %v_bias : tensor<8x64xf32>, %rel : tensor<8x?x64xf32>, %last : index)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = arith.addi %d, %last : index
    %uk = posenc.dot %u[%h], %k[%b, %h, %j] : tensor<8x64xf32>, !x
    %qr = posenc.dot %q[%b, %h, %r], %rel[%h, %row] : !x, tensor<8x?x64xf32>
    %vr = posenc.dot %v_bias[%h], %rel[%h, %row] : tensor<8x64xf32>, tensor<8x?x64xf32>
    %y0 = arith.addf %s, %uk : f32
    %y1 = arith.addf %y0, %qr : f32
    %y2 = arith.addf %y1, %vr : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y2, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
