// RUN: posenc-opt %s --posenc-fuse-attention --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-attention --posenc-fuse-attention --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-attention --split-input-file --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>

// The page's example: the row of the value table comes after the score.
// CHECK-LABEL: func.func @shaw
// CHECK-NEXT:    %[[O:.*]] = posenc.attention q(%{{.*}}) k(%{{.*}}) v(%{{.*}})
// CHECK-NEXT:      value_tables(%{{.*}} : tensor<33x64xf32>)
// CHECK-NEXT:      score(%[[X:.*]], %{{.*}}, %{{.*}}, %[[R:.*]], %[[J:.*]]) {
// CHECK:             %[[Z:.*]] = arith.mulf %[[X]]
// CHECK:             %[[D:.*]] = arith.subi %[[J]], %[[R]]
// CHECK:             %[[C:.*]] = posenc.row #posenc.clip<-16, 16>(%[[D]])
// CHECK:             posenc.yield %[[Z]] : f32 value_rows(%[[C]])
// CHECK:         return %[[O]]
// REMARK: [[@LINE+9]]:8: remark: [Passed] fuse-attention {{.*}}wrote posenc.scores of line [[#]] and what follows as posenc.attention
func.func @shaw(%q: !q, %k: !k, %v: !k, %t: tensor<33x64xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %scale = arith.constant 0.125 : f32
    %y = arith.mulf %x, %scale : f32
    posenc.yield %y : f32
  }
  %p = posenc.softmax s(%z : !s)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  %r = posenc.relative_values o(%o : !q) p(%p : !s) table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
  return %r : !q
}

// -----

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>

// Without a score_mod the region yields the product. A sink, a log-sum-exp, several value tables from positions.
// CHECK-LABEL: func.func @sink_and_lse
// CHECK:         %[[O:.*]]:2 = posenc.attention
// CHECK-NEXT:      value_tables(%[[T:.*]] : tensor<9x64xf32>, %[[T]] : tensor<9x64xf32>)
// CHECK-NEXT:      sink(%{{.*}})
// CHECK-NEXT:      with(%[[FROM:.*]] : tensor<2xi64>)
// CHECK-NEXT:      score(%[[X:.*]], %[[B:.*]], %{{.*}}, %[[R:.*]], %[[J:.*]]) {
// CHECK:             %[[P:.*]] = posenc.lookup %[[FROM]][%[[B]]]
// CHECK:             arith.addi %[[R]], %[[P]]
// CHECK:             posenc.yield %[[X]] : f32 value_rows(
// CHECK:         return %[[O]]#0, %[[O]]#1
func.func @sink_and_lse(%q: !q, %k: !k, %v: !k, %sink: tensor<8xf32>, %t: tensor<9x64xf32>, %from: tensor<2xi64>) -> (!q, tensor<2x8x4xf32>) {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p, %lse = posenc.softmax s(%s : !s) sink(%sink : tensor<8xf32>) lse : tensor<2x8x4xf32>
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  %o1 = posenc.relative_values o(%o : !q) p(%p : !s) table(%t : tensor<9x64xf32>) #posenc.clip<-4, 4>(lag) from(%from : tensor<2xi64>)
  %o2 = posenc.relative_values o(%o1 : !q) p(%p : !s) table(%t : tensor<9x64xf32>) #posenc.band<-4, 4>(delta)
  return %o2, %lse : !q, tensor<2x8x4xf32>
}

// -----

!q = tensor<2x8x?x64xf32>
!k = tensor<2x8x?x64xf32>
!s = tensor<2x8x?x?xf32>

