// ALiBi as Falcon has it: the bias comes as an array, in bf16, and is added before the scale, which so divides the
// slopes, too. One key head serves all queries.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,g,j] + alibi[b,h,j]) / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q      [B, H, N, D]     queries
//   %k      [B, Hkv, M, D]   keys
//   %v      [B, Hkv, M, Dv]  values
//   %alibi  [B, H, M]        slope of the head times place of the key
//   %past   index            position of query row 0
//   %o      [B, H, N, Dv]    result; a row that sees no key is zero
//
// Almazrouei et al., The Falcon Series of Open Language Models, 2023. https://arxiv.org/abs/2311.16867
// Press et al., Train Short, Test Long, 2021. https://arxiv.org/abs/2108.12409
//
// Models: Falcon-RW-1B, Falcon-RW-7B, with as many key heads as heads.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x1x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k, %alibi: tensor<?x8x?xbf16>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      with(%alibi : tensor<?x8x?xbf16>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %a = posenc.lookup %alibi[%b, %h, %j] : tensor<?x8x?xbf16>
    %u = arith.addf %s, %a : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
