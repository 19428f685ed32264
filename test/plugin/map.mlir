// An index map from outside the library goes through every pipeline, in our tool
// and in the distribution's.
// RUN: posenc-opt %s --load-dialect-plugin=%test-maps --verify-roundtrip | FileCheck %s --check-prefix=IR
// RUN: posenc-opt %s --load-dialect-plugin=%test-maps --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: posenc-opt %s --load-dialect-plugin=%test-maps --posenc-to-reference | FileCheck %s --check-prefix=LLVM
// RUN: %mlir-opt-posenc %s --load-dialect-plugin=%test-maps --pass-pipeline="builtin.module(posenc-to-reference)" | FileCheck %s --check-prefix=LLVM

// Four queries at position 0 see keys at distances 0, 1, 2, 3: V is 1, 2, 4, 8
// and the table has a logit of 0 for every octave but the last, which is far
// below: the weights of the others are even.
// RUN: posenc-run %s --load-dialect-plugin=%test-maps --function=attention --target=reference \
// RUN:   --input=1x1x1x1xf32=0 --input=1x1x4x1xf32=0 "--input=1x1x4x1xf32=1 2 4 8" \
// RUN:   "--input=7x1xf32=0 0 0 -1000 0 0 0" "--expected-output=1x1x1x1xf32=3.75"
// RUN: posenc-run %s --load-dialect-plugin=%test-maps --function=attention --target=reference \
// RUN:   --input=1x1x1x1xf32=0 --input=1x1x4x1xf32=0 "--input=1x1x4x1xf32=1 2 4 8" \
// RUN:   "--input=7x1xf32=0 0 -1000 0 0 0 0" "--expected-output=1x1x1x1xf32=1.5"

// IR-LABEL: func.func @attention
// IR:         posenc.row #test_maps.octave<3>(%{{.*}})
// FOLD-LABEL: func.func @folded
// FOLD:         %[[ROW:.*]] = arith.constant 5 : index
// FOLD:         posenc.lookup %{{.*}}[%[[ROW]], %{{.*}}]
// LLVM-LABEL: llvm.func @attention
// LLVM-NOT:     test_maps
// LLVM-NOT:     posenc
!x = tensor<?x1x?x1xf32>
func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<7x1xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<7x1xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #test_maps.octave<3>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<7x1xf32>
    %z = arith.addf %s, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}

func.func @folded(%q: !x, %table: tensor<7x1xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
      with(%table : tensor<7x1xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.constant -3 : index
    %c = posenc.row #test_maps.octave<3>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<7x1xf32>
    posenc.yield %bias : f32
  } -> !x
  return %o : !x
}
