// RUN: posenc-opt %s --posenc-tile-attention --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s
// RUN: posenc-opt %s --posenc-tile-attention=rows=24 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=SMALL
// RUN: posenc-opt %s --posenc-tile-attention=panel=16 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PANEL
// RUN: posenc-opt %s --posenc-tile-attention=key-parts=3 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PARTS
// RUN: posenc-opt %s --posenc-tile-attention=key-parts=1 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=ONE

// The page's example.
// CHECK-LABEL: func.func @plain
// CHECK:         memref.alloc() {{.*}} : memref<16x2x64x64xf32>
// CHECK:         scf.parallel
// CHECK:           posenc_tile.pack %{{.*}} into %{{.*}} over
// CHECK:         scf.parallel
// CHECK:           posenc_tile.pack %{{.*}} into %{{.*}} scaled
// CHECK:           posenc_tile.sweep
// CHECK-SAME:        block(64) into
// CHECK:           posenc_tile.finish
// CHECK-NOT:     posenc.attention
// SMALL-LABEL: func.func @plain
// SMALL:         memref.alloc() {{.*}} : memref<24x64xf32>
// PANEL-LABEL: func.func @plain
// PANEL:         memref.alloc() {{.*}} : memref<16x8x64x16xf32>
!x = memref<2x8x128x64xf32>
func.func @plain(%q: !x, %k: !x, %v: !x, %out: !x) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %s, %c : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// The query heads of a group share packed keys: one item per key head, its heads inside.
// CHECK-LABEL: func.func @grouped
// CHECK:         memref.alloc() {{.*}} : memref<4x2x64x64xf32>
// CHECK:         scf.parallel (%[[ITEM:.*]], %[[MEMBER:.*]], %{{.*}}) =
// CHECK:           %[[BASE:.*]] = arith.muli %{{.*}}, %c4
// CHECK:           %[[HEAD:.*]] = arith.addi %[[BASE]], %[[MEMBER]]
// CHECK:           posenc_tile.pack
// CHECK-NEXT:        posenc_tile.yield %{{.*}}, %[[HEAD]],
!x = memref<2x8x128x64xf32>
!k = memref<2x2x128x64xf32>
func.func @grouped(%q: !x, %k: !k, %v: !k, %out: !x) {
  posenc.attention q(%q : !x) k(%k : !k) v(%v : !k) into(%out : !x) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

// -----

// Keys after the tile's last row are not visited, and the first block is near the diagonal: all its rows keep 16 keys of
// it, where there are as many.
// CHECK-LABEL: func.func @causal
// CHECK-SAME:    %[[PAST:[^ ]*]]: index
// CHECK:         scf.parallel
// CHECK:         scf.parallel
// CHECK:           %[[END:.*]] = arith.addi %[[HI:.*]], %[[LAST:.*]] : index
// CHECK:           posenc_tile.sweep
// CHECK-SAME:        keep(%{{.*}} to %{{.*}})
!x = memref<2x8x128x64xf32>
func.func @causal(%q: !x, %k: !x, %v: !x, %out: !x, %past: index) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%past : index) score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %s : f32 keep %keep
  }
  return
}

// -----

