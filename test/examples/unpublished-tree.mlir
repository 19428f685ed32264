// A formula that nobody has published: tokens are nodes of a tree, and vectors on the key and on the value side go by
// the difference of their depths, which is data. A gate per head weighs the key side.
//
//   S[b,h,r,j] = (q[b,h,r] . k[b,h,j] + gate[h] q[b,h,r] . rel[c]) / sqrt(D)
//                c = clip(depth[b,j] - depth[b,r], -8, 8) + 8
//   o[b,h,r]   = sum_j softmax_j(S) (v[b,h,j] + relv[c])
//
//   %q      [B, H, N, D]   queries
//   %k      [B, H, M, D]   keys
//   %v      [B, H, M, Dv]  values
//   %relv   [C, Dv]        value vectors for all heads, rows as rel
//   %depth  [B, N]         depth of each node; N = M
//   %rel    [C, D]         key vectors for all heads, from the highest key to the deepest: C = 17
//   %gate   [H]            weight of the key side
//   %o      [B, H, N, Dv]  result
//
// Models: none.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %relv: tensor<17x64xf32>, %depth: tensor<?x?xi64>, %rel: tensor<17x64xf32>, %gate: tensor<8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      value_tables(%relv : tensor<17x64xf32>)
      with(%q : !x, %depth : tensor<?x?xi64>, %rel : tensor<17x64xf32>, %gate : tensor<8xf32>)
      score(%s, %b, %h, %r, %j) {
    %di = posenc.lookup %depth[%b, %r] : tensor<?x?xi64>
    %dj = posenc.lookup %depth[%b, %j] : tensor<?x?xi64>
    %dd = arith.subi %dj, %di : index
    %row = posenc.row #posenc.clip<-8, 8>(%dd)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<17x64xf32>
    %g = posenc.lookup %gate[%h] : tensor<8xf32>
    %gp = arith.mulf %g, %p : f32
    %u = arith.addf %s, %gp : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !x
  return %o : !x
}
