// Transformer-XL with learned positions in place of sinusoids: a vector for each distance and head, and a number in
// place of the second bias. Distances beyond the table share its last row.
//
//   S[b,h,r,j] = ((q[b,h,r] + u[h]) . k[b,h,j] + q[b,h,r] . rel[c, h] + bias[c, h]) / sqrt(D)  where  j <= r + mem
//                c = min(r + mem - j, 511)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %u     [H, D]         what every query asks of the content
//   %rel   [C, H, D]      learned vectors, row = distance 0, 1, 2, ...: C = 512
//   %bias  [C, H]         learned numbers, rows as rel
//   %mem   index          keys of the memory
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Dai et al., Transformer-XL, 2019 (attn_type 1 of its code). https://arxiv.org/abs/1901.02860
//
// Models: an option of Transformer-XL's code.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %u: tensor<8x64xf32>, %rel: tensor<512x8x64xf32>, %bias: tensor<512x8xf32>, %mem: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %k : !x, %u : tensor<8x64xf32>, %rel : tensor<512x8x64xf32>, %bias : tensor<512x8xf32>, %mem : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %mem : index
    %lag = arith.subi %i, %j : index
    %row = posenc.row #posenc.clip<0, 511>(%lag)
    %uk = posenc.dot %u[%h], %k[%b, %h, %j] : tensor<8x64xf32>, !x
    %qr = posenc.dot %q[%b, %h, %r], %rel[%row, %h] : !x, tensor<512x8x64xf32>
    %e = posenc.lookup %bias[%row, %h] : tensor<512x8xf32>
    %y0 = arith.addf %s, %uk : f32
    %y1 = arith.addf %y0, %qr : f32
    %y2 = arith.addf %y1, %e : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y2, %c : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
