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

// RUN: %{run} --function=beyond_argument --input=2xf32 --input=index=2 %{check}=ARGUMENT
// RUN: %{run} --function=beyond_argument --input=2xf32 --input=index=-1 %{check}=ARGUMENT
// ARGUMENT: posenc-run: error: the function wrote beyond the ends of argument 0
func.func @beyond_argument(%a: memref<2xf32>, %i: index) -> index {
  call @write(%a, %i) : (memref<2xf32>, index) -> ()
  return %i : index
}

// RUN: %{run} --function=beyond_allocation --input=index=2 %{check}=ALLOCATION
// RUN: %{run} --function=beyond_allocation --input=index=-1 %{check}=ALLOCATION
// ALLOCATION: posenc-run: error: the function wrote beyond the ends of memory that it allocated, 8 bytes
func.func @beyond_allocation(%i: index) -> memref<2xf32> {
  %a = memref.alloc() : memref<2xf32>
  call @write(%a, %i) : (memref<2xf32>, index) -> ()
  return %a : memref<2xf32>
}
func.func private @write(%a: memref<2xf32>, %i: index) {
  %address = memref.extract_aligned_pointer_as_index %a : memref<2xf32> -> index
  %integer = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %integer : i64 to !llvm.ptr
  %offset = arith.index_cast %i : index to i64
  %element = llvm.getelementptr %pointer[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %one = arith.constant 1.0 : f32
  llvm.store %one, %element : f32, !llvm.ptr
  return
}

// RUN: not ls %t.npy

// Memory that the function did not write holds no zeros.
// RUN: posenc-run %s --function=uninitialized | FileCheck %s --check-prefix=UNINITIALIZED
// UNINITIALIZED: result 0: 2xf32={{-?}}nan {{-?}}nan
func.func @uninitialized() -> memref<2xf32> {
  %m = memref.alloc() : memref<2xf32>
  return %m : memref<2xf32>
}

// So does memory beyond the ends of the arguments, and with --pad-inputs that between the rows of a tensor.
// RUN: posenc-run %s --function=read --input="2x2xf32=[1 2][3 4]" --input=index=2 | FileCheck %s --check-prefix=THREE
// RUN: posenc-run %s --function=read --input="2x2xf32=[1 2][3 4]" --input=index=4 | FileCheck %s --check-prefix=NAN
// RUN: posenc-run %s --function=read --input="2x2xf32=[1 2][3 4]" --input=index=-1 | FileCheck %s --check-prefix=NAN
// RUN: posenc-run %s --function=read --pad-inputs --input="2x2xf32=[1 2][3 4]" --input=index=2 | FileCheck %s --check-prefix=NAN
// RUN: posenc-run %s --function=read --pad-inputs --input="2x2xf32=[1 2][3 4]" --input=index=7 | FileCheck %s --check-prefix=THREE
// THREE: result 0: f32=3
// NAN:   result 0: f32={{-?}}nan
func.func @read(%a: tensor<?x?xf32>, %i: index) -> f32 {
  %m = bufferization.to_buffer %a read_only : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %address = memref.extract_aligned_pointer_as_index %m : memref<?x?xf32, strided<[?, ?], offset: ?>> -> index
  %integer = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %integer : i64 to !llvm.ptr
  %offset = arith.index_cast %i : index to i64
  %element = llvm.getelementptr %pointer[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %element : !llvm.ptr -> f32
  return %x : f32
}