// A bias of the distance is a vector per head, made once for all batches, by a map or by arithmetic alike.
// CHECK-LABEL: func.func @by_map
// CHECK:         scf.parallel (%[[H:.*]]) =
// CHECK:           posenc_tile.fill %{{.*}} over (%[[D:.*]] =
// CHECK-NEXT:        posenc.row #posenc.t5<32, 128, bidirectional>(%[[D]])
// CHECK:             posenc_tile.yield
// CHECK:         posenc_tile.sweep
// CHECK-SAME:      terms(all lag %{{.*}}) into(
// CHECK-LABEL: func.func @by_arithmetic
// CHECK:         scf.parallel (%[[H:.*]]) =
// CHECK:           posenc_tile.fill %{{.*}} over (%[[D:.*]] =
// CHECK:             arith.sitofp
// CHECK:             posenc_tile.yield
// CHECK:         posenc_tile.sweep
// CHECK-SAME:      terms(all lag %{{.*}}) into(
!x = memref<2x8x128x64xf32>
func.func @by_map(%q: !x, %k: !x, %v: !x, %out: !x, %table: memref<32x8xf32>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%table : memref<32x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %x = posenc.lookup %table[%c, %h] : memref<32x8xf32>
    %z = arith.addf %s, %x : f32
    posenc.yield %z : f32
  }
  return
}
func.func @by_arithmetic(%q: !x, %k: !x, %v: !x, %out: !x, %slopes: memref<8xf32>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%slopes : memref<8xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %i = arith.index_cast %d : index to i32
    %x = arith.sitofp %i : i32 to f32
    %m = posenc.lookup %slopes[%h] : memref<8xf32>
    %y = arith.mulf %x, %m : f32
    %z = arith.addf %s, %y : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// A table by a bounded distance: one product per tile, read along the distance near the diagonal, a number per row beyond.
// The same distance indexes the value table: sums of weights in its order.
// CHECK-LABEL: func.func @bounded
// CHECK:         posenc_tile.fill %[[ROWS:.*]] over (%[[D:.*]] =
// CHECK-NEXT:      posenc.row #posenc.clip<-16, 16>(%[[D]])
// CHECK:         posenc_tile.pack %{{.*}} into %{{.*}} over (%[[X:.*]] = %c-16 to %c17) {
// CHECK-NEXT:      %[[C:.*]] = posenc.row #posenc.clip<-16, 16>(%[[X]])
// CHECK-NEXT:      posenc_tile.yield %[[C]] : index
// CHECK:         posenc_tile.product rows(%[[Q:.*]]) columns(%{{.*}}) into %[[T:.*]] : memref<48x64xf32>, memref<1x64x64xf32> into memref<48x33xf32>
// CHECK:         posenc_tile.strip %[[T]] rows(%{{.*}}) into %[[STRIP:.*]] :
// CHECK:         posenc_tile.sweep q(%[[Q]] :
// CHECK-SAME:      near(%{{.*}} to %{{.*}}) terms(near strip %[[STRIP]][%{{.*}}] : {{.*}}, left row %{{.*}}, right row
// CHECK-SAME:      buckets(lag %{{.*}}[%{{.*}}] : memref<48x33xf32>)
// CHECK:         posenc_tile.finish
// CHECK-SAME:      buckets(%{{.*}} : memref<48x33xf32>) tables(%{{.*}} : memref<33x64xf32>)
!x = memref<2x8x128x64xf32>
!t = memref<33x64xf32>
func.func @bounded(%q: !x, %k: !x, %v: !x, %out: !x, %relk: !t, %relv: !t) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) value_tables(%relv : !t) into(%out : !x)
      with(%q : !x, %relk : !t) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.clip<-16, 16>(%d)
    %p = posenc.dot %q[%b, %h, %r], %relk[%c] : !x, !t
    %z = arith.addf %s, %p : f32
    posenc.yield %z : f32 value_rows(%c)
  }
  return
}

// -----

