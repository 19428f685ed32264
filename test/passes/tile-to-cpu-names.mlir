// Names that code for tiles needs: where a program means something else by one, the other code is all there is.
// RUN: split-file %s %t
// RUN: posenc-opt %t/syscall.mlir --posenc-tile-to-cpu="triple=x86_64-linux cpu=sapphirerapids" | FileCheck %s
// RUN: posenc-opt %t/question.mlir --posenc-tile-to-cpu="triple=x86_64-linux cpu=sapphirerapids" | FileCheck %s
// RUN: posenc-opt %t/answer.mlir --posenc-tile-to-cpu="triple=x86_64-linux cpu=sapphirerapids" | FileCheck %s
// RUN: posenc-opt %t/same.mlir --posenc-tile-to-cpu="triple=x86_64-linux cpu=sapphirerapids" | FileCheck %s --check-prefix=SAME

// CHECK-NOT: amx.
// CHECK:     "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT: amx.

// SAME-COUNT-1: llvm.func @syscall
// SAME-NOT:     llvm.func @syscall
// SAME:         amx.tile_mulf

//--- syscall.mlir
llvm.func @syscall() -> i32
func.func @f(%x: memref<48x64xbf16>, %y: memref<1x32x64x2xbf16>, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xbf16>, memref<1x32x64x2xbf16> into memref<48x33xf32>
  return
}
//--- question.mlir
func.func private @posenc_may_use_amx() -> i1
func.func @f(%x: memref<48x64xbf16>, %y: memref<1x32x64x2xbf16>, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xbf16>, memref<1x32x64x2xbf16> into memref<48x33xf32>
  return
}
//--- answer.mlir
llvm.mlir.global external @posenc_amx_answer() : i64
func.func @f(%x: memref<48x64xbf16>, %y: memref<1x32x64x2xbf16>, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xbf16>, memref<1x32x64x2xbf16> into memref<48x33xf32>
  return
}
//--- same.mlir
llvm.func @syscall(i64, ...) -> i64
func.func @f(%x: memref<48x64xbf16>, %y: memref<1x32x64x2xbf16>, %t: memref<48x33xf32>) {
  posenc_tile.product rows(%x) columns(%y) into %t : memref<48x64xbf16>, memref<1x32x64x2xbf16> into memref<48x33xf32>
  return
}
