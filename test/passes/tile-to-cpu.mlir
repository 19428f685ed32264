// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=haswell" | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=znver4" | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=aarch64 cpu=neoverse-n1" | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=znver4 features=-avx512f" | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=x86-64" | FileCheck %s --check-prefixes=CHECK,SSE

// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=znver4" -o %t.avx512.mlir
// RUN: posenc-opt %t.avx512.mlir --posenc-tile-to-cpu="triple=x86_64 cpu=znver4" | diff %t.avx512.mlir -

// DEFINE: %{to-llvm} = posenc-opt --convert-scf-to-cf --convert-vector-to-llvm --expand-strided-metadata --lower-affine --convert-to-llvm --reconcile-unrealized-casts
// RUN: %{to-llvm} %t.avx512.mlir | mlir-translate --mlir-to-llvmir | llc -mtriple=x86_64 -mcpu=znver4 | FileCheck %s --check-prefix=ASM512
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=aarch64 cpu=neoverse-n1" | %{to-llvm} | mlir-translate --mlir-to-llvmir | llc -mtriple=aarch64 -mcpu=neoverse-n1 | FileCheck %s --check-prefix=ASM64

// RUN: not posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=abacus" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not posenc-opt %s --posenc-tile-to-cpu="triple=abacus" 2>&1 | FileCheck %s --check-prefix=TRIPLE
// RUN: not posenc-opt %s --posenc-tile-to-cpu="triple=x86_64 cpu=haswell features=+fma,-abacus" 2>&1 | FileCheck %s --check-prefix=FEATURE
// CPU: error: posenc-tile-to-cpu: 'abacus' is no CPU of x86_64
// FEATURE-NOT: ignoring
// FEATURE: error: posenc-tile-to-cpu: 'abacus' is no feature of x86_64
// TRIPLE: error: posenc-tile-to-cpu:{{.*}}triple

// CHECK-NOT: posenc_tile.

// CHECK-LABEL: func.func @queries
// AVX2:          vector.load {{.*}} vector<8xf32>
// AVX512:        vector.load {{.*}} vector<16xf32>
// NEON:          vector.load {{.*}} vector<4xf32>
// SSE:           vector.load {{.*}} vector<4xf32>
func.func @queries(%q: memref<128x64xf32>, %i0: index, %i1: index, %scale: f32, %qp: memref<48x64xf32>) {
  posenc_tile.pack %q into %qp over(%i = %i0 to %i1) scaled {
    posenc_tile.yield %i, %scale : index, f32
  } : memref<128x64xf32> into memref<48x64xf32>
  return
}

// Rows to a buffer, transposed from there; halves are widened as they are read.
// CHECK-LABEL: func.func @keys
// CHECK:         arith.extf {{.*}}bf16
// AVX2-COUNT-24: vector.shuffle
// AVX2-COUNT-8:  vector.store {{.*}} memref<?x64x16xf32>, vector<8xf32>
// AVX512-COUNT-64: vector.shuffle
// NEON-COUNT-8:  vector.shuffle
// CHECK:         return
func.func @keys(%k: memref<?x64xbf16>, %m: index, %kp: memref<?x64x16xf32>) {
  %zero = arith.constant 0 : index
  posenc_tile.pack %k into %kp over(%j = %zero to %m) {
    posenc_tile.yield %j : index
  } : memref<?x64xbf16> into memref<?x64x16xf32>
  return
}

// CHECK-LABEL: func.func @product
// AVX2-COUNT-24: vector.fma {{.*}} vector<8xf32>
// AVX2-NOT:      vector.fma
// AVX512-COUNT-48: vector.fma {{.*}} vector<16xf32>
// NEON-COUNT-48: vector.fma {{.*}} vector<4xf32>
// SSE-COUNT-24:  vector.fma {{.*}} vector<4xf32>
// CHECK:         return
func.func @product(%x: memref<48x64xf32>, %y: memref<1x64x64xf32>, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xf32>, memref<1x64x64xf32> into memref<48x33xf32>
  return
}

