// One score region per rule of the schedule, and one per way in which no rule fits. Each is compared with the reference,
// which knows no rules, on the same random operands: see ../regions.py. Of two key heads each serves two heads; lengths
// are no multiples of a tile or a block.
//
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=loops
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=cpu

!q = tensor<2x4x70x16xf32>
!k = tensor<2x2x150x16xf32>
!v = tensor<2x2x150x12xf32>
!o = tensor<2x4x70x12xf32>
#rope = #posenc.rope<half, base = 1.0e+04>

// A nonlinear score: the product stays in the accumulators, the rest runs on them. The mask is not capped.
func.func @softcap(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %cap = arith.constant 0.5 : f32
    %u = arith.divf %t, %cap : f32
    %x = math.tanh %u : f32
    %z = arith.mulf %x, %cap : f32
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// Terms inside and outside of the nonlinear part: by row, key, distance, and pair.
func.func @capped_bias(%q: !q, %k: !k, %v: !v, %slopes: tensor<4xf32>, %rows: tensor<2x70xf32>, %cols: tensor<2x4x150xf32>, %table: tensor<9x4xf32>, %dense: tensor<2x70x150xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%slopes : tensor<4xf32>, %rows : tensor<2x70xf32>, %cols : tensor<2x4x150xf32>, %table : tensor<9x4xf32>, %dense : tensor<2x70x150xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    %a = posenc.lookup %table[%row, %h] : tensor<9x4xf32>
    %x1 = arith.addf %t, %a : f32
    %e = posenc.lookup %rows[%b, %r] : tensor<2x70xf32>
    %x2 = arith.addf %x1, %e : f32
    %x = math.tanh %x2 : f32
    %g = posenc.lookup %cols[%b, %h, %j] : tensor<2x4x150xf32>
    %y = arith.addf %x, %g : f32
    %m = posenc.lookup %slopes[%h] : tensor<4xf32>
    %y1 = arith.mulf %y, %m : f32
    %f = posenc.lookup %dense[%b, %r, %j] : tensor<2x70x150xf32>
    %z = arith.addf %y1, %f : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A condition on the score itself, and a row of the value table chosen by it.
func.func @score_condition(%q: !q, %k: !k, %v: !v, %vt: tensor<3x12xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      value_tables(%vt : tensor<3x12xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %zero = arith.constant 0.0 : f32
    %keep = arith.cmpf ogt, %t, %zero : f32
    %half = arith.constant 0.5 : f32
    %big = arith.cmpf ogt, %t, %half : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %row = arith.select %big, %c2, %c0 : index
    posenc.yield %t : f32 keep %keep value_rows(%row)
  } -> !o
  return %o : !o
}

// Value rows that are no function of the distance, of a table per head; some lie outside of it.
func.func @value_rows_by_data(%q: !q, %k: !k, %v: !v, %vt: tensor<4x5x12xf32>, %ids: tensor<2x150xi64>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      value_tables(%vt : tensor<4x5x12xf32>)
      with(%ids : tensor<2x150xi64>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %x = posenc.lookup %ids[%b, %j] : tensor<2x150xi64>
    %y = arith.addi %x, %r : index
    %seven = arith.constant 7 : index
    %row = arith.remsi %y, %seven : index
    posenc.yield %t : f32 value_rows(%row)
  } -> !o
  return %o : !o
}

// A second product of a row by query and a row by key (TUPE), with a gate per row.
func.func @position_keys(%q: !q, %k: !k, %v: !v, %pq: tensor<4x70x8xf32>, %pk: tensor<4x150x8xf32>, %gate: tensor<2x70xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%pq : tensor<4x70x8xf32>, %pk : tensor<4x150x8xf32>, %gate : tensor<2x70xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %p = posenc.dot %pq[%h, %r], %pk[%h, %j] : tensor<4x70x8xf32>, tensor<4x150x8xf32>
    %g = posenc.lookup %gate[%b, %r] : tensor<2x70xf32>
    %x = arith.mulf %p, %g : f32
    %z = arith.addf %t, %x : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A product of keys and rows by distance that varies without end.
func.func @key_times_distance(%q: !q, %k: !k, %v: !v, %rel: tensor<300x16xf32>, %past: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%k : !k, %rel : tensor<300x16xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %two = arith.constant 2 : index
    %g = arith.divui %h, %two : index
    %l = arith.addi %d, %past : index
    %p = posenc.dot %k[%b, %g, %j], %rel[%l] : !k, tensor<300x16xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Products of both sides with one table, far and near, and a factor per row on the key side.
func.func @both_sides(%q: !q, %k: !k, %v: !v, %relq: tensor<4x9x16xf32>, %relk: tensor<9x16xf32>, %gate: tensor<70xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%q : !q, %k : !k, %relq : tensor<4x9x16xf32>, %relk : tensor<9x16xf32>, %gate : tensor<70xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    %two = arith.constant 2 : index
    %g = arith.divui %h, %two : index
    %p1 = posenc.dot %q[%b, %h, %r], %relq[%h, %row] : !q, tensor<4x9x16xf32>
    %p2 = posenc.dot %k[%b, %g, %j], %relk[%row] : !k, tensor<9x16xf32>
    %w = posenc.lookup %gate[%r] : tensor<70xf32>
    %p3 = arith.mulf %w, %p2 : f32
    %y1 = arith.addf %s, %p1 : f32
    %y2 = arith.addf %y1, %p3 : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y2, %c : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A partial map: no row far away, what is read then is 0; value rows too.
func.func @band(%q: !q, %k: !k, %v: !v, %rel: tensor<7x16xf32>, %vt: tensor<7x12xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      value_tables(%vt : tensor<7x12xf32>)
      with(%q : !q, %rel : tensor<7x16xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.band<-3, 3>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] else 0.0 : !q, tensor<7x16xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !o
  return %o : !o
}

// What is read outside is not 0: no product of tables, but one per pair.
func.func @dot_else(%q: !q, %k: !k, %v: !v, %rel: tensor<7x16xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%q : !q, %rel : tensor<7x16xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.band<-3, 3>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] else -1.5 : !q, tensor<7x16xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// The query side is another row than the tile's own.
func.func @query_by_data(%q: !q, %k: !k, %v: !v, %rel: tensor<9x16xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%q : !q, %rel : tensor<9x16xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    %one = arith.constant 1 : index
    %next = arith.addi %r, %one : index
    %p = posenc.dot %q[%b, %h, %next], %rel[%row] else 0.0 : !q, tensor<9x16xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A product with a row that depends on the pair.
func.func @pair_rows(%q: !q, %k: !k, %v: !v, %rel: tensor<50x16xf32>, %ids: tensor<70x150xi32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%q : !q, %rel : tensor<50x16xf32>, %ids : tensor<70x150xi32>)
      score(%s, %b, %h, %r, %j) {
    %row = posenc.lookup %ids[%r, %j] : tensor<70x150xi32>
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] else 0.0 : !q, tensor<50x16xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A bias by distance times a gate per row, and one times a number per head.
func.func @gated_lags(%q: !q, %k: !k, %v: !v, %table: tensor<32x4xf32>, %gate: tensor<2x4x70xf32>, %slopes: tensor<4xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%table : tensor<32x4xf32>, %gate : tensor<2x4x70xf32>, %slopes : tensor<4xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %x = posenc.lookup %table[%row, %h] : tensor<32x4xf32>
    %g = posenc.lookup %gate[%b, %h, %r] : tensor<2x4x70xf32>
    %y = arith.mulf %x, %g : f32
    %z1 = arith.addf %t, %y : f32
    %f = arith.index_cast %d : index to i32
    %fd = arith.sitofp %f : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<4xf32>
    %z2 = math.fma %fd, %m, %z1 : f32
    posenc.yield %z2 : f32
  } -> !o
  return %o : !o
}

// A bias by key times a factor per row, one by key alone, one by row alone.
func.func @keys_and_rows(%q: !q, %k: !k, %v: !v, %cols: tensor<2x150xf32>, %gate: tensor<70xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%cols : tensor<2x150xf32>, %gate : tensor<70xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %x = posenc.lookup %cols[%b, %j] : tensor<2x150xf32>
    %g = posenc.lookup %gate[%r] : tensor<70xf32>
    %y = arith.mulf %x, %g : f32
    %z1 = arith.addf %t, %y : f32
    %z2 = arith.subf %z1, %x : f32
    %z = arith.addf %z2, %g : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A condition on the distance that is no interval, within one that is.
func.func @dilated(%q: !q, %k: !k, %v: !v) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %three = arith.constant 3 : index
    %m = arith.remsi %d, %three : index
    %zero = arith.constant 0 : index
    %on = arith.cmpi eq, %m, %zero : index
    %a = math.absi %d : index
    %w = arith.constant 40 : index
    %near = arith.cmpi sle, %a, %w : index
    %keep = arith.andi %on, %near : i1
    posenc.yield %t : f32 keep %keep
  } -> !o
  return %o : !o
}

// A union of conditions: the first keys, or a window.
func.func @sink_keys(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %causal = arith.cmpi sge, %i, %j : index
    %w = arith.constant 20 : index
    %near = arith.cmpi slt, %lag, %w : index
    %four = arith.constant 4 : index
    %first = arith.cmpi slt, %j, %four : index
    %any = arith.ori %near, %first : i1
    %keep = arith.andi %causal, %any : i1
    posenc.yield %t : f32 keep %keep
  } -> !o
  return %o : !o
}

// The same in a longer sequence, where blocks between the first keys and the window hold no pair; a term by distance too.
func.func @far_from_sink_keys(%q: tensor<1x2x300x16xf32>, %k: tensor<1x2x700x16xf32>, %v: tensor<1x2x700x12xf32>, %table: tensor<9x2xf32>) -> tensor<1x2x300x12xf32> {
  %o = posenc.attention q(%q : tensor<1x2x300x16xf32>) k(%k : tensor<1x2x700x16xf32>) v(%v : tensor<1x2x700x12xf32>)
      with(%table : tensor<9x2xf32>)
      score(%s, %b, %h, %r, %j) {
    %past = arith.constant 390 : index
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %row = posenc.row #posenc.clip<-4, 4>(%lag)
    %bias = posenc.lookup %table[%row, %h] : tensor<9x2xf32>
    %z = arith.addf %s, %bias : f32
    %zero = arith.constant 0 : index
    %causal = arith.cmpi sge, %lag, %zero : index
    %w = arith.constant 20 : index
    %near = arith.cmpi slt, %lag, %w : index
    %four = arith.constant 4 : index
    %first = arith.cmpi slt, %j, %four : index
    %any = arith.ori %near, %first : i1
    %keep = arith.andi %causal, %any : i1
    posenc.yield %z : f32 keep %keep
  } -> tensor<1x2x300x12xf32>
  return %o : tensor<1x2x300x12xf32>
}

// A prefix of each batch, all distances far ahead, or the past: three ranges, two of them empty for some tiles.
func.func @prefix_or_past(%q: tensor<2x1x130x16xf32>, %k: tensor<2x1x400x16xf32>, %v: tensor<2x1x400x12xf32>, %lengths: tensor<2xi64>) -> tensor<2x1x130x12xf32> {
  %o = posenc.attention q(%q : tensor<2x1x130x16xf32>) k(%k : tensor<2x1x400x16xf32>) v(%v : tensor<2x1x400x12xf32>)
      with(%lengths : tensor<2xi64>)
      score(%s, %b, %h, %r, %j) {
    %n = posenc.lookup %lengths[%b] : tensor<2xi64>
    %prefix = arith.cmpi slt, %j, %n : index
    %past = arith.cmpi sle, %j, %r : index
    %d = arith.subi %j, %r : index
    %c = arith.constant 310 : index
    %ahead = arith.cmpi sge, %d, %c : index
    %two = arith.ori %prefix, %past : i1
    %keep = arith.ori %two, %ahead : i1
    posenc.yield %s : f32 keep %keep
  } -> tensor<2x1x130x12xf32>
  return %o : tensor<2x1x130x12xf32>
}

// Positions, lengths and windows of each batch, and a table by the distance of its positions.
func.func @offsets_by_batch(%q: !q, %k: !k, %v: !v, %pasts: tensor<2xi64>, %lengths: tensor<2xi32>, %rel: tensor<9x16xf32>, %vt: tensor<9x12xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      value_tables(%vt : tensor<9x12xf32>)
      with(%q : !q, %pasts : tensor<2xi64>, %lengths : tensor<2xi32>, %rel : tensor<9x16xf32>)
      score(%s, %b, %h, %r, %j) {
    %p = posenc.lookup %pasts[%b] : tensor<2xi64>
    %i = arith.addi %r, %p : index
    %d = arith.subi %j, %i : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    %x = posenc.dot %q[%b, %h, %r], %rel[%row] : !q, tensor<9x16xf32>
    %y = arith.addf %s, %x : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    %causal = arith.cmpi sle, %j, %i : index
    %n = posenc.lookup %lengths[%b] : tensor<2xi32>
    %real = arith.cmpi slt, %j, %n : index
    %keep = arith.andi %causal, %real : i1
    posenc.yield %z : f32 keep %keep value_rows(%row)
  } -> !o
  return %o : !o
}

// A score that does not depend on the product of query and key.
func.func @no_product(%q: !q, %k: !k, %v: !v, %table: tensor<9x4xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%table : tensor<9x4xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    %z = posenc.lookup %table[%row, %h] : tensor<9x4xf32>
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// The product twice.
func.func @squared(%q: !q, %k: !k, %v: !v) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %z = arith.mulf %t, %t : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// One of two scores, by a condition on the pair and its data.
func.func @two_arms(%q: !q, %k: !k, %v: !v, %ids: tensor<2x150xi32>, %table: tensor<150x4xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%ids : tensor<2x150xi32>, %table : tensor<150x4xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %x = posenc.lookup %ids[%b, %j] : tensor<2x150xi32>
    %near = arith.cmpi slt, %x, %r : index
    %two = arith.constant 2.0 : f32
    %u = arith.mulf %t, %two : f32
    %f = posenc.lookup %table[%j, %h] : tensor<150x4xf32>
    %w = arith.addf %t, %f : f32
    %z = arith.select %near, %u, %w : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// A bias and a condition per pair, from memory.
func.func @dense_bias(%q: !q, %k: !k, %v: !v, %dense: tensor<2x4x70x150xf32>, %mask: tensor<2x70x150xi1>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%dense : tensor<2x4x70x150xf32>, %mask : tensor<2x70x150xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %x = posenc.lookup %dense[%b, %h, %r, %j] : tensor<2x4x70x150xf32>
    %z = arith.addf %t, %x : f32
    %keep = posenc.lookup %mask[%b, %r, %j] : tensor<2x70x150xi1>
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// A mask that adds the least float: it must not overflow to NaN beside the factor log2(e).
func.func @least_float(%q: !q, %k: !k, %v: !v, %mask: tensor<2x150xi1>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%mask : tensor<2x150xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %least = arith.constant -3.40282347E+38 : f32
    %zero = arith.constant 0.0 : f32
    %m = posenc.lookup %mask[%b, %j] : tensor<2x150xi1>
    %x = arith.select %m, %zero, %least : f32
    %z = arith.addf %t, %x : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Rows, and whole heads, all of whose pairs have a term that swallows their scores: a mean of the values, not zeros.
func.func @least_rows(%q: !q, %k: !k, %v: !v, %mask: tensor<2x150xi1>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%mask : tensor<2x150xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %least = arith.constant -3.40282347E+38 : f32
    %low = arith.constant -1.0e+30 : f32
    %zero = arith.constant 0.0 : f32
    %m = posenc.lookup %mask[%b, %j] : tensor<2x150xi1>
    %x = arith.select %m, %zero, %low : f32
    %first = arith.constant 9 : index
    %is_first = arith.cmpi ult, %r, %first : index
    %y = arith.select %is_first, %least, %x : f32
    %head = arith.constant 2 : index
    %is_head = arith.cmpi eq, %h, %head : index
    %w = arith.select %is_head, %low, %y : f32
    %z = arith.addf %t, %w : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Distances in i32, twice as far apart, and a map of their double.
func.func @narrow_integers(%q: !q, %k: !k, %v: !v, %table: tensor<21x4xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%table : tensor<21x4xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.index_cast %r : index to i32
    %l = arith.index_cast %j : index to i32
    %d = arith.subi %l, %i : i32
    %two = arith.constant 2 : i32
    %e = arith.muli %d, %two : i32
    %x = arith.index_cast %e : i32 to index
    %row = posenc.row #posenc.clip<-10, 10>(%x)
    %y = posenc.lookup %table[%row, %h] : tensor<21x4xf32>
    %z = arith.addf %t, %y : f32
    %w = arith.constant 60 : i32
    %keep = arith.cmpi sle, %e, %w : i32
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// Rotations beside a term that reads the unrotated query.
func.func @rotated(%q: !q, %k: !k, %v: !v, %rel: tensor<9x16xf32>) -> !o {
  %o = posenc.attention q(%q : !q) rotate #rope k(%k : !k) rotate #rope v(%v : !v)
      with(%q : !q, %rel : tensor<9x16xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !q, tensor<9x16xf32>
    %y = arith.addf %s, %p : f32
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Keys and rows that cancel: a condition by row, an index by row, one by key, and a bound that is the same for all pairs,
// all of them written with both.
func.func @cancelled(%q: !q, %k: !k, %v: !v, %past: index, %rows: tensor<200xf32>, %cols: tensor<400xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%past : index, %rows : tensor<200xf32>, %cols : tensor<400xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %d = arith.subi %j, %r : index
    %ahead = arith.addi %d, %past : index
    %row = arith.subi %j, %d : index
    %x = posenc.lookup %rows[%row] : tensor<200xf32>
    %key = arith.addi %r, %ahead : index
    %y = posenc.lookup %cols[%key] : tensor<400xf32>
    %z1 = arith.addf %t, %x : f32
    %z = arith.addf %z1, %y : f32
    %late = arith.cmpi sge, %j, %ahead : index
    %same = arith.subi %key, %j : index
    %three = arith.constant 3 : index
    %third = arith.divsi %same, %three : index
    %far = arith.cmpi sge, %j, %third : index
    %two = arith.constant 2 : index
    %early = arith.addi %d, %two : index
    %not_first = arith.cmpi sge, %j, %early : index
    %or = arith.ori %late, %far : i1
    %keep = arith.andi %or, %not_first : i1
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// Elementary functions of the score.
func.func @elementary(%q: !q, %k: !k, %v: !v) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %a = math.absf %t : f32
    %x = math.sqrt %a : f32
    %f = math.floor %t : f32
    %z = math.fma %x, %t, %f : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Numbers that are the same for all pairs and do not fit into the type of positions.
func.func @cut_off(%q: !q, %k: !k, %v: !v, %past: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %z = arith.mulf %s, %c : f32
    %two32 = arith.constant 4294967296 : index
    %large = arith.addi %past, %two32 : index
    %limit = arith.index_cast %large : index to i32
    %two31 = arith.constant 2147483647 : i32
    %twice = arith.addi %limit, %two31 : i32
    %back = arith.subi %twice, %two31 : i32
    %i = arith.index_cast %r : index to i32
    %key = arith.index_cast %j : index to i32
    %sum = arith.addi %i, %back : i32
    %keep = arith.cmpi sle, %key, %sum : i32
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}
