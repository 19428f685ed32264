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
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::posenc::run {

/// Compiled code that is called with pointers to its arguments.
struct CompiledFunction {
  std::unique_ptr<ExecutionEngine> engine;
  void (*entry)(void **) = nullptr;
};

/// Compiles a module in the LLVM dialect for this machine. In it must be the
/// C interface of the function with this name, which had this type before it
/// was lowered.
llvm::Expected<CompiledFunction> compile(ModuleOp module, StringRef name,
                                         FunctionType type);

/// Calls the function with values of its arguments, which it may change, and
/// gives its results.
llvm::Expected<SmallVector<Array>> call(const CompiledFunction &function,
                                        FunctionType type,
                                        MutableArrayRef<Array> arguments);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_CALL_H
