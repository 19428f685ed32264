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

// CHECK-LABEL: func.func @classes
// CHECK-DAG:     %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant 1.17549435E-38 : f32
// CHECK-DAG:     %[[X:.*]] = call @fabsf
// CHECK-DAG:     %[[Y:.*]] = call @fabsf
// CHECK-DAG:     arith.cmpf oeq, %[[X]], %[[INF]]
// CHECK-DAG:     arith.cmpf oge, %[[Y]], %[[LEAST]]
// CHECK-DAG:     arith.cmpf olt, %[[Y]], %[[INF]]
func.func @classes(%x: f32) -> (i1, i1) {
  %i = math.isinf %x : f32
  %n = math.isnormal %x : f32
  return %i, %n : i1, i1
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
