// CoPE: positions that count what the query finds worth counting. A gate opens with the score; the sum of the gates from a
// key to the query is its position, and a table of vectors is read between two rows. Causal.
//
//   S[b,h,r,j] = t[j] + (1 - w) q[b,h,r] . e[floor p] + w q[b,h,r] . e[ceil p]  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   t[j] = q[b,h,r] . k[b,h,j] / sqrt(D),   p = min(sum of sigmoid(t[j']) over j <= j' <= r + past, 63),   w = p - floor p
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %e     [C, D]         vectors by position: C = 64
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Golovneva et al., Contextual Position Encoding, 2024. https://arxiv.org/abs/2405.18719
//
// Models: the paper's.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %e: tensor<64x64xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %e : tensor<64x64xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    %n = arith.negf %t : f32
    %en = math.exp %n : f32
    %unit = arith.constant 1.0 : f32
    %en1 = arith.addf %unit, %en : f32
    %gate = arith.divf %unit, %en1 : f32
    %sum = posenc.row_scan %gate : f32
    %top = arith.constant 63.0 : f32
    %p = arith.minimumf %sum, %top : f32
    %lo = math.floor %p : f32
    %hi = math.ceil %p : f32
    %w = arith.subf %p, %lo : f32
    %lo32 = arith.fptosi %lo : f32 to i32
    %hi32 = arith.fptosi %hi : f32 to i32
    %li = arith.index_cast %lo32 : i32 to index
    %hj = arith.index_cast %hi32 : i32 to index
    %zlo = posenc.dot %q[%b, %h, %r], %e[%li] : !x, tensor<64x64xf32>
    %zhi = posenc.dot %q[%b, %h, %r], %e[%hj] : !x, tensor<64x64xf32>
    %dz = arith.subf %zhi, %zlo : f32
    %bias = math.fma %w, %dz, %zlo : f32
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
