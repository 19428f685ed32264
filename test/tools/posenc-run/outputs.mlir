// A function's outputs are its results, then the memref arguments that it may
// write, in their order.

// RUN: posenc-run %s --function=mixed --input=2xf32=1 --input=2xf32=2 --input=2xf32=3 | FileCheck %s --check-prefix=MIXED
// MIXED:      result 0: index=2
// MIXED-NEXT: result 1: 2xf32=3 3
// MIXED-NEXT: result 2: i1=1
// MIXED-NEXT: argument 0: 2xf32=4 4
// MIXED-NEXT: argument 1: 2xf32=7 3
// MIXED-NOT:  {{.}}
func.func @mixed(%out: memref<?xf32>, %other: memref<2xf32>, %in: memref<?xf32>) -> (index, memref<?xf32>, i1) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %seven = arith.constant 7.0 : f32
  %size = memref.dim %in, %c0 : memref<?xf32>
  linalg.add ins(%in, %out : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  memref.copy %in, %other : memref<?xf32> to memref<2xf32>
  memref.store %seven, %other[%c0] : memref<2xf32>
  return %size, %in, %true : index, memref<?xf32>, i1
}

// Writes through views, in branches and regions, and in other functions. The
// arguments 1, 3 and 5 are only read in the same ways.
// RUN: posenc-run %s --function=views --input=i1=1 --input=4xf32=1 --input=4xf32 --input=4xf32=1 --input=4xf32 --input=4xf32=1 --input=4xf32 \
// RUN:   | FileCheck %s --check-prefix=VIEWS
// VIEWS:      argument 2: 4xf32=0 0 1 0
// VIEWS-NEXT: argument 4: 4xf32=0 1 0 0
// VIEWS-NEXT: argument 6: 4xf32=1 0 0 0
// VIEWS-NOT:  {{.}}
func.func @views(%c: i1, %a: memref<4xf32>, %b: memref<4xf32>, %d: memref<4xf32>, %e: memref<4xf32>,
                 %f: memref<4xf32>, %g: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.subview %a[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  %y = memref.subview %b[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  %v = memref.load %x[%c0] : memref<2xf32, strided<[1], offset: 2>>
  memref.store %v, %y[%c0] : memref<2xf32, strided<[1], offset: 2>>
  cf.cond_br %c, ^bb1(%d, %e : memref<4xf32>, memref<4xf32>), ^bb2
^bb1(%p: memref<4xf32>, %q: memref<4xf32>):
  %r, %s = scf.for %i = %c0 to %c1 step %c1 iter_args(%k = %p, %l = %q) -> (memref<4xf32>, memref<4xf32>) {
    %w = memref.load %k[%c0] : memref<4xf32>
    memref.store %w, %l[%c1] : memref<4xf32>
    scf.yield %k, %l : memref<4xf32>, memref<4xf32>
  }
  cf.br ^bb2
^bb2:
  func.call @copy_first(%f, %g) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func private @copy_first(%from: memref<4xf32>, %to: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %from[%c0] : memref<4xf32>
  memref.store %v, %to[%c0] : memref<4xf32>
  return
}

// Any layout that row-major data without gaps has, a result with any layout. The
// stride of a dimension of size 1 is what the type says: the cast is checked.
// RUN: posenc-run %s --function=layouts --input=2x3xf32="1 2 3 4 5 6" --input=2x1x3xf32=7 | FileCheck %s --check-prefix=LAYOUTS
// LAYOUTS:      result 0: 3x2xf32=[1 4][2 5][3 6]
// LAYOUTS-NEXT: argument 1: 2x1x3xf32={{\[\[}}1 2 3]]{{\[\[}}4 5 6]]
!any = memref<2x1x3xf32, strided<[?, ?, ?], offset: ?>>
!some = memref<2x1x3xf32, strided<[3, 99, 1]>>
func.func @layouts(%in: memref<?x?xf32, strided<[?, 1], offset: ?>>, %out: !some)
    -> memref<?x?xf32, strided<[1, ?], offset: ?>> {
  %any = memref.cast %out : !some to !any
  func.call @copy(%in, %any) : (memref<?x?xf32, strided<[?, 1], offset: ?>>, !any) -> ()
  %t = memref.transpose %in (i, j) -> (j, i)
      : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[1, ?], offset: ?>>
  return %t : memref<?x?xf32, strided<[1, ?], offset: ?>>
}
func.func @copy(%in: memref<?x?xf32, strided<[?, 1], offset: ?>>, %any: !any) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %out = memref.cast %any : !any to !some
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %v = memref.load %in[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      memref.store %v, %out[%i, %c0, %j] : !some
    }
  }
  return
}

// RUN: not posenc-run %s --function=other_layout --input=4x2xf32 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: posenc-run: error: argument 0 of 'other_layout': unsupported type memref<4x2xf32, strided<[4, 1]>>, its layout is not that of row-major data without gaps
func.func @other_layout(%a: memref<4x2xf32, strided<[4, 1]>>) {
  return
}
// RUN: not posenc-run %s --function=other_offset --input=4xf32 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: posenc-run: error: argument 0 of 'other_offset': unsupported type memref<4xf32, strided<[1], offset: 3>>, its layout is not
func.func @other_offset(%a: memref<4xf32, strided<[1], offset: 3>>) {
  return
}

// A file, then the standard output.
// RUN: posenc-run %s --function=layouts --input=2x3xf32=1 --input=2x1x3xf32=7 --output=@%t.npy --output=- | FileCheck %s --check-prefix=DASH
// DASH:      result 0: 3x2xf32{{$}}
// DASH-NEXT: argument 1: 2x1x3xf32={{\[\[}}1 1 1]]{{\[\[}}1 1 1]]

// RUN: posenc-run %s --function=part --input=4xf32="1 2 3 4" | FileCheck %s --check-prefix=PART
// PART: result 0: 2xf32=2 4
func.func @part(%a: memref<4xf32>) -> memref<2xf32, strided<[2], offset: 1>> {
  %m = memref.alloc() : memref<4xf32>
  memref.copy %a, %m : memref<4xf32> to memref<4xf32>
  %b = memref.subview %m[1] [2] [2] : memref<4xf32> to memref<2xf32, strided<[2], offset: 1>>
  return %b : memref<2xf32, strided<[2], offset: 1>>
}

// A tensor on an argument's memory: read, copied into it, or overwritten in
// place where that is allowed.
// RUN: posenc-run %s --function=tensors --input=2xf32=1 --input=2xf32 --input=2xf32 | FileCheck %s --check-prefix=TENSORS
// TENSORS:      argument 1: 2xf32=1 1
// TENSORS-NEXT: argument 2: 2xf32=0 0
// TENSORS-NOT:  {{.}}
func.func @tensors(%a: memref<2xf32>, %b: memref<2xf32>, %c: memref<2xf32>) {
  %t = bufferization.to_tensor %a restrict : memref<2xf32> to tensor<2xf32>
  bufferization.materialize_in_destination %t in restrict writable %b : (tensor<2xf32>, memref<2xf32>) -> ()
  %u = bufferization.to_tensor %c restrict writable : memref<2xf32> to tensor<2xf32>
  return
}