// A pair that one region removes comes to the next as -inf, and stays removed where sums keep it so. Sizes are asked of the
// operands.
// CHECK-LABEL: func.func @adjacent
// CHECK-SAME:    %[[Q:[a-z0-9]*]]: tensor<2x8x?x64xf32>, %[[K:[a-z0-9]*]]: tensor<2x8x?x64xf32>,
// CHECK:         %[[M:.*]] = tensor.dim %[[K]], %c2
// CHECK:         posenc.attention
// CHECK:           %[[KEEP:.*]] = arith.cmpi sle
// CHECK:           %[[Z:.*]] = arith.addf
// CHECK:           posenc.yield %[[Z]] : f32 keep %[[KEEP]]
// CHECK:         return %{{.*}}, %[[M]]
func.func @adjacent(%q: !q, %k: !k, %v: !k, %t: tensor<8xf32>) -> (!q, index) {
  %c3 = arith.constant 3 : index
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %m = tensor.dim %s, %c3 : !s
  %s1 = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %x : f32 keep %keep
  }
  %s2 = posenc.score_mod s(%s1 : !s) with(%t : tensor<8xf32>) score(%x, %b, %h, %r, %j) {
    %e = posenc.lookup %t[%h] : tensor<8xf32>
    %y = arith.addf %x, %e : f32
    posenc.yield %y : f32
  }
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  return %o, %m : !q, index
}

// -----

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>

// What comes after a mask may make something else of -inf: tanh gives -1, and a factor may be 0.
// CHECK-LABEL: func.func @after_a_mask
// CHECK:         posenc.attention
// CHECK:           %[[LESS:.*]] = arith.constant 0xFF800000 : f32
// CHECK:           %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LESS]]
// CHECK:           %[[T:.*]] = math.tanh %[[S]]
// CHECK:           posenc.yield %[[T]] : f32
// CHECK-NEXT:    }
func.func @after_a_mask(%q: !q, %k: !k, %v: !k) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s1 = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %x : f32 keep %keep
  }
  %s2 = posenc.score_mod s(%s1 : !s) score(%x, %b, %h, %r, %j) {
    %y = math.tanh %x : f32
    posenc.yield %y : f32
  }
  %p = posenc.softmax s(%s2 : !s)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  return %o : !q
}

// -----

!q = tensor<2x8x4x64xf32>
!s = tensor<2x8x4x16xf32>
!k = tensor<2x8x16x64xf32>
#map = affine_map<(b, h, r, d) -> (b, h, r, d)>

// Value tables summed for themselves, and then added: by ops of arith or linalg, on either side.
// CHECK-LABEL: func.func @added_tables
// CHECK:         posenc.attention {{.*}} v(%{{[^)]*}})
// CHECK-NEXT:    value_tables(%[[T:[a-z0-9]+]] : tensor<9x64xf32>, %{{.*}} : tensor<33x64xf32>, %[[T]] : tensor<9x64xf32>)
// CHECK-NEXT:    score(%[[S:.*]], %{{.*}}, %{{.*}}, %[[R:.*]], %[[J:.*]]) {
// CHECK:           %[[X:.*]] = posenc.row #posenc.clip<-4, 4>(
// CHECK:           %[[Y:.*]] = posenc.row #posenc.clip<-16, 16>(
// CHECK:           %[[Z:.*]] = posenc.row #posenc.clip<-2, 6>(
// CHECK:           posenc.yield %[[S]] : f32 value_rows(%[[X]], %[[Y]], %[[Z]])
// CHECK:         return
func.func @added_tables(%q: !q, %k: !k, %v: !k, %t: tensor<9x64xf32>, %u: tensor<33x64xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !q
  %zeros = linalg.fill ins(%zero : f32) outs(%e : !q) -> !q
  %x = posenc.relative_values o(%zeros : !q) p(%p : !s) table(%t : tensor<9x64xf32>) #posenc.clip<-4, 4>(delta)
  %y = posenc.relative_values o(%x : !q) p(%p : !s) table(%u : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %o : !q, !q) outs(%e : !q) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %d = arith.addf %c, %a : f32
    linalg.yield %d : f32
  } -> !q
  %none = arith.constant dense<0.0> : !q
  %z = posenc.relative_values o(%none : !q) p(%p : !s) table(%t : tensor<9x64xf32>) #posenc.clip<-2, 6>(delta)
  %all = arith.addf %sum, %z : !q
  return %all : !q
}

// What is added is more than weighed rows.
// CHECK-LABEL: func.func @negative_residual
// CHECK:         posenc.softmax
// CHECK:         posenc.relative_values
func.func @negative_residual(%q: !q, %k: !k, %v: !k, %t: tensor<9x64xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %x = posenc.relative_values o(%q : !q) p(%p : !s) table(%t : tensor<9x64xf32>) #posenc.clip<-4, 4>(delta)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  %all = arith.addf %o, %x : !q
  return %all : !q
}