// A table by an unbounded distance is packed in the order of the distance, and a tile multiplies the part that it needs.
// What is the same for all rows is added to the rows of the products: u to the queries, w to those of the strip.
// CHECK-LABEL: func.func @unbounded
// CHECK:         posenc_tile.pack %{{.*}} into %{{.*}} over (%[[D:.*]] =
// CHECK:           posenc_tile.yield %{{.*}}, %{{.*}} : index, index
// CHECK:         posenc_tile.pack %[[Q:.*]], %[[U:.*]] into %[[QU:.*]] over
// CHECK:         posenc_tile.pack %[[Q]], %{{.*}} into %[[QW:.*]] over
// CHECK:         posenc_tile.product rows(%[[QW]]) columns(%{{.*}}) into %[[STRIP:.*]] : {{.*}} into memref<48x?xf32
// CHECK:         posenc_tile.sweep q(%[[QU]] :
// CHECK-SAME:      terms(all strip %[[STRIP]][
!x = memref<2x8x128x64xf32>
!u = memref<8x64xf32>
func.func @unbounded(%q: !x, %k: !x, %v: !x, %out: !x, %u: !u, %w: !u, %rel: memref<8x?x64xf32>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x)
      with(%q : !x, %k : !x, %u : !u, %w : !u, %rel : memref<8x?x64xf32>) score(%s, %b, %h, %r, %j) {
    %l = arith.subi %r, %j : index
    %uk = posenc.dot %u[%h], %k[%b, %h, %j] : !u, !x
    %qr = posenc.dot %q[%b, %h, %r], %rel[%h, %l] : !x, memref<8x?x64xf32>
    %wr = posenc.dot %w[%h], %rel[%h, %l] : !u, memref<8x?x64xf32>
    %y0 = arith.addf %s, %uk : f32
    %y1 = arith.addf %y0, %qr : f32
    %z = arith.addf %y1, %wr : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// A table by distance times the keys: all products once per head, skewed for each block near the diagonal, and a number
// per key beyond. A condition on the key masks, and what it removes is not read from the values.
// CHECK-LABEL: func.func @key_side
// CHECK:         posenc_tile.pack %{{.*}} into %[[V:.*]] over ({{.*}}) conditional
// CHECK:         posenc_tile.product rows(%{{.*}}) columns(%{{.*}}) into %{{.*}} into memref<2x9x64xf32
// CHECK:         posenc_tile.fill
// CHECK:           posenc.lookup %{{.*}} else 0.0
// CHECK:         posenc_tile.fill
// CHECK:           posenc.lookup %{{.*}} else 0.0
// CHECK:         posenc_tile.sweep
// CHECK-SAME:      terms(near tile %[[TILE:[^ ]*]] : memref<48x64xf32>, left key %{{.*}}, right key %{{.*}}, mask key
// CHECK-SAME:      each_block
// CHECK:             posenc_tile.skew %{{.*}} rows(%{{.*}}) from(%{{.*}}) into %[[TILE]]
// CHECK:         posenc_tile.finish
// CHECK-SAME:      keep(%{{.*}} : memref<48xi1>)
!x = memref<2x8x128x64xf32>
!t = memref<8x9x64xf32>
func.func @key_side(%q: !x, %k: !x, %v: !x, %out: !x, %rel: !t, %mask: memref<2x128xi1>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%k : !x, %rel : !t, %mask : memref<2x128xi1>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.clip<-4, 4>(%d)
    %p = posenc.dot %k[%b, %h, %j], %rel[%h, %c] : !x, !t
    %z = arith.addf %s, %p : f32
    %mi = posenc.lookup %mask[%b, %r] : memref<2x128xi1>
    %mj = posenc.lookup %mask[%b, %j] : memref<2x128xi1>
    %keep = arith.andi %mi, %mj : i1
    posenc.yield %z : f32 keep %keep
  }
  return
}

// -----

