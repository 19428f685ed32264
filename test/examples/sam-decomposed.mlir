// SAM and ViTDet: tokens of a 14 x 14 window, and the query meets a vector for the distance in rows and one for the
// distance in columns. Only the content is scaled.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + q[b,h,r] . rh[cr] + q[b,h,r] . rw[cc]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   cr = r div 14 - j div 14 + 13,   cc = r mod 14 - j mod 14 + 13
//
//   %q   [B, H, T, D]   queries: T = 196 tokens, row by row
//   %k   [B, H, T, D]   keys
//   %v   [B, H, T, Dv]  values
//   %rh  [C, D]         vectors for all heads, from the farthest key row below to the farthest above: C = 27
//   %rw  [Cother, D]    vectors for all heads, from the farthest key column right to the farthest left: Cother = 27
//   %o   [B, H, T, Dv]  result
//
// Kirillov et al., Segment Anything, 2023. https://arxiv.org/abs/2304.02643
// Li et al., MViTv2, 2021, and Exploring Plain Vision Transformer Backbones, 2022 (the decomposed form).
// https://arxiv.org/abs/2112.01526 https://arxiv.org/abs/2203.16527
//
// Models: SAM, ViTDet, MViTv2.

!x = tensor<?x8x196x64xf32>
#other = #posenc.clip<-13, 13>

func.func @attention(%q: !x, %k: !x, %v: !x, %rh: tensor<27x64xf32>, %rw: tensor<27x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rh : tensor<27x64xf32>, %rw : tensor<27x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %w = arith.constant 14 : index
    %ri = arith.divui %r, %w : index
    %rj = arith.divui %j, %w : index
    %ci = arith.remui %r, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %ri, %rj : index
    %dc = arith.subi %ci, %cj : index
    %kr = posenc.row #posenc.clip<-13, 13>(%dr)
    %kc = posenc.row #other(%dc)
    %ph = posenc.dot %q[%b, %h, %r], %rh[%kr] : !x, tensor<27x64xf32>
    %pw = posenc.dot %q[%b, %h, %r], %rw[%kc] : !x, tensor<27x64xf32>
    %y = arith.addf %t, %ph : f32
    %z = arith.addf %y, %pw : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
