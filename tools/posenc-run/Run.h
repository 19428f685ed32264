//===- Run.h - The steps of a run -------------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_RUN_H
#define TOOLS_POSENC_RUN_RUN_H

#include "Targets.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::posenc::run {

/// The command line; posenc-run's help says what each option means.
struct RunOptions {
  std::string inputFile;
  std::string function;
  std::string target;
  TargetOptions targetOptions;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expectedOutputs;
  std::optional<double> rtol;
  double atol = 0;
  bool padInputs = false;
};

/// Compiles and calls a function. Says in one line what went wrong, if anything
/// did; the outputs that were not as expected count.
LogicalResult run(MLIRContext &context, TimingScope &timer,
                  const RunOptions &options);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_RUN_H
