// Attention written as separate ops, as programs and front ends spell it. Each function gives the same numbers before and
// after fusion, and becomes one posenc.attention: see ../fusion.py. Of two key heads each serves two heads; lengths are no
// multiples of a tile or a block.
//
// RUN: %python %S/../fusion.py %s --opt=posenc-opt --run=%posenc-run

!q = tensor<2x4x35x16xf32>
!k = tensor<2x2x75x16xf32>
!v = tensor<2x2x75x12xf32>
!h = tensor<2x4x75x16xf32>
!w = tensor<2x4x75x12xf32>
!o = tensor<2x4x35x12xf32>
!s = tensor<2x4x35x75xf32>
#all = affine_map<(b, h, r, j) -> (b, h, r, j)>
#row_key = affine_map<(b, h, r, j) -> (r, j)>
#key_mask = affine_map<(b, h, r, j) -> (b, 0, 0, j)>
#head = affine_map<(b, h, r, j) -> (h)>
#scalar = affine_map<(b, h, r, j) -> ()>
#rope = #posenc.rope<half, base = 1.0e+04>

// T5: a bias, then a mask.
func.func @bias_then_mask(%q: !q, %k: !k, %v: !v, %t: tensor<32x4xf32>, %real: tensor<2x1x1x75xi1>) -> !o {
  %inf = arith.constant 0xFF800000 : f32
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.relative_bias s(%s0 : !s) table(%t : tensor<32x4xf32>) #posenc.t5<32, 128, bidirectional>(delta)
  %e = tensor.empty() : !s
  %s2 = linalg.generic {indexing_maps = [#key_mask, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%real, %s1 : tensor<2x1x1x75xi1>, !s) outs(%e : !s) {
  ^bb0(%keep: i1, %x: f32, %out: f32):
    %y = arith.select %keep, %x, %inf : f32
    linalg.yield %y : f32
  } -> !s
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// The same, the mask first, as a term.
func.func @mask_then_bias(%q: !q, %k: !k, %v: !v, %t: tensor<32x4xf32>, %real: tensor<2x1x1x75xi1>) -> !o {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %m = linalg.generic {indexing_maps = [#key_mask, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%real : tensor<2x1x1x75xi1>) outs(%e : !s) {
  ^bb0(%keep: i1, %out: f32):
    %y = arith.select %keep, %zero, %inf : f32
    linalg.yield %y : f32
  } -> !s
  %s1 = arith.addf %m, %s0 : !s
  %s2 = posenc.relative_bias s(%s1 : !s) table(%t : tensor<32x4xf32>) #posenc.t5<32, 128, bidirectional>(delta)
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A mask of the least finite float, added as a choice of two tensors.
func.func @finite_mask(%q: !q, %k: !k, %v: !v, %real: tensor<2x4x35x75xi1>) -> !o {
  %min = arith.constant dense<-3.40282347E+38> : !s
  %zero = arith.constant dense<0.0> : !s
  %m = arith.select %real, %zero, %min : tensor<2x4x35x75xi1>, !s
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = arith.addf %m, %s0 : !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A row in which it takes all pairs gives the mean of the values. Code for a machine may subtract the maximum from the term
// before it adds the product, and then gives another mean.
func.func @finite_mask_of_a_row_reference(%q: !q, %k: !k, %v: !v, %real: tensor<35x75xi1>, %past: index) -> !o {
  %min = arith.constant -3.40282347E+38 : f32
  %zero = arith.constant 0.0 : f32
  %hundred = arith.constant 100 : index
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %s1 = linalg.generic {indexing_maps = [#all, #row_key, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s0, %real : !s, tensor<35x75xi1>) outs(%e : !s) {
  ^bb0(%x: f32, %keep: i1, %out: f32):
    %r = linalg.index 2 : index
    %even = arith.remui %r, %hundred : index
    %some = arith.cmpi ne, %even, %past : index
    %both = arith.andi %keep, %some : i1
    %m = arith.select %both, %zero, %min : f32
    %y = arith.addf %x, %m : f32
    linalg.yield %y : f32
  } -> !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A float tensor as a mask, added after a scale of constants.
func.func @added_mask(%q: !q, %k: !k, %v: !v, %m: tensor<2x1x35x75xf32>) -> !o {
  %c = arith.constant dense<0.25> : !s
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = arith.mulf %s0, %c : !s
  %f = tensor.collapse_shape %m [[0, 1], [2], [3]] : tensor<2x1x35x75xf32> into tensor<2x35x75xf32>
  %e = tensor.empty() : !s
  %b = linalg.broadcast ins(%f : tensor<2x35x75xf32>) outs(%e : !s) dimensions = [1]
  %s2 = arith.addf %s1, %b : !s
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Causal by comparison of positions, a scale by division, a softcap between.
func.func @causal_division_softcap(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %inf = arith.constant 0xFF800000 : f32
  %four = arith.constant dense<4.0> : !s
  %cap = arith.constant 0.5 : f32
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = arith.divf %s0, %four : !s
  %e = tensor.empty() : !s
  %caps = linalg.fill ins(%cap : f32) outs(%e : !s) -> !s
  %s2 = arith.divf %s1, %caps : !s
  %s3 = math.tanh %s2 : !s
  %s4 = arith.mulf %caps, %s3 : !s
  %s5 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s4 : !s) outs(%e : !s) {
  ^bb0(%x: f32, %out: f32):
    %r = linalg.index 2 : index
    %j = linalg.index 3 : index
    %i = arith.addi %r, %past : index
    %late = arith.cmpi sgt, %j, %i : index
    %y = arith.select %late, %inf, %x : f32
    linalg.yield %y : f32
  } -> !s
  %p = posenc.softmax s(%s5 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A mask before what does not keep -inf: tanh makes -1 of it.
func.func @mask_before_softcap(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.score_mod s(%s0 : !s) with(%past : index) score(%s, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %past : index
    posenc.yield %s : f32 keep %keep
  }
  %s2 = math.tanh %s1 : !s
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// The scale on the queries.
func.func @scaled_queries(%q: !q, %k: !k, %v: !v, %t: tensor<9x4xf32>) -> !o {
  %c = arith.constant dense<0.25> : !q
  %qs = arith.mulf %c, %q : !q
  %s0 = posenc.scores q(%qs : !q) k(%k : !k) : !s
  %s1 = posenc.relative_bias s(%s0 : !s) table(%t : tensor<9x4xf32>) #posenc.clip<-4, 4>(lag)
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Square roots of the scale on queries and keys, before and after a rotation.
func.func @root_scales(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %root = arith.constant 0.5 : f32
  %two = arith.constant dense<2.0> : tensor<1xf32>
  %eq = tensor.empty() : !q
  %ek = tensor.empty() : !k
  %qs = linalg.generic {indexing_maps = [#all, #scalar, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q, %root : !q, f32) outs(%eq : !q) {
  ^bb0(%x: f32, %c: f32, %out: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> !q
  %qr = posenc.rotate #rope from(%past : index) x(%qs : !q)
  %kr = posenc.rotate #rope x(%k : !k)
  %ks = linalg.generic {indexing_maps = [#all, affine_map<(b, h, r, j) -> (0)>, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%kr, %two : !k, tensor<1xf32>) outs(%ek : !k) {
  ^bb0(%x: f32, %c: f32, %out: f32):
    %y = arith.divf %x, %c : f32
    linalg.yield %y : f32
  } -> !k
  %s0 = posenc.scores q(%qr : !q) k(%ks : !k) : !s
  %p = posenc.softmax s(%s0 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A scale per head, and one that is known at run time.
func.func @head_scale(%q: !q, %k: !k, %v: !v, %tau: tensor<4xf32>, %c: tensor<f32>) -> !o {
  %e = tensor.empty() : !s
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = linalg.generic {indexing_maps = [#all, #head, #scalar, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s0, %tau, %c : !s, tensor<4xf32>, tensor<f32>) outs(%e : !s) {
  ^bb0(%x: f32, %t: f32, %d: f32, %out: f32):
    %y = arith.mulf %x, %t : f32
    %z = arith.mulf %y, %d : f32
    linalg.yield %z : f32
  } -> !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Heads and batches merged for the elementwise ops, split again for the softmax.
func.func @merged_heads(%q: !q, %k: !k, %v: !v, %m: tensor<35x75xf32>) -> !o {
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %c0 = tensor.collapse_shape %s0 [[0, 1], [2], [3]] : !s into tensor<8x35x75xf32>
  %e = tensor.empty() : tensor<8x35x75xf32>
  %c1 = linalg.generic {
      indexing_maps = [affine_map<(g, r, j) -> (g, r, j)>, affine_map<(g, r, j) -> (r, j)>, affine_map<(g, r, j) -> (g, r, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c0, %m : tensor<8x35x75xf32>, tensor<35x75xf32>) outs(%e : tensor<8x35x75xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<8x35x75xf32>
  %s1 = tensor.expand_shape %c1 [[0, 1], [2], [3]] output_shape [2, 4, 35, 75] : tensor<8x35x75xf32> into !s
  %p0 = posenc.softmax s(%s1 : !s)
  %p1 = tensor.collapse_shape %p0 [[0, 1], [2], [3]] : !s into tensor<8x35x75xf32>
  %p = tensor.expand_shape %p1 [[0, 1], [2], [3]] output_shape [2, 4, 35, 75] : tensor<8x35x75xf32> into !s
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Scores with the keys first, and back.
func.func @transposed_scores(%q: !q, %k: !k, %v: !v, %m: tensor<75x35xf32>) -> !o {
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : tensor<75x35x2x4xf32>
  %t0 = linalg.transpose ins(%s0 : !s) outs(%e : tensor<75x35x2x4xf32>) permutation = [3, 2, 0, 1]
  %t1 = linalg.generic {
      indexing_maps = [affine_map<(j, r, b, h) -> (j, r, b, h)>, affine_map<(j, r, b, h) -> (j, r)>, affine_map<(j, r, b, h) -> (j, r, b, h)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t0, %m : tensor<75x35x2x4xf32>, tensor<75x35xf32>) outs(%e : tensor<75x35x2x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<75x35x2x4xf32>
  %es = tensor.empty() : !s
  %s1 = linalg.transpose ins(%t1 : tensor<75x35x2x4xf32>) outs(%es : !s) permutation = [2, 3, 1, 0]
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Keys come transposed, and are transposed back.
func.func @transposed_keys(%q: !q, %k: !k, %v: !v) -> !o {
  %et = tensor.empty() : tensor<2x2x16x75xf32>
  %kt = linalg.transpose ins(%k : !k) outs(%et : tensor<2x2x16x75xf32>) permutation = [0, 1, 3, 2]
  %ek = tensor.empty() : !k
  %kk = linalg.transpose ins(%kt : tensor<2x2x16x75xf32>) outs(%ek : !k) permutation = [0, 1, 3, 2]
  %s0 = posenc.scores q(%q : !q) k(%kk : !k) : !s
  %p = posenc.softmax s(%s0 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Key heads repeated after their rotation.
func.func @repeated_heads(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %kr = posenc.rotate #rope x(%k : !k)
  %qr = posenc.rotate #rope from(%past : index) x(%q : !q)
  %ek = tensor.empty() : tensor<2x2x2x75x16xf32>
  %ev = tensor.empty() : tensor<2x2x2x75x12xf32>
  %kb = linalg.broadcast ins(%kr : !k) outs(%ek : tensor<2x2x2x75x16xf32>) dimensions = [2]
  %vx = tensor.expand_shape %v [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 75, 12] : !v into tensor<2x2x1x75x12xf32>
  %vb = linalg.generic {
      indexing_maps = [affine_map<(b, g, l, j, c) -> (b, g, 0, j, c)>, affine_map<(b, g, l, j, c) -> (b, g, l, j, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%vx : tensor<2x2x1x75x12xf32>) outs(%ev : tensor<2x2x2x75x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<2x2x2x75x12xf32>
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<2x2x2x75x16xf32> into !h
  %vv = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<2x2x2x75x12xf32> into !w
  %s0 = posenc.scores q(%qr : !q) k(%kk : !h) : !s
  %p = posenc.softmax s(%s0 : !s)
  %o = posenc.values p(%p : !s) v(%vv : !w) : !o
  return %o : !o
}

// The same, repeated before the rotation.
func.func @repeated_then_rotated(%q: !q, %k: !k, %v: !v) -> !o {
  %ek = tensor.empty() : tensor<2x2x2x75x16xf32>
  %ev = tensor.empty() : tensor<2x2x2x75x12xf32>
  %kb = linalg.broadcast ins(%k : !k) outs(%ek : tensor<2x2x2x75x16xf32>) dimensions = [2]
  %vb = linalg.broadcast ins(%v : !v) outs(%ev : tensor<2x2x2x75x12xf32>) dimensions = [2]
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<2x2x2x75x16xf32> into !h
  %vv = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<2x2x2x75x12xf32> into !w
  %kr = posenc.rotate #rope x(%kk : !h)
  %s0 = posenc.scores q(%q : !q) k(%kr : !h) : !s
  %p = posenc.softmax s(%s0 : !s)
  %o = posenc.values p(%p : !s) v(%vv : !w) : !o
  return %o : !o
}

// Shaw, both sides, scaled at the end.
func.func @shaw(%q: !q, %k: !k, %v: !v, %tk: tensor<9x16xf32>, %tv: tensor<9x12xf32>, %past: index) -> !o {
  %c = arith.constant dense<0.25> : !s
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.relative_logits s(%s0 : !s) q(%q : !q) table(%tk : tensor<9x16xf32>) #posenc.clip<-4, 4>(delta) from(%past : index)
  %s2 = posenc.relative_logits s(%s1 : !s) k(%k : !k) table(%tk : tensor<9x16xf32>) #posenc.clip<-4, 4>(lag)
  %s3 = arith.mulf %s2, %c : !s
  %p = posenc.softmax s(%s3 : !s)
  %o0 = posenc.values p(%p : !s) v(%v : !v) : !o
  %o1 = posenc.relative_values o(%o0 : !o) p(%p : !s) table(%tv : tensor<9x12xf32>) #posenc.clip<-4, 4>(delta) from(%past : index)
  %o = posenc.relative_values o(%o1 : !o) p(%p : !s) table(%tv : tensor<9x12xf32>) #posenc.band<-4, 4>(lag)
  return %o : !o
}

// A second product of queries and keys, of another width (TUPE).
func.func @two_products(%q: !q, %k: !k, %v: !v, %q2: tensor<2x4x35x8xf32>, %k2: tensor<2x2x75x8xf32>) -> !o {
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.scores q(%q2 : tensor<2x4x35x8xf32>) k(%k2 : tensor<2x2x75x8xf32>) : !s
  %s2 = arith.addf %s1, %s0 : !s
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// The scores and their transpose: a product of the pair the other way round.
func.func @symmetric(%q: !q, %k: !q, %v: tensor<2x4x35x12xf32>) -> !o {
  %s0 = posenc.scores q(%q : !q) k(%k : !q) : tensor<2x4x35x35xf32>
  %e = tensor.empty() : tensor<2x4x35x35xf32>
  %t = linalg.transpose ins(%s0 : tensor<2x4x35x35xf32>) outs(%e : tensor<2x4x35x35xf32>) permutation = [0, 1, 3, 2]
  %s1 = arith.addf %t, %s0 : tensor<2x4x35x35xf32>
  %p = posenc.softmax s(%s1 : tensor<2x4x35x35xf32>)
  %o = posenc.values p(%p : tensor<2x4x35x35xf32>) v(%v : tensor<2x4x35x12xf32>) : !o
  return %o : !o
}

// The same of scaled queries: the factor stands at every read of the product.
func.func @symmetric_scaled(%q: !q, %k: !q, %v: tensor<2x4x35x12xf32>) -> !o {
  %c = arith.constant dense<0.375> : !q
  %d = arith.constant dense<1.75> : !q
  %e = tensor.empty() : tensor<2x4x35x35xf32>
  %q1 = arith.mulf %q, %c : !q
  %k1 = arith.divf %k, %d : !q
  %s = posenc.scores q(%q1 : !q) k(%k1 : !q) : tensor<2x4x35x35xf32>
  %t = linalg.transpose ins(%s : tensor<2x4x35x35xf32>) outs(%e : tensor<2x4x35x35xf32>) permutation = [0, 1, 3, 2]
  %z = arith.addf %s, %t : tensor<2x4x35x35xf32>
  %p = posenc.softmax s(%z : tensor<2x4x35x35xf32>)
  %o = posenc.values p(%p : tensor<2x4x35x35xf32>) v(%v : tensor<2x4x35x12xf32>) : !o
  return %o : !o
}

// A sum over kept keys after factors, which remove no pair.
func.func @scanned(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %c = arith.constant dense<0.25> : !q
  %half = arith.constant dense<0.5> : !s
  %q1 = arith.mulf %q, %c : !q
  %s0 = posenc.scores q(%q1 : !q) k(%k : !k) : !s
  %s1 = arith.mulf %s0, %half : !s
  %s3 = posenc.score_mod s(%s1 : !s) with(%past : index) score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    %sum = posenc.row_scan %s : f32
    %z = arith.addf %s, %sum : f32
    posenc.yield %z : f32 keep %keep
  }
  %p = posenc.softmax s(%s3 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// A table by a matrix of indices, as a gather.
func.func @gathered_bias(%q: !q, %k: !k, %v: !v, %t: tensor<200x4xf32>, %ids: tensor<35x75xi64>) -> !o {
  %zero = arith.constant 0 : index
  %last = arith.constant 199 : index
  %e0 = tensor.empty() : tensor<35x75x4xf32>
  %g = linalg.generic {
      indexing_maps = [affine_map<(r, j, h) -> (r, j)>, affine_map<(r, j, h) -> (r, j, h)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<35x75xi64>) outs(%e0 : tensor<35x75x4xf32>) {
  ^bb0(%id: i64, %out: f32):
    %i = arith.index_cast %id : i64 to index
    %a = arith.maxsi %i, %zero : index
    %c = arith.minsi %a, %last : index
    %h = linalg.index 2 : index
    %x = tensor.extract %t[%c, %h] : tensor<200x4xf32>
    linalg.yield %x : f32
  } -> tensor<35x75x4xf32>
  %e1 = tensor.empty() : tensor<4x35x75xf32>
  %gt = linalg.transpose ins(%g : tensor<35x75x4xf32>) outs(%e1 : tensor<4x35x75xf32>) permutation = [2, 0, 1]
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %s1 = linalg.generic {
      indexing_maps = [#all, affine_map<(b, h, r, j) -> (h, r, j)>, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s0, %gt : !s, tensor<4x35x75xf32>) outs(%e : !s) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Queries times all relative rows, skewed: pad, reshape, slice, reshape, slice (Conformer; Transformer-XL alike). A mask and
// a scale for both.
func.func @skewed(%q: !q, %k: tensor<2x4x35x16xf32>, %v: tensor<2x4x35x12xf32>, %rel: tensor<4x69x16xf32>) -> !o {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.25 : f32
  %q3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : !q into tensor<8x35x16xf32>
  %e0 = tensor.empty() : tensor<2x4x69x16xf32>
  %relb = linalg.broadcast ins(%rel : tensor<4x69x16xf32>) outs(%e0 : tensor<2x4x69x16xf32>) dimensions = [0]
  %e1 = tensor.empty() : tensor<2x4x16x69xf32>
  %relt = linalg.transpose ins(%relb : tensor<2x4x69x16xf32>) outs(%e1 : tensor<2x4x16x69xf32>) permutation = [0, 1, 3, 2]
  %rel3 = tensor.collapse_shape %relt [[0, 1], [2], [3]] : tensor<2x4x16x69xf32> into tensor<8x16x69xf32>
  %e2 = tensor.empty() : tensor<8x35x69xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x35x69xf32>) -> tensor<8x35x69xf32>
  %x0 = linalg.batch_matmul ins(%q3, %rel3 : tensor<8x35x16xf32>, tensor<8x16x69xf32>) outs(%z2 : tensor<8x35x69xf32>) -> tensor<8x35x69xf32>
  %x1 = tensor.pad %x0 low[0, 0, 1] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<8x35x69xf32> to tensor<8x35x70xf32>
  %x2 = tensor.collapse_shape %x1 [[0], [1, 2]] : tensor<8x35x70xf32> into tensor<8x2450xf32>
  %x3 = tensor.expand_shape %x2 [[0], [1, 2]] output_shape [8, 70, 35] : tensor<8x2450xf32> into tensor<8x70x35xf32>
  %x4 = tensor.extract_slice %x3[0, 1, 0] [8, 69, 35] [1, 1, 1] : tensor<8x70x35xf32> to tensor<8x69x35xf32>
  %x5 = tensor.collapse_shape %x4 [[0], [1, 2]] : tensor<8x69x35xf32> into tensor<8x2415xf32>
  %x6 = tensor.expand_shape %x5 [[0], [1, 2]] output_shape [8, 35, 69] : tensor<8x2415xf32> into tensor<8x35x69xf32>
  %x7 = tensor.extract_slice %x6[0, 0, 0] [8, 35, 35] [1, 1, 1] : tensor<8x35x69xf32> to tensor<8x35x35xf32>
  %x8 = tensor.expand_shape %x7 [[0, 1], [2], [3]] output_shape [2, 4, 35, 35] : tensor<8x35x35xf32> into tensor<2x4x35x35xf32>
  %s0 = posenc.scores q(%q : !q) k(%k : tensor<2x4x35x16xf32>) : tensor<2x4x35x35xf32>
  %s1 = arith.addf %s0, %x8 : tensor<2x4x35x35xf32>
  %cs = arith.constant dense<0.25> : tensor<2x4x35x35xf32>
  %s2 = arith.mulf %s1, %cs : tensor<2x4x35x35xf32>
  %p = posenc.softmax s(%s2 : tensor<2x4x35x35xf32>)
  %o = posenc.values p(%p : tensor<2x4x35x35xf32>) v(%v : tensor<2x4x35x12xf32>) : !o
  return %o : !o
}

// The product of the queries and a table, gathered by clipped distances (BERT, DeBERTa).
func.func @gathered_product(%q: !q, %k: !k, %v: !v, %rel: tensor<9x16xf32>) -> !o {
  %zero = arith.constant 0.0 : f32
  %lo = arith.constant -4 : index
  %hi = arith.constant 4 : index
  %e0 = tensor.empty() : tensor<2x4x35x9xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4x35x9xf32>) -> tensor<2x4x35x9xf32>
  %x = linalg.generic {
      indexing_maps = [affine_map<(b, h, r, c, d) -> (b, h, r, d)>, affine_map<(b, h, r, c, d) -> (c, d)>,
                       affine_map<(b, h, r, c, d) -> (b, h, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %rel : !q, tensor<9x16xf32>) outs(%z0 : tensor<2x4x35x9xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %sum, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x4x35x9xf32>
  %e = tensor.empty() : !s
  %g = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : !s) {
  ^bb0(%out: f32):
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %r = linalg.index 2 : index
    %j = linalg.index 3 : index
    %d = arith.subi %j, %r : index
    %a0 = arith.maxsi %d, %lo : index
    %a1 = arith.minsi %a0, %hi : index
    %c = arith.addi %a1, %hi : index
    %y = tensor.extract %x[%b, %h, %r, %c] : tensor<2x4x35x9xf32>
    linalg.yield %y : f32
  } -> !s
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = arith.addf %g, %s0 : !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Operands, scores and masks of bf16, f32 around the softmax; a sink.
func.func @narrow(%q32: !q, %k32: !k, %v32: !v, %m32: tensor<35x75xf32>, %sink: tensor<4xf32>) -> !o {
  %q = arith.truncf %q32 : !q to tensor<2x4x35x16xbf16>
  %k = arith.truncf %k32 : !k to tensor<2x2x75x16xbf16>
  %v = arith.truncf %v32 : !v to tensor<2x2x75x12xbf16>
  %m = arith.truncf %m32 : tensor<35x75xf32> to tensor<35x75xbf16>
  %qw = arith.extf %q : tensor<2x4x35x16xbf16> to !q
  %vw = arith.extf %v : tensor<2x2x75x12xbf16> to !v
  %s0 = posenc.scores q(%qw : !q) k(%k : tensor<2x2x75x16xbf16>) : !s
  %s1 = arith.truncf %s0 : !s to tensor<2x4x35x75xbf16>
  %e = tensor.empty() : tensor<2x4x35x75xbf16>
  %mb = linalg.broadcast ins(%m : tensor<35x75xbf16>) outs(%e : tensor<2x4x35x75xbf16>) dimensions = [0, 1]
  %s2 = arith.addf %s1, %mb : tensor<2x4x35x75xbf16>
  %s3 = arith.extf %s2 : tensor<2x4x35x75xbf16> to !s
  %p = posenc.softmax s(%s3 : !s) sink(%sink : tensor<4xf32>)
  %o = posenc.values p(%p : !s) v(%vw : !v) : !o
  return %o : !o
}

// ALiBi from slopes and positions, as tensors of their own.
func.func @alibi(%q: !q, %k: !k, %v: !v, %slopes: tensor<4xf32>) -> !o {
  %e0 = tensor.empty() : tensor<35x75xf32>
  %dist = linalg.generic {indexing_maps = [affine_map<(r, j) -> (r, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e0 : tensor<35x75xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ri = arith.index_cast %r : index to i64
    %ji = arith.index_cast %j : index to i64
    %d = arith.subi %ji, %ri : i64
    %x = arith.sitofp %d : i64 to f32
    %a = math.absf %x : f32
    linalg.yield %a : f32
  } -> tensor<35x75xf32>
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %e = tensor.empty() : !s
  %bias = linalg.generic {
      indexing_maps = [#row_key, #head, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%dist, %slopes : tensor<35x75xf32>, tensor<4xf32>) outs(%e : !s) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %y = arith.mulf %x, %m : f32
    linalg.yield %y : f32
  } -> !s
  %s1 = arith.subf %s0, %bias : !s
  %p = posenc.softmax s(%s1 : !s)
  %o = posenc.values p(%p : !s) v(%v : !v) : !o
  return %o : !o
}

// Heads behind the keys, repeated there, and then in front; keys rotated between.
func.func @repeated_behind_keys(%q: !q, %k: tensor<2x75x2x16xf32>, %v: tensor<2x75x2x12xf32>, %past: index) -> !o {
  %ek = tensor.empty() : tensor<2x75x2x2x16xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x75x2x16xf32>) outs(%ek : tensor<2x75x2x2x16xf32>) dimensions = [3]
  %kc = tensor.collapse_shape %kb [[0], [1], [2, 3], [4]] : tensor<2x75x2x2x16xf32> into tensor<2x75x4x16xf32>
  %ekt = tensor.empty() : !h
  %kt = linalg.transpose ins(%kc : tensor<2x75x4x16xf32>) outs(%ekt : !h) permutation = [0, 2, 1, 3]
  %kr = posenc.rotate #rope x(%kt : !h)
  %ev = tensor.empty() : tensor<2x75x2x2x12xf32>
  %vb = linalg.broadcast ins(%v : tensor<2x75x2x12xf32>) outs(%ev : tensor<2x75x2x2x12xf32>) dimensions = [3]
  %vc = tensor.collapse_shape %vb [[0], [1], [2, 3], [4]] : tensor<2x75x2x2x12xf32> into tensor<2x75x4x12xf32>
  %evt = tensor.empty() : !w
  %vt = linalg.transpose ins(%vc : tensor<2x75x4x12xf32>) outs(%evt : !w) permutation = [0, 2, 1, 3]
  %qr = posenc.rotate #rope from(%past : index) x(%q : !q)
  %s = posenc.scores q(%qr : !q) k(%kr : !h) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%vt : !w) : !o
  return %o : !o
}

// Shaw's rows of both sides, each summed for itself and added.
func.func @shaw_sums(%q: !q, %k: !k, %v: !v, %tk: tensor<9x16xf32>, %tv: tensor<9x12xf32>, %past: index) -> !o {
  %none = arith.constant dense<0.0> : !s
  %zeros = arith.constant dense<0.0> : !o
  %s0 = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.relative_logits s(%none : !s) q(%q : !q) table(%tk : tensor<9x16xf32>) #posenc.clip<-4, 4>(delta) from(%past : index)
  %s2 = arith.addf %s1, %s0 : !s
  %p = posenc.softmax s(%s2 : !s)
  %o0 = posenc.values p(%p : !s) v(%v : !v) : !o
  %o1 = posenc.relative_values o(%zeros : !o) p(%p : !s) table(%tv : tensor<9x12xf32>) #posenc.clip<-4, 4>(delta) from(%past : index)
  %o = arith.addf %o0, %o1 : !o
  return %o : !o
}
