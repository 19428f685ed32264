// Prefix language model: all tokens see the prefix, in both directions; what follows is causal. The prefix of each
// sequence has its own length.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,g,j] / sqrt(D)  where  j < prefix[b]  or  j <= r,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q       [B, H, N, D]     queries
//   %k       [B, Hkv, M, D]   keys
//   %v       [B, Hkv, M, Dv]  values
//   %prefix  [B]              tokens of each prefix
//   %o       [B, H, N, Dv]    result
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, sec. 3.2.1.
// https://arxiv.org/abs/1910.10683
// Beyer et al., PaliGemma, 2024. https://arxiv.org/abs/2407.07726
//
// Models: PaliGemma, beside its rotary positions; T5's study of prefixes.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k, %prefix: tensor<?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      with(%prefix : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %n = posenc.lookup %prefix[%b] : tensor<?xi64>
    %in = arith.cmpi slt, %j, %n : index
    %behind = arith.cmpi sle, %j, %r : index
    %keep = arith.ori %in, %behind : i1
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
