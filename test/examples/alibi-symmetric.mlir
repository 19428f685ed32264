// ALiBi in both directions: the score falls linearly with the distance to the key, ahead as behind.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) - slopes[h] |r - j|
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %slopes  [H]            score lost per token of distance
//   %o       [B, H, N, Dv]  result
//
// Press et al., Train Short, Test Long, 2021. https://arxiv.org/abs/2108.12409
// Baevski et al., Efficient Self-supervised Learning with Contextualized Target Representations (data2vec 2.0), 2022.
// https://arxiv.org/abs/2212.07525
//
// Models: data2vec 2.0, MosaicBERT, jina-embeddings-v2.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %slopes: tensor<8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%slopes : tensor<8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %lag = arith.subi %r, %j : index
    %dist = math.absi %lag : index
    %di = arith.index_cast %dist : index to i32
    %x = arith.sitofp %di : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<8xf32>
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %t, %p : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
