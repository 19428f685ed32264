// Networks and sums over later keys, where each of their values goes another way: see rules.mlir.
//
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=loops
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=cpu

!q = tensor<2x4x70x16xf32>
!k = tensor<2x2x150x16xf32>
!v = tensor<2x2x150x12xf32>
!o = tensor<2x4x70x12xf32>
#rope = #posenc.rope<half, base = 1.0e+04>

// A network of the score: for every pair, after the product. One layer has no activation; an output may be missing.
func.func @network_of_score(%q: !q, %k: !k, %v: !v, %w1: tensor<5x2xf32>, %b1: tensor<5xf32>, %w2: tensor<3x5xf32>, %w: tensor<3x1xf32>, %dense: tensor<2x70x150xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%w1 : tensor<5x2xf32>, %b1 : tensor<5xf32>, %w2 : tensor<3x5xf32>, %w : tensor<3x1xf32>, %dense : tensor<2x70x150xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %e = posenc.lookup %dense[%b, %r, %j] : tensor<2x70x150xf32>
    %y = posenc.mlp gelu(%t, %e)[%b] layers(%w1 plus %b1, %w2) : tensor<5x2xf32>, tensor<5xf32>, tensor<3x5xf32>
    %x = posenc.mlp tanh(%y)[%h] layers(%w) : tensor<3x1xf32>
    %z = arith.addf %y, %x : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Three and four layers: hidden units in memory. By distance, and by row and key.
func.func @deep_networks(%q: !q, %k: !k, %v: !v, %w0: tensor<7x1xf32>, %b0: tensor<7xf32>, %w1: tensor<5x7xf32>, %w2: tensor<6x5xf32>, %b2: tensor<6xf32>, %w3: tensor<4x6xf32>, %u: tensor<4x5xf32>, %past: index) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%w0 : tensor<7x1xf32>, %b0 : tensor<7xf32>, %w1 : tensor<5x7xf32>, %w2 : tensor<6x5xf32>, %b2 : tensor<6xf32>, %w3 : tensor<4x6xf32>, %u : tensor<4x5xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %x = arith.mulf %df, %c : f32
    %y = posenc.mlp tanh(%x)[%h] layers(%w0 plus %b0, %w1, %u) : tensor<7x1xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<4x5xf32>
    %p = arith.muli %r, %j : index
    %pi = arith.index_cast %p : index to i32
    %pf = arith.sitofp %pi : i32 to f32
    %n = math.sqrt %pf : f32
    %m = posenc.mlp silu(%n)[%h] layers(%w0 plus %b0, %w1, %w2 plus %b2, %w3) : tensor<7x1xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<6x5xf32>, tensor<6xf32>, tensor<4x6xf32>
    %mc = arith.mulf %m, %c : f32
    %z0 = arith.addf %t, %y : f32
    %z = arith.addf %z0, %mc : f32
    posenc.yield %z : f32
  } -> !o
  return %o : !o
}

// Of a gate of the score, with a rotation, a mask by data and one by distance: most rows of a tile end at another key.
func.func @counted_gates(%q: !q, %k: !k, %v: !v, %mask: tensor<2x150xi1>, %past: index) -> !o {
  %o = posenc.attention q(%q : !q) rotate #rope from(%past : index) k(%k : !k) rotate #rope v(%v : !v)
      with(%mask : tensor<2x150xi1>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %unit = arith.constant 1.0 : f32
    %n = arith.negf %t : f32
    %e = math.exp %n : f32
    %e1 = arith.addf %e, %unit : f32
    %gate = arith.divf %unit, %e1 : f32
    %sum = posenc.row_scan %gate : f32
    %tenth = arith.constant -0.1 : f32
    %decay = arith.mulf %sum, %tenth : f32
    %z = arith.addf %t, %decay : f32
    %i = arith.addi %r, %past : index
    %causal = arith.cmpi sle, %j, %i : index
    %real = posenc.lookup %mask[%b, %j] : tensor<2x150xi1>
    %keep = arith.andi %causal, %real : i1
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// What is kept may depend on the score. Two sums, one of them of the other, and a score that is not linear in them.
func.func @nested_sums(%q: !q, %k: !k, %v: !v, %dense: tensor<2x70x150xf32>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      with(%dense : tensor<2x70x150xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %x = posenc.lookup %dense[%b, %r, %j] : tensor<2x70x150xf32>
    %sum = posenc.row_scan %x : f32
    %bounded = math.tanh %sum : f32
    %again = posenc.row_scan %bounded : f32
    %y = arith.addf %t, %again : f32
    %tenth = arith.constant 0.1 : f32
    %u = arith.mulf %y, %tenth : f32
    %cap = math.tanh %u : f32
    %z = arith.addf %cap, %bounded : f32
    %low = arith.constant -0.5 : f32
    %keep = arith.cmpf ogt, %t, %low : f32
    posenc.yield %z : f32 keep %keep
  } -> !o
  return %o : !o
}

// How many keys are left, without a condition: an index of a table and of a value table, and beside the products of
// a bias with keys, which join those of the queries.
func.func @counted_rows(%q: !q, %k: !k, %v: !v, %table: tensor<20xf32>, %relv: tensor<20x12xf32>, %x: tensor<2x70x6xf32>, %y: tensor<2x150x6xf32>, %mask: tensor<2x4x70x150xi1>) -> !o {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !v)
      value_tables(%relv : tensor<20x12xf32>)
      with(%table : tensor<20xf32>, %x : tensor<2x70x6xf32>, %y : tensor<2x150x6xf32>, %mask : tensor<2x4x70x150xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %t = arith.mulf %s, %c : f32
    %p = posenc.dot %x[%b, %r], %y[%b, %j] : tensor<2x70x6xf32>, tensor<2x150x6xf32>
    %one = arith.constant 1.0 : f32
    %left = posenc.row_scan %one : f32
    %few = arith.mulf %left, %c : f32
    %n = arith.fptosi %few : f32 to i32
    %row = arith.index_cast %n : i32 to index
    %bias = posenc.lookup %table[%row] else 0.5 : tensor<20xf32>
    %z0 = arith.addf %t, %p : f32
    %z = arith.addf %z0, %bias : f32
    %keep = posenc.lookup %mask[%b, %h, %r, %j] : tensor<2x4x70x150xi1>
    posenc.yield %z : f32 keep %keep value_rows(%row)
  } -> !o
  return %o : !o
}
