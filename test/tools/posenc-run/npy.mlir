// Arrays come from .npy files and go to them.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py make %t
// RUN: posenc-run %s --function=all --input=@%t/f64.npy --input=@%t/f32.npy --input=@%t/f16.npy --input=@%t/bf16.npy --input=@%t/i1.npy \
// RUN:   --input=@%t/i8.npy --input=@%t/i16.npy --input=@%t/i32.npy --input=@%t/i64.npy --input=@%t/index.npy \
// RUN:   --output=@%t/f64.out.npy --output=@%t/f32.out.npy --output=@%t/f16.out.npy --output=@%t/bf16.out.npy --output=@%t/i1.out.npy \
// RUN:   --output=@%t/i8.out.npy --output=@%t/i16.out.npy --output=@%t/i32.out.npy --output=@%t/i64.out.npy --output=@%t/index.out.npy \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: %python %S/Inputs/npy.py check %t
// ALL:      result 0: 2x3x4xf64{{$}}
// ALL-NEXT: result 1: 2x3x4xf32{{$}}
func.func @all(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf16>, %d: tensor<?x?x?xbf16>,
               %e: tensor<?x?x?xi1>, %f: tensor<?x?x?xi8>, %g: tensor<?x?x?xi16>, %h: tensor<?x?x?xi32>,
               %i: tensor<?x?x?xi64>, %j: tensor<?x?x?xindex>)
    -> (tensor<?x?x?xf64>, tensor<?x?x?xf32>, tensor<?x?x?xf16>, tensor<?x?x?xbf16>, tensor<?x?x?xi1>, tensor<?x?x?xi8>,
        tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?x?x?xi64>, tensor<?x?x?xindex>) {
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j
      : tensor<?x?x?xf64>, tensor<?x?x?xf32>, tensor<?x?x?xf16>, tensor<?x?x?xbf16>, tensor<?x?x?xi1>, tensor<?x?x?xi8>,
        tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?x?x?xi64>, tensor<?x?x?xindex>
}

// Scalars, Fortran's order, the later versions of the format, bf16 as V2, an
// empty array, truth values that are true in more bits than one.
// RUN: posenc-run %s --function=forms --input=@%t/scalar.npy --input=@%t/fortran.npy --input=@%t/version2.npy --input=@%t/version3.npy \
// RUN:   --input=@%t/v2.npy --input=@%t/empty.npy --input=@%t/true.npy | FileCheck %s --check-prefix=FORMS
// FORMS:      result 0: index=42
// FORMS-NEXT: result 1: 2x3xf32=[0 1 2][3 4 5]
// FORMS-NEXT: result 2: 2xi32=1 2
// FORMS-NEXT: result 3: 2xi32=3 4
// FORMS-NEXT: result 4: 3xbf16=1 -0.5 3
// FORMS-NEXT: result 5: 3x0xf32=
// FORMS-NEXT: result 6: 3xi1=0 1 1
func.func @forms(%a: index, %b: tensor<?x?xf32>, %c: tensor<2xi32>, %d: tensor<2xi32>, %e: tensor<?xbf16>,
                 %f: tensor<3x?xf32>, %g: tensor<3xi1>)
    -> (index, tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<?xbf16>, tensor<3x?xf32>, tensor<3xi1>) {
  return %a, %b, %c, %d, %e, %f, %g
      : index, tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<?xbf16>, tensor<3x?xf32>, tensor<3xi1>
}

// A file that is not what it says, or not what the function takes. Each name is
// a file, and is followed by a word of the reason.
// RUN: %python %S/Inputs/npy.py refuse %t posenc-run %s
func.func @refuse(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %a : tensor<?x3xf32>
}
