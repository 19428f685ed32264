// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func.func @fill
// CHECK:         posenc_tile.fill %{{.*}} over (%[[D:.*]] = %{{.*}} to %{{.*}}) {
// CHECK:           posenc.row #posenc.clip<-4, 4>(%[[D]])
// CHECK:           posenc.lookup
// CHECK:           posenc_tile.yield %{{.*}} : f32
// CHECK:         } : memref<?xf32>
// CHECK:         posenc_tile.fill %{{.*}} over (%[[R:.*]] = %{{.*}} to %{{.*}}, %[[J:.*]] = %{{.*}} to %{{.*}}) {
// CHECK:           arith.cmpi sle, %[[J]], %[[R]]
// CHECK:           posenc_tile.yield %{{.*}} : i1
// CHECK:         } {note = "kept"} : memref<?x64xi1>
// CHECK:         posenc_tile.fill {{.*}} {
// CHECK-NEXT:      posenc_tile.yield %{{.*}} : index
func.func @fill(%bias: memref<?xf32>, %table: memref<9x8xf32>, %h: index, %lo: index, %hi: index,
                %mask: memref<?x64xi1>, %rows: memref<16xindex>) {
  posenc_tile.fill %bias over(%d = %lo to %hi) {
    %c = posenc.row #posenc.clip<-4, 4>(%d)
    %x = posenc.lookup %table[%c, %h] : memref<9x8xf32>
    posenc_tile.yield %x : f32
  } : memref<?xf32>
  posenc_tile.fill %mask over(%r = %lo to %hi, %j = %lo to %hi) {
    %keep = arith.cmpi sle, %j, %r : index
    posenc_tile.yield %keep : i1
  } {note = "kept"} : memref<?x64xi1>
  posenc_tile.fill %rows over(%d = %lo to %hi) { posenc_tile.yield %d : index } : memref<16xindex>
  return
}

// CHECK-LABEL: func.func @angles
// CHECK:         posenc_tile.angles %{{.*}}, %{{.*}} rotate #{{.*}} to(%{{.*}}) by (%[[I:.*]]) {
// CHECK-NEXT:      posenc_tile.yield %[[I]] : index
// CHECK-NEXT:    } : memref<?x32xf32>, memref<?x32xf32>
// CHECK:         posenc_tile.angles %{{.*}}, %{{.*}} rotate #{{.*}} to(%{{.*}}) freqs(%{{.*}} : memref<32xf64>) by (%{{.*}}) {
// CHECK:           posenc_tile.yield %{{.*}} : f32
// CHECK:         posenc_tile.angles {{.*}} cos_sin(%{{.*}} : memref<?x32xf16>, %{{.*}} : memref<?x32xf16>) by (%{{.*}}) {
// CHECK:         } {note = "kept"} : memref<?x32xf32>, memref<?x32xf32>
func.func @angles(%cos: memref<?x32xf32>, %sin: memref<?x32xf32>, %n: index, %freqs: memref<32xf64>,
                  %table: memref<?x32xf16>, %ids: memref<?xf32>) {
  posenc_tile.angles %cos, %sin rotate #posenc.rope<half, base = 10000.0> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x32xf32>, memref<?x32xf32>
  posenc_tile.angles %cos, %sin rotate #posenc.rope<interleaved, width = 64> to(%n) freqs(%freqs : memref<32xf64>) by(%i) {
    %p = memref.load %ids[%i] : memref<?xf32>
    posenc_tile.yield %p : f32
  } : memref<?x32xf32>, memref<?x32xf32>
  posenc_tile.angles %cos, %sin rotate #posenc.rope<half> to(%n)
      cos_sin(%table : memref<?x32xf16>, %table : memref<?x32xf16>) by(%i) {
    posenc_tile.yield %i : index
  } {note = "kept"} : memref<?x32xf32>, memref<?x32xf32>
  return
}

