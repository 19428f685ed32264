// Rotary positions of text and images: every token has a time, a row and a column, which take turns in the frequencies, so
// that each gets high and low ones.
//
//   S[b,h,r,j] = R(qids[:,b,r]) q[b,h,r] . R(kids[:,b,j]) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(t, y, x) turns the channels (m, m + D/2) by the angle p[m] 1000000^(-2m/D), where p is t, y, x, t, y, x.. until y and x
//   have 10 pairs, and t for the last 2
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %qids  [A, B, N]        time, row and column of each query; text has three times the same
//   %kids  [A, B, M]        time, row and column of each key
//   %past  index            number of keys before query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
// Qwen Team, Qwen3-VL, 2025, released code.
//
// Models: Qwen3-VL.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 1000000.0, sections = [12, 10, 10], cyclic>

func.func @attention(%q: !x, %k: !k, %v: !k, %qids: tensor<3x?x?xi64>, %kids: tensor<3x?x?xi64>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope at(%qids : tensor<3x?x?xi64>) k(%k : !k) rotate #rope at(%kids : tensor<3x?x?xi64>) v(%v : !k)
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
