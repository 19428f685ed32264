// RUN: posenc-opt %s --posenc-copies-to-linalg | FileCheck %s
// RUN: posenc-opt %s --posenc-copies-to-linalg --posenc-copies-to-linalg | FileCheck %s

// The page's example.
// CHECK-LABEL: func.func @copy
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
func.func @copy(%x: memref<4x?xf32, strided<[?, 1]>>, %y: memref<4x?xf32>) {
  memref.copy %x, %y : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return
}

// CHECK-LABEL: func.func @itself
// CHECK-NEXT:    return
func.func @itself(%x: memref<4x?xf32, strided<[?, 1]>>) {
  memref.copy %x, %x : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32, strided<[?, 1]>>
  return
}

// What is contiguous is one memcpy.
// CHECK-LABEL: func.func @negative_contiguous
// CHECK:         memref.copy
func.func @negative_contiguous(%x: memref<4x?xf32>, %y: memref<4x?xf32>) {
  memref.copy %x, %y : memref<4x?xf32> to memref<4x?xf32>
  return
}

// CHECK-LABEL: func.func @negative_unranked
// CHECK:         memref.copy
func.func @negative_unranked(%x: memref<*xf32>, %y: memref<*xf32>) {
  memref.copy %x, %y : memref<*xf32> to memref<*xf32>
  return
}
