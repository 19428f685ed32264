// A gate per head between two biases: T5's by the distance, and the product of two projected absolute positions.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + g rel + (1 - g) abs,   g = gate[h]
//                rel = table[bucket(j - r), h],   abs = pq[h,r] . pk[h,j] / sqrt(D)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: T5's, in both directions, up to distance 128
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %gate   [H]            weight of the relative bias, between 0 and 1
//   %table  [C, H]         relative bias, a row per bucket: C = 32
//   %pq     [H, N, D]      projected positions of the queries
//   %pk     [H, M, D]      projected positions of the keys
//   %o      [B, H, N, Dv]  result
//
// Ke et al., Rethinking Positional Encoding in Language Pre-training, 2020 (the absolute term).
// https://arxiv.org/abs/2006.15595
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020 (the buckets).
// https://arxiv.org/abs/1910.10683
//
// Models: none known.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %gate: tensor<8xf32>, %table: tensor<32x8xf32>, %pq: tensor<8x?x64xf32>, %pk: tensor<8x?x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%gate : tensor<8xf32>, %table : tensor<32x8xf32>, %pq : tensor<8x?x64xf32>, %pk : tensor<8x?x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %rel = posenc.lookup %table[%row, %h] : tensor<32x8xf32>
    %p = posenc.dot %pq[%h, %r], %pk[%h, %j] : tensor<8x?x64xf32>, tensor<8x?x64xf32>
    %abs = arith.mulf %p, %c : f32
    %g = posenc.lookup %gate[%h] : tensor<8xf32>
    %diff = arith.subf %rel, %abs : f32
    %bias = math.fma %g, %diff, %abs : f32
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
