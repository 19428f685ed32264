// TUPE: content and absolute position are two products with projections of their own, and T5's relative bias stands
// beside them. The first token, [CLS], has no place in the text: what it sees and what sees it are learned apart.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + pq[h,r] . pk[h,j]) / sqrt(2 D) + table[c, h]
//                c = 16 where r = 0, else 32 where j = 0, else bucket(j - r)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: T5's, in both directions, up to distance 128; it never gives 16
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %pq     [H, N, D]      projected positions of the queries, the same for the whole batch
//   %pk     [H, M, D]      projected positions of the keys
//   %table  [C, H]         bias, a row per bucket and one for what [CLS] is to others: C = 33
//   %o      [B, H, N, Dv]  result
//
// Ke et al., Rethinking Positional Encoding in Language Pre-training, 2020. https://arxiv.org/abs/2006.15595
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020 (the buckets).
//
// Models: TUPE.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %pq: tensor<8x?x64xf32>, %pk: tensor<8x?x64xf32>, %table: tensor<33x8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%pq : tensor<8x?x64xf32>, %pk : tensor<8x?x64xf32>, %table : tensor<33x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.0883883461 : f32
    %p = posenc.dot %pq[%h, %r], %pk[%h, %j] : tensor<8x?x64xf32>, tensor<8x?x64xf32>
    %sp = arith.addf %s, %p : f32
    %t = arith.mulf %sp, %c : f32
    %zero = arith.constant 0 : index
    %to_cls = arith.constant 32 : index
    %from_cls = arith.constant 16 : index
    %d = arith.subi %j, %r : index
    %c0 = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %col = arith.cmpi eq, %j, %zero : index
    %c1 = arith.select %col, %to_cls, %c0 : index
    %row = arith.cmpi eq, %r, %zero : index
    %bucket = arith.select %row, %from_cls, %c1 : index
    %bias = posenc.lookup %table[%bucket, %h] : tensor<33x8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
