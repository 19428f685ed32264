// SelfExtend: near keys meet the query by their distance, keys at 1024 or more by positions that are shared by a group
// of tokens, so that no distance is larger than those of the training. Two rotations of the same rows, one choice per
// score.
//
//   S[b,h,r,j] = R(i) q[b,h,r] . R(j) k[b,g,j] / sqrt(D)                    where  j <= i and i - j < 1024
//                R(qids[b,r]) q[b,h,r] . R(kids[b,j]) k[b,g,j] / sqrt(D)    where  i - j >= 1024
//                i = r + past,   g = h / (H / Hkv) = h / 4
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %qids  [B, N]           i div G + 1024 - 1024 div G for groups of G tokens
//   %kids  [B, M]           j div G
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Jin et al., LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning, 2024. https://arxiv.org/abs/2401.01325
//
// Models: Llama 2, Mistral, Phi-2, without training for it.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %qids: tensor<?x?xi64>, %kids: tensor<?x?xi64>, %past: index) -> !x {
  %q1 = posenc.rotate #rope at(%qids : tensor<?x?xi64>) x(%q : !x)
  %k1 = posenc.rotate #rope at(%kids : tensor<?x?xi64>) x(%k : !k)
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
      with(%q1 : !x, %k1 : !k, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %group = arith.constant 4 : index
    %g = arith.divui %h, %group : index
    %far = posenc.dot %q1[%b, %h, %r], %k1[%b, %g, %j] : !x, !k
    %w = arith.constant 1024 : index
    %near = arith.cmpi slt, %lag, %w : index
    %u = arith.select %near, %s, %far : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %u, %c : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
