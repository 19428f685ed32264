// ALiBi as BLOOM has it: the score grows linearly with the place of the key. On a row's softmax this is ALiBi's
// distance; the log-sum-exp differs. Places are data and count the tokens only, so padding, to the left or between,
// takes no place.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + slopes[h] pos[b,j]  where  j <= r + past  and  mask[b,j]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %slopes  [H]            score gained per place
//   %pos     [B, M]         place of each key: tokens before it, 0 for padding
//   %mask    [B, M]         true: a token
//   %past    index          keys before query row 0, padding included
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// BigScience Workshop, BLOOM, 2022. https://arxiv.org/abs/2211.05100
// Press et al., Train Short, Test Long, 2021. https://arxiv.org/abs/2108.12409
//
// Models: BLOOM, BLOOMZ.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %slopes: tensor<8xf32>, %pos: tensor<?x?xi64>, %mask: tensor<?x?xi1>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%slopes : tensor<8xf32>, %pos : tensor<?x?xi64>, %mask : tensor<?x?xi1>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %p = posenc.lookup %pos[%b, %j] : tensor<?x?xi64>
    %pi = arith.index_cast %p : index to i32
    %x = arith.sitofp %pi : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<8xf32>
    %y = arith.mulf %m, %x : f32
    %z = arith.addf %t, %y : f32
    %i = arith.addi %r, %past : index
    %behind = arith.cmpi sle, %j, %i : index
    %real = posenc.lookup %mask[%b, %j] : tensor<?x?xi1>
    %keep = arith.andi %behind, %real : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
