// T5, the decoder's attention to the encoder: no bias, for a distance between two texts means nothing, and no scale.
// Keys of padding are not seen.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j]  where  j < lengths[b]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q        [B, H, N, D]   queries, of the decoder
//   %k        [B, H, M, D]   keys, of the encoder
//   %v        [B, H, M, Dv]  values
//   %lengths  [B]            keys of each sequence
//   %o        [B, H, N, Dv]  result; zero for a sequence without keys
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: T5, mT5, Flan-T5: decoder, on the encoder's output.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %lengths: tensor<?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%lengths : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %n = posenc.lookup %lengths[%b] : tensor<?xi64>
    %keep = arith.cmpi slt, %j, %n : index
    posenc.yield %s : f32 keep %keep
  } -> !x
  return %o : !x
}