// An output that only lends its shape to the sum.
// CHECK-LABEL: func.func @negative_shape
// CHECK:         posenc.relative_values
// CHECK:         linalg.generic
func.func @negative_shape(%q: !q, %k: !k, %v: !k, %t: tensor<9x64xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %zeros = arith.constant dense<0.0> : !q
  %x = posenc.relative_values o(%zeros : !q) p(%p : !s) table(%t : tensor<9x64xf32>) #posenc.clip<-4, 4>(delta)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %q : !q, !q) outs(%o : !q) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  } -> !q
  return %sum : !q
}

// -----

!q = tensor<2x8x?x64xf32>
!k = tensor<2x2x?x64xf32>
!w = tensor<2x2x4x?x64xf32>
!h = tensor<2x8x?x64xf32>
!s = tensor<2x8x?x?xf32>

// Copies of key heads are read where they are.
// CHECK-LABEL: func.func @repeated_heads
// CHECK-SAME:    %[[Q:.*]]: tensor<2x8x?x64xf32>, %[[K:.*]]: tensor<2x2x?x64xf32>, %[[V:.*]]: tensor<2x2x?x64xf32>
// CHECK-NOT:     linalg
// CHECK:         posenc.attention q(%[[Q]] : {{.*}}) k(%[[K]] : {{.*}}) v(%[[V]] : {{.*}})
func.func @repeated_heads(%q: !q, %k: !k, %v: !k) -> !q {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %k, %c2 : !k
  %e = tensor.empty(%m) : !w
  %kb = linalg.broadcast ins(%k : !k) outs(%e : !w) dimensions = [2]
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : !w into !h
  %vb = linalg.broadcast ins(%v : !k) outs(%e : !w) dimensions = [2]
  %vv = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : !w into !h
  %s = posenc.scores q(%q : !q) k(%kk : !h) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%vv : !h) : !q
  return %o : !q
}

// Copies of heads behind the keys, and then a transpose: what is transposed are the two heads.
// CHECK-LABEL: func.func @repeated_heads_transposed
// CHECK-SAME:    %[[Q:.*]]: tensor<2x8x?x64xf32>, %[[K:.*]]: tensor<2x?x2x64xf32>, %[[V:.*]]: tensor<2x2x?x64xf32>
// CHECK-NOT:     linalg.broadcast
// CHECK:         %[[KT:.*]] = linalg.transpose ins(%[[K]] : tensor<2x?x2x64xf32>) outs(%{{.*}} : tensor<2x2x?x64xf32>) permutation = [0, 2, 1, 3]
// CHECK-NEXT:    posenc.attention q(%[[Q]] : {{.*}}) k(%[[KT]] : {{.*}}) v(%[[V]] : {{.*}})
// REMARK: remark: [Passed] fuse-attention {{.*}}read key heads where they are, not from copies
func.func @repeated_heads_transposed(%q: !q, %k: tensor<2x?x2x64xf32>, %v: !k) -> !q {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %k, %c1 : tensor<2x?x2x64xf32>
  %e = tensor.empty(%m) : tensor<2x?x2x4x64xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x?x2x64xf32>) outs(%e : tensor<2x?x2x4x64xf32>) dimensions = [3]
  %kc = tensor.collapse_shape %kb [[0], [1], [2, 3], [4]] : tensor<2x?x2x4x64xf32> into tensor<2x?x8x64xf32>
  %et = tensor.empty(%m) : !h
  %kk = linalg.transpose ins(%kc : tensor<2x?x8x64xf32>) outs(%et : !h) permutation = [0, 2, 1, 3]
  %ev = tensor.empty(%m) : !w
  %vb = linalg.broadcast ins(%v : !k) outs(%ev : !w) dimensions = [2]
  %vv = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : !w into !h
  %s = posenc.scores q(%q : !q) k(%kk : !h) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%vv : !h) : !q
  return %o : !q
}

