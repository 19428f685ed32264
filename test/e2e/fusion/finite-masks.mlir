// Masks of large negative numbers, which remove pairs if one says so. Every row here keeps a pair, so that the numbers are
// the same: see ../fusion.py.
//
// RUN: %python %S/../fusion.py %s --opt=posenc-opt --run=%posenc-run --mask-value=-1e9

!q = tensor<2x4x35x16xf32>
!k = tensor<2x2x75x16xf32>
!v = tensor<2x2x75x12xf32>
!o = tensor<2x4x35x12xf32>
!s = tensor<2x4x35x75xf32>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>
#row_key = affine_map<(b, h, r, j) -> (r, j)>

// A causal mask made of positions, chosen.
func.func @causal(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %min = arith.constant -3.40282347E+38 : f32
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %s1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s0 : !s) outs(%e : !s) {
  ^bb0(%x: f32, %out: f32):
    %r = linalg.index 2 : index
    %j = linalg.index 3 : index
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    %y = arith.select %keep, %x, %min : f32
    linalg.yield %y : f32
  } -> !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A mask of rows and keys, made of positions for itself, added, and clamped.
func.func @added(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %min = arith.constant -1.0e+09 : f32
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<35x75xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(r, j) -> (r, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e2 : tensor<35x75xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    %y = arith.select %keep, %zero, %min : f32
    linalg.yield %y : f32
  } -> tensor<35x75xf32>
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %s1 = linalg.generic {indexing_maps = [#all, #row_key, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s0, %m : !s, tensor<35x75xf32>) outs(%e : !s) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> !s
  %low = arith.constant dense<-1.0e+09> : !s
  %s2 = arith.maximumf %s1, %low : !s
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}