// CHECK-LABEL: func.func @angles_of_axes
// CHECK:         posenc_tile.angles %{{.*}}, %{{.*}} rotate #{{.*}} to(%{{.*}}) by (%[[I:.*]], %[[AXIS:.*]]) {
// CHECK:           memref.load %{{.*}}[%[[AXIS]], %[[I]]]
// CHECK:         posenc_tile.angles %{{.*}}, %{{.*}} rotate #{{.*}} to(%{{.*}}) length(%{{.*}}) by (%{{.*}}) {
func.func @angles_of_axes(%cos: memref<?x32xf32>, %sin: memref<?x32xf32>, %n: index, %ids: memref<2x?xindex>) {
  posenc_tile.angles %cos, %sin rotate #posenc.rope<half, base = 10000.0, sections = [16, 16]> to(%n) by(%i, %axis) {
    %p = memref.load %ids[%axis, %i] : memref<2x?xindex>
    posenc_tile.yield %p : index
  } : memref<?x32xf32>, memref<?x32xf32>
  posenc_tile.angles %cos, %sin
      rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 64>>
      to(%n) length(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x32xf32>, memref<?x32xf32>
  return
}

// CHECK-LABEL: func.func @scan
// CHECK:         posenc_tile.scan %{{.*}} over (%[[R:.*]] = %{{.*}} to %{{.*}}, %[[J:.*]] = %{{.*}} to %{{.*}}) {
// CHECK:           arith.cmpi sle, %[[J]], %[[R]]
// CHECK:           posenc_tile.yield %{{.*}}, %{{.*}} : f32, i1
// CHECK:         } {note = "kept"} : memref<48x?xf32>
func.func @scan(%sums: memref<48x?xf32>, %lo: index, %hi: index) {
  posenc_tile.scan %sums over(%r = %lo to %hi, %j = %lo to %hi) {
    %x = arith.constant 1.0 : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc_tile.yield %x, %keep : f32, i1
  } {note = "kept"} : memref<48x?xf32>
  return
}

// CHECK-LABEL: func.func @pack
// CHECK:         posenc_tile.pack %{{.*}} into %{{.*}} over (%{{.*}} = %{{.*}} to %{{.*}}) {
// CHECK:           posenc_tile.yield %{{.*}} : index, index, index
// CHECK:         } : memref<2x8x128x64xbf16> into memref<2x96x64xf32>
// CHECK:         posenc_tile.pack %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}} channel(32) rotate #{{.*}} by(%{{.*}} : memref<?x32xf32>, %{{.*}} : memref<?x32xf32>) over (%{{.*}} = %{{.*}} to %{{.*}}) scaled conditional {
// CHECK:           posenc_tile.yield {{.*}} : index, index, index, index, f32, i1
// CHECK:         } {note = "kept"} : memref<2x8x128x64xbf16>, memref<8x64xf64>, memref<64xf16> into memref<48x96xf32>
func.func @pack(%x: memref<2x8x128x64xbf16>, %u: memref<8x64xf64>, %w: memref<64xf16>, %columns: memref<2x96x64xf32>,
                %rows: memref<48x96xf32>, %cos: memref<?x32xf32>, %sin: memref<?x32xf32>, %b: index, %h: index,
                %lo: index, %hi: index, %scale: f32) {
  posenc_tile.pack %x into %columns over(%j = %lo to %hi) {
    posenc_tile.yield %b, %h, %j : index, index, index
  } : memref<2x8x128x64xbf16> into memref<2x96x64xf32>
  posenc_tile.pack %x, %u, %w into %rows channel(32)
      rotate #posenc.rope<half, base = 10000.0> by(%cos : memref<?x32xf32>, %sin : memref<?x32xf32>)
      over(%i = %lo to %hi) scaled conditional {
    %there = arith.cmpi ne, %i, %h : index
    posenc_tile.yield %b, %h, %i, %h, %scale, %there : index, index, index, index, f32, i1
  } {note = "kept"} : memref<2x8x128x64xbf16>, memref<8x64xf64>, memref<64xf16> into memref<48x96xf32>
  return
}

