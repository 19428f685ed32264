// T5, decoder: as the encoder, but causal, and all buckets are for the past. Query row r stands at position r + past,
// so that one file serves training (past = 0), a chunk, and a decode step (N = 1, past = M - 1).
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] + table[bucket(j - r - past), h]  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: one row per distance below 16, then rows that widen logarithmically up to distance 128
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %table  [C, H]         bias, a row per bucket: C = 32
//   %past   index          position of query row 0
//   %o      [B, H, N, Dv]  result; a row that sees no key is zero
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: T5, mT5, Flan-T5, UMT5: decoder.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<32x8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<32x8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
    %z = arith.addf %s, %bias : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
