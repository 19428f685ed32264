// ALiBi: the score falls linearly with the distance to the key, faster in some heads than in others. The slopes are
// data; for a power of two of heads they are 2^(-8/H), 2^(-16/H), ..., 2^(-8).
//
//   S[b,h,r,j] = q[b,h,r] . k[b,g,j] / sqrt(D) - slopes[h] (r + past - j)  where  j <= r + past,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q       [B, H, N, D]     queries
//   %k       [B, Hkv, M, D]   keys
//   %v       [B, Hkv, M, Dv]  values
//   %slopes  [H]              score lost per token of distance
//   %past    index            position of query row 0
//   %o       [B, H, N, Dv]    result; a row that sees no key is zero
//
// Press et al., Train Short, Test Long, 2021. https://arxiv.org/abs/2108.12409
//
// Models: the paper's; by the place of the key: BLOOM, MPT, Falcon-RW.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k, %slopes: tensor<8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      with(%slopes : tensor<8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<8xf32>
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %t, %p : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
