// Rotary positions with frequencies that the program computes or learns.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p f[m]
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %f     [F]              angle per position of each pair: F = D/2
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Su et al., RoFormer, 2021. https://arxiv.org/abs/2104.09864
//
// Models: any with rotary positions, its inverse frequencies being a parameter.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half>

func.func @attention(%q: !x, %k: !k, %v: !k, %f: tensor<32xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) freqs(%f : tensor<32xf32>) k(%k : !k) rotate #rope freqs(%f : tensor<32xf32>) v(%v : !k)
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
