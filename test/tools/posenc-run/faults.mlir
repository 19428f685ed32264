// What goes wrong while the function runs ends it with one line and exit code
// 1, and no output is written.

// RUN: rm -f %t.npy
// DEFINE: %{run} = not posenc-run %s --output=@%t.npy
// DEFINE: %{check} = 2>&1 | FileCheck %s -match-full-lines -implicit-check-not={{.}} -check-prefix

// RUN: %{run} --function=sizes --input=2x3xf32 --input=2x4xf32 %{check}=SIZES
// SIZES: posenc-run: error: {{.*}}faults.mlir:[[#@LINE+2]]:{{.*}}: dimension #1 of input/output operand #1 is incompatible with inferred dimension size
func.func @sizes(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = linalg.add ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// RUN: %{run} --function=bounds --input=3xf32 --input=index=3 %{check}=BOUNDS
// BOUNDS: posenc-run: error: {{.*}}faults.mlir:[[#@LINE+2]]:8: out-of-bounds access
func.func @bounds(%a: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %a[%i] : memref<?xf32>
  return %v : f32
}

// RUN: %{run} --function=assertion --input=i1=0 %{check}=ASSERT
// ASSERT: posenc-run: error: this much was asked for
func.func @assertion(%a: i1) -> i1 {
  cf.assert %a, "this much\nwas asked for"
  return %a : i1
}

// RUN: %{run} --function=division --input=i32=1 --input=i32=0 %{check}=DIVISION
// DIVISION: posenc-run: error: the function divided by zero
func.func @division(%a: i32, %b: i32) -> i32 {
  %c = arith.divsi %a, %b : i32
  return %c : i32
}

// RUN: env ASAN_OPTIONS=allocator_may_return_null=1 %{run} --function=memory --input=index=1152921504606846975 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: posenc-run: error: the function ran out of memory, allocating {{[0-9]+}} bytes
func.func @memory(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}

// RUN: %{run} --function=free_argument --input=2xf32 %{check}=FREE
// FREE: posenc-run: error: the function frees memory that is not its own, or frees it twice
llvm.func @free(!llvm.ptr)
func.func @free_argument(%a: memref<2xf32>) -> index {
  %address = memref.extract_aligned_pointer_as_index %a : memref<2xf32> -> index
  %integer = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %integer : i64 to !llvm.ptr
  llvm.call @free(%pointer) : (!llvm.ptr) -> ()
  return %address : index
}

// RUN: %{run} --function=undefined --input=f32 %{check}=UNDEFINED
// UNDEFINED: posenc-run: error: the function 'nowhere' is declared and called, but not defined
func.func private @nowhere(%a: f32) -> f32
func.func @undefined(%a: f32) -> f32 {
  %b = func.call @nowhere(%a) : (f32) -> f32
  return %b : f32
}

// RUN: not ls %t.npy

// Memory that the function did not write holds no zeros.
// RUN: posenc-run %s --function=uninitialized | FileCheck %s --check-prefix=UNINITIALIZED
// UNINITIALIZED: result 0: 2xf32={{-?}}nan {{-?}}nan
func.func @uninitialized() -> memref<2xf32> {
  %m = memref.alloc() : memref<2xf32>
  return %m : memref<2xf32>
}
