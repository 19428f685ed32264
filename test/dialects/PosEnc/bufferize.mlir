// RUN: posenc-opt %s --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" --split-input-file | FileCheck %s
// RUN: posenc-opt %s --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" --buffer-deallocation-pipeline --split-input-file | FileCheck %s --check-prefix=FREE

// The result is new memory, with the dynamic sizes of the queries; the operands
// are taken with any strides.
// CHECK-LABEL: func.func @result
// CHECK-SAME:    %[[Q:[^:]*]]: memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
// CHECK-SAME:    -> memref<?x8x?x32xf32>
// CHECK-DAG:     %[[B:.*]] = memref.dim %[[Q]], %c0
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[Q]], %c2
// CHECK:         %[[OUT:.*]] = memref.alloc(%[[B]], %[[N]]) {{.*}} : memref<?x8x?x32xf32>
// CHECK-NOT:     memref.copy
// CHECK:         posenc.attention q(%[[Q]] : memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>)
// CHECK:           into(%[[OUT]] : memref<?x8x?x32xf32>)
// CHECK:         {my.note}
// CHECK:         return %[[OUT]]
func.func @result(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>, %v: tensor<?x2x?x32xf32>) -> tensor<?x8x?x32xf32> {
  %o = posenc.attention q(%q : tensor<?x8x?x64xf32>) k(%k : tensor<?x2x?x64xf32>) v(%v : tensor<?x2x?x32xf32>)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } {my.note} -> tensor<?x8x?x32xf32>
  return %o : tensor<?x8x?x32xf32>
}

// -----

// CHECK-LABEL: func.func @lse
// CHECK:         %[[OUT:.*]] = memref.alloc() {{.*}} : memref<2x8x4x64xf32>
// CHECK:         %[[LSE:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x8x4xf32>
// CHECK:           into(%[[OUT]] : memref<2x8x4x64xf32>, %[[LSE]] : memref<?x8x4xf32>)
// CHECK:         return %[[OUT]], %[[LSE]]
func.func @lse(%x: tensor<?x8x4x64xf32>) -> (tensor<2x8x4x64xf32>, tensor<?x8x4xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<?x8x4x64xf32>) k(%x : tensor<?x8x4x64xf32>) v(%x : tensor<?x8x4x64xf32>)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> (tensor<2x8x4x64xf32>, tensor<?x8x4xf32>)
  return %o, %lse : tensor<2x8x4x64xf32>, tensor<?x8x4xf32>
}

// -----

// Each result is in its destination, which is not copied: it is not read.
// CHECK-LABEL: func.func @into
// CHECK-SAME:    %{{[^:]*}}: memref{{[^:]*}}: ?>>, %[[OUT:[^:]*]]: memref{{[^:]*}}: ?>>, %[[LSE:[^:]*]]: memref
// CHECK-NOT:     alloc
// CHECK-NOT:     copy
// CHECK:         into(%[[OUT]] : memref<2x8x4x64xf32, {{.*}}>, %[[LSE]] : memref<2x8x4xf32, {{.*}}>)
// CHECK-NOT:     alloc
// CHECK-NOT:     copy
// CHECK:         %[[E:.*]] = memref.load %[[OUT]]
// CHECK:         %[[F:.*]] = memref.load %[[LSE]]
// CHECK:         return %[[E]], %[[F]]
!x = tensor<2x8x4x64xf32>
!l = tensor<2x8x4xf32>
func.func @into(%x: !x, %out: !x, %lse: !l, %i: index) -> (f32, f32) {
  %o, %l = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%out : !x, %lse : !l)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  %e = tensor.extract %o[%i, %i, %i, %i] : !x
  %f = tensor.extract %l[%i, %i, %i] : !l
  return %e, %f : f32, f32
}

// -----

