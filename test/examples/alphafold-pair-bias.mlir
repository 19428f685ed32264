// AlphaFold, attention with pair bias: a number for each pair of residues, computed elsewhere from what is known of the
// pair. It has no structure; all rows of an alignment, which are the batch, share it.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + pair[h,r,j]  where  mask[b,j]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %pair  [H, N, M]      bias
//   %mask  [B, M]         true: a residue
//   %o     [B, H, N, Dv]  result; zero for a row of the alignment without residues
//
// Jumper et al., Highly accurate protein structure prediction with AlphaFold, 2021, supplement, algorithm 7.
// https://www.nature.com/articles/s41586-021-03819-2
// Lin et al., ESMFold, 2022 (Evolutionary-scale prediction of atomic-level protein structure).
// https://www.science.org/doi/10.1126/science.ade2574
//
// Models: AlphaFold 2, OpenFold, AlphaFold 3.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %pair: tensor<8x?x?xf32>, %mask: tensor<?x?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%pair : tensor<8x?x?xf32>, %mask : tensor<?x?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %bias = posenc.lookup %pair[%h, %r, %j] : tensor<8x?x?xf32>
    %z = arith.addf %t, %bias : f32
    %keep = posenc.lookup %mask[%b, %j] : tensor<?x?xi1>
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
