// Rotary positions given as data: a batch padded on the left, where every row counts its own tokens from 0 and the
// padding in front is not seen.
//
//   S[b,h,r,j] = R(qids[b,r]) q[b,h,r] . R(kids[b,j]) k[b,g,j] / sqrt(D)  where  starts[b] <= j <= r + past,
//   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q       [B, H, N, D]     queries
//   %k       [B, Hkv, M, D]   keys, not rotated yet
//   %v       [B, Hkv, M, Dv]  values
//   %qids    [B, N]           position of each query
//   %kids    [B, M]           position of each key
//   %starts  [B]              first key that is a token
//   %past    index            number of keys before query row 0, padding included
//   %o       [B, H, N, Dv]    result; a row of padding sees no key and is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Touvron et al., LLaMA, 2023. https://arxiv.org/abs/2302.13971
//
// Models: Llama and others with rotary positions, in batched generation.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %qids: tensor<?x?xi64>, %kids: tensor<?x?xi64>, %starts: tensor<?xi64>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope at(%qids : tensor<?x?xi64>) k(%k : !k) rotate #rope at(%kids : tensor<?x?xi64>) v(%v : !k)
      with(%starts : tensor<?xi64>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    %n = posenc.lookup %starts[%b] : tensor<?xi64>
    %real = arith.cmpi sge, %j, %n : index
    %both = arith.andi %keep, %real : i1
    posenc.yield %t : f32 keep %both
  } -> !x
  return %o : !x
}
