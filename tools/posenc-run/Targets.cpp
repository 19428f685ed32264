//===- Targets.cpp - The pipelines that --target names --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "passes/Pipelines.h"

namespace mlir::posenc::run {

static void buildReference(OpPassManager &manager,
                           const TargetOptions &options) {
  ReferencePipelineOptions pipelineOptions;
  pipelineOptions.computeType = options.computeType;
  buildReferencePipeline(manager, pipelineOptions);
}

ArrayRef<Target> getTargets() {
  static const Target targets[] = {
      {"reference", buildReference},
  };
  return targets;
}

} // namespace mlir::posenc::run
