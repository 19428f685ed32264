// RUN: posenc-opt %s --posenc-tile-to-loops --split-input-file | FileCheck %s --implicit-check-not=posenc
// RUN: posenc-opt %s --posenc-tile-to-loops --split-input-file -o %t
// RUN: posenc-opt %t --posenc-tile-to-loops --split-input-file | diff %t -

// The numbers of all ops are those of test/e2e/tile.

// The page's example.
// CHECK-LABEL: func.func @bias
// CHECK-SAME:      %[[BIAS:.*]]: memref<?xf32>, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK:         scf.for %[[D:.*]] = %[[LO]] to %[[HI]]
// CHECK:           %[[I:.*]] = arith.index_cast %[[D]]
// CHECK:           %[[X:.*]] = arith.sitofp %[[I]]
// CHECK:           %[[Y:.*]] = arith.mulf %[[X]]
// CHECK:           %[[AT:.*]] = arith.subi %[[D]], %[[LO]]
// CHECK:           memref.store %[[Y]], %[[BIAS]][%[[AT]]]
func.func @bias(%bias: memref<?xf32>, %lo: index, %hi: index) {
  posenc_tile.fill %bias over(%d = %lo to %hi) {
    %slope = arith.constant 0.25 : f32
    %i = arith.index_cast %d : index to i32
    %x = arith.sitofp %i : i32 to f32
    %y = arith.mulf %x, %slope : f32
    posenc_tile.yield %y : f32
  } : memref<?xf32>
  return
}

// -----

// What a removed pair computes has a value: a divisor of 0 is replaced, a promise dropped, nothing read outside a table.
// Ops that the region may hold beside score ops are taken as they are, and values from outside it too.
// CHECK-LABEL: func.func @fill_matrix
// CHECK-SAME:      %{{.*}}: index, %{{.*}}: index, %[[X:[a-z0-9]+]]: memref<16xindex>, %[[T:[a-z0-9]+]]: memref<9xf32>
// CHECK:         scf.for %[[R:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             memref.load %[[X]][%[[R]]]
// CHECK:             arith.addi %{{.*}}, %{{.*}} : index
// CHECK:             %[[DIVISOR:.*]] = arith.select
// CHECK:             arith.remui %{{.*}}, %[[DIVISOR]]
// CHECK:             scf.if
// CHECK-NEXT:          memref.load %[[T]]
func.func @fill_matrix(%d: memref<4x4xf32>, %lo: index, %hi: index, %x: memref<16xindex>, %t: memref<9xf32>) {
  posenc_tile.fill %d over(%r = %lo to %hi, %j = %lo to %hi) {
    %n = memref.load %x[%r] : memref<16xindex>
    %sum = arith.addi %n, %hi overflow<nsw> : index
    %m = arith.remui %sum, %j : index
    %y = posenc.lookup %t[%m] : memref<9xf32>
    posenc_tile.yield %y : f32
  } : memref<4x4xf32>
  return
}

// -----

// Angles in f64, rounded once; positions outside the tables give zeros.
// CHECK-LABEL: func.func @angles
// CHECK:         %[[F:.*]] = arith.constant dense<{{.*}}> : tensor<2xf64>
// CHECK:         tensor.extract %[[F]]
// CHECK:         math.cos %{{.*}} : f64
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         %[[ROW:.*]]:2 = scf.if %{{.*}} -> (f64, f64)
// CHECK:           memref.load {{.*}} memref<?x2xf16>
func.func @angles(%cos: memref<?x2xf32>, %sin: memref<?x2xf32>, %n: index, %t: memref<?x2xf16>) {
  posenc_tile.angles %cos, %sin rotate #posenc.rope<half, base = 10000.0> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x2xf32>, memref<?x2xf32>
  posenc_tile.angles %cos, %sin rotate #posenc.rope<half> to(%n)
      cos_sin(%t : memref<?x2xf16>, %t : memref<?x2xf16>) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x2xf32>, memref<?x2xf32>
  return
}

// -----