// One loop over the modes, over the blocks, over the groups of rows; in it the
// product, the weights in registers, the careful path, and the values.
// CHECK-LABEL: func.func @plain
// CHECK:         scf.while
// CHECK:         scf.for {{.*}} iter_args
// CHECK:         scf.for {{.*}} iter_args
// AVX2:          scf.for {{.*}} iter_args
// AVX2-COUNT-24: vector.fma
// AVX2:          arith.shli {{.*}} vector<8xi32>
// AVX512-COUNT-48: vector.fma
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// NEON:          arith.maximumf {{.*}} vector<4xf32>
// CHECK:         scf.condition

// ASM512-LABEL: plain:
// ASM512:         vfmadd{{.*}}zmm
// ASM512:         vreduceps {{.*}}zmm
// ASM512:         vscalefps {{.*}}zmm
// ASM64-LABEL:  plain:
// ASM64:          fmla v{{[0-9]+}}.4s
// ASM64:          shl v{{[0-9]+}}.4s, v{{[0-9]+}}.4s, #23
func.func @plain(%q: memref<48x64xf32>, %k: memref<?x64x64xf32>, %v: memref<?x64xf32>, %i0: index, %i1: index,
                 %hi: index, %m: memref<48xf32>, %l: memref<48xf32>, %o: memref<48x64xf32>) {
  %zero = arith.constant 0 : index
  posenc_tile.sweep q(%q : memref<48x64xf32>) k(%k : memref<?x64x64xf32>) v(%v : memref<?x64xf32>)
      rows(%i0 to %i1) keys(%zero to %hi first %i0) block(64)
      into(%m : memref<48xf32>, %l : memref<48xf32>, %o : memref<48x64xf32>)
  return
}

// Sums start from the terms: those of the class in a branch, those of a row in
// the scalar. The region runs on vectors; logarithms, which have no vector
// form, key by key.
// CHECK-LABEL: func.func @terms
// CHECK:         scf.while
// AVX2-DAG:      vector.load %arg4[{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK:         scf.if {{.*}} -> (vector
// AVX2:          vector.load %arg5[{{.*}}] : memref<48x?xf32>, vector<8xf32>
// CHECK:         math.absf {{.*}} : vector
// CHECK:         scf.for
// CHECK:         math.log {{.*}} : f32
// CHECK-NOT:     math.tanh
// CHECK:         arith.divf {{.*}} : vector
func.func @terms(%q: memref<48x64xf32>, %k: memref<?x64x64xf32>, %v: memref<?x64xf32>, %i0: index,
                 %bias: memref<?xf32>, %strip: memref<48x?xf32>, %row: memref<48xf32>, %from: index, %a: index,
                 %b: index, %m: memref<48xf32>, %l: memref<48xf32>, %o: memref<48x64xf32>) {
  %zero = arith.constant 0 : index
  %hi = arith.constant 500 : index
  posenc_tile.sweep q(%q : memref<48x64xf32>) k(%k : memref<?x64x64xf32>) v(%v : memref<?x64xf32>)
      rows(%i0 to %hi) keys(%zero to %hi first %i0) block(64) keep(%from to %b) near(%a to %b)
      terms(all lag %bias[%from] : memref<?xf32>, near strip %strip[%from] : memref<48x?xf32>,
            left row %row : memref<48xf32>)
      into(%m : memref<48xf32>, %l : memref<48xf32>, %o : memref<48x64xf32>)
      score(%y, %r, %j) {
        %x = math.absf %y : f32
        %g = math.log %x : f32
        %z = math.tanh %g : f32
        %keep = arith.cmpi slt, %j, %r : index
        posenc_tile.yield %z, %keep : f32, i1
      }
  return
}

