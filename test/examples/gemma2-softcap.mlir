// Gemma 2, a local layer: rotary positions, scores capped softly at 50, a causal window of 4096 keys, grouped heads.
// The cap stands before the mask: it would turn a mask of minus infinity into -50.
//
//   S[b,h,r,j] = 50 tanh(R(i) q[b,h,r] . R(j) k[b,g,j] / sqrt(D) / 50)  where  0 <= i - j < 4096,
//   i = r + past,  g = h / (H / Hkv)
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys, not rotated yet
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Gemma Team, Gemma 2, 2024, section 2. https://arxiv.org/abs/2408.00118
//
// Models: Gemma 2 2B, Gemma 2 9B.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %cap = arith.constant 50.0 : f32
    %y = arith.divf %t, %cap : f32
    %th = math.tanh %y : f32
    %z = arith.mulf %cap, %th : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %behind = arith.cmpi sle, %j, %i : index
    %w = arith.constant 4096 : index
    %near = arith.cmpi slt, %lag, %w : index
    %keep = arith.andi %behind, %near : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