// CHECK-LABEL: func.func @products
// CHECK:         posenc_tile.product rows(%{{.*}}) columns(%{{.*}}) into %{{.*}} : memref<48x64xf32>, memref<1x64x64xf32> into memref<48x33xf32>
// CHECK:         posenc_tile.product rows(%{{.*}}) columns(%{{.*}}) into %{{.*}} {note = "kept"} : memref<48x64xf32>, memref<1x64x64xf32> into memref<1x48x64xf32>
// CHECK:         posenc_tile.strip %{{.*}} rows(%{{.*}}) into %{{.*}} : memref<48x33xf32>, memref<?xindex> into memref<48x?xf32>
// CHECK:         posenc_tile.skew %{{.*}} rows(%{{.*}}) from(%{{.*}}) into %{{.*}} : memref<48x33xf32>, memref<?xindex> into memref<48x?xf32>
func.func @products(%rows: memref<48x64xf32>, %columns: memref<1x64x64xf32>, %t: memref<48x33xf32>,
                    %panels: memref<1x48x64xf32>, %numbers: memref<?xindex>, %from: index, %e: memref<48x?xf32>) {
  posenc_tile.product rows(%rows) columns(%columns) into %t
      : memref<48x64xf32>, memref<1x64x64xf32> into memref<48x33xf32>
  posenc_tile.product rows(%rows) columns(%columns) into %panels {note = "kept"}
      : memref<48x64xf32>, memref<1x64x64xf32> into memref<1x48x64xf32>
  posenc_tile.strip %t rows(%numbers) into %e : memref<48x33xf32>, memref<?xindex> into memref<48x?xf32>
  posenc_tile.skew %t rows(%numbers) from(%from) into %e : memref<48x33xf32>, memref<?xindex> into memref<48x?xf32>
  return
}

!q = memref<48x64xf32>
!k = memref<?x64x16xf32>
!v = memref<?x32xf16>
!row = memref<48xf32>
!o = memref<48x32xf32>

// CHECK-LABEL: func.func @plain_sweep
// CHECK:         posenc_tile.sweep q(%{{.*}} : memref<48x64xf32>) k(%{{.*}} : memref<?x64x16xf32>) v(%{{.*}} : memref<?x32xf16>) rows(%[[LO:.*]] to %[[HI:.*]]) keys(%[[LO]] to %[[HI]] first %[[LO]]) block(64) into(%{{.*}} : memref<48xf32>, %{{.*}} : memref<48xf32>, %{{.*}} : memref<48x32xf32>) {note = "kept"}
// CHECK-NEXT:    return
func.func @plain_sweep(%q: !q, %k: !k, %v: !v, %m: !row, %l: !row, %o: !o, %lo: index, %hi: index) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%v : !v) rows(%lo to %hi) keys(%lo to %hi first %lo) block(64)
      into(%m : !row, %l : !row, %o : !o) {note = "kept"}
  return
}