// The region sees the memrefs, and what else it captures as before; so do
// rotations, value tables and sinks.
// CHECK-LABEL: func.func @operands
// CHECK:         posenc.attention
// CHECK-SAME:    rotate #rope at(%{{[^(]*}}) cos_sin(%{{[^(]*}} memref<9x32xf64, strided<[?, ?], offset: ?>>)
// CHECK-SAME:    rotate #rope from(%{{.*}} : index) freqs(%{{.*}} : memref<32xf32, {{.*}}>)
// CHECK:           value_tables(%{{.*}} : memref<33x64xbf16, {{.*}}>)
// CHECK:           sink(%{{.*}} : memref<8xf32, {{.*}}>)
// CHECK:           with(%[[T:.*]] : memref<33x8xf32, [[STRIDED:.*]]>, %[[M:.*]] : memref<33x64xf16>, %[[I:.*]] : index, %[[X:.*]] : memref<2x8x4x64xf32, {{.*}})
// CHECK:           posenc.lookup %[[T]][%{{.*}}, %{{.*}}] : memref<33x8xf32, [[STRIDED]]>
// CHECK:           posenc.dot %[[X]][%{{.*}}], %[[M]][%{{.*}}] : memref<2x8x4x64xf32, {{.*}}>, memref<33x64xf16>
!x = tensor<2x8x4x64xf32>
#rope = #posenc.rope<half>
func.func @operands(%x: !x, %ids: tensor<2x4xi64>, %cos: tensor<9x32xf64>, %freqs: tensor<32xf32>,
                    %values: tensor<33x64xbf16>, %sink: tensor<8xf32>,
                    %t: tensor<33x8xf32>, %m: memref<33x64xf16>, %past: index) -> !x {
  %o = posenc.attention q(%x : !x) rotate #rope at(%ids : tensor<2x4xi64>) cos_sin(%cos : tensor<9x32xf64>, %cos : tensor<9x32xf64>)
      k(%x : !x) rotate #rope from(%past : index) freqs(%freqs : tensor<32xf32>) v(%x : !x)
      value_tables(%values : tensor<33x64xbf16>) sink(%sink : tensor<8xf32>)
      with(%t : tensor<33x8xf32>, %m : memref<33x64xf16>, %past : index, %x : !x)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.clip<-16, 16>(%d)
    %y = posenc.lookup %t[%c, %h] : tensor<33x8xf32>
    %p = posenc.dot %x[%b, %h, %r], %m[%c] : !x, memref<33x64xf16>
    %z = arith.addf %y, %p : f32
    posenc.yield %z : f32 value_rows(%c)
  } -> !x
  return %o : !x
}

// -----

// Attention on memrefs that captures a tensor.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME:    %[[X:[^:]*]]: memref<2x8x4x64xf32>, %[[OUT:[^:]*]]: memref<2x8x4x64xf32>
// CHECK-NOT:     alloc
// CHECK:         posenc.attention q(%[[X]]
// CHECK:           into(%[[OUT]] : memref<2x8x4x64xf32>)
// CHECK:           posenc.lookup %{{.*}} : memref<8xf32, strided<[?], offset: ?>>
!m = memref<2x8x4x64xf32>
func.func @memrefs(%x: !m, %out: !m, %t: tensor<8xf32>) {
  posenc.attention q(%x : !m) k(%x : !m) v(%x : !m) into(%out : !m) with(%t : tensor<8xf32>) score(%s, %b, %h, %r, %j) {
    %y = posenc.lookup %t[%h] : tensor<8xf32>
    posenc.yield %y : f32
  }
  return
}

// -----

