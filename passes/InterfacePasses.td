#ifndef PASSES_INTERFACEPASSES_TD
#define PASSES_INTERFACEPASSES_TD

include "mlir/Pass/PassBase.td"

// What code needs that a C program calls: results in the caller's memory,
// failures as a result, and no run-time library of MLIR's.

def PosEncResultsToArgumentsPass : Pass<"posenc-results-to-arguments", "::mlir::ModuleOp"> {
  let summary = "Let functions write their results to memory of the caller";
  let description = [{
    Gives each public function with a body an argument for each result, after its own: a memref with any strides, of rank 0
    for a scalar. Attention whose results are all returned computes in that memory; other results are written there at the
    end, which `eliminate-empty-tensors` may save. Tensor arguments are marked as memory that is not written. An assertion
    stops the function before it writes, if a dynamic size of the memory is not the result's.

    A public function that the module itself calls stays as it was for these calls, as a private copy.

    Before: functions on tensors or memrefs. After: no public function with a body has results. Nothing is rounded.

    ```mlir
    // Before
    func.func @attention(%q: tensor<1x8x?x64xf32>, %k: tensor<1x8x16x64xf32>) -> tensor<1x8x?x64xf32> {
      %o = posenc.attention q(%q : tensor<1x8x?x64xf32>) k(%k : tensor<1x8x16x64xf32>) v(%k : tensor<1x8x16x64xf32>)
          score(%s, %b, %h, %r, %j) {
        posenc.yield %s : f32
      } -> tensor<1x8x?x64xf32>
      return %o : tensor<1x8x?x64xf32>
    }
    // After
    func.func @attention(%q: tensor<1x8x?x64xf32> {bufferization.writable = false},
                         %k: tensor<1x8x16x64xf32> {bufferization.writable = false},
                         %result: memref<1x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>) {
      %two = arith.constant 2 : index
      %rows = tensor.dim %q, %two : tensor<1x8x?x64xf32>
      %there = memref.dim %result, %two : memref<1x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
      %same = arith.cmpi eq, %rows, %there : index
      cf.assert %same, "argument 2 (result): dimension 2 is not that of what is computed"
      %d = bufferization.to_tensor %result restrict writable
          : memref<1x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>> to tensor<1x8x?x64xf32>
      %o = posenc.attention q(%q : tensor<1x8x?x64xf32>) k(%k : tensor<1x8x16x64xf32>) v(%k : tensor<1x8x16x64xf32>)
          into(%d : tensor<1x8x?x64xf32>)
          score(%s, %b, %h, %r, %j) {
        posenc.yield %s : f32
      } -> tensor<1x8x?x64xf32>
      bufferization.materialize_in_destination %o in restrict writable %result
          : (tensor<1x8x?x64xf32>, memref<1x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PosEncCopiesToLinalgPass : Pass<"posenc-copies-to-linalg"> {
  let summary = "Take copies between memrefs with strides to linalg";
  let description = [{
    Rewrites each `memref.copy` as a `linalg.generic`, if a layout is not the identity; a copy of memory onto itself is
    dropped. `finalize-memref-to-llvm` would call `memrefCopy` of MLIR's run-time library, which a program need not have.

    Before: any ops. After: copies only between ranked memrefs without a layout, or unranked ones. Nothing is rounded.

    ```mlir
    // Before
    func.func @copy(%x: memref<4x?xf32, strided<[?, 1]>>, %y: memref<4x?xf32>) {
      memref.copy %x, %y : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
      return
    }
    // After
    #same = affine_map<(i, j) -> (i, j)>
    func.func @copy(%x: memref<4x?xf32, strided<[?, 1]>>, %y: memref<4x?xf32>) {
      linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
          ins(%x : memref<4x?xf32, strided<[?, 1]>>) outs(%y : memref<4x?xf32>) {
      ^bb0(%from: f32, %to: f32):
        linalg.yield %from : f32
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def PosEncStatusResultsPass : Pass<"posenc-status-results", "::mlir::ModuleOp"> {
  let summary = "Let functions return what went wrong";
  let description = [{
    Gives each function with a body a last result, the address of a text that says what went wrong, or null; where a
    program would be aborted, or fail for want of memory, the function returns, with other results that mean nothing.

    - A `cf.assert` that fails returns its text, in one line.
    - Memory comes from malloc, and is in a list until it is freed: a public function that returns frees all that is left,
      on whatever way. A function passes its list to the private ones that it calls.
    - In `omp.parallel` each worker has a list of its own. A worker leaves word of a failure, and goes on to the next
      iteration; after a failure iterations do nothing, and behind the parallel region the function returns.
    - A call is followed by a test of what it returns.

    Before: `func` with `cf` and `memref`; public functions do not return memrefs. After: no `cf.assert`, `memref.alloc` or
    `memref.dealloc` in a function. Nothing is rounded.

    ```mlir
    // Before
    func.func @first(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %some = arith.cmpi sgt, %n, %zero : index
      cf.assert %some, "expected an element"
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%zero] : memref<?xf32>
      return
    }
    // After
    llvm.mlir.global internal constant @posenc.text("expected an element\00") {addr_space = 0 : i32}
    func.func @first(%x: memref<?xf32>, %n: index) -> !llvm.ptr {
      %zero = arith.constant 0 : index
      %some = arith.cmpi sgt, %n, %zero : index
      %text = llvm.mlir.addressof @posenc.text : !llvm.ptr
      cf.cond_br %some, ^some, ^failed(%text : !llvm.ptr)
    ^some:
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%zero] : memref<?xf32>
      %fine = llvm.mlir.zero : !llvm.ptr
      return %fine : !llvm.ptr
    ^failed(%why: !llvm.ptr):
      return %why : !llvm.ptr
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect", "::mlir::ub::UBDialect"
  ];
}

#endif // PASSES_INTERFACEPASSES_TD
