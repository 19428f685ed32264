// A formula that nobody has published, written here first: a learned bias for the phase of the distance in a period of
// 7 (weeks of daily data, say) beside a linear decay. No pass knows it by name.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[h, lag mod 7] - slopes[h] lag  where  lag = r + past - j >= 0
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %table   [H, P]         bias of each phase: P = 7
//   %slopes  [H]            score lost per token of distance
//   %past    index          position of query row 0
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// Models: none.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<8x7xf32>, %slopes: tensor<8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<8x7xf32>, %slopes : tensor<8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %seven = arith.constant 7 : index
    %phase = arith.remui %lag, %seven : index
    %week = posenc.lookup %table[%h, %phase] : tensor<8x7xf32>
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<8xf32>
    %p = arith.mulf %m, %x : f32
    %y = arith.subf %week, %p : f32
    %z = arith.addf %t, %y : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
