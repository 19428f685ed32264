// Queries and keys that are normalised before the rotation, with a learned weight per channel: ops of the program
// before the attention.
//
//   S[b,h,r,j] = R(r + past) norm(q[b,h,r], wq) . R(j) norm(k[b,h,j], wk) / sqrt(D)  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   norm(x, w) = w x / sqrt(x . x / D + 0.000001)
//   R(p) turns the channels (m, m + D/2) by the angle p 10000^(-2m/D)
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys, not rotated yet
//   %v     [B, H, M, Dv]  values
//   %wq    [D]            weight of the queries' channels
//   %wk    [D]            weight of the keys' channels
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Henry et al., Query-Key Normalization for Transformers, 2020. https://arxiv.org/abs/2010.04245
// Qwen3 norms each head so.
//
// Models: Qwen3, Gemma 3.

!x = tensor<?x8x?x64xf32>
!n = tensor<?x8x?xf32>
!w = tensor<64xf32>
#rope = #posenc.rope<half, base = 10000.0>
#row = affine_map<(b, h, n, d) -> (b, h, n)>
#all = affine_map<(b, h, n, d) -> (b, h, n, d)>
#channel = affine_map<(b, h, n, d) -> (d)>

func.func @attention(%q: !x, %k: !x, %v: !x, %wq: !w, %wk: !w, %past: index) -> !x {
  %qn = call @rms_norm(%q, %wq) : (!x, !w) -> !x
  %kn = call @rms_norm(%k, %wk) : (!x, !w) -> !x
  %o = posenc.attention q(%qn : !x) rotate #rope from(%past : index) k(%kn : !x) rotate #rope v(%v : !x)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %t : f32 keep %keep
  } -> !x
  return %o : !x
}

func.func private @rms_norm(%x: !x, %weight: !w) -> !x {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : !x
  %n = tensor.dim %x, %c2 : !x
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%b, %n) : !n
  %z = linalg.fill ins(%zero : f32) outs(%e : !n) -> !n
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : !x) outs(%z : !n) {
  ^bb0(%a: f32, %acc: f32):
    %r = math.fma %a, %a, %acc : f32
    linalg.yield %r : f32
  } -> !n
  %y = linalg.generic {indexing_maps = [#row, #channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum, %weight : !n, !w) outs(%x : !x) {
  ^bb0(%s: f32, %w: f32, %a: f32):
    %part = arith.constant 0.015625 : f32
    %eps = arith.constant 1.0e-06 : f32
    %m = math.fma %s, %part, %eps : f32
    %i = math.rsqrt %m : f32
    %aw = arith.mulf %a, %w : f32
    %o = arith.mulf %aw, %i : f32
    linalg.yield %o : f32
  } -> !x
  return %y : !x
}
