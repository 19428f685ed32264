// Where far pairs, on which tables by distance are constant, need what is made anew for each block; comparisons in which
// rows and keys cancel; and unsigned ones, which are no functions of a difference.
//
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=loops
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=cpu

!q = tensor<2x4x130x8xf32>
!k = tensor<2x2x150x8xf32>
!v = tensor<2x2x150x12xf32>
!o = tensor<2x4x130x12xf32>

// Outside of the nonlinear part a product of pairs, and value rows by distance.
func.func @product_and_value_rows(%q: !q, %k: !k, %v: !v, %t: tensor<33x12xf32>, %u: tensor<33x8xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v) value_tables(%t : tensor<33x12xf32>)
      with(%q : !q, %u : tensor<33x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-16, 16>(%d)
    %e = posenc.dot %q[%b, %h, %r], %u[%row] : !q, tensor<33x8xf32>
    %y = math.tanh %s : f32
    %z = arith.addf %y, %e : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !o
  return %o : !o
}

// The same with a table of pairs that depends on the batch.
func.func @table_and_value_rows(%q: !q, %k: !k, %v: !v, %t: tensor<33x12xf32>, %dense: tensor<2x130x150xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v) value_tables(%t : tensor<33x12xf32>)
      with(%dense : tensor<2x130x150xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-16, 16>(%d)
    %e = posenc.lookup %dense[%b, %r, %j] : tensor<2x130x150xf32>
    %y = math.tanh %s : f32
    %z = arith.addf %y, %e : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !o
  return %o : !o
}

// Keys times rows of a table that two indices by distance choose.
func.func @two_distances(%q: !q, %k: !k, %v: !v, %u: tensor<9x33x8xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v) with(%k : !k, %u : tensor<9x33x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c2 = arith.constant 2 : index
    %g = arith.divui %h, %c2 : index
    %d = arith.subi %j, %r : index
    %x = posenc.row #posenc.clip<-16, 16>(%d)
    %y = posenc.row #posenc.clip<-4, 4>(%d)
    %e = posenc.dot %k[%b, %g, %j], %u[%y, %x] : !k, tensor<9x33x8xf32>
    %z = arith.addf %s, %e : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// The row cancels in what is compared.
func.func @uniform_comparison(%q: !q, %k: !k, %v: !v, %past: index, %n: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v) with(%past : index, %n : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %y = arith.mulf %s, %c : f32
    %t = math.tanh %y : f32
    %x = arith.addi %r, %past : index
    %e = arith.addi %r, %n : index
    %less = arith.cmpi slt, %x, %e : index
    %u = arith.select %less, %y, %t : f32
    %more = arith.cmpi sge, %x, %e : index
    %w = arith.select %more, %u, %t : f32
    %same = arith.cmpi eq, %j, %j : index
    %z = arith.select %same, %w, %y : f32
    %a = arith.addf %z, %u : f32
    posenc.yield %a : f32
  } -> !o
  return %o : !o
}

// A window by one comparison.
func.func @unsigned_window(%q: !q, %k: !k, %v: !v) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %four = arith.constant 4 : index
    %x = arith.addi %lag, %four : index
    %eight = arith.constant 8 : index
    %keep = arith.cmpi ule, %x, %eight : index
    posenc.yield %s : f32 keep %keep
  } -> !o
  return %o : !o
}

// The same with a position and a width that are known when it runs, and its opposite.
func.func @unsigned_window_of_positions(%q: !q, %k: !k, %v: !v, %past: index, %w: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v) with(%past : index, %w : index)
      score(%s, %b, %h, %r, %j) {
    %x = arith.addi %r, %past : index
    %lag = arith.subi %x, %j : index
    %inside = arith.cmpi ult, %lag, %w : index
    %c = arith.constant 0.25 : f32
    %y = arith.mulf %s, %c : f32
    %far = arith.constant 1.5 : f32
    %n = arith.constant 100 : index
    %beyond = arith.cmpi ugt, %lag, %n : index
    %bias = arith.select %beyond, %far, %c : f32
    %z = arith.addf %y, %bias : f32
    %m = arith.constant 127 : index
    %left = arith.subi %m, %lag : index
    %even = arith.cmpi uge, %left, %lag : index
    %keep = arith.ori %inside, %even : i1
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// Keys up to the row, both from 0 on.
func.func @unsigned_causal(%q: !q, %k: !k, %v: !v, %t: tensor<3x4xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v) with(%t : tensor<3x4xf32>)
      score(%s, %b, %h, %r, %j) {
    %keep = arith.cmpi ule, %j, %r : index
    %c = arith.index_castui %keep : i1 to index
    %e = posenc.lookup %t[%c, %h] : tensor<3x4xf32>
    %z = arith.addf %s, %e : f32
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}
