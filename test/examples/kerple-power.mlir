// KERPLE, the power kernel: the score falls with a learned power of the distance. ALiBi is the first power.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) - ka[h] (r + past - j)^kp[h]  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %kp    [H]            exponent, in (0, 2]
//   %ka    [H]            factor, positive
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Chi et al., KERPLE, 2022. https://arxiv.org/abs/2205.09921
//
// Models: the paper's.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %kp: tensor<8xf32>, %ka: tensor<8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%kp : tensor<8xf32>, %ka : tensor<8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %p = posenc.lookup %kp[%h] : tensor<8xf32>
    %a = posenc.lookup %ka[%h] : tensor<8xf32>
    %w = math.powf %x, %p : f32
    %y = arith.mulf %a, %w : f32
    %z = arith.subf %t, %y : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