// A destination that is also read, as keys or by the region, or that is read
// later with its old contents, gets other memory.
// CHECK-LABEL: func.func @conflict
// CHECK-SAME:    %[[X:[^:]*]]: memref<2x8x4x64xf32
// CHECK:         %[[O1:.*]] = memref.alloc()
// CHECK:         posenc.attention q(%[[X]]
// CHECK:           into(%[[O1]]
// CHECK:         %[[O2:.*]] = memref.alloc()
// CHECK:         posenc.attention q(%[[O1]]
// CHECK:           into(%[[O2]]
// CHECK:         %[[O3:.*]] = memref.alloc()
// CHECK:         posenc.attention q(%[[O1]]
// CHECK:           into(%[[O3]]
// CHECK:         memref.load %[[O2]]
// CHECK:         return {{.*}}%[[O3]]
!x = tensor<2x8x4x64xf32>
func.func @conflict(%x: !x, %i: index) -> (f32, !x) {
  // As keys.
  %a = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%x : !x)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  // As a capture.
  %c = posenc.attention q(%a : !x) k(%a : !x) v(%a : !x) into(%x : !x) with(%x : !x)
      score(%s, %b, %h, %r, %j) {
    %y = posenc.dot %x[%b, %h, %r], %x[%b, %h, %j] : !x, !x
    posenc.yield %y : f32
  }
  // The old contents are read later.
  %d = posenc.attention q(%a : !x) k(%a : !x) v(%a : !x) into(%c : !x)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  %e = tensor.extract %c[%i, %i, %i, %i] : !x
  return %e, %d : f32, !x
}

// -----

// A slice of a cache is written in place, of another layout than the operands.
// CHECK-LABEL: func.func @slice
// CHECK-SAME:    %[[Q:[^:]*]]: memref<2x8x4x64xf32
// CHECK-SAME:    %[[CACHE:[^:]*]]: memref<2x8x16x64xf32
// CHECK-NOT:     alloc
// CHECK:         %[[PART:.*]] = memref.subview %[[CACHE]]
// CHECK:         posenc.attention q(%[[Q]]
// CHECK:           into(%[[PART]] : memref<2x8x4x64xf32, strided<
// CHECK:         return %[[CACHE]]
!x = tensor<2x8x4x64xf32>
func.func @slice(%x: !x, %cache: tensor<2x8x16x64xf32>) -> tensor<2x8x16x64xf32> {
  %part = tensor.extract_slice %cache[0, 0, 8, 0] [2, 8, 4, 64] [1, 1, 1, 1] : tensor<2x8x16x64xf32> to !x
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%part : !x)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  %new = tensor.insert_slice %o into %cache[0, 0, 8, 0] [2, 8, 4, 64] [1, 1, 1, 1] : !x into tensor<2x8x16x64xf32>
  return %new : tensor<2x8x16x64xf32>
}

// -----

// CHECK-LABEL: func.func @layers
// CHECK-SAME:    %[[X:[^:]*]]: memref<2x8x4x64xf32
// CHECK:         scf.for {{.*}} iter_args(%[[Y:.*]] = %{{.*}}) -> (memref<2x8x4x64xf32
// CHECK:           %[[OUT:.*]] = memref.alloc()
// CHECK:           posenc.attention q(%[[X]] {{.*}} k(%[[Y]] {{.*}} v(%[[Y]]
// CHECK:             into(%[[OUT]]
!x = tensor<2x8x4x64xf32>
func.func @layers(%x: !x, %lo: index, %hi: index, %step: index) -> !x {
  %o = scf.for %i = %lo to %hi step %step iter_args(%y = %x) -> !x {
    %z = posenc.attention q(%x : !x) k(%y : !x) v(%y : !x)
        score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
    scf.yield %z : !x
  }
  return %o : !x
}

// -----

// The destination is carried around the loop, and written in it.
// CHECK-LABEL: func.func @into_in_loop
// CHECK-SAME:    %[[X:[^:]*]]: memref<2x8x4x64xf32{{[^:]*}}: ?>>, %[[OUT:[^:]*]]: memref<2x8x4x64xf32
// CHECK-NOT:     alloc
// CHECK-NOT:     copy
// CHECK:         posenc.attention q(%[[X]]
// CHECK-NOT:     alloc
// CHECK-NOT:     copy
// CHECK:         return
!x = tensor<2x8x4x64xf32>
func.func @into_in_loop(%x: !x, %out: !x, %lo: index, %hi: index, %step: index) -> !x {
  %o = scf.for %i = %lo to %hi step %step iter_args(%y = %out) -> !x {
    %z = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%y : !x)
        score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
    scf.yield %z : !x
  }
  return %o : !x
}

// -----

