// Relative attention on a grid: tokens stand row by row on a grid that is 16 wide, and the query meets a vector for the
// distance in rows and one for the distance in columns.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rh[cr] + rw[cc]) / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   cr = clip(j div 16 - r div 16, -15, 15) + 15,   cc = j mod 16 - r mod 16 + 15
//
//   %q   [B, H, N, D]   queries
//   %k   [B, H, M, D]   keys
//   %v   [B, H, M, Dv]  values
//   %rh  [C, D]         vectors for all heads, from the farthest row above to the farthest below: C = 31
//   %rw  [Cother, D]    vectors for all heads, from the farthest column left to the farthest right: Cother = 31
//   %o   [B, H, N, Dv]  result
//
// Huang et al., Music Transformer, 2018. https://arxiv.org/abs/1809.04281
// The two-dimensional form is in Tensor2Tensor.
//
// Models: none known.

!x = tensor<?x8x?x64xf32>
#other = #posenc.clip<-15, 15>

func.func @attention(%q: !x, %k: !x, %v: !x, %rh: tensor<31x64xf32>, %rw: tensor<31x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rh : tensor<31x64xf32>, %rw : tensor<31x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %w = arith.constant 16 : index
    %ri = arith.divui %r, %w : index
    %ci = arith.remui %r, %w : index
    %rj = arith.divui %j, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %rj, %ri : index
    %dc = arith.subi %cj, %ci : index
    %kr = posenc.row #posenc.clip<-15, 15>(%dr)
    %kc = posenc.row #other(%dc)
    %ph = posenc.dot %q[%b, %h, %r], %rh[%kr] : !x, tensor<31x64xf32>
    %pw = posenc.dot %q[%b, %h, %r], %rw[%kc] : !x, tensor<31x64xf32>
    %u = arith.addf %s, %ph : f32
    %y = arith.addf %u, %pw : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
