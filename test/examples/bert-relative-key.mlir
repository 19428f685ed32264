// BERT's relative_key: the query meets a learned vector for its distance from the key. Unlike Shaw's, the distance is
// query minus key, and it is not clipped: the table has a row for every distance up to the longest sequence.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[r + past - j + 511]) / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %rel   [C, D]         vectors for all heads, from the farthest key ahead to the farthest behind: C = 2 * 512 - 1
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
// An option of BERT, ELECTRA and RoBERTa in Hugging Face's library.
//
// Models: BERT, ELECTRA and ALBERT with position_embedding_type relative_key.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<1023x64xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<1023x64xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %origin = arith.constant 511 : index
    %row = arith.addi %lag, %origin : index
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<1023x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
