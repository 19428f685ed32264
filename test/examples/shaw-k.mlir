// Relative position vectors on the key side: the query meets a learned vector for the clipped distance to the key. The
// term is scaled together with the content.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[c]) / sqrt(D),   c = clip(j - r - past, -16, 16) + 16
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %rel   [C, D]         vectors, from the farthest key behind to the farthest ahead, for all heads: C = 33
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018, without its value side.
// https://arxiv.org/abs/1803.02155
//
// Models: the paper's, Transformer of Tensor2Tensor.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<33x64xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<33x64xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %row = posenc.row #posenc.clip<-16, 16>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<33x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
