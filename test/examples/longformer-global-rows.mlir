// Longformer, whole: a band of 256 keys on either side and global keys for all rows, then the rows of the G global
// tokens anew. Those have projections of their own and see every key.
//
//   S[b,h,r,j]  = q[b,h,r] . k[b,h,j] / sqrt(D)  where  |r - j| <= 256  or  global[b,j]
//   Sg[b,h,i,j] = qg[b,h,i] . kg[b,h,j] / sqrt(D)
//   o[b,h,r]    = sum_j softmax_j(Sg) vg[b,h,j]  where  rows[i] = r
//   o[b,h,r]    = sum_j softmax_j(S) v[b,h,j]    for all other r
//
//   %q       [B, H, N, D]   queries; one sequence: B = 1
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values; Dv = D
//   %global  [B, M]         true: every query sees the key
//   %qg      [B, H, G, D]   queries of the global tokens
//   %kg      [B, H, M, D]   keys for them
//   %vg      [B, H, M, Dv]  values for them
//   %rows    [G]            where the global tokens stand
//   %o       [B, H, N, Dv]  result
//
// Beltagy et al., Longformer, 2020, section 3.1. https://arxiv.org/abs/2004.05150
//
// Models: Longformer; LED with a band of 512.

!x = tensor<1x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %global: tensor<1x?xi1>, %qg: !x, %kg: !x, %vg: !x, %rows: tensor<?xi64>) -> !x {
  %band = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%global : tensor<1x?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %lag = arith.subi %r, %j : index
    %a = math.absi %lag : index
    %w = arith.constant 256 : index
    %near = arith.cmpi sle, %a, %w : index
    %g = posenc.lookup %global[%b, %j] : tensor<1x?xi1>
    %keep = arith.ori %near, %g : i1
    posenc.yield %t : f32 keep %keep
  } -> !x
  %full = posenc.attention q(%qg : !x) k(%kg : !x) v(%vg : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    posenc.yield %t : f32
  } -> !x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %heads = tensor.dim %full, %c1 : !x
  %width = tensor.dim %full, %c3 : !x
  %count = tensor.dim %rows, %c0 : tensor<?xi64>
  %o = scf.for %g = %c0 to %count step %c1 iter_args(%acc = %band) -> (!x) {
    %at = tensor.extract %rows[%g] : tensor<?xi64>
    %to = arith.index_cast %at : i64 to index
    %row = tensor.extract_slice %full[0, 0, %g, 0] [1, %heads, 1, %width] [1, 1, 1, 1] : !x to tensor<1x?x1x?xf32>
    %next = tensor.insert_slice %row into %acc[0, 0, %to, 0] [1, %heads, 1, %width] [1, 1, 1, 1] : tensor<1x?x1x?xf32> into !x
    scf.yield %next : !x
  }
  return %o : !x
}
