// RUN: posenc-opt %s --posenc-math-to-libm | FileCheck %s
// RUN: posenc-opt %s --posenc-math-to-libm --posenc-math-to-libm | FileCheck %s

// CHECK-DAG: func.func private @expm1f(f32) -> f32
// CHECK-DAG: func.func private @log1p(f64) -> f64

// CHECK-LABEL: func.func @f
// CHECK:         call @expm1f
func.func @f(%x: f32) -> f32 {
  %y = math.expm1 %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @f64
// CHECK:         call @log1p
func.func @f64(%x: f64) -> f64 {
  %y = math.log1p %x : f64
  return %y : f64
}

// CHECK-LABEL: func.func @bf16
// CHECK:         arith.extf
// CHECK:         call @expm1f
// CHECK:         arith.truncf
func.func @bf16(%x: bf16) -> bf16 {
  %y = math.expm1 %x : bf16
  return %y : bf16
}

// What libm lacks stays, beside what it has.
// CHECK-LABEL: func.func @negative_no_function
// CHECK:         math.absi
// CHECK:         math.ctpop
func.func @negative_no_function(%x: i64) -> i64 {
  %y = math.absi %x : i64
  %z = math.ctpop %y : i64
  return %z : i64
}