// A product of a row by query and a row by key: more channels.
// CHECK-LABEL: func.func @channels
// CHECK:         memref.alloc() {{.*}} : memref<16x2x96x64xf32>
// CHECK:         posenc_tile.pack %{{.*}} into %[[K:.*]] over
// CHECK:         posenc_tile.pack %{{.*}} into %[[K]] channel(64) over
// CHECK:         posenc_tile.pack %{{.*}} into %[[Q:.*]] over
// CHECK:         posenc_tile.pack %{{.*}} into %[[Q]] channel(64) over
!x = memref<2x8x128x64xf32>
!p = memref<128x32xf32>
func.func @channels(%q: !x, %k: !x, %v: !x, %out: !x, %pq: !p, %pk: !p) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%pq : !p, %pk : !p)
      score(%s, %b, %h, %r, %j) {
    %p = posenc.dot %pq[%r], %pk[%j] : !p, !p
    %z = arith.addf %s, %p : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// Angles once per batch, as positions depend on it; the rows turn as they are packed.
// CHECK-LABEL: func.func @rotated
// CHECK:         scf.parallel
// CHECK:           posenc_tile.angles %{{.*}}, %{{.*}} #rope
// CHECK:         posenc_tile.pack %{{.*}} into %{{.*}} rotate #rope by(
!x = memref<2x8x128x64xf32>
#rope = #posenc.rope<half, base = 1.0e+04>
func.func @rotated(%q: !x, %k: !x, %v: !x, %out: !x, %ids: memref<2x128xi64>) {
  posenc.attention q(%q : !x) rotate #rope at(%ids : memref<2x128xi64>) k(%k : !x) rotate #rope v(%v : !x)
      into(%out : !x) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

// -----

// A score that is not linear in the product: the innermost linear value accumulates, the rest is computed from it.
// CHECK-LABEL: func.func @softcap
// CHECK:         %[[SCALE:.*]] = arith.constant 2.500000e-01 : f32
// CHECK:         posenc_tile.yield %{{.*}}, %[[SCALE]]
// CHECK:         posenc_tile.sweep
// CHECK-SAME:      score(%[[Y:.*]], %{{.*}}, %{{.*}})
// CHECK-NEXT:        %[[X:.*]] = math.tanh %[[Y]]
// CHECK-NEXT:        %[[Z:.*]] = arith.mulf %[[X]], %
// CHECK-NEXT:        posenc_tile.yield %[[Z]], %true
!x = memref<2x8x128x64xf32>
func.func @softcap(%q: !x, %k: !x, %v: !x, %out: !x) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.25 : f32
    %y = arith.mulf %s, %c : f32
    %x = math.tanh %y : f32
    %cap = arith.constant 50.0 : f32
    %z = arith.mulf %x, %cap : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// A sum over later keys needs the scores of all keys before the sweep; a product whose row depends on it is one product
// with all rows of the table for the tile, of which each pair reads an element.
// CHECK-LABEL: func.func @scan
// CHECK-SAME:      %[[TABLE:[^ ]*]]: memref<64x16xf32>
// CHECK:         posenc_tile.pack %[[TABLE]] into %[[ROWS:.*]] over
// CHECK:         scf.parallel
// CHECK:           posenc_tile.product rows(%{{.*}}) columns(%[[ROWS]]) into %[[PRODUCT:.*]] :
// CHECK:           posenc_tile.product rows({{.*}}) columns({{.*}}) into %{{.*}} :
// CHECK:           posenc_tile.scan %{{.*}} over (%[[R:.*]] = %{{.*}} to %{{.*}}, %[[J:.*]] = %{{.*}} to %{{.*}}) {
// CHECK:             %[[GATE:.*]] = math.absf
// CHECK:             %[[KEEP:.*]] = arith.cmpi sle, %[[J]], %[[R]]
// CHECK:             posenc_tile.yield %[[GATE]], %[[KEEP]] : f32, i1
// CHECK:           posenc_tile.sweep
// CHECK:             posenc_tile.fill
// CHECK:               posenc.lookup %[[PRODUCT]][%{{.*}}, %{{.*}}] else 0.0
// CHECK-NOT:     posenc.dot
!x = memref<1x2x32x16xf32>
!t = memref<64x16xf32>
func.func @scan(%q: !x, %k: !x, %v: !x, %table: !t, %out: !x) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%q : !x, %table : !t)
      score(%s, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    %gate = math.absf %s : f32
    %sum = posenc.row_scan %gate : f32
    %row32 = arith.fptosi %sum : f32 to i32
    %row = arith.index_cast %row32 : i32 to index
    %bias = posenc.dot %q[%b, %h, %r], %table[%row] else 0.0 : !x, !t
    %z = arith.addf %s, %bias : f32
    posenc.yield %z : f32 keep %keep
  }
  return
}

// -----

// What no rule covers is computed for every pair, block by block.
// CHECK-LABEL: func.func @by_pair
// CHECK:         posenc_tile.sweep
// CHECK-SAME:      terms(all tile %[[TILE:[^ ]*]] :
// CHECK-SAME:      each_block(%[[N:.*]])
// CHECK:             posenc_tile.fill %[[TILE]] over (%{{.*}} = %{{.*}} to %{{.*}}, %{{.*}} = %[[N]] to
// CHECK:               posenc.lookup
!x = memref<2x8x128x64xf32>
func.func @by_pair(%q: !x, %k: !x, %v: !x, %out: !x, %bias: memref<2x8x128x128xf32>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%bias : memref<2x8x128x128xf32>)
      score(%s, %b, %h, %r, %j) {
    %x = posenc.lookup %bias[%b, %h, %r, %j] : memref<2x8x128x128xf32>
    %z = arith.addf %s, %x : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// A small matrix of pairs that no batch changes is made once per head.
// CHECK-LABEL: func.func @window
// CHECK:         scf.parallel (%[[H:.*]]) =
// CHECK:           posenc_tile.fill %{{.*}} over (%{{.*}} = {{.*}}, %{{.*}} = {{.*}}) {
// CHECK-NEXT:        posenc.row #posenc.window<7, 7>
// CHECK:         posenc_tile.sweep
// CHECK-SAME:      terms(all pair %
!x = memref<64x8x49x32xf32>
func.func @window(%q: !x, %k: !x, %v: !x, %out: !x, %table: memref<169x8xf32>) {
  posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) into(%out : !x) with(%table : memref<169x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = posenc.row #posenc.window<7, 7>(%r, %j)
    %x = posenc.lookup %table[%c, %h] : memref<169x8xf32>
    %z = arith.addf %s, %x : f32
    posenc.yield %z : f32
  }
  return
}

