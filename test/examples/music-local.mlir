// Music Transformer, local: blocks of 128; a query sees its own block and the one before, causally. Vectors by distance
// as in music-transformer.mlir.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[h, j - r + 511]) / sqrt(D)  where  j <= r and r div 128 <= j div 128 + 1
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, M, D]   keys
//   %v    [B, H, M, Dv]  values
//   %rel  [H, C, D]      vectors, from the farthest key behind to the own one, zero beyond: C = 4 * 128
//   %o    [B, H, N, Dv]  result; a row that sees no key is zero
//
// Huang et al., Music Transformer, 2018. https://arxiv.org/abs/1809.04281
//
// Models: Music Transformer, long pieces.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<8x512x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<8x512x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.band<-511, 0>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%h, %row] else 0.0 : !x, tensor<8x512x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    %bl = arith.constant 128 : index
    %one = arith.constant 1 : index
    %bi = arith.divui %r, %bl : index
    %bj = arith.divui %j, %bl : index
    %next = arith.addi %bj, %one : index
    %near = arith.cmpi sle, %bi, %next : index
    %behind = arith.cmpi sle, %j, %r : index
    %keep = arith.andi %near, %behind : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
