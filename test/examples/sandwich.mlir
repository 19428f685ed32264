// Sandwich: the bias is the product of two sinusoidal position vectors, which depends on their distance alone and falls
// with it. All heads share that curve; each divides it by another number.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + by_lag[r + past - j] inv[h]  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %by_lag  [L]            sum of cos(lag 10000^(-2t/D)) - 1 over t = 1..D/2; a row per distance
//   %inv     [H]            H / (8 (h + 1))
//   %past    index          position of query row 0
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// Chi et al., Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis, 2022.
// https://arxiv.org/abs/2212.10356
//
// Models: the paper's.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %by_lag: tensor<?xf32>, %inv: tensor<8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%by_lag : tensor<?xf32>, %inv : tensor<8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %w = posenc.lookup %by_lag[%lag] : tensor<?xf32>
    %m = posenc.lookup %inv[%h] : tensor<8xf32>
    %y = arith.mulf %w, %m : f32
    %z = arith.addf %t, %y : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