// Keys alone that are copies are read as they are.
// CHECK-LABEL: func.func @negative_values_differ
// CHECK:         %[[KK:.*]] = tensor.collapse_shape
// CHECK:         posenc.attention q(%{{.*}}) k(%[[KK]] :
// REMARK: remark: [Missed] fuse-attention {{.*}}the key heads are copies of fewer ones, but attention reads them as they are: the value heads, of an argument, are not known to be such copies: make them in the same way
func.func @negative_values_differ(%q: !q, %k: !k, %v: !h) -> !q {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %k, %c2 : !k
  %e = tensor.empty(%m) : !w
  %kb = linalg.broadcast ins(%k : !k) outs(%e : !w) dimensions = [2]
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : !w into !h
  %s = posenc.scores q(%q : !q) k(%kk : !h) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : !h) : !q
  return %o : !q
}

// Heads h modulo Hkv are no groups.
// CHECK-LABEL: func.func @negative_interleaved_heads
// CHECK:         %[[KK:.*]] = tensor.collapse_shape
// CHECK:         posenc.attention q(%{{.*}}) k(%[[KK]] :
func.func @negative_interleaved_heads(%q: !q, %k: !k, %v: !h) -> !q {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %k, %c2 : !k
  %e = tensor.empty(%m) : tensor<2x4x2x?x64xf32>
  %kb = linalg.broadcast ins(%k : !k) outs(%e : tensor<2x4x2x?x64xf32>) dimensions = [1]
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<2x4x2x?x64xf32> into !h
  %s = posenc.scores q(%q : !q) k(%kk : !h) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : !h) : !q
  return %o : !q
}

// -----

!q = tensor<2x8x4x64xf32>
!n = tensor<2x8x4x64xbf16>
!k = tensor<2x8x16x64xbf16>
!w = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>
!p = tensor<2x8x4x16xf16>

// Conversions around the steps: operands are read as they were, the output is rounded as it was, the weights are not.
// CHECK-LABEL: func.func @conversions
// CHECK-NEXT:    posenc.attention q(%{{.*}} : tensor<2x8x4x64xbf16>) k(%{{.*}} : tensor<2x8x16x64xbf16>) v(%{{.*}} : tensor<2x8x16x64xbf16>)
// CHECK:         } -> tensor<2x8x4x64xbf16>
func.func @conversions(%q: !n, %k: !k, %v: !k) -> !n {
  %qw = arith.extf %q : !n to !q
  %kw = arith.extf %k : !k to !w
  %vw = arith.extf %v : !k to !w
  %s = posenc.scores q(%qw : !q) k(%kw : !w) : !s
  %p = posenc.softmax s(%s : !s)
  %p1 = arith.truncf %p : !s to !p
  %p2 = arith.extf %p1 : !p to !s
  %o = posenc.values p(%p2 : !s) v(%vw : !w) : !q
  %on = arith.truncf %o : !q to !n
  return %on : !n
}

// -----

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>

// CHECK-LABEL: func.func @negative_weights_used
// CHECK-NOT:     posenc.attention
// REMARK: [[@LINE+4]]:8: remark: [Missed] fuse-attention {{.*}}the weights stay in memory: func.return of line [[#@LINE+5]] uses them too
func.func @negative_weights_used(%q: !q, %k: !k, %v: !k) -> (!q, !s) {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  return %o, %p : !q, !s
}

// CHECK-LABEL: func.func @negative_scores_used
// CHECK-NOT:     posenc.attention
// REMARK: [[@LINE+4]]:8: remark: [Missed] fuse-attention {{.*}}the scores stay in memory: func.return of line [[#@LINE+5]] uses them too
func.func @negative_scores_used(%q: !q, %k: !k, %v: !k) -> (!q, !s) {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  return %o, %s : !q, !s
}

// CHECK-LABEL: func.func @negative_scores_of_linalg
// CHECK-NOT:     posenc.attention
// REMARK: [[@LINE+5]]:8: remark: [Missed] fuse-attention {{.*}}the scores come from arith.addf of line [[#@LINE+3]], not from posenc.scores and posenc.score_mod alone
func.func @negative_scores_of_linalg(%q: !q, %k: !k, %v: !k, %bias: !s) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.addf %s, %bias : !s
  %p = posenc.softmax s(%z : !s)
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  return %o : !q
}

