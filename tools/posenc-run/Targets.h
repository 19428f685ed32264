//===- Targets.h - The pipelines that --target names ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_TARGETS_H
#define TOOLS_POSENC_RUN_TARGETS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/Pipelines.h"
#include <string>

namespace mlir::posenc::run {

/// Options of the tools that are passed on to the pipelines.
struct TargetOptions {
  ComputeType computeType = ComputeType::F32;
  /// Which CPU to compile for, by LLVM's name, and features to add or take
  /// away, as `+avx2,-fma`. This process must be able to run the code.
  std::string cpu = "native";
  std::string features;
  Bf16Products bf16 = Bf16Products::Fastest;
};

/// A way to the LLVM dialect.
struct Target {
  StringRef name;
  void (*build)(OpPassManager &manager, const TargetOptions &options);
  /// Whether the code may run in several threads.
  bool hasThreads = false;
  /// Whether it computes in the type that the options say.
  bool hasComputeType = false;
};

/// All of them, from the slowest code to the fastest.
ArrayRef<Target> getTargets();

/// The target of this name, or null.
const Target *findTarget(StringRef name);

/// `NAME or NAME`, for errors.
std::string getTargetNames();

/// Brings what `function` needs, and nothing else of its module, to the LLVM
/// dialect, with a C interface of the function. What an op asks of its operands
/// and no type says is checked when the function runs.
LogicalResult lower(func::FuncOp function, const Target &target,
                    const TargetOptions &options, TimingScope &timer);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_TARGETS_H
