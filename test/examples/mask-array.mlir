// Any mask: it comes as an array, one for all heads, and has no structure that a compiler could use.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)  where  mask[b,r,j]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %mask  [B, N, M]      true: the query sees the key
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Vaswani et al., Attention Is All You Need, 2017. https://arxiv.org/abs/1706.03762
//
// Models: any, where a framework hands over the mask as an array.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %mask: tensor<?x?x?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%mask : tensor<?x?x?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %keep = posenc.lookup %mask[%b, %r, %j] : tensor<?x?x?xi1>
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
