// LongT5, local attention: T5's bias, a window of 127 keys on either side, padding at the end. No scale, as in T5.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] + table[bucket(j - r), h]  where  |j - r| < 128  and  j < lengths[b]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: half of the rows for keys behind the query; there one row per distance below 8, then rows that widen
//   logarithmically up to distance 128
//
//   %q        [B, H, N, D]   queries
//   %k        [B, H, M, D]   keys
//   %v        [B, H, M, Dv]  values
//   %table    [C, H]         bias, a row per bucket: C = 32
//   %lengths  [B]            keys of each sequence
//   %o        [B, H, N, Dv]  result; a row that sees no key is zero
//
// Guo et al., LongT5, 2021, section 3.1. https://arxiv.org/abs/2112.07916
//
// Models: LongT5, local.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<32x8xf32>, %lengths: tensor<?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<32x8xf32>, %lengths : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
    %z = arith.addf %s, %bias : f32
    %a = math.absi %d : index
    %w = arith.constant 128 : index
    %near = arith.cmpi slt, %a, %w : index
    %n = posenc.lookup %lengths[%b] : tensor<?xi64>
    %real = arith.cmpi slt, %j, %n : index
    %keep = arith.andi %near, %real : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
