// LongT5, transient global attention: behind the tokens' keys stand those of the text's blocks, which all queries see
// under the same softmax. The window's bias is by the distance in tokens, that of the blocks by the distance in blocks,
// from a table of its own.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] + table[bucket(j - r), h]                  where  j < local  and  |j - r| < 128
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] + side[bucket(j - local - block[b,r]), h]  where  j >= local
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: T5's, in both directions
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys: of the tokens, then of the blocks
//   %v      [B, H, M, Dv]  values
//   %table  [C, H]         bias of a token's key, a row per bucket: C = 32
//   %side   [C, H]         bias of a block's key
//   %block  [B, N]         block of each query, -1 for padding
//   %local  index          keys of tokens
//   %o      [B, H, N, Dv]  result; a row that sees no key is zero
//
// Guo et al., LongT5, 2021, section 3.2. https://arxiv.org/abs/2112.07916
//
// Models: LongT5, tglobal.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<32x8xf32>, %side: tensor<32x8xf32>, %block: tensor<?x?xi64>, %local: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<32x8xf32>, %side : tensor<32x8xf32>, %block : tensor<?x?xi64>, %local : index)
      score(%s, %b, %h, %r, %j) {
    %g = arith.subi %j, %local : index
    %zero = arith.constant 0 : index
    %far = arith.cmpi sge, %g, %zero : index
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
    %own = posenc.lookup %block[%b, %r] : tensor<?x?xi64>
    %bd = arith.subi %g, %own : index
    %cs = posenc.row #posenc.t5<32, 128, bidirectional>(%bd)
    %sb = posenc.lookup %side[%cs, %h] : tensor<32x8xf32>
    %y = arith.select %far, %sb, %bias : f32
    %z = arith.addf %s, %y : f32
    %a = math.absi %d : index
    %w = arith.constant 128 : index
    %near = arith.cmpi slt, %a, %w : index
    %keep = arith.ori %far, %near : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
