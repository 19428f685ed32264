// Relative position vectors on the key and on the value side: the query meets a learned vector for the clipped distance
// to the key, and the value carries a second one.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[c]) / sqrt(D),   c = clip(j - r - past, -16, 16) + 16
//   o[b,h,r]   = sum_j softmax_j(S) (v[b,h,j] + relv[c])
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %relv  [C, Dv]        value vectors for all heads, rows as rel
//   %rel   [C, D]         key vectors for all heads, from the farthest key behind to the farthest ahead: C = 33
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
//
// Models: the paper's, Transformer of Tensor2Tensor.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %relv: tensor<33x64xf32>, %rel: tensor<33x64xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      value_tables(%relv : tensor<33x64xf32>)
      with(%q : !x, %rel : tensor<33x64xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %row = posenc.row #posenc.clip<-16, 16>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<33x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !x
  return %o : !x
}
