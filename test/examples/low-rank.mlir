// Relative position vectors of a low rank: the vector of a distance is a row of a narrow table times a projection, and
// the query is projected once, before the op.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + qw[b,h,r] . u[c]) / sqrt(D),   c = clip(j - r, -64, 64) + 64
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   qw[b,h,r]  = W q[b,h,r], so that the second product is q[b,h,r] . (W^T u[c])
//
//   %q   [B, H, N, D]   queries
//   %k   [B, H, M, D]   keys
//   %v   [B, H, M, Dv]  values
//   %qw  [B, H, N, R]   projected queries: R = 4
//   %u   [C, R]         narrow vectors for all heads, from the farthest key behind to the farthest ahead: C = 129
//   %o   [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
// The vectors of Transformer-XL and DeBERTa are of this kind, with the model's width as the rank.
//
// Models: none known.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %qw: tensor<?x8x?x4xf32>, %u: tensor<129x4xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%qw : tensor<?x8x?x4xf32>, %u : tensor<129x4xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-64, 64>(%d)
    %p = posenc.dot %qw[%b, %h, %r], %u[%row] : tensor<?x8x?x4xf32>, tensor<129x4xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