// CHECK-LABEL: func.func @sweep
// CHECK:         posenc_tile.sweep {{.*}} block(64) keep(%{{[a-z0-9]+}} to %{{[a-z0-9]+}}) near(%{{[a-z0-9]+}} to %{{[a-z0-9]+}})
// CHECK-SAME:      terms(all row %{{[a-z0-9]+}} : memref<48xf32>, near key %{{[a-z0-9]+}}[%{{[a-z0-9]+}}] : memref<?xf32>,
// CHECK-SAME:            left lag %{{[a-z0-9]+}}[%{{[a-z0-9]+}}] * %{{[a-z0-9]+}} : memref<?xf32>, memref<48xf32>,
// CHECK-SAME:            right strip %{{[a-z0-9]+}}[%{{[a-z0-9]+}}] : memref<48x64xf32>, score tile %{{[a-z0-9]+}} : memref<48x64xf32>,
// CHECK-SAME:            mask pair %{{[a-z0-9]+}} * %{{[a-z0-9]+}} : memref<48x64xf32>, memref<48xf32>)
// CHECK-SAME:      buckets(lag %{{[a-z0-9]+}}[%{{[a-z0-9]+}}] : memref<48x33xf32>, tile %{{[a-z0-9]+}} : memref<48x33xf32> by %{{[a-z0-9]+}} : memref<48x64xindex>, score %{{[a-z0-9]+}} : memref<48x33xf32>)
// CHECK-SAME:      into({{.*}}) each_block(%[[N:[a-z0-9]+]]) {
// CHECK-NEXT:      posenc_tile.skew {{.*}} from(%[[N]])
// CHECK-NEXT:    } score(%[[Y:[a-z0-9]+]], %{{[a-z0-9]+}}, %[[J:[a-z0-9]+]], %[[X:[a-z0-9]+]]) {
// CHECK-NEXT:      arith.addf %[[Y]], %[[X]]
// CHECK:           posenc_tile.yield %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %[[J]] : f32, i1, index
func.func @sweep(%q: !q, %k: !k, %v: !v, %m: !row, %l: !row, %o: !o, %lo: index, %hi: index, %row: !row,
                 %key: memref<?xf32>, %e: memref<48x64xf32>, %w: memref<48x33xf32>, %c: memref<48x64xindex>,
                 %numbers: memref<?xindex>) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%v : !v) rows(%lo to %hi) keys(%lo to %hi first %lo) block(64)
      keep(%lo to %hi) near(%lo to %hi)
      terms(all row %row : !row, near key %key[%lo] : memref<?xf32>, left lag %key[%hi] * %row : memref<?xf32>, !row,
            right strip %e[%lo] : memref<48x64xf32>, score tile %e : memref<48x64xf32>,
            mask pair %e * %row : memref<48x64xf32>, !row)
      buckets(lag %w[%lo] : memref<48x33xf32>, tile %w : memref<48x33xf32> by %c : memref<48x64xindex>,
              score %w : memref<48x33xf32>)
      into(%m : !row, %l : !row, %o : !o)
      each_block(%n) {
        posenc_tile.skew %w rows(%numbers) from(%n) into %e
            : memref<48x33xf32>, memref<?xindex> into memref<48x64xf32>
      } score(%y, %r, %j, %x) {
        %z = arith.addf %y, %x : f32
        %keep = arith.cmpi sle, %j, %r : index
        posenc_tile.yield %z, %keep, %j : f32, i1, index
      }
  return
}

// A yield of nothing may be written; it is printed if it says more.
// CHECK-LABEL: func.func @each_block
// CHECK:         posenc_tile.sweep {{.*}} each_block(%{{.*}}) {
// CHECK-NEXT:    }
// CHECK:         posenc_tile.sweep {{.*}} each_block(%{{.*}}) {
// CHECK-NEXT:    }
// CHECK:         posenc_tile.sweep {{.*}} each_block(%{{.*}}) {
// CHECK-NEXT:      posenc_tile.yield {note = "kept"}
// CHECK-NEXT:    }
func.func @each_block(%q: !q, %k: !k, %v: !v, %m: !row, %l: !row, %o: !o, %lo: index, %hi: index) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%v : !v) rows(%lo to %hi) keys(%lo to %hi first %lo) block(64)
      into(%m : !row, %l : !row, %o : !o) each_block(%n) {}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%v : !v) rows(%lo to %hi) keys(%lo to %hi first %lo) block(64)
      into(%m : !row, %l : !row, %o : !o) each_block(%n) { posenc_tile.yield }
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%v : !v) rows(%lo to %hi) keys(%lo to %hi first %lo) block(64)
      into(%m : !row, %l : !row, %o : !o) each_block(%n) { posenc_tile.yield {note = "kept"} }
  return
}

// CHECK-LABEL: func.func @visits
// CHECK:         posenc_tile.sweep {{.*}} visits(%[[N:[a-z0-9]+]]) {
// CHECK-NEXT:      %[[FIRST:.*]] = arith.cmpi slt, %[[N]], %{{.*}} : index
// CHECK-NEXT:      posenc_tile.yield %[[FIRST]] : i1
// CHECK-NEXT:    } each_block(%{{.*}}) {
func.func @visits(%q: !q, %k: !k, %v: !v, %m: !row, %l: !row, %o: !o, %lo: index, %hi: index) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%v : !v) rows(%lo to %hi) keys(%lo to %hi first %lo) block(64)
      into(%m : !row, %l : !row, %o : !o)
      visits(%n) {
        %first = arith.cmpi slt, %n, %lo : index
        posenc_tile.yield %first : i1
      }
      each_block(%n) {}
  return
}

