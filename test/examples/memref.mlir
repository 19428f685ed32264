// The formula of t5-encoder.mlir on buffers with any strides, results written into the caller's memory, log-sum-exp
// included.
//
//   S[b,h,r,j]  = q[b,h,r] . k[b,h,j] + table[bucket(j - r), h]
//   out[b,h,r]  = sum_j softmax_j(S) v[b,h,j]
//   lse[b,h,r]  = log sum_j exp(S)
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %out    [B, H, N, Dv]  written: the result
//   %lse    [B, H, N]      written: the log-sum-exp
//   %table  [C, H]         bias, a row per bucket: C = 32
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: T5, mT5, Flan-T5: encoder.

!x = memref<?x8x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>

func.func @attention(%q: !x, %k: !x, %v: !x, %out: !x, %lse: memref<?x8x?xf32>, %table: memref<32x8xf32>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      into(%out : !x, %lse : memref<?x8x?xf32>)
      with(%table : memref<32x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bias = posenc.lookup %table[%c, %h] : memref<32x8xf32>
    %z = arith.addf %s, %bias : f32
    posenc.yield %z : f32
  }
  return
}