// CHECK-LABEL: func.func @negative_other_weights
// CHECK-NOT:     posenc.attention
// REMARK: [[@LINE+2]]:8: remark: [Missed] fuse-attention {{.*}}the weights come from an argument of the block, not from posenc.softmax
func.func @negative_other_weights(%p: !s, %v: !k) -> !q {
  %o = posenc.values p(%p : !s) v(%v : !k) : !q
  return %o : !q
}

// Weights that a loop uses again and again are computed once.
// CHECK-LABEL: func.func @negative_in_a_loop
// CHECK-NOT:     posenc.attention
// REMARK: [[@LINE+7]]:10: remark: [Missed] fuse-attention {{.*}}posenc.scores of line [[#@LINE+4]] stands in another block than these values
func.func @negative_in_a_loop(%q: !q, %k: !k, %v: !k, %n: index) -> !q {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p = posenc.softmax s(%s : !s)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> !q {
    %o = posenc.values p(%p : !s) v(%v : !k) : !q
    %y = arith.addf %x, %o : !q
    scf.yield %y : !q
  }
  return %r : !q
}

// The log-sum-exp is needed for the values: there is no place for one op.
// CHECK-LABEL: func.func @negative_lse_first
// CHECK-NOT:     posenc.attention
// REMARK: [[@LINE+6]]:8: remark: [Missed] fuse-attention {{.*}}the log-sum-exp is used by tensor.expand_shape of line [[#@LINE+4]] before the values are known
func.func @negative_lse_first(%q: !q, %k: !k, %v: !k) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %p, %lse = posenc.softmax s(%s : !s) lse : tensor<2x8x4xf32>
  %x = tensor.expand_shape %lse [[0], [1], [2, 3]] output_shape [2, 8, 4, 1] : tensor<2x8x4xf32> into tensor<2x8x4x1xf32>
  %w = tensor.insert_slice %x into %v[0, 0, 0, 0] [2, 8, 4, 1] [1, 1, 1, 1] : tensor<2x8x4x1xf32> into !k
  %o = posenc.values p(%p : !s) v(%w : !k) : !q
  return %o : !q
}

// -----

!q = tensor<2x4x5x8xf32>
!s = tensor<2x4x5x7xf32>

// Attention takes as many heads of keys as of values; what is not known to have as many stays.
// CHECK-LABEL: func.func @negative_unknown_heads
// CHECK:         posenc.values
// REMARK: remark: [Missed] fuse-attention {{.*}}the keys of posenc.scores of line [[#]] and these values are not known to have as many heads: repeat those of which there are fewer
func.func @negative_unknown_heads(%q: !q, %k: tensor<2x?x7x8xf32>, %v: tensor<2x?x7x8xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : tensor<2x?x7x8xf32>) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : tensor<2x?x7x8xf32>) : !q
  return %o : !q
}

// CHECK-LABEL: func.func @negative_heads_differ
// CHECK:         posenc.values
func.func @negative_heads_differ(%q: !q, %k: tensor<2x2x7x8xf32>, %v: tensor<2x4x7x8xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : tensor<2x2x7x8xf32>) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : tensor<2x4x7x8xf32>) : !q
  return %o : !q
}

// Keys alone that are copies, of as many heads as there are values: twice repeated.
// CHECK-LABEL: func.func @repeated_keys
// CHECK-SAME:    %{{.*}}, %[[K:.*]]: tensor<2x1x7x8xf32>, %[[V:.*]]: tensor<2x1x7x8xf32>
// CHECK-NEXT:    posenc.attention q(%{{.*}}) k(%[[K]] : {{.*}}) v(%[[V]] :
func.func @repeated_keys(%q: !q, %k: tensor<2x1x7x8xf32>, %v: tensor<2x1x7x8xf32>) -> !q {
  %k3 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x1x7x8xf32> into tensor<2x7x8xf32>
  %e = tensor.empty() : tensor<2x2x2x7x8xf32>
  %kb = linalg.broadcast ins(%k3 : tensor<2x7x8xf32>) outs(%e : tensor<2x2x2x7x8xf32>) dimensions = [1, 2]
  %kk = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<2x2x2x7x8xf32> into tensor<2x4x7x8xf32>
  %s = posenc.scores q(%q : !q) k(%kk : tensor<2x4x7x8xf32>) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%v : tensor<2x1x7x8xf32>) : !q
  return %o : !q
}

