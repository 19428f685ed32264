// Positions in two levels, in blocks of 64: inside the own block a bias by the distance, to other blocks one by the
// distance in blocks.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + bias,   i = r + past
//                bias = fine[h, clip(j - i, -32, 32) + 32]                  where  i div 64 = j div 64
//                       coarse[h, clip(j div 64 - i div 64, -8, 8) + 8]    elsewhere
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %fine    [H, C]         bias inside a block, from the farthest key behind to the farthest ahead: C = 65
//   %coarse  [H, Cother]    bias between blocks, in the same order: Cother = 17
//   %past    index          position of query row 0, not negative
//   %o       [B, H, N, Dv]  result
//
// Ainslie et al., ETC, 2020, and Guo et al., LongT5, 2021, have two levels of this kind.
// https://arxiv.org/abs/2004.08483 https://arxiv.org/abs/2112.07916
//
// Models: none known; ETC and LongT5 have two levels, too.

!x = tensor<?x8x?x64xf32>
#other = #posenc.clip<-8, 8>

func.func @attention(%q: !x, %k: !x, %v: !x, %fine: tensor<8x65xf32>, %coarse: tensor<8x17xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%fine : tensor<8x65xf32>, %coarse : tensor<8x17xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
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
    %bf = posenc.lookup %fine[%h, %f] : tensor<8x65xf32>
    %bc = posenc.lookup %coarse[%h, %g] : tensor<8x17xf32>
    %bias = arith.select %same, %bf, %bc : f32
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
