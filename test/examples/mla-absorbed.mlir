// Multi-head latent attention as it decodes: all heads share one latent vector per key, which is key and value at once,
// and a narrow key that carries the position. The projections that make keys and values of the latent vector are
// absorbed by those of the query and of the result.
//
//   S[b,h,r,j] = (R(r + past) q[b,h,r] . k[b,0,j] + ql[b,h,r] . v[b,0,j]) / sqrt(3 D)  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,0,j]
//   R(p) turns the channels (2m, 2m + 1) by the angle p 10000^(-2m/D)
//
//   %q     [B, H, N, D]     the rotary part of the queries: D = 64, beside 2 D channels of content
//   %k     [B, Hkv, M, D]   the rotary part of the keys, cached rotated: Hkv = 1
//   %v     [B, Hkv, M, Dv]  latent vectors
//   %ql    [B, H, N, Dv]    the content of the queries, projected to the latent space
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// DeepSeek-AI, DeepSeek-V2, 2024, section 2.1. https://arxiv.org/abs/2405.04434
//
// Models: DeepSeek-V2, DeepSeek-V3: decode, here without YaRN.

!x = tensor<?x16x?x64xbf16>
!k = tensor<?x1x?x64xbf16>
!v = tensor<?x1x?x512xbf16>
!o = tensor<?x16x?x512xbf16>
#rope = #posenc.rope<interleaved, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !v, %ql: !o, %past: index) -> !o {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) v(%v : !v)
      with(%ql : !o, %v : !v, %past : index)
      score(%s, %b, %h, %r, %j) {
    %zero = arith.constant 0 : index
    %p = posenc.dot %ql[%b, %h, %r], %v[%b, %zero, %j] : !o, !v
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.0721687824 : f32
    %z = arith.mulf %u, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}
