// Attention in both directions over a batch of sequences of different lengths, padded at the end: keys of padding are
// not seen. Their values have no influence, whatever they are.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)  where  j < lengths[b]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q        [B, H, N, D]   queries
//   %k        [B, H, M, D]   keys
//   %v        [B, H, M, Dv]  values
//   %lengths  [B]            keys of each sequence
//   %o        [B, H, N, Dv]  result; zero for a sequence without keys
//
// Devlin et al., BERT, 2018. https://arxiv.org/abs/1810.04805
//
// Models: BERT, RoBERTa and others with absolute positions.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %lengths: tensor<?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%lengths : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %n = posenc.lookup %lengths[%b] : tensor<?xi64>
    %keep = arith.cmpi slt, %j, %n : index
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
