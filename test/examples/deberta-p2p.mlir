// DeBERTa with all four terms: the positions of the query and of the key meet, too. That is a number for each distance
// and head. The scale is 1/sqrt(4 D).
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + q[b,h,r] . kr[h,c] + k[b,h,j] . qr[h,c] + qr[h,c] . kr[h,c]) / sqrt(4 D)
//                where  mask[b,r] and mask[b,j],   c = clip(r - j, -512, 511) + 512
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %kr    [H, C, D]      projected position keys, from the farthest key ahead to the farthest behind: C = 1024
//   %qr    [H, C, D]      projected position queries, rows as kr
//   %mask  [B, M]         true: a token; N = M
//   %o     [B, H, N, Dv]  result; rows of padding are zero
//
// He et al., DeBERTa, 2020, section 3.1. https://arxiv.org/abs/2006.03654
// The paper names the fourth term and leaves it out; the released code counts it in the scale.
//
// Models: none known; an option of DeBERTa's code.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %kr: tensor<8x1024x64xf32>, %qr: tensor<8x1024x64xf32>, %mask: tensor<?x?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %k : !x, %kr : tensor<8x1024x64xf32>, %qr : tensor<8x1024x64xf32>, %mask : tensor<?x?xi1>)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %row = posenc.row #posenc.clip<-512, 511>(%lag)
    %c2p = posenc.dot %q[%b, %h, %r], %kr[%h, %row] : !x, tensor<8x1024x64xf32>
    %p2c = posenc.dot %k[%b, %h, %j], %qr[%h, %row] : !x, tensor<8x1024x64xf32>
    %y1 = arith.addf %s, %c2p : f32
    %y2 = arith.addf %y1, %p2c : f32
    %p2p = posenc.dot %qr[%h, %row], %kr[%h, %row] : tensor<8x1024x64xf32>, tensor<8x1024x64xf32>
    %y3 = arith.addf %y2, %p2p : f32
    %c = arith.constant 0.0625 : f32
    %z = arith.mulf %y3, %c : f32
    %mi = posenc.lookup %mask[%b, %r] : tensor<?x?xi1>
    %mj = posenc.lookup %mask[%b, %j] : tensor<?x?xi1>
    %keep = arith.andi %mi, %mj : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
