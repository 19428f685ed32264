// Longformer, dilated: as longformer.mlir, but the 256 keys of the band on either side are every second one, so that it
// reaches twice as far.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D)  where  |r - j| <= 512 and r - j even,
//                                                  or  global[b,j]
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
// Models: Longformer, trained for characters.

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
    %dilation = arith.constant 2 : index
    %reach = arith.muli %w, %dilation : index
    %in_reach = arith.cmpi sle, %a, %reach : index
    %m = arith.remsi %a, %dilation : index
    %zero = arith.constant 0 : index
    %hit = arith.cmpi eq, %m, %zero : index
    %near = arith.andi %in_reach, %hit : i1
    %g = posenc.lookup %global[%b, %j] : tensor<?x?xi1>
    %keep = arith.ori %near, %g : i1
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}
