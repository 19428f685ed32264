// Every pass, alone, in a host that holds the dialect and func.
// RUN: minimal-opt %s --posenc-decompose | FileCheck %s
// RUN: minimal-opt %s --posenc-decompose=compute-type=f64 | FileCheck %s
// RUN: minimal-opt %s --pass-pipeline="builtin.module(func.func(posenc-decompose))" | FileCheck %s
// RUN: minimal-opt %s --posenc-math-to-libm | FileCheck %s --check-prefix=SAME
// RUN: minimal-opt %s --posenc-print-extents | FileCheck %s --check-prefix=SAME

// Every pipeline, in a host that calls registerPosEnc and no more.
// RUN: minimal-register-opt %s --posenc-to-reference | FileCheck %s --check-prefix=LLVM
// RUN: minimal-register-opt %s --posenc-to-reference=compute-type=f64 | FileCheck %s --check-prefix=LLVM
// RUN: minimal-register-opt %s --posenc-to-llvm=kernels=loops | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @attention
// CHECK-NOT:     posenc.
// CHECK:         return
// SAME:        posenc.attention
// LLVM-LABEL:  llvm.func @attention
// LLVM-NOT:    {{(posenc|func|linalg|scf|cf|arith|math|memref|tensor|bufferization)\.}}
#rope = #posenc.rope<half, base = 10000.0>
!x = tensor<?x8x?x64xf32>
!k = memref<?x2x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
func.func @attention(%q: !x, %past: tensor<?xi64>, %t: tensor<33x64xf32>, %sinks: tensor<8xf32>) -> (!x, tensor<?x8x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) rotate #rope from(%past : tensor<?xi64>) k(%q : !x) v(%q : !x)
      value_tables(%t : tensor<33x64xf32>) sink(%sinks : tensor<8xf32>) with(%q : !x, %t : tensor<33x64xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = math.absi %j : index
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %p = posenc.dot %q[%b, %h, %r], %t[%c] else 0.0 : !x, tensor<33x64xf32>
    %z = math.tanh %p : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %z : f32 keep %keep value_rows(%c)
  } -> (!x, tensor<?x8x?xf32>)
  return %o, %lse : !x, tensor<?x8x?xf32>
}
func.func @memrefs(%q: !k) {
  posenc.attention q(%q : !k) k(%q : !k) v(%q : !k) into(%q : !k) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return
}
