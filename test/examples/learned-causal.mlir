// A learned bias per head for every distance up to 1023; farther keys have the last one. Causal.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[h, min(r + past - j, 1023)]  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %table  [H, C]         bias by distance: C = 1024
//   %past   index          position of query row 0
//   %o      [B, H, N, Dv]  result; a row that sees no key is zero
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: none known; T5's bias without buckets.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<8x1024xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<8x1024xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %row = posenc.row #posenc.clip<0, 1023>(%lag)
    %bias = posenc.lookup %table[%h, %row] : tensor<8x1024xf32>
    %z = arith.addf %t, %bias : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
