// xPos: rotary positions whose channel pairs also shrink with the distance, each at its own rate. Queries grow and keys
// shrink by position, so that the product depends on the distance; causal, since it would grow ahead.
//
//   S[b,h,r,j] = R(r + past) q[b,h,r] . R'(j) k[b,h,j] / sqrt(D)  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   R(p) turns the channels (2m, 2m + 1) by the angle p 10000^(-2m/D) and multiplies them by z[m]^(p/512),
//   R'(p) by z[m]^(-p/512)
//   z[m] = (2m/D + 0.4) / 1.4
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys, not rotated yet
//   %v     [B, H, M, Dv]  values
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Sun et al., A Length-Extrapolatable Transformer, 2022. https://arxiv.org/abs/2212.10554
//
// Models: LEX (TorchScale).

!x = tensor<?x8x?x64xf32>
#grow = #posenc.rope<interleaved, base = 10000.0, xpos = 512.0>
#shrink = #posenc.rope<interleaved, base = 10000.0, xpos = -512.0>

func.func @attention(%q: !x, %k: !x, %v: !x, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #grow from(%past : index) k(%k : !x) rotate #shrink v(%v : !x)
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