// Zeros first, everywhere from the channel on; then the rows that are there.
// CHECK-LABEL: func.func @pack
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.store
// CHECK:           scf.if
// CHECK:             scf.if %{{.*}} {
// CHECK:               arith.extf %{{.*}} : bf16 to f32
// CHECK:               memref.store %{{.*}} : memref<2x6x16xf32>
func.func @pack(%x: memref<9x4xbf16>, %d: memref<2x6x16xf32>, %lo: index, %hi: index) {
  posenc_tile.pack %x into %d channel(1) over(%i = %lo to %hi) conditional {
    %there = arith.cmpi ne, %i, %lo : index
    posenc_tile.yield %i, %there : index, i1
  } : memref<9x4xbf16> into memref<2x6x16xf32>
  return
}

// -----

// CHECK-LABEL: func.func @products
// CHECK:         scf.for {{.*}} iter_args
// CHECK:         memref.store %{{.*}} : memref<1x4x16xf32>
// CHECK:         memref.store %{{.*}} : memref<4x?xf32>
// CHECK:         memref.store %{{.*}} : memref<4x?xf32>
func.func @products(%x: memref<4x8xf32>, %y: memref<1x8x16xf32>, %d: memref<1x4x16xf32>, %n: memref<?xindex>,
                    %from: index, %e: memref<4x?xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %d : memref<4x8xf32>, memref<1x8x16xf32> into memref<1x4x16xf32>
  posenc_tile.strip %x rows(%n) into %e : memref<4x8xf32>, memref<?xindex> into memref<4x?xf32>
  posenc_tile.skew %x rows(%n) from(%from) into %e : memref<4x8xf32>, memref<?xindex> into memref<4x?xf32>
  return
}

// -----

// Nothing but a product and an online softmax; NaN is a maximum.
// CHECK-LABEL: func.func @plain
// CHECK:         arith.mulf
// CHECK:         arith.maximumf
// CHECK-COUNT-2: math.exp2
// CHECK-NOT:     math.exp2
// CHECK:         return
!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>
func.func @plain(%q: !q, %k: !k, %m: !x, %l: !x, %o: !q, %n: index) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      into(%m : !x, %l : !x, %o : !q)
  return
}

// -----

// Nothing is computed of a pair that is not kept: distance, masks, and then the condition of the score stand before.
// Score ops of each_block stand in no region any more.
// CHECK-LABEL: func.func @everything
// CHECK:         scf.if
// CHECK:           arith.minsi %{{.*}}, %c4
// CHECK:           memref.store {{.*}} memref<4x16xf32>
// CHECK:         arith.cmpi sge
// CHECK:         scf.if
// CHECK:           arith.cmpf une
// CHECK:           scf.if
// CHECK:             %[[S:.*]] = math.sqrt
// CHECK:             %[[KEEP:.*]] = arith.cmpf olt, %[[S]]
// CHECK:             scf.if %[[KEEP]]
// CHECK:               arith.maximumf
!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>
func.func @everything(%q: !q, %k: !k, %m: !x, %l: !x, %o: !q, %n: index, %e: memref<4x16xf32>, %c: memref<?xindex>) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      keep(%n to %n) near(%n to %n) terms(mask row %m : !x, near tile %e : memref<4x16xf32>)
      into(%m : !x, %l : !x, %o : !q) each_block(%b) {
        %row = posenc.row #posenc.clip<-4, 4>(%b)
        posenc_tile.skew %e rows(%c) from(%row) into %e : memref<4x16xf32>, memref<?xindex> into memref<4x16xf32>
      } score(%y, %r, %j) {
        %z = math.sqrt %y : f32
        %keep = arith.cmpf olt, %z, %y : f32
        posenc_tile.yield %z, %keep : f32, i1
      }
  return
}

// -----

// CHECK-LABEL: func.func @finish
// CHECK:         math.exp2
// CHECK:         arith.divf
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
// CHECK:         math.log2
func.func @finish(%m: memref<4xf32>, %l: memref<4xf32>, %o: memref<4x8xf32>, %sink: f32, %out: memref<?x8xbf16>,
                  %lse: memref<?xf32>) {
  posenc_tile.finish(%m, %l, %o) sink(%sink) into %out lse(%lse : memref<?xf32>)
      : memref<4xf32>, memref<4xf32>, memref<4x8xf32> into memref<?x8xbf16>
  return
}
