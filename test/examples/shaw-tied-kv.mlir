// Relative position vectors on the key and on the value side, out of one table.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[c]) / sqrt(D),   c = clip(j - r, -16, 16) + 16
//   o[b,h,r]   = sum_j softmax_j(S) (v[b,h,j] + rel[c])
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, M, D]   keys
//   %v    [B, H, M, Dv]  values
//   %rel  [C, D]         vectors for all heads, from the farthest key behind to the farthest ahead: C = 33, D = Dv
//   %o    [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
// One table for both sides as in OpenNMT-py.
//
// Models: Transformer of OpenNMT-py with max_relative_positions.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<33x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      value_tables(%rel : tensor<33x64xf32>)
      with(%q : !x, %rel : tensor<33x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-16, 16>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<33x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !x
  return %o : !x
}
