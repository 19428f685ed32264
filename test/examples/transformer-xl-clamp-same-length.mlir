// Transformer-XL with two options of its evaluation: distances beyond 400 share a row, and every query sees equally
// many keys, so that the oldest ones of the memory disappear row by row.
//
//   S[b,h,r,j] = ((q[b,h,r] + u[h]) . k[b,h,j] + (q[b,h,r] + v_bias[h]) . rel[h, min(lag, 400)]) / sqrt(D)
//                where  0 <= lag <= mem,   lag = r + mem - j
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %u       [H, D]         what every query asks of the content
//   %v_bias  [H, D]         what every query asks of the position
//   %rel     [H, C, D]      projected sinusoids, row = distance 0, 1, 2, ...: C = 401
//   %mem     index          keys of the memory
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// Dai et al., Transformer-XL, 2019 (clamp_len and same_length of its code). https://arxiv.org/abs/1901.02860
//
// Models: Transformer-XL: evaluation on enwik8.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %u: tensor<8x64xf32>, %v_bias: tensor<8x64xf32>, %rel: tensor<8x401x64xf32>, %mem: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %k : !x, %u : tensor<8x64xf32>, %v_bias : tensor<8x64xf32>, %rel : tensor<8x401x64xf32>, %mem : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %mem : index
    %lag = arith.subi %i, %j : index
    %row = posenc.row #posenc.clip<0, 400>(%lag)
    %uk = posenc.dot %u[%h], %k[%b, %h, %j] : tensor<8x64xf32>, !x
    %qr = posenc.dot %q[%b, %h, %r], %rel[%h, %row] : !x, tensor<8x401x64xf32>
    %vr = posenc.dot %v_bias[%h], %rel[%h, %row] : tensor<8x64xf32>, tensor<8x401x64xf32>
    %y0 = arith.addf %s, %uk : f32
    %y1 = arith.addf %y0, %qr : f32
    %y2 = arith.addf %y1, %vr : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y2, %c : f32
    %keep = arith.cmpi sle, %j, %i : index
    %young = arith.cmpi sle, %lag, %mem : index
    %both = arith.andi %keep, %young : i1
    posenc.yield %z : f32 keep %both
  } -> !x
  return %o : !x
}