// Value rows in whole vectors are read in place if their stride allows it.
// CHECK-LABEL: func.func @strided_values
// CHECK:         %[[UNIT:.*]] = arith.cmpi eq, %strides#1, %c1
// CHECK:         scf.if %[[UNIT]] -> (memref<?x?xf32, strided<[?, 1], offset: ?>>)
// CHECK:         scf.while
func.func @strided_values(%q: memref<48x64xf32>, %k: memref<?x64x64xf32>,
                          %v: memref<?x64xf32, strided<[?, ?], offset: ?>>, %i0: index, %m: memref<48xf32>,
                          %l: memref<48xf32>, %o: memref<48x64xf32>) {
  %zero = arith.constant 0 : index
  %hi = arith.constant 500 : index
  posenc_tile.sweep q(%q : memref<48x64xf32>) k(%k : memref<?x64x64xf32>)
      v(%v : memref<?x64xf32, strided<[?, ?], offset: ?>>)
      rows(%i0 to %hi) keys(%zero to %hi first %i0) block(64)
      into(%m : memref<48xf32>, %l : memref<48xf32>, %o : memref<48x64xf32>)
  return
}

// CHECK-LABEL: func.func @negative_packed_keys_with_strides
// CHECK-NOT:     vector.fma
// CHECK:         return
func.func @negative_packed_keys_with_strides(%q: memref<48x64xf32>,
    %k: memref<?x64x64xf32, strided<[?, ?, ?], offset: ?>>, %v: memref<?x64xf32>, %i0: index, %m: memref<48xf32>,
    %l: memref<48xf32>, %o: memref<48x64xf32>) {
  %zero = arith.constant 0 : index
  %hi = arith.constant 500 : index
  posenc_tile.sweep q(%q : memref<48x64xf32>) k(%k : memref<?x64x64xf32, strided<[?, ?, ?], offset: ?>>)
      v(%v : memref<?x64xf32>)
      rows(%i0 to %hi) keys(%zero to %hi first %i0) block(64)
      into(%m : memref<48xf32>, %l : memref<48xf32>, %o : memref<48x64xf32>)
  return
}

// CHECK-LABEL: func.func @negative_results_with_strides
// CHECK-NOT:     vector.
// CHECK:         return
func.func @negative_results_with_strides(%x: memref<48x64xf32>, %y: memref<1x64x64xf32>,
                                         %t: memref<48x33xf32, strided<[?, ?]>>) {
  posenc_tile.product rows(%x) columns(%y) into %t
      : memref<48x64xf32>, memref<1x64x64xf32> into memref<48x33xf32, strided<[?, ?]>>
  return
}

// Keys in place: four heads and as many keys as make a register of sums, which are added up by halves. What comes next,
// values while keys are read and the other way round, is asked for.
// CHECK-LABEL: func.func @keys_in_place
// AVX512-COUNT-16: vector.fma {{.*}} : vector<16xf32>
// AVX512:      vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] : vector<16xf32>, vector<16xf32>
// AVX2-COUNT-16: vector.fma {{.*}} : vector<8xf32>
// AVX2:        vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
// NEON-COUNT-16: vector.fma {{.*}} : vector<4xf32>
// NEON:        vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
// CHECK:       memref.prefetch
// CHECK-NOT:   posenc_tile.sweep
func.func @keys_in_place(%q: memref<4x64xf32>, %k: memref<?x64xbf16>, %v: memref<?x64xbf16>, %m: memref<4xf32>,
                         %l: memref<4xf32>, %o: memref<4x64xf32>, %keys: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  posenc_tile.sweep q(%q : memref<4x64xf32>) k(%k : memref<?x64xbf16>) v(%v : memref<?x64xbf16>)
      rows(%zero to %four all %zero) keys(%zero to %keys first %zero) block(32)
      into(%m : memref<4xf32>, %l : memref<4xf32>, %o : memref<4x64xf32>)
  return
}