// CHECK-LABEL: func.func @heads_of_keys_in_place
// CHECK:         posenc_tile.sweep q(%{{.*}} : memref<48x64xf32>) k(%{{.*}} : memref<?x64xbf16>) v(%{{.*}}) rows(%[[LO:[a-z0-9]+]] to %[[HI:[a-z0-9]+]] all %[[LO]]) keys(%[[LO]] to %[[HI]] first %[[LO]]) block(32) into
func.func @heads_of_keys_in_place(%q: !q, %k: memref<?x64xbf16>, %v: !v, %m: !row, %l: !row, %o: !o, %lo: index,
                                  %hi: index) {
  posenc_tile.sweep q(%q : !q) k(%k : memref<?x64xbf16>) v(%v : !v) rows(%lo to %hi all %lo)
      keys(%lo to %hi first %lo) block(32) into(%m : !row, %l : !row, %o : !o)
  return
}

// CHECK-LABEL: func.func @merge
// CHECK:         posenc_tile.merge(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) into(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : memref<?x48xf32>, memref<?x48xf32>, memref<?x48x32xf32> into memref<48xf32>, memref<48xf32>, memref<48x32xf32>
// CHECK:         posenc_tile.merge(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) buckets(%{{[a-z0-9]+}} : memref<?x48x33xf32>) into(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) buckets(%{{[a-z0-9]+}} : memref<48x33xf32>)
func.func @merge(%ms: memref<?x48xf32>, %os: memref<?x48x32xf32>, %ws: memref<?x48x33xf32>, %m: !row, %l: !row,
                 %o: !o, %w: memref<48x33xf32>) {
  posenc_tile.merge(%ms, %ms, %os) into(%m, %l, %o)
      : memref<?x48xf32>, memref<?x48xf32>, memref<?x48x32xf32> into !row, !row, !o
  posenc_tile.merge(%ms, %ms, %os) buckets(%ws : memref<?x48x33xf32>) into(%m, %l, %o)
      buckets(%w : memref<48x33xf32>) : memref<?x48xf32>, memref<?x48xf32>, memref<?x48x32xf32> into !row, !row, !o
  return
}

// CHECK-LABEL: func.func @finish
// CHECK:         posenc_tile.finish(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) into %{{[a-z0-9]+}} : memref<48xf32>, memref<48xf32>, memref<48x32xf32> into memref<?x32xf16>
// CHECK:         posenc_tile.finish(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) buckets(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} : memref<48x33xf32>, memref<48x33xf32>) tables(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} : memref<33x32xf32>, memref<33x32xf32>) sink(%{{[a-z0-9]+}}) keep(%{{[a-z0-9]+}} : memref<48xi1>) into %{{[a-z0-9]+}} lse(%{{[a-z0-9]+}} : memref<?xf32>) {note = "kept"}
func.func @finish(%m: !row, %l: !row, %o: !o, %out: memref<?x32xf16>, %w: memref<48x33xf32>, %t: memref<33x32xf32>,
                  %sink: f32, %keep: memref<48xi1>, %lse: memref<?xf32>) {
  posenc_tile.finish(%m, %l, %o) into %out : !row, !row, !o into memref<?x32xf16>
  posenc_tile.finish(%m, %l, %o) buckets(%w, %w : memref<48x33xf32>, memref<48x33xf32>)
      tables(%t, %t : memref<33x32xf32>, memref<33x32xf32>) sink(%sink) keep(%keep : memref<48xi1>)
      into %out lse(%lse : memref<?xf32>) {note = "kept"} : !row, !row, !o into memref<?x32xf16>
  return
}
