// ALiBi as MPT has it: the distance is counted from the last key, whatever the query, so it is one number per key. On a
// row's softmax this is ALiBi's distance; the log-sum-exp differs. The N queries are the last N of the M tokens.
//
//   S[b,h,r,j]  = q[b,h,r] . k[b,h,j] / sqrt(D) - slopes[h] (M - 1 - j)  where  j <= r + M - N
//   o[b,h,r]    = sum_j softmax_j(S) v[b,h,j]
//   lse[b,h,r]  = log sum_j exp(S)
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %slopes  [H]            score lost per token of distance
//   %o       [B, H, N, Dv]  result; a row that sees no key (N > M) is zero
//   %lse     [B, H, N]      log-sum-exp; -inf for a row that sees no key
//
// MosaicML, Introducing MPT-7B, 2023. https://www.databricks.com/blog/mpt-7b
// Press et al., Train Short, Test Long, 2021. https://arxiv.org/abs/2108.12409
//
// Models: MPT-7B, MPT-30B.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %slopes: tensor<8xf32>) -> (!x, tensor<?x8x?xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n = tensor.dim %q, %two : !x
  %m = tensor.dim %k, %two : !x
  %past = arith.subi %m, %n : index
  %last = arith.subi %m, %one : index
  %o, %lse = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%slopes : tensor<8xf32>, %past : index, %last : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %e = arith.subi %j, %last : index
    %ei = arith.index_cast %e : index to i32
    %x = arith.sitofp %ei : i32 to f32
    %slope = posenc.lookup %slopes[%h] : tensor<8xf32>
    %y = arith.mulf %slope, %x : f32
    %z = arith.addf %t, %y : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> (!x, tensor<?x8x?xf32>)
  return %o, %lse : !x, tensor<?x8x?xf32>
}
