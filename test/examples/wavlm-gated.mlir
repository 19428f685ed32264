// WavLM, speech: T5's bias in both directions with many buckets, multiplied by a gate that each query computes for each
// head from its own content.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + gate[b,h,r] table[bucket(j - r), h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: half of the rows for keys behind the query; there one row per distance below 80, then rows that widen
//   logarithmically up to distance 800
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %table  [C, H]         bias, a row per bucket: C = 320
//   %gate   [B, H, N]      factor of each query's bias
//   %o      [B, H, N, Dv]  result
//
// Chen et al., WavLM, 2021, section III. https://arxiv.org/abs/2110.13900
//
// Models: WavLM.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<320x8xf32>, %gate: tensor<?x8x?xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<320x8xf32>, %gate : tensor<?x8x?xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.t5<320, 800, bidirectional>(%d)
    %bias = posenc.lookup %table[%row, %h] : tensor<320x8xf32>
    %g = posenc.lookup %gate[%b, %h, %r] : tensor<?x8x?xf32>
    %y = arith.mulf %g, %bias : f32
    %z = arith.addf %t, %y : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
