// A local window with vectors by distance: keys up to 8 away are seen, and the table has a row for each of those
// distances and no other.
//
//   S[b,h,r,j] = q[b,h,r] . (k[b,h,j] + rel[j - r + 8]) / sqrt(D)  where  |j - r| <= 8
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q    [B, H, N, D]   queries
//   %k    [B, H, M, D]   keys
//   %v    [B, H, M, Dv]  values
//   %rel  [C, D]         vectors for all heads, from the farthest key behind to the farthest ahead: C = 17
//   %o    [B, H, N, Dv]  result; a row that sees no key is zero
//
// Shaw et al., Self-Attention with Relative Position Representations, 2018. https://arxiv.org/abs/1803.02155
// Relative positions inside a window as in NeMo's limited-context Conformer and Tensor2Tensor's local attention.
//
// Models: none known.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rel: tensor<17x64xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %rel : tensor<17x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-8, 8>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<17x64xf32>
    %u = arith.addf %s, %p : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    %a = math.absi %d : index
    %w = arith.constant 8 : index
    %keep = arith.cmpi sle, %a, %w : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
