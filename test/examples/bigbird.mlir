// BigBird: attention between blocks of 64 tokens. Which blocks of keys a block of queries sees (its neighbours, the
// first and the last, some drawn at random for each head) comes as an array.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)  where  blocks[h, r / 64, j / 64]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %blocks  [H, P, L]      true: the P-th block of queries sees the L-th block of keys
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// Zaheer et al., Big Bird, 2020, section 2. https://arxiv.org/abs/2007.14062
//
// Models: BigBird, BigBird-Pegasus.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %blocks: tensor<8x?x?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%blocks : tensor<8x?x?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %w = arith.constant 64 : index
    %bi = arith.divui %r, %w : index
    %bj = arith.divui %j, %w : index
    %keep = posenc.lookup %blocks[%h, %bi, %bj] : tensor<8x?x?xi1>
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
