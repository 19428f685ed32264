// T5's causal bias as GPT-NeoX has it: the product is scaled, and the table is multiplied by sqrt(D).
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + 8 table[bucket(j - r - past), h]  where  j <= r + past,  8 = sqrt(D)
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
// Black et al., GPT-NeoX-20B, 2022 (an option of its library). https://arxiv.org/abs/2204.06745
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: GPT-NeoX with pos_emb rpe.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<32x8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<32x8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %row = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bias = posenc.lookup %table[%row, %h] : tensor<32x8xf32>
    %g = arith.constant 8.0 : f32
    %u = arith.mulf %bias, %g : f32
    %z = arith.addf %t, %u : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
