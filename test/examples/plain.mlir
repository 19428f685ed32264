// Scaled dot-product attention without any position term.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q  [B, H, N, D]   queries
//   %k  [B, H, M, D]   keys
//   %v  [B, H, M, Dv]  values
//   %o  [B, H, N, Dv]  result
//
// Vaswani et al., Attention Is All You Need, 2017. https://arxiv.org/abs/1706.03762
//
// Models: Transformer, ViT, Whisper's encoder: absolute positions.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  return %o : !x
}