// Copies of copies.
// CHECK-LABEL: func.func @copies_of_copies
// CHECK-SAME:    %{{.*}}, %[[K:.*]]: tensor<2x2x7x8xf32>
// CHECK-NOT:     linalg.broadcast
// CHECK:         posenc.attention q(%{{.*}}) k(%[[K]] : {{.*}}) v(%[[K]] :
func.func @copies_of_copies(%q: tensor<2x8x5x8xf32>, %k: tensor<2x2x7x8xf32>) -> tensor<2x8x5x8xf32> {
  %e = tensor.empty() : tensor<2x2x2x2x7x8xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x2x7x8xf32>) outs(%e : tensor<2x2x2x2x7x8xf32>) dimensions = [2, 3]
  %kk = tensor.collapse_shape %kb [[0], [1, 2, 3], [4], [5]] : tensor<2x2x2x2x7x8xf32> into tensor<2x8x7x8xf32>
  %s = posenc.scores q(%q : tensor<2x8x5x8xf32>) k(%kk : tensor<2x8x7x8xf32>) : tensor<2x8x5x7xf32>
  %p = posenc.softmax s(%s : tensor<2x8x5x7xf32>)
  %o = posenc.values p(%p : tensor<2x8x5x7xf32>) v(%kk : tensor<2x8x7x8xf32>) : tensor<2x8x5x8xf32>
  return %o : tensor<2x8x5x8xf32>
}

// A sum of tables to which something else is added first.
// CHECK-LABEL: func.func @negative_other_sum
// CHECK:         posenc.values
// REMARK: remark: [Missed] fuse-attention {{.*}}the weights stay in memory: posenc.relative_values of line [[#]] uses them too; to fuse, add its sum to this output, or begin it with this output
func.func @negative_other_sum(%q: !q, %k: tensor<2x4x7x8xf32>, %t: tensor<9x8xf32>) -> !q {
  %s = posenc.scores q(%q : !q) k(%k : tensor<2x4x7x8xf32>) : !s
  %p = posenc.softmax s(%s : !s)
  %o = posenc.values p(%p : !s) v(%k : tensor<2x4x7x8xf32>) : !q
  %c = arith.constant 0.0 : f32
  %zeros = tensor.splat %c : !q
  %x = posenc.relative_values o(%zeros : !q) p(%p : !s) table(%t : tensor<9x8xf32>) #posenc.clip<-4, 4>(delta)
  %y = arith.addf %x, %q : !q
  %z = arith.addf %o, %y : !q
  return %z : !q
}

// -----

!q = tensor<2x4x5x8xf32>
!s = tensor<2x4x5x7xf32>

// Two score_mods of which one is returned, too: one remark says so.
// CHECK-LABEL: func.func @negative_mod_returned
// CHECK:         posenc.values
// REMARK: remark: [Missed] fuse-attention {{.*}}these scores stay in memory: func.return
// REMARK-NOT: these scores stay
// REMARK: remark: [Missed] fuse-attention {{.*}}the scores go through posenc.score_mod of line [[#]] and posenc.score_mod of line [[#]], which could not become one: another remark says why
func.func @negative_mod_returned(%q: !q, %k: tensor<2x4x7x8xf32>) -> (!q, !s) {
  %s = posenc.scores q(%q : !q) k(%k : tensor<2x4x7x8xf32>) : !s
  %x = posenc.score_mod s(%s : !s) score(%z, %b, %h, %r, %j) {
    %y = math.tanh %z : f32
    posenc.yield %y : f32
  }
  %w = posenc.score_mod s(%x : !s) score(%z, %b, %h, %r, %j) {
    %y = math.absf %z : f32
    posenc.yield %y : f32
  }
  %p = posenc.softmax s(%w : !s)
  %o = posenc.values p(%p : !s) v(%k : tensor<2x4x7x8xf32>) : !q
  return %o, %x : !q, !s
}
