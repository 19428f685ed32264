// MPNet: T5's bias in both directions, beside a product that is scaled.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[bucket(j - r), h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: half of the rows for keys behind the query; there one row per distance below 8, then rows that widen
//   logarithmically up to distance 128
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %table  [C, H]         bias, a row per bucket: C = 32
//   %o      [B, H, N, Dv]  result
//
// Song et al., MPNet, 2020. https://arxiv.org/abs/2004.09297
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: MPNet, all-mpnet-base-v2.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<32x8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<32x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bias = posenc.lookup %table[%row, %h] : tensor<32x8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
