// RUN: posenc-opt %s --posenc-fuse-bias=mask-value=-6e4 | FileCheck %s
// RUN: posenc-opt %s --posenc-fuse-bias | FileCheck %s --check-prefix=TERM
// RUN: posenc-opt %s --posenc-to-llvm=mask-value=-6e4 -o /dev/null
// RUN: not posenc-opt %s --posenc-fuse-bias=mask-value=1 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not posenc-opt %s --posenc-fuse-relative-gather=mask-value=nan 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: mask-value must be a negative number: scores down from it remove pairs
// ERROR-NOT: error

!q = tensor<2x8x4x64xf32>
!k = tensor<2x8x16x64xf32>
!s = tensor<2x8x4x16xf32>
!n = tensor<2x8x4x16xf16>

// The least f32, chosen.
// CHECK-LABEL: func.func @chosen
// CHECK:         %[[K:.*]] = posenc.lookup
// CHECK-NEXT:    posenc.yield %{{.*}} : f32 keep %[[K]]
// TERM-LABEL: func.func @chosen
// TERM:         posenc.yield %{{[^ ]*}} : f32{{$}}
func.func @chosen(%q: !q, %k: !k, %keep: tensor<2x8x4x16xi1>) -> !s {
  %min = arith.constant dense<-3.40282347E+38> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.select %keep, %s, %min : tensor<2x8x4x16xi1>, !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// Added in f16, twice, and clamped to the least number again.
// CHECK-LABEL: func.func @added
// CHECK:         %[[X:.*]] = posenc.lookup %{{.*}} : tensor<2x8x4x16xi1>
// CHECK:         %[[Y:.*]] = posenc.lookup %{{.*}} : tensor<2x8x4x16xi1>
// CHECK:         %[[XY:.*]] = arith.andi %[[X]], %[[Y]]
// CHECK:         posenc.yield %{{.*}} : f32 keep %[[XY]]
// TERM-LABEL: func.func @added
// TERM:         arith.maximumf
// TERM:         posenc.yield %{{[^ ]*}} : f32{{$}}
func.func @added(%q: !q, %k: !k, %x: tensor<2x8x4x16xi1>, %y: tensor<2x8x4x16xi1>) -> !s {
  %zero = arith.constant dense<0.0> : !n
  %min = arith.constant dense<-65504.0> : !n
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %s16 = arith.truncf %s : !s to !n
  %m = arith.select %x, %zero, %min : tensor<2x8x4x16xi1>, !n
  %a = arith.addf %s16, %m : !n
  %m2 = arith.select %y, %zero, %min : tensor<2x8x4x16xi1>, !n
  %b = arith.addf %m2, %a : !n
  %c = arith.maximumf %b, %min : !n
  %z = arith.extf %c : !n to !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// Above it a number is a term.
// CHECK-LABEL: func.func @negative_term
// CHECK:         arith.select
// CHECK:         posenc.yield %{{[^ ]*}} : f32{{$}}
func.func @negative_term(%q: !q, %k: !k, %keep: tensor<2x8x4x16xi1>) -> !s {
  %low = arith.constant dense<-1.0e+04> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.select %keep, %s, %low : tensor<2x8x4x16xi1>, !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}

// A clamp of scores that nothing removes stays.
// CHECK-LABEL: func.func @negative_clamp
// CHECK:         arith.maximumf
// CHECK:         posenc.yield %{{[^ ]*}} : f32{{$}}
func.func @negative_clamp(%q: !q, %k: !k) -> !s {
  %low = arith.constant dense<-7.0e+04> : !s
  %s = posenc.scores q(%q : !q) k(%k : !k) : !s
  %z = arith.maximumf %s, %low : !s
  %p = posenc.softmax s(%z : !s)
  return %p : !s
}
