//===- Targets.h - The pipelines that --target names ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_TARGETS_H
#define TOOLS_POSENC_RUN_TARGETS_H

#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"

namespace mlir::posenc::run {

/// Options of posenc-run that are passed on to the pipelines.
struct TargetOptions {
  ComputeType computeType = ComputeType::F32;
};

/// A way to the LLVM dialect.
struct Target {
  StringRef name;
  void (*build)(OpPassManager &manager, const TargetOptions &options);
};

ArrayRef<Target> getTargets();

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_TARGETS_H
