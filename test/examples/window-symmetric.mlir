// Local attention in both directions: a query sees the keys at most 64 tokens away, 129 with its own.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)  where  |r - j| <= 64
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q  [B, H, N, D]   queries
//   %k  [B, H, M, D]   keys
//   %v  [B, H, M, Dv]  values
//   %o  [B, H, N, Dv]  result; a row that sees no key is zero
//
// Beltagy et al., Longformer, 2020, section 3.1. https://arxiv.org/abs/2004.05150
// Warner et al., ModernBERT, 2024. https://arxiv.org/abs/2412.13663
//
// Models: ModernBERT's local layers, beside their rotary positions.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %lag = arith.subi %r, %j : index
    %a = math.absi %lag : index
    %w = arith.constant 64 : index
    %keep = arith.cmpi sle, %a, %w : index
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
