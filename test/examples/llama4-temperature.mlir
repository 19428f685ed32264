// Llama 4, a layer without rotary positions: causal, and far in a text a query's scores grow with the logarithm of its
// position, so that its softmax stays sharp among many keys.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,g,j] / sqrt(D) (1 + log(1 + (i + 1) / 8192) / 10)  where  j <= i,
//   i = r + past,  g = h / (H / Hkv);  (i + 1) / 8192 is rounded down
//   o[b,h,r]   = sum_j softmax_j(S) v[b,g,j]
//
//   %q     [B, H, N, D]     queries
//   %k     [B, Hkv, M, D]   keys
//   %v     [B, Hkv, M, Dv]  values
//   %past  index            position of query row 0
//   %o     [B, H, N, Dv]    result; a row that sees no key is zero
//
// Meta, Llama 4, 2025. https://ai.meta.com/blog/llama-4-multimodal-intelligence
// Nakanishi, Scalable-Softmax, 2025. https://arxiv.org/abs/2501.19399
//
// Models: Llama 4 Scout, Llama 4 Maverick: one layer of four.

!x = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !k, %v: !k, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %one = arith.constant 1 : index
    %w = arith.constant 8192 : index
    %p = arith.addi %i, %one : index
    %n = arith.divui %p, %w : index
    %ni = arith.index_cast %n : index to i32
    %x = arith.sitofp %ni : i32 to f32
    %l = math.log1p %x : f32
    %tenth = arith.constant 0.1 : f32
    %unit = arith.constant 1.0 : f32
    %f = math.fma %tenth, %l, %unit : f32
    %z = arith.mulf %t, %f : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
