// Causal attention with grouped heads, aligned at the top left: query row r sees the keys up to r, whether there are as
// many keys or more.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,g,j] / sqrt(D)  where  j <= r,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q  [B, H, N, D]     queries
//   %k  [B, Hkv, M, D]   keys
//   %v  [B, Hkv, M, Dv]  values
//   %o  [B, H, N, Dv]    result
//
// Vaswani et al., Attention Is All You Need, 2017, section 3.2.3. https://arxiv.org/abs/1706.03762
// PyTorch's scaled_dot_product_attention has this alignment for is_causal.
//
// Models: GPT-2, OPT and others with absolute positions, in training.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
