// A formula that nobody has published, of two terms that are: the scores fade by what the tokens in between made the
// head forget, and with the logarithm of the time that has passed, where tokens carry the time they were written.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + forget[b,h,i] - forget[b,h,j] - log(1 + time[b,i] - time[b,j])
//                where  j <= i,   i = r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q       [B, H, N, D]   queries
//   %k       [B, H, M, D]   keys
//   %v       [B, H, M, Dv]  values
//   %forget  [B, H, L]      sum of the logarithms of the forget gates up to a position
//   %time    [B, L]         time of a position; never falls
//   %past    index          position of query row 0
//   %o       [B, H, N, Dv]  result; a row that sees no key is zero
//
// Lin et al., Forgetting Transformer, 2025 (the first term). https://arxiv.org/abs/2503.02130
//
// Models: none.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %forget: tensor<?x8x?xf32>, %time: tensor<?x?xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%forget : tensor<?x8x?xf32>, %time : tensor<?x?xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %fi = posenc.lookup %forget[%b, %h, %i] : tensor<?x8x?xf32>
    %fj = posenc.lookup %forget[%b, %h, %j] : tensor<?x8x?xf32>
    %decay = arith.subf %fi, %fj : f32
    %ti = posenc.lookup %time[%b, %i] : tensor<?x?xf32>
    %tj = posenc.lookup %time[%b, %j] : tensor<?x?xf32>
    %age = arith.subf %ti, %tj : f32
    %old = math.log1p %age : f32
    %y = arith.subf %decay, %old : f32
    %z = arith.addf %t, %y : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