// -----

// Rows whose elements do not lie side by side are copied, which is known when the program runs.
// CHECK-LABEL: func.func @any_strides
// CHECK:         %[[SIDE_BY_SIDE:.*]] = arith.cmpi eq, %strides#3, %c1
// CHECK:         scf.if %[[SIDE_BY_SIDE]] -> (memref<?x8x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>)
// CHECK:           memref.reinterpret_cast
// CHECK:         } else {
// CHECK:           memref.copy
// CHECK:         scf.if %[[SIDE_BY_SIDE]] {
// CHECK-NEXT:    } else {
// CHECK:           memref.dealloc
!y = memref<?x8x?x64xf32>
!x = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
func.func @any_strides(%q: !x, %k: !y, %v: !y, %out: !y) {
  posenc.attention q(%q : !x) k(%k : !y) v(%v : !y) into(%out : !y) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

// -----

// Without keys there is nothing to schedule.
// CHECK-LABEL: func.func @no_keys
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         linalg.fill ins(%[[ZERO]]
// CHECK-NEXT:    return
!q = memref<2x8x128x64xf32>
!k = memref<2x8x0x64xf32>
func.func @no_keys(%q: !q, %k: !k, %v: !k, %out: !q) {
  posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) into(%out : !q) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

// -----

!x = tensor<2x8x128x64xf32>
func.func @negative_tensors(%q: !x) -> !x {
  // expected-error @below {{has tensors: a schedule works on memrefs, so bufferize first}}
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !x
  return %o : !x
}

// -----

// One query row of eight heads on two key heads: heads with the same keys are rows of a tile, whose keys are read where
// they lie, in parts.
// CHECK-LABEL: func.func @decode
// CHECK-NOT:     posenc_tile.pack %arg1
// CHECK:         scf.parallel (%{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}) =
// CHECK:           posenc_tile.sweep q(%{{.*}} : memref<4x64xf32>) k(%{{.*}} : memref<?x64xbf16, {{.*}}) v(%{{.*}} : memref<?x64xbf16
// CHECK-SAME:        rows(%{{.*}} to %{{.*}} all %{{.*}}) keys
// CHECK-SAME:        block(32)
// CHECK:         scf.parallel (%{{[a-z0-9_]*}}) =
// CHECK:           posenc_tile.merge
// CHECK:           posenc_tile.finish({{.*}} into %{{.*}} : {{.*}} into memref<4x64xbf16
// PARTS-LABEL: func.func @decode
// PARTS:         memref.alloc() {{.*}} : memref<{{.*}}x3x4x64xf32>
// ONE-LABEL: func.func @decode
// ONE-NOT:       posenc_tile.merge
!q = memref<1x8x1x64xbf16>
!k = memref<1x2x?x64xbf16>
func.func @decode(%q: !q, %k: !k, %v: !k, %out: !q) {
  posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) into(%out : !q) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  }
  return
}

// -----

// A window of its own for each head: no rows of one tile.
// CHECK-LABEL: func.func @decode_windows
// CHECK:         posenc_tile.sweep q(%{{[a-z0-9_]*}} : memref<1x64xf32>)
// CHECK-SAME:      rows(%{{[a-z0-9_]*}} to %{{[a-z0-9_]*}}) keys
!q = memref<1x8x1x64xf32>
!k = memref<1x2x100x64xf32>
func.func @decode_windows(%q: !q, %k: !k, %v: !k, %w: memref<8xi64>, %out: !q) {
  posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) into(%out : !q) with(%w : memref<8xi64>)
      score(%s, %b, %h, %r, %j) {
    %n = posenc.lookup %w[%h] : memref<8xi64>
    %keep = arith.cmpi slt, %j, %n : index
    posenc.yield %s : f32 keep %keep
  }
  return
}