// CHECK-LABEL: func.func @branches
// CHECK-SAME:    %[[X:[^:]*]]: memref<2x8x4x64xf32{{[^:]*}}: ?>>, %[[OUT:[^:]*]]: memref<2x8x4x64xf32
// CHECK:         scf.if
// CHECK:           posenc.attention q(%[[X]]
// CHECK:             into(%[[OUT]]
// CHECK:           scf.yield
// CHECK:         } else {
// CHECK:           %[[NEW:.*]] = memref.alloc()
// CHECK:           posenc.attention q(%[[X]]
// CHECK:             into(%[[NEW]]
!x = tensor<2x8x4x64xf32>
func.func @branches(%x: !x, %out: !x, %flag: i1) -> !x {
  %o = scf.if %flag -> !x {
    %y = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%out : !x)
        score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
    scf.yield %y : !x
  } else {
    %y = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x)
        score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
    scf.yield %y : !x
  }
  return %o : !x
}

// -----

// A callee's destination is written in place unless the caller reads it later.
// CHECK-LABEL: func.func private @callee
// CHECK-NOT:     alloc
// CHECK:         posenc.attention
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    %[[X:[^:]*]]: memref
// CHECK:         %[[NEW:.*]] = memref.alloc()
// CHECK:         call @callee(%[[X]], %{{.*}})
// CHECK:         return
!x = tensor<2x8x4x64xf32>
func.func private @callee(%x: !x, %out: !x) -> !x {
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%out : !x)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return %o : !x
}
func.func @caller(%x: !x) -> !x {
  %o = call @callee(%x, %x) : (!x, !x) -> !x
  return %o : !x
}

// -----

// Memory between two ops is freed; the region's arguments are its captures, whatever deallocation does to others.
// CHECK-LABEL: func.func @freed
// CHECK-NOT:     dealloc
// FREE-LABEL:  func.func @freed
// FREE:          %[[BETWEEN:.*]] = memref.alloc()
// FREE:          posenc.attention
// FREE:            into(%[[BETWEEN]]
// FREE:          %[[OUT:.*]] = memref.alloc()
// FREE:            with(%{{.*}} : memref<8xf32, {{.*}}>)
// FREE-NEXT:       score(%s, %b, %h, %r, %j)
// FREE:            posenc.lookup
// FREE:          memref.dealloc %[[BETWEEN]]
// FREE-NOT:      dealloc
// FREE:          return %[[OUT]]
!x = tensor<2x8x4x64xf32>
func.func @freed(%x: !x, %t: tensor<8xf32>) -> !x {
  %y = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  %z = posenc.attention q(%x : !x) k(%y : !x) v(%y : !x) with(%t : tensor<8xf32>) score(%s, %b, %h, %r, %j) {
    %c = posenc.lookup %t[%h] : tensor<8xf32>
    posenc.yield %c : f32
  } -> !x
  return %z : !x
}

// -----

// The length of a rotation is no memory; positions on axes are.
// CHECK-LABEL: func.func @length_and_axes
// CHECK-SAME:    %[[X:[^:]*]]: memref{{[^:]*}}: ?>>, %[[IDS:[^:]*]]: memref<2x1x4xi64, {{.*}}>, %[[N:[^:]*]]: index
// CHECK:         posenc.attention q(%[[X]] : memref{{.*}}) rotate #rope length(%[[N]] : index) k(%[[X]] : memref{{.*}}) rotate #rope1 at(%[[IDS]] : memref<2x1x4xi64, {{.*}}>) v(
#rope = #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 64>>
#grid = #posenc.rope<half, base = 10000.0, sections = [16, 16]>
func.func @length_and_axes(%x: tensor<2x8x4x64xf32>, %ids: tensor<2x1x4xi64>, %n: index) -> tensor<2x8x4x64xf32> {
  %o = posenc.attention q(%x : tensor<2x8x4x64xf32>) rotate #rope length(%n : index) k(%x : tensor<2x8x4x64xf32>)
      rotate #grid at(%ids : tensor<2x1x4xi64>) v(%x : tensor<2x8x4x64xf32>)
      score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> tensor<2x8x4x64xf32>
  return %o : tensor<2x8x4x64xf32>
}
