// Transformer-XL: the query meets the content and the position of a key, and so does a learned vector that is the same for
// all queries, one for either. The keys begin with the memory of the segment before.
//
//   S[b,h,r,j] = ((q[b,h,r] + u[h]) . k[b,h,j] + (q[b,h,r] + v_bias[h]) . rel[h, r + mem - j]) / sqrt(D)
//                where  j <= r + mem
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys of the memory and of the segment
//   %v       [B, H, M, Dv]  values of both
//   %u       [H, D]         what every query asks of the content
//   %v_bias  [H, D]         what every query asks of the position
//   %rel     [H, L, D]      projected sinusoids, row = distance 0, 1, 2, ...: L >= the largest distance + 1
//   %mem     index          keys of the memory
//   %o       [B, H, N, Dv]  result
//
// Dai et al., Transformer-XL, 2019, section 3.3. https://arxiv.org/abs/1901.02860
//
// Models: Transformer-XL.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %u: tensor<8x64xf32>, %v_bias: tensor<8x64xf32>, %rel: tensor<8x?x64xf32>, %mem: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %k : !x, %u : tensor<8x64xf32>, %v_bias : tensor<8x64xf32>, %rel : tensor<8x?x64xf32>, %mem : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %mem : index
    %row = arith.subi %i, %j : index
    %uk = posenc.dot %u[%h], %k[%b, %h, %j] : tensor<8x64xf32>, !x
    %qr = posenc.dot %q[%b, %h, %r], %rel[%h, %row] : !x, tensor<8x?x64xf32>
    %vr = posenc.dot %v_bias[%h], %rel[%h, %row] : tensor<8x64xf32>, tensor<8x?x64xf32>
    %y0 = arith.addf %s, %uk : f32
    %y1 = arith.addf %y0, %qr : f32
    %y2 = arith.addf %y1, %vr : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y2, %c : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
