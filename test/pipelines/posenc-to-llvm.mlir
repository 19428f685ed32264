// RUN: posenc-opt %s --posenc-to-llvm | FileCheck %s
// RUN: posenc-opt %s --posenc-to-llvm=kernels=loops | FileCheck %s
// RUN: %mlir-opt-posenc %s --pass-pipeline="builtin.module(posenc-to-llvm{kernels=loops})" | FileCheck %s
// RUN: not posenc-opt %s --posenc-to-llvm=kernels=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Cannot find option named 'abacus'

// For C, functions return a status, and abort nowhere.
// RUN: posenc-opt %s --pass-pipeline='builtin.module(generate-runtime-verification,posenc-to-llvm{c-interface=true openmp=true})' \
// RUN:   | FileCheck %s --check-prefix=STATUS --implicit-check-not=@abort --implicit-check-not=@memrefCopy
// STATUS:     llvm.func @fused({{.*}}) -> !llvm.ptr {
// STATUS-NOT: {{ (posenc|posenc_tile|arith|math|func|scf|cf|linalg|tensor|memref|bufferization|ub)\.}}

// Extents are checked where they are dynamic.
// RUN: not posenc-run %s --function=fused --target=loops --input=1x2x3x4xf32=1 --input=1x2x3x4xf32=1 --input=1x2x5x4xf32=1 \
// RUN:   --input=33x2xf32=0 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not posenc-run %s --function=into --target=loops --input=1x2x3x4xf32=1 --input=1x2x4x4xf32=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: posenc-to-llvm.mlir:[[#]]:[[#]]: attention_c2: expected q [B,H,N,D]

// The table of an index map becomes a constant of the module.
// CHECK:       llvm.mlir.global private constant @{{.*}} : !llvm.array<{{.*}} x i64>

// CHECK:     llvm.func @fused
// CHECK-NOT: {{(posenc|posenc_tile|arith|math|func|scf|cf|linalg|tensor|memref|bufferization)\.}}
!x = tensor<?x2x?x4xf32>
func.func @fused(%q: !x, %k: !x, %v: !x, %t: tensor<33x2xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) with(%t : tensor<33x2xf32>) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %r, %j : index
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %e = posenc.lookup %t[%c, %h] : tensor<33x2xf32>
    %z = arith.addf %s, %e : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}

// Attention beside unfused ops and linalg of the program's own, in a loop.
// CHECK: llvm.func @among_others
func.func @among_others(%q: !x, %k: !x, %v: !x, %n: index) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> !x {
    %r = posenc.rotate #posenc.rope<half, base = 10000.0> x(%x : !x)
    %a = posenc.attention q(%r : !x) k(%k : !x) v(%v : !x) score(%s, %b, %h, %row, %j) { posenc.yield %s : f32 } -> !x
    %s = posenc.scores q(%a : !x) k(%k : !x) : tensor<?x2x?x?xf32>
    %p = posenc.softmax s(%s : tensor<?x2x?x?xf32>)
    %u = posenc.values p(%p : tensor<?x2x?x?xf32>) v(%v : !x) : !x
    %y = linalg.add ins(%a, %u : !x, !x) outs(%a : !x) -> !x
    scf.yield %y : !x
  }
  return %o : !x
}

// Memory of the program's own.
// CHECK: llvm.func @into
!m = memref<?x2x?x4xf32, strided<[?, ?, ?, ?], offset: ?>>
func.func @into(%q: !m, %out: !m) {
  posenc.attention q(%q : !m) k(%q : !m) v(%q : !m) into(%out : !m) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return
}
