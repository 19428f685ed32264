// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64-linux cpu=haswell" | FileCheck %s --check-prefix=NONE
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64-linux cpu=znver4" -o %t.dots.mlir
// RUN: FileCheck %s --check-prefix=DOTS < %t.dots.mlir
// RUN: posenc-opt %s --posenc-tile-to-cpu="triple=x86_64-linux cpu=sapphirerapids" -o %t.tiles.mlir
// RUN: FileCheck %s --check-prefix=TILES < %t.tiles.mlir

// DEFINE: %{to-llvm} = posenc-opt --convert-scf-to-cf --convert-vector-to-llvm --expand-strided-metadata --lower-affine --convert-to-llvm --reconcile-unrealized-casts
// RUN: %{to-llvm} %t.dots.mlir | mlir-translate --mlir-to-llvmir | opt -O2 -mtriple=x86_64-linux -mcpu=znver4 | llc -mtriple=x86_64-linux -mcpu=znver4 -o - | FileCheck %s --check-prefix=ASM
// RUN: %{to-llvm} %t.tiles.mlir | mlir-translate --mlir-to-llvmir | opt -O2 -mtriple=x86_64-linux -mcpu=sapphirerapids | llc -mtriple=x86_64-linux -mcpu=sapphirerapids -o - | FileCheck %s --check-prefix=ASMTILES

// Where tiles may be used is asked once; without permission the other code runs, which is not in the same function.
// TILES-LABEL: llvm.mlir.global internal @posenc_amx_answer(0 : i32)
// TILES-LABEL: llvm.func internal @posenc_may_use_amx() -> i1
// TILES:         llvm.load %{{.*}} atomic monotonic
// TILES:         llvm.cond_br
// TILES:         llvm.call @syscall(%{{.*}}, %{{.*}}, %{{.*}})
// TILES:         llvm.store %{{.*}} atomic monotonic
// TILES-LABEL: func.func private @posenc_amx_kernel_0
// TILES-SAME:    attributes {no_inline}
// Two tiles of rows and two of columns are four sums, for all channels at a time.
// TILES:         amx.tile_zero
// TILES-COUNT-8: amx.tile_mulf {{.*}} : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
// TILES-COUNT-4: amx.tile_store

// ASMTILES-LABEL: posenc_amx_kernel_0:
// ASMTILES:         ldtilecfg
// ASMTILES-COUNT-16: tdpbf16ps
// ASMTILES-LABEL: plain:
// ASMTILES-NOT:     tile
// ASMTILES:         callq syscall
// ASMTILES-NOT:     tile
// ASMTILES:         vdpbf16ps
// ASMTILES-NOT:     tile
// ASMTILES:         .size plain

// Without an instruction for pairs, both of their products are added.
// NONE-LABEL: func.func @plain
// NONE:         arith.shli {{.*}} : vector<8xi32>
// NONE:         arith.andi {{.*}} : vector<8xi32>
// NONE:         vector.fma
// NONE-NOT:     llvm.call_intrinsic

// DOTS-LABEL: func.func @plain
// DOTS-NOT:     amx
// DOTS-COUNT-48: "llvm.x86.avx512bf16.dpbf16ps.512"
// DOTS:         "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// DOTS:         vector.store {{.*}} memref<12x64xbf16>, vector<32xbf16>
// TILES-LABEL: func.func @plain
// TILES:         %[[MAY:.*]] = llvm.call @posenc_may_use_amx() : () -> i1
// TILES:         scf.if %[[MAY]] {
// TILES-NEXT:      func.call @posenc_amx_kernel_0(
// TILES-NEXT:    } else {
// TILES:           "llvm.x86.avx512bf16.dpbf16ps.512"

// The products in registers: nothing between them but loads of the factors.
// ASM-LABEL: plain:
// ASM:         vdpbf16ps
// ASM-NOT:     (%rsp)
// ASM-COUNT-46: vdpbf16ps
// ASM-NOT:     (%rsp)
// ASM:         vdpbf16ps
func.func @plain(%q: memref<32x64xbf16>, %k: memref<?x32x64x2xbf16>, %v: memref<?x64x2xbf16>, %scale: memref<32xf32>,
                 %m: memref<32xf32>, %l: memref<32xf32>, %o: memref<32x64xf32>, %keys: index) {
  %zero = arith.constant 0 : index
  %rows = arith.constant 32 : index
  posenc_tile.sweep q(%q : memref<32x64xbf16>) k(%k : memref<?x32x64x2xbf16>) v(%v : memref<?x64x2xbf16>)
      scale(%scale : memref<32xf32>) rows(%zero to %rows) keys(%zero to %keys first %zero) block(64)
      into(%m : memref<32xf32>, %l : memref<32xf32>, %o : memref<32x64xf32>)
  return
}

