// Conformer as in old ESPnet checkpoints: the table has only the distances behind, and Transformer-XL's shift of rows
// is used without its causal mask. A key two or more ahead then meets the next query and a row from the table's end,
// the key just ahead nothing. The models were trained so. The terms of u and v_bias, as in conformer.mlir, are left
// out.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + p) / sqrt(D)
//     p = q[b,h,r] . rel[h, r - j]                 where  j <= r
//         q[b,h,r+1] . rel[h, last - (j - r - 2)]  where  j >= r + 2
//         0                                        where  j = r + 1
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %rel   [H, L, D]      projected sinusoids, row = distance 0, 1, 2, ...: L = N = M
//   %last  index          L - 1
//   %o     [B, H, N, Dv]  result
//
// Dai et al., Transformer-XL, 2019. https://arxiv.org/abs/1901.02860
// Watanabe et al., ESPnet, 2018 (the class LegacyRelPositionMultiHeadedAttention). https://arxiv.org/abs/1804.00015
//
// Models: early Conformer checkpoints of ESPnet.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<8x?x64xf32>, %last: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<8x?x64xf32>, %last : index)
      score(%s, %b, %h, %r, %j) {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %next = arith.addi %r, %one : index
    %lag = arith.subi %r, %j : index
    %d = arith.subi %j, %r : index
    %far = arith.subi %d, %two : index
    %wrapped = arith.subi %last, %far : index
    %own = posenc.dot %q[%b, %h, %r], %rel[%h, %lag] else 0.0 : !x, tensor<8x?x64xf32>
    %other = posenc.dot %q[%b, %h, %next], %rel[%h, %wrapped] else 0.0 : !x, tensor<8x?x64xf32>
    %p = arith.addf %own, %other : f32
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
