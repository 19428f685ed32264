// Causal attention in a sliding window: a query sees 256 keys, its own and the 255 before it. Query row r stands at
// position r + past, key j at position j.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,g,j] / sqrt(D)  where  0 <= r + past - j < 256,   g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0; M - N where the queries are the last tokens
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Jiang et al., Mistral 7B, 2023, section 2. https://arxiv.org/abs/2310.06825
//
// Models: Mistral 7B, beside its rotary positions.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %keep = arith.cmpi sle, %j, %i : index
    %w = arith.constant 256 : index
    %near = arith.cmpi slt, %lag, %w : index
    %both = arith.andi %keep, %near : i1
    posenc.yield %t : f32 keep %both
  } -> !x
  return %o : !x
}
