// RUN: posenc-run %s --input=f32=1 --timing 2>&1 | FileCheck %s
// CHECK:     Total Execution Time
// CHECK:     {{[0-9.]+ \(.*%\)}} parse
// CHECK:     {{[0-9.]+ \(.*%\)}} pipeline
// CHECK:     {{[0-9.]+ \(.*%\)}} LLVM
// CHECK:     {{[0-9.]+ \(.*%\)}} run
// CHECK:     {{[0-9.]+ \(.*%\)}} Total
func.func @f(%a: f32) -> f32 {
  return %a : f32
}
