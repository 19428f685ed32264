// Swin, a layer whose windows are not shifted: attention inside windows of 7 x 7 tokens, a learned bias per head for
// the offset between two tokens. The batch counts windows.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[c, h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   c = (dr + 6) 13 + dc + 6 for tokens that are dr rows and dc columns apart, query minus key
//
//   %q      [B, H, T, D]   queries: T = 49 tokens of a window, row by row
//   %k      [B, H, T, D]   keys
//   %v      [B, H, T, Dv]  values
//   %table  [C, H]         bias: C = 13 * 13 = 169
//   %o      [B, H, T, Dv]  result
//
// Liu et al., Swin Transformer, 2021, section 3.2. https://arxiv.org/abs/2103.14030
//
// Models: Swin: layers whose windows are not shifted.

!x = tensor<?x8x49x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<169x8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<169x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %row = posenc.row #posenc.window<7, 7>(%r, %j)
    %bias = posenc.lookup %table[%row, %h] : tensor<169x8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
