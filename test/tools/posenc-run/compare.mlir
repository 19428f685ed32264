// --expected-output compares an output: the error is the largest difference,
// the tolerance relative to the largest expected magnitude.

// RUN: posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="1 2 3.00001 4" | FileCheck %s --check-prefix=PASS
// PASS:      result 0: 2x2xf32{{$}}
// PASS-NEXT: result 0: largest error 1e-05 (relative to the largest |expected| 2.5e-06) at [1, 0]: 3 expected 3.00001{{$}}
// PASS-NOT:  {{.}}

// RUN: posenc-run %s --function=f32 --input=2x2xf32=1 --expected-output=2x2xf32=1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: result 0: largest error 0 (relative to the largest |expected| 0){{$}}

// RUN: not posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="1 2 3.001 4" 2>&1 | FileCheck %s --check-prefix=FAIL
// FAIL: result 0: largest error 0.001 (relative to the largest |expected| 0.00025) at [1, 0]: 3 expected 3.001
// FAIL: posenc-run: error: result 0: not as expected, the largest error 0.001 exceeds 4e-05 = 0 + 1e-05 * 4

// Either tolerance may be what lets it pass.
// RUN: posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="1 2 3.001 4" --rtol=3e-4
// RUN: posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="1 2 3.001 4" --rtol=0 --atol=0.002
// RUN: not posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="1 2 3.001 4" --rtol=1e-4 --atol=0.0005
// RUN: posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="1 2 3.001 4" --rtol=1.5e-4 --atol=0.0005

// NaN is NaN and an infinity itself; nothing else that isn't finite is near to
// anything, and no infinity makes the tolerance larger.
// RUN: posenc-run %s --function=f32 --input=2x2xf32="nan inf -inf 1" --expected-output=2x2xf32="nan inf -inf 1" \
// RUN:   | FileCheck %s --check-prefix=EQUAL
// RUN: not posenc-run %s --function=f32 --input=2x2xf32="1 1 inf 1" --expected-output=2x2xf32="1 1 -inf 1" 2>&1 | FileCheck %s --check-prefix=INF
// INF: result 0: largest error inf (relative to the largest |expected| inf) at [1, 0]: inf expected -inf
// INF: error: result 0: not as expected, the largest error inf exceeds 1e-05
// RUN: not posenc-run %s --function=f32 --input=2x2xf32="1 nan 1 1" --expected-output=2x2xf32=1 --atol=1e30 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: result 0: largest error inf {{.*}} at [0, 1]: nan expected 1
// RUN: not posenc-run %s --function=f32 --input=2x2xf32=1 --expected-output=2x2xf32="1 1 1 nan" 2>&1 | FileCheck %s --check-prefix=NAN2
// NAN2: result 0: largest error inf {{.*}} at [1, 1]: 1 expected nan
// RUN: not posenc-run %s --function=f32 --input=2x2xf32="1 2 3 4" --expected-output=2x2xf32="inf 2 3 4" --rtol=10
func.func @f32(%a: tensor<2x?xf32>) -> tensor<2x?xf32> {
  return %a : tensor<2x?xf32>
}

// A wider float is not rounded before.
// RUN: posenc-run %s --function=narrow --input=f32=0.1 --input=2xf16=0.1 --input=2xbf16=0.1 \
// RUN:   --expected-output=f64=0.1 --expected-output=2xf32=0.1 --expected-output=2xf64=0.1 | FileCheck %s --check-prefix=NARROW
// NARROW: result 0: largest error 1.5e-09 {{.*}} at []: 0.1 expected 0.1
// NARROW: result 1: largest error 2.4e-05 {{.*}} at [0]: 0.09998 expected 0.1
// NARROW: result 2: largest error 9.8e-05 {{.*}} at [0]: 0.1 expected 0.1
func.func @narrow(%a: f32, %b: tensor<2xf16>, %c: tensor<2xbf16>) -> (f32, tensor<2xf16>, tensor<2xbf16>) {
  return %a, %b, %c : f32, tensor<2xf16>, tensor<2xbf16>
}

// Integers are equal or not, to the last bit.
// RUN: not posenc-run %s --function=integers --input=2xi64=9007199254740992 --input=i1=1 --input=2xindex --expected-output=2xi64=9007199254740993 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXACT
// EXACT: result 0: largest error 1 {{.*}} at [0]: 9007199254740992 expected 9007199254740993
// RUN: not posenc-run %s --function=integers --input=2xi64="9223372036854775807 -9223372036854775808" --input=i1=1 --input=2xindex="1 2" \
// RUN:   --expected-output=2xi64="9223372036854775806 9223372036854775807" --expected-output=i1=1 --expected-output=2xindex="1 3" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INTEGERS
// INTEGERS-DAG: result 0: largest error 1.8e+19 (relative to the largest |expected| 2) at [1]: -9223372036854775808 expected 9223372036854775807
// INTEGERS-DAG: error: result 0: not as expected
// INTEGERS-DAG: result 1: largest error 0
// INTEGERS-DAG: result 2: largest error 1 (relative to the largest |expected| 0.33) at [1]: 2 expected 3
// INTEGERS-DAG: error: result 2: not as expected
func.func @integers(%a: tensor<2xi64>, %b: i1, %c: tensor<2xindex>) -> (tensor<2xi64>, i1, tensor<2xindex>) {
  return %a, %b, %c : tensor<2xi64>, i1, tensor<2xindex>
}

// Nothing stands for any value; an output without an option of its own is
// printed. Outputs that are not as expected are written all the same.
// RUN: rm -f %t.npy
// RUN: not posenc-run %s --function=three --input=2xf32=1 --input=2xf32=2 --output= --output=@%t.npy --expected-output= --expected-output=2xf32=3 \
// RUN:   > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=THREE < %t.out
// RUN: FileCheck %s --check-prefix=THREE-ERR < %t.err
// RUN: %python -c "import numpy as np; assert (np.load('%t.npy') == np.array([2, 2], dtype='f4')).all()"
// THREE:      result 0: 2xf32{{$}}
// THREE-NEXT: result 1: 2xf32{{$}}
// THREE-NEXT: result 1: largest error 1
// THREE-NEXT: argument 1: 2xf32=2 2
// THREE-NOT:  {{.}}
// THREE-ERR:  posenc-run: error: result 1: not as expected
func.func @three(%a: memref<2xf32>, %b: memref<2xf32>) -> (memref<2xf32>, memref<2xf32>) {
  memref.copy %b, %b : memref<2xf32> to memref<2xf32>
  return %a, %b : memref<2xf32>, memref<2xf32>
}

// RUN: posenc-run %s --function=empty --input=0x3xf32 --expected-output=0x3xf32 | FileCheck %s --check-prefix=EQUAL
func.func @empty(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %a : tensor<?x3xf32>
}

// RUN: not posenc-run %s --function=empty --input=1x3xf32 --expected-output=2x3xf32 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE-NOT: {{^result}}
// SHAPE:     posenc-run: error: result 0 (--expected-output=2x3xf32): expected [2, 3], got [1, 3]
// RUN: not posenc-run %s --function=empty --input=1x3xf32 --expected-output=2x3xf16 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: posenc-run: error: result 0 (--expected-output=2x3xf16): expected tensor<?x3xf32>, got elements of type f16
// RUN: not posenc-run %s --function=empty --input=1x3xf32 --rtol=-1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not posenc-run %s --function=empty --input=1x3xf32 --atol=nan 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: posenc-run: error: a tolerance must not be negative
