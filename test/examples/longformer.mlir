// Longformer: a band of 256 keys on either side, and global keys that every query sees, wherever they are. (The rows of
// the global tokens themselves: longformer-global-rows.mlir.)
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)  where  |r - j| <= 256  or  global[b,j]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %global  [B, M]         true: every query sees the key
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// Beltagy et al., Longformer, 2020, section 3.1. https://arxiv.org/abs/2004.05150
//
// Models: Longformer; LED with a band of 512.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %global: tensor<?x?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%global : tensor<?x?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %lag = arith.subi %r, %j : index
    %a = math.absi %lag : index
    %w = arith.constant 256 : index
    %near = arith.cmpi sle, %a, %w : index
    %g = posenc.lookup %global[%b, %j] : tensor<?x?xi1>
    %keep = arith.ori %near, %g : i1
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
