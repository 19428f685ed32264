// Music Transformer: causal, and the query meets a learned vector for the distance to the key, a table for each head.
// Beyond the table the term is zero; it is not clipped.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[h, j - r + 511]) / sqrt(D)  where  j <= r,   zero for rows that don't exist
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, M, D]   keys
//   %v    [B, H, M, Dv]  values
//   %rel  [H, C, D]      vectors, from the farthest key behind to the own one: C = 512
//   %o    [B, H, N, Dv]  result; a row that sees no key is zero
//
// Huang et al., Music Transformer, 2018. https://arxiv.org/abs/1809.04281
// The form of `relative_v2` in Tensor2Tensor.
//
// Models: Music Transformer.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<8x512x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<8x512x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.band<-511, 0>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%h, %row] else 0.0 : !x, tensor<8x512x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
