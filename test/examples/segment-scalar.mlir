// A learned bias per head for a pair of segments: title and body, speaker and speaker, chain and chain.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[seg[b,r], seg[b,j], h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %seg    [B, N]         segment of each token; N = M
//   %table  [P, P, H]      bias, first the query's segment: P = 4
//   %o      [B, H, N, Dv]  result
//
// Yang et al., XLNet, 2019, section 2.5 (where it is a vector). https://arxiv.org/abs/1906.08237
//
// Models: none known; XLNet has a vector.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %seg: tensor<?x?xi64>, %table: tensor<4x4x8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%seg : tensor<?x?xi64>, %table : tensor<4x4x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %sr = posenc.lookup %seg[%b, %r] : tensor<?x?xi64>
    %sj = posenc.lookup %seg[%b, %j] : tensor<?x?xi64>
    %bias = posenc.lookup %table[%sr, %sj, %h] : tensor<4x4x8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
