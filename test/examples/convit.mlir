// ConViT: two softmaxes over 14 x 14 patches, one of the content and one of the positions alone, mixed by a gate. The
// gate decides for each head how much of a convolution it remains.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)
//   Z[h,r,j]   = rho[h, dr + 13, dc + 13] for patches that are dr rows and dc columns apart, key minus query
//   o[b,h,r]   = sum_j ((1 - gate) softmax_j(S) + gate softmax_j(Z)) v[b,h,j]
//
//   %q     [B, H, T, D]   queries: T = 196 patches, row by row
//   %k     [B, H, T, D]   keys
//   %v     [B, H, T, Dv]  values; Dv = D
//   %rho   [H, P, L]      scores by position, v . (dx, dy, dx^2 + dy^2): P = L = 27
//   %gate  [B, H, T, Dv]  sigmoid of the head's gate, for every number of the result
//   %o     [B, H, T, Dv]  result
//
// d'Ascoli et al., ConViT, 2021, section 3. https://arxiv.org/abs/2103.10697
//
// Models: ConViT.

!x = tensor<?x8x196x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %rho: tensor<8x?x?xf32>, %gate: !x) -> !x {
  %content = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  %position = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%rho : tensor<8x?x?xf32>)
      score(%s, %b, %h, %r, %j) {
    %w = arith.constant 14 : index
    %rr = arith.divui %r, %w : index
    %rj = arith.divui %j, %w : index
    %cr = arith.remui %r, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %rj, %rr : index
    %dc = arith.subi %cj, %cr : index
    %below = arith.constant 13 : index
    %right = arith.constant 13 : index
    %kr = arith.addi %dr, %below : index
    %kc = arith.addi %dc, %right : index
    %z = posenc.lookup %rho[%h, %kr, %kc] : tensor<8x?x?xf32>
    posenc.yield %z : f32
  } -> !x
  %diff = arith.subf %position, %content : !x
  %part = arith.mulf %gate, %diff : !x
  %o = arith.addf %content, %part : !x
  return %o : !x
}
