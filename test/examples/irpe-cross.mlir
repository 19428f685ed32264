// iRPE with a product of the query and a vector of the row between two tokens, and one of the column between them.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + q[b,h,r] . wr[g(dr) + 3] + q[b,h,r] . wc[g(dc) + 3]) / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   g(x) = x for |x| < 2, else sign(x) min(round(1.9 + ln(|x| / 1.9) / ln(8) 1.9), 3), the index of the piecewise map
//   dr, dc: rows and columns between the tokens, query minus key
//
//   %q   [B, H, T, D]   queries: T = 196 tokens of a grid of 14 columns, row by row
//   %k   [B, H, T, D]   keys
//   %v   [B, H, T, Dv]  values
//   %wr  [C, D]         vectors by row: C = 7
//   %wc  [C, D]         vectors by column
//   %o   [B, H, T, Dv]  result
//
// Wu et al., Rethinking and Improving Relative Position Encoding for Vision Transformer, 2021.
// https://arxiv.org/abs/2107.14222
// Section 3.2: contextual mode, cross method.
//
// Models: DeiT with iRPE.

!x = tensor<?x8x196x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %wr: tensor<7x64xf32>, %wc: tensor<7x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %wr : tensor<7x64xf32>, %wc : tensor<7x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %w = arith.constant 14 : index
    %ri = arith.divui %r, %w : index
    %rj = arith.divui %j, %w : index
    %ci = arith.remui %r, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %ri, %rj : index
    %dc = arith.subi %ci, %cj : index
    %gr = posenc.row #posenc.irpe<1.9, 3.8, 15.2>(%dr)
    %gc = posenc.row #posenc.irpe<1.9, 3.8, 15.2>(%dc)
    %pr = posenc.dot %q[%b, %h, %r], %wr[%gr] : !x, tensor<7x64xf32>
    %pc = posenc.dot %q[%b, %h, %r], %wc[%gc] : !x, tensor<7x64xf32>
    %u = arith.addf %s, %pr : f32
    %y = arith.addf %u, %pc : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
