// LeViT: a learned bias per head for how far two of 14 x 14 patches are apart, in rows and in columns, whichever comes
// first. Values are wider than keys.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[14 |dr| + |dc|, h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   dr, dc: rows and columns between the patches r and j
//
//   %q      [B, H, T, D]   queries: T = 196 patches, row by row
//   %k      [B, H, T, D]   keys
//   %v      [B, H, T, Dv]  values
//   %table  [T, H]         bias
//   %o      [B, H, T, Dv]  result
//
// Graham et al., LeViT, 2021, section 4.2. https://arxiv.org/abs/2104.01136
//
// Models: LeViT.

!x = tensor<?x8x196x32xf32>
!v = tensor<?x8x196x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !v, %table: tensor<196x8xf32>) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      with(%table : tensor<196x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.176776692 : f32
    %t = arith.mulf %s, %c : f32
    %w = arith.constant 14 : index
    %rr = arith.divui %r, %w : index
    %rj = arith.divui %j, %w : index
    %cr = arith.remui %r, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %rr, %rj : index
    %dc = arith.subi %cr, %cj : index
    %ar = math.absi %dr : index
    %ac = math.absi %dc : index
    %a = arith.muli %ar, %w : index
    %row = arith.addi %a, %ac : index
    %bias = posenc.lookup %table[%row, %h] : tensor<196x8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !v
  return %o : !v
}