// Channels that are no whole tiles.
// TILES-LABEL: func.func @few_channels
// TILES-NOT:     posenc_may_use_amx
// TILES:         "llvm.x86.avx512bf16.dpbf16ps.512"
// NONE-LABEL: func.func @few_channels
// DOTS-LABEL: func.func @few_channels
func.func @few_channels(%q: memref<32x40xbf16>, %k: memref<?x20x64x2xbf16>, %v: memref<?x48x2xbf16>, %m: memref<32xf32>,
                        %l: memref<32xf32>, %o: memref<32x40xf32>, %keys: index) {
  %zero = arith.constant 0 : index
  %rows = arith.constant 32 : index
  posenc_tile.sweep q(%q : memref<32x40xbf16>) k(%k : memref<?x20x64x2xbf16>) v(%v : memref<?x48x2xbf16>)
      rows(%zero to %rows) keys(%zero to %keys first %zero) block(64)
      into(%m : memref<32xf32>, %l : memref<32xf32>, %o : memref<32x40xf32>)
  return
}

// Pairs of channels are transposed as one element.
// DOTS-LABEL: func.func @keys
// DOTS-COUNT-64: vector.shuffle {{.*}} : vector<16xi32>
// DOTS:         vector.store {{.*}} memref<?x32x128xbf16>, vector<32xbf16>
// DOTS-LABEL: func.func @values
// DOTS:         vector.shuffle {{.*}}[0, 16, 1, 17, {{.*}} : vector<16xbf16>
func.func @keys(%k: memref<?x64xbf16>, %m: index, %kp: memref<?x32x64x2xbf16>) {
  %zero = arith.constant 0 : index
  posenc_tile.pack %k into %kp over(%j = %zero to %m) {
    posenc_tile.yield %j : index
  } : memref<?x64xbf16> into memref<?x32x64x2xbf16>
  return
}

func.func @values(%v: memref<?x64xbf16>, %m: index, %vp: memref<?x64x2xbf16>) {
  %zero = arith.constant 0 : index
  posenc_tile.pack %v into %vp over(%j = %zero to %m) {
    posenc_tile.yield %j : index
  } : memref<?x64xbf16> into memref<?x64x2xbf16>
  return
}

// TILES-LABEL: func.func private @posenc_amx_kernel_1
// TILES-COUNT-8: amx.tile_mulf
// TILES-LABEL: func.func @product
// DOTS-LABEL: func.func @product
// DOTS-COUNT-48: "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @product(%x: memref<48x64xbf16>, %y: memref<1x32x64x2xbf16>, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xbf16>, memref<1x32x64x2xbf16> into memref<48x33xf32>
  return
}

// Loops take what the units do not: values in place, and pairs that do not lie side by side.
// DOTS-LABEL: func.func @negative_values_in_place
// DOTS-NOT:     dpbf16ps
// DOTS-LABEL: func.func @negative_scattered_pairs
// DOTS-NOT:     dpbf16ps
func.func @negative_values_in_place(%q: memref<6x64xbf16>, %k: memref<?x32x64x2xbf16>, %v: memref<?x64xbf16>,
                                    %m: memref<6xf32>, %o: memref<6x64xf32>, %n: index) {
  posenc_tile.sweep q(%q : memref<6x64xbf16>) k(%k : memref<?x32x64x2xbf16>) v(%v : memref<?x64xbf16>)
      rows(%n to %n) keys(%n to %n first %n) block(64) into(%m : memref<6xf32>, %m : memref<6xf32>, %o : memref<6x64xf32>)
  return
}

!scattered = memref<?x32x64x2xbf16, strided<[8192, 256, 4, 1]>>
func.func @negative_scattered_pairs(%x: memref<48x64xbf16>, %y: !scattered, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xbf16>, !scattered into memref<48x33xf32>
  return
}
