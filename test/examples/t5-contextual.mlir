// T5's contextual variant: the query meets a learned vector for the bucket of the distance, one table for each head; no
// scale.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + w[h, bucket(j - r)])
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: one row per distance below 8, then rows that widen logarithmically up to distance 128; ahead from row 16
//
//   %q  [B, H, N, D]   queries
//   %k  [B, H, M, D]   keys
//   %v  [B, H, M, Dv]  values
//   %w  [H, C, D]      vectors, a row per bucket: C = 32
//   %o  [B, H, N, Dv]  result
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020.
// https://arxiv.org/abs/1910.10683. The option `contextual` of its code in Mesh TensorFlow.
//
// Models: an option of Mesh TensorFlow's T5.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %w: tensor<8x32x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %w : tensor<8x32x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %p = posenc.dot %q[%b, %h, %r], %w[%h, %row] : !x, tensor<8x32x64xf32>
    %z = arith.addf %s, %p : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
