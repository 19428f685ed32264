// iRPE on queries, keys and values: vectors of the offset between two tokens of a grid meet the query and the key, and are
// added to the values.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + q[b,h,r] . wk[h,c] + k[b,h,j] . wq[h,c']) / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) (v[b,h,j] + wv[h,c])
//   c = (g(dr) + 3) 7 + g(dc) + 3, and c' = 48 - c the same of the key as seen by the query
//   g(x) = x for |x| < 2, else sign(x) min(round(1.9 + ln(|x| / 1.9) / ln(8) 1.9), 3), the index of the piecewise map
//   dr, dc: rows and columns between the tokens, query minus key
//
//   %q   [B, H, T, D]   queries: T = 196 tokens of a grid of 14 columns, row by row
//   %k   [B, H, T, D]   keys
//   %v   [B, H, T, Dv]  values
//   %wv  [H, C, Dv]     vectors added to the values: C = 49
//   %wk  [H, C, D]      vectors that meet the query
//   %wq  [H, C, D]      vectors that meet the key
//   %o   [B, H, T, Dv]  result
//
// Wu et al., Rethinking and Improving Relative Position Encoding for Vision Transformer, 2021.
// https://arxiv.org/abs/2107.14222
// Section 3.2: contextual mode, product method.
//
// Models: DeiT with iRPE.

!x = tensor<?x8x196x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %wv: tensor<8x49x64xf32>, %wk: tensor<8x49x64xf32>, %wq: tensor<8x49x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      value_tables(%wv : tensor<8x49x64xf32>)
      with(%q : !x, %k : !x, %wk : tensor<8x49x64xf32>, %wq : tensor<8x49x64xf32>)
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
    %seven = arith.constant 7 : index
    %m = arith.muli %gr, %seven : index
    %id = arith.addi %m, %gc : index
    %six = arith.constant 48 : index
    %di = arith.subi %six, %id : index
    %pk = posenc.dot %q[%b, %h, %r], %wk[%h, %id] : !x, tensor<8x49x64xf32>
    %pq = posenc.dot %k[%b, %h, %j], %wq[%h, %di] : !x, tensor<8x49x64xf32>
    %u = arith.addf %s, %pk : f32
    %y = arith.addf %u, %pq : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32 value_rows(%id)
  } -> !x
  return %o : !x
}
