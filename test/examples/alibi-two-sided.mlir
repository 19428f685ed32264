// ALiBi in both directions with a slope for each: a head may look far behind and hardly ahead. A slope of infinity is
// no number to use here; a large one closes a side.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) - left[h] (r - j)   where  j <= r
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) - right[h] (j - r)  where  j > r
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %left   [H]            score lost per token of distance, for keys behind the query
//   %right  [H]            the same, for keys ahead
//   %o      [B, H, N, Dv]  result
//
// Press et al., Train Short, Test Long, 2021 (the encoders of its repository). https://arxiv.org/abs/2108.12409
//
// Models: none known.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %left: tensor<8xf32>, %right: tensor<8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%left : tensor<8xf32>, %right : tensor<8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %lag = arith.subi %r, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %zero = arith.constant 0 : index
    %behind = arith.cmpi sge, %lag, %zero : index
    %ml = posenc.lookup %left[%h] : tensor<8xf32>
    %mr = posenc.lookup %right[%h] : tensor<8xf32>
    %nr = arith.negf %mr : f32
    %m = arith.select %behind, %ml, %nr : f32
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %t, %p : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
