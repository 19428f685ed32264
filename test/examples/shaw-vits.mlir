// VITS, text encoder: relative position vectors on the key and on the value side, for distances up to 4. A key beyond
// is seen like any other, but neither side adds anything.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[j - r + 4]) / sqrt(D)   with zero in place of rows that don't exist
//   o[b,h,r]   = sum_j softmax_j(S) (v[b,h,j] + relv[j - r + 4])
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %relv  [C, Dv]        value vectors for all heads, rows as rel
//   %rel   [C, D]         key vectors for all heads, from the farthest key behind to the farthest ahead: C = 9
//   %o     [B, H, N, Dv]  result
//
// Kim et al., Conditional Variational Autoencoder with Adversarial Learning for End-to-End Text-to-Speech, 2021.
// https://arxiv.org/abs/2106.06103
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
//
// Models: VITS, MMS-TTS.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %relv: tensor<9x64xf32>, %rel: tensor<9x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      value_tables(%relv : tensor<9x64xf32>)
      with(%q : !x, %rel : tensor<9x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.band<-4, 4>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] else 0.0 : !x, tensor<9x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !x
  return %o : !x
}
