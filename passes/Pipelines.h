//===- Pipelines.h - Pass pipelines -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_PIPELINES_H
#define PASSES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include "passes/Passes.h"

namespace mlir::posenc {

struct ReferencePipelineOptions
    : PassPipelineOptions<ReferencePipelineOptions> {
  Option<ComputeType> computeType{
      *this, "compute-type",
      llvm::cl::desc("The float type of all computation"),
      llvm::cl::init(ComputeType::F32),
      llvm::cl::values(clEnumValN(ComputeType::F32, "f32", "as the ops say"),
                       clEnumValN(ComputeType::F64, "f64",
                                  "a reference of twice the digits"))};
};

/// `posenc-to-reference`: a module on tensors or memrefs to the LLVM dialect,
/// by the plain decomposition of every op. Functions take and return memrefs.
void buildReferencePipeline(OpPassManager &pm,
                            const ReferencePipelineOptions &options);

void registerPosEncPipelines();

} // namespace mlir::posenc

#endif // PASSES_PIPELINES_H
