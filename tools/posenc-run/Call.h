//===- Call.h - Calling a lowered function ----------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_CALL_H
#define TOOLS_POSENC_RUN_CALL_H

#include "Array.h"
#include "Targets.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::posenc::run {

/// Compiled code that is called with pointers to its arguments.
struct CompiledFunction {
  std::unique_ptr<ExecutionEngine> engine;
  void (*entry)(void **) = nullptr;
  /// Bits of the widest vector that the code computes floats in: of a register
  /// of the CPU at most, 0 without vectors.
  unsigned vectorBits = 0;
};

/// Compiles a module in the LLVM dialect for the options' CPU. In it must be
/// the C interface of the function with this name, which had this type before
/// it was lowered.
llvm::Expected<CompiledFunction> compile(ModuleOp module, StringRef name,
                                         FunctionType type,
                                         const TargetOptions &options);

/// A call with all that the C interface wants, made ready once and made any
/// number of times. The function and the arguments, which it may change, must
/// outlive it.
class PreparedCall {
public:
  PreparedCall(const CompiledFunction &function, FunctionType type,
               MutableArrayRef<Array> arguments);
  PreparedCall(const PreparedCall &) = delete;
  PreparedCall &operator=(const PreparedCall &) = delete;

  /// Passes another array's memory for an argument, with that array's strides.
  void moveArgument(unsigned number, Array &memory);

  /// Calls the function, inside `callOnHost`. Its results are in the memory of
  /// the host, until the next call or `freeHostMemory`.
  void make() { entry(packed.data()); }

  /// Copies of the results of the last call.
  llvm::Expected<SmallVector<Array>> getResults() const;

private:
  void (*entry)(void **);
  FunctionType type;
  /// One struct, laid out as in C, and where each result is in it.
  SmallVector<int64_t> results;
  SmallVector<size_t> resultOffsets;
  void *resultsPointer;
  /// A descriptor for each argument that is a memref, and where it is.
  SmallVector<SmallVector<int64_t>> descriptors;
  SmallVector<void *> pointers;
  SmallVector<void *> packed;
};

/// Calls the function with values of its arguments, which it may change, and
/// gives its results. With `padTensors` there is NaN between the rows of
/// tensors in memory. An error if the function wrote beyond the ends of an
/// argument.
llvm::Expected<SmallVector<Array>> call(const CompiledFunction &function,
                                        FunctionType type,
                                        MutableArrayRef<Array> arguments,
                                        bool padTensors);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_CALL_H
