// What --input takes and how an output is printed: the shape and type come
// first, one value stands for all elements, none for zeros, and brackets are
// only for the reader.

// RUN: posenc-run %s --function=floats --input=2x3xf32="1 2.5 -3 1e-3 inf nan" --input=3xf64=0.1 --input=f16=0.1 --input=bf16=-0.1 \
// RUN:   | FileCheck %s --check-prefix=FLOATS
// FLOATS:      result 0: 2x3xf32=[1 2.5 -3][0.001 inf nan]
// FLOATS-NEXT: result 1: 3xf64=0.1 0.1 0.1
// FLOATS-NEXT: result 2: f16=0.09998
// FLOATS-NEXT: result 3: bf16=-0.1
// FLOATS-NOT:  {{.}}
func.func @floats(%a: tensor<2x?xf32>, %b: tensor<?xf64>, %c: f16, %d: bf16)
    -> (tensor<2x?xf32>, tensor<?xf64>, f16, bf16) {
  return %a, %b, %c, %d : tensor<2x?xf32>, tensor<?xf64>, f16, bf16
}

// RUN: posenc-run %s --function=integers --input=i1=true --input=4xi1=1,0,true,false --input=2xi8="-128 127" --input=i16=-1 \
// RUN:   --input=1x2x2xi32="[[[1, 2], [3, 4]]]" --input=i64=-9223372036854775808 --input=index=7 --input=2x1xindex \
// RUN:   | FileCheck %s --check-prefix=INTEGERS
// INTEGERS:      result 0: i1=1
// INTEGERS-NEXT: result 1: 4xi1=1 0 1 0
// INTEGERS-NEXT: result 2: 2xi8=-128 127
// INTEGERS-NEXT: result 3: i16=-1
// INTEGERS-NEXT: result 4: 1x2x2xi32={{\[\[}}1 2][3 4]]
// INTEGERS-NEXT: result 5: i64=-9223372036854775808
// INTEGERS-NEXT: result 6: index=7
// INTEGERS-NEXT: result 7: 2x1xindex=[0][0]
func.func @integers(%a: i1, %b: tensor<?xi1>, %c: tensor<2xi8>, %d: i16, %e: tensor<1x2x2xi32>, %f: i64, %g: index,
                    %h: tensor<?x?xindex>)
    -> (i1, tensor<?xi1>, tensor<2xi8>, i16, tensor<1x2x2xi32>, i64, index, tensor<?x?xindex>) {
  return %a, %b, %c, %d, %e, %f, %g, %h
      : i1, tensor<?xi1>, tensor<2xi8>, i16, tensor<1x2x2xi32>, i64, index, tensor<?x?xindex>
}

// Nothing, a tensor of rank 0 and one scalar result, which is returned and not
// stored.
// RUN: posenc-run %s --function=nothing | FileCheck %s --check-prefix=NOTHING --allow-empty
// RUN: posenc-run %s --function=rank_0 --input=f32=3 | FileCheck %s --check-prefix=RANK0
// RUN: posenc-run %s --function=one_bool --input=i8=-3 | FileCheck %s --check-prefix=BOOL
// NOTHING-NOT: {{.}}
// RANK0: result 0: f32=3
// BOOL:  result 0: i1=1
func.func @nothing() {
  return
}
func.func @rank_0(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func @one_bool(%a: i8) -> i1 {
  %zero = arith.constant 0 : i8
  %b = arith.cmpi slt, %a, %zero : i8
  return %b : i1
}

// Empty arrays have their other sizes.
// RUN: posenc-run %s --function=empty --input=0x3xf32 --input=2x0x4xf32=1 | FileCheck %s --check-prefix=EMPTY
// EMPTY:      result 0: 0x3xf32={{$}}
// EMPTY-NEXT: result 1: 2x0x4xf32={{$}}
func.func @empty(%a: tensor<?x3xf32>, %b: tensor<?x?x4xf32>) -> (tensor<?x3xf32>, tensor<?x?x4xf32>) {
  %x = linalg.add ins(%a, %a : tensor<?x3xf32>, tensor<?x3xf32>) outs(%a : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %x, %b : tensor<?x3xf32>, tensor<?x?x4xf32>
}

// RUN: posenc-run %s --function=large --input=8x9xi32=5 | FileCheck %s --check-prefix=LARGE
// LARGE: result 0: 8x9xi32=5 5 5 5 5 5 5 5 ... 5 5 5 5 5 5 5 5{{$}}
func.func @large(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  return %a : tensor<?x?xi32>
}
