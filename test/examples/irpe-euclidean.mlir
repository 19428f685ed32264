// iRPE with a learned bias per head for the distance between two tokens of a grid, as the crow flies.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[h, g(round(sqrt(dr^2 + dc^2))) + 3]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   g(x) = x for |x| < 2, else sign(x) min(round(1.9 + ln(|x| / 1.9) / ln(8) 1.9), 3), the index of the piecewise map
//   dr, dc: rows and columns between the tokens
//
//   %q      [B, H, T, D]   queries: T = 196 tokens of a grid of 14 columns, row by row
//   %k      [B, H, T, D]   keys
//   %v      [B, H, T, Dv]  values
//   %table  [H, C]         bias: C = 7, of which the first three are not used
//   %o      [B, H, T, Dv]  result
//
// Wu et al., Rethinking and Improving Relative Position Encoding for Vision Transformer, 2021.
// https://arxiv.org/abs/2107.14222
// Section 3.2: bias mode, Euclidean method.
//
// Models: DeiT with iRPE.

!x = tensor<?x8x196x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<8x7xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<8x7xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %w = arith.constant 14 : index
    %ri = arith.divui %r, %w : index
    %rj = arith.divui %j, %w : index
    %ci = arith.remui %r, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %ri, %rj : index
    %dc = arith.subi %ci, %cj : index
    %rr = arith.muli %dr, %dr : index
    %cc = arith.muli %dc, %dc : index
    %sq = arith.addi %rr, %cc : index
    %si = arith.index_cast %sq : index to i32
    %sf = arith.sitofp %si : i32 to f32
    %root = math.sqrt %sf : f32
    %near = math.roundeven %root : f32
    %ni = arith.fptosi %near : f32 to i32
    %n = arith.index_cast %ni : i32 to index
    %id = posenc.row #posenc.irpe<1.9, 3.8, 15.2>(%n)
    %bias = posenc.lookup %table[%h, %id] : tensor<8x7xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
