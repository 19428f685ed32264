// Positions in two levels, in blocks of 64, as in hierarchical.mlir, with a vector in place of a number: the query
// meets one for the distance inside the own block, or one for the distance in blocks.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + a) / sqrt(D),   i = r + past
//                a = fine[clip(j - i, -32, 32) + 32]                  where  i div 64 = j div 64
//                    coarse[clip(j div 64 - i div 64, -8, 8) + 8]    elsewhere
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %fine    [C, D]         vectors inside a block, from the farthest key behind to the farthest ahead: C = 65
//   %coarse  [Cother, D]    vectors between blocks, in the same order: Cother = 17
//   %past    index          position of query row 0, not negative
//   %o       [B, H, N, Dv]  result
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
// Ainslie et al., ETC, 2020 (two levels with vectors). https://arxiv.org/abs/2004.08483
//
// Models: none known; ETC has two levels, too.

!x = tensor<?x8x?x64xf32>
#other = #posenc.clip<-8, 8>

func.func @attention(%q: !x, %k: !x, %v: !x, %fine: tensor<65x64xf32>, %coarse: tensor<17x64xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %fine : tensor<65x64xf32>, %coarse : tensor<17x64xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %bs = arith.constant 64 : index
    %gi = arith.divui %i, %bs : index
    %li = arith.remui %i, %bs : index
    %gj = arith.divui %j, %bs : index
    %lj = arith.remui %j, %bs : index
    %same = arith.cmpi eq, %gi, %gj : index
    %dl = arith.subi %lj, %li : index
    %dg = arith.subi %gj, %gi : index
    %f = posenc.row #posenc.clip<-32, 32>(%dl)
    %g = posenc.row #other(%dg)
    %pf = posenc.dot %q[%b, %h, %r], %fine[%f] : !x, tensor<65x64xf32>
    %pc = posenc.dot %q[%b, %h, %r], %coarse[%g] : !x, tensor<17x64xf32>
    %p = arith.select %same, %pf, %pc : f32
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
