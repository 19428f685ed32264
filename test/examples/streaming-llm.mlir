// StreamingLLM: the cache keeps the first four tokens of a text and the most recent ones. Positions are those in the
// cache, not those in the text, so the keys are stored unrotated, and to attention this is an ordinary causal step.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys of the cache, not rotated
//   %v     [B, Hkv, M, Dv]  values of the cache
//   %past  index            place in the cache of query row 0; M - N where the queries are the last tokens
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Xiao et al., Efficient Streaming Language Models with Attention Sinks, 2023, section 3.2.
// https://arxiv.org/abs/2309.17453
//
// Models: Llama 2, Falcon, Pythia, without training for it.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
