//===- Pipelines.cpp - Pass pipelines -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "posenc/Target/CPU.h"

using namespace mlir;
using namespace mlir::posenc;

/// Tensors to memrefs that are freed. At function boundaries any strides are
/// taken, so that a caller passes views as they are; results are new and
/// contiguous, or with `resultsToArguments` in memory of the caller.
static void addBufferization(OpPassManager &pm,
                             bool resultsToArguments = false) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // A loop over layers yields a new tensor in every round.
  options.allowReturnAllocsFromLoops = true;
  // Sums and products of whole tensors, beside attention.
  pm.addPass(createConvertElementwiseToLinalgPass());
  if (resultsToArguments) {
    // When all that becomes attention is attention, which takes a destination.
    pm.addPass(createPosEncResultsToArgumentsPass());
    pm.addPass(bufferization::createEmptyTensorEliminationPass());
  }
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::buildBufferDeallocationPipeline(pm);
}

/// Whatever is on scalars and memrefs to the LLVM dialect, linalg by loops.
/// With `statusResults` functions return what went wrong.
static void addConversionToLLVM(OpPassManager &pm, bool statusResults = false) {
  // A clone is a copy, which may have strides.
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createPosEncCopiesToLinalgPass());
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  // When a function can return from anywhere, and memory is still allocated.
  if (statusResults)
    pm.addPass(createPosEncStatusResultsPass());
  // What neither libm nor LLVM has: reciprocal square roots, clamps, and powers
  // of integers.
  math::MathExpandOpsPassOptions expandMath;
  expandMath.opMnemonics = {"rsqrt", "clampf"};
  pm.addPass(math::createMathExpandOpsPass(expandMath));
  pm.addPass(createConvertMathToFuncs());
  pm.addPass(createPosEncMathToLibmPass());
  arith::ArithExpandOpsPassOptions expand;
  // Without AVX512-BF16, LLVM calls a conversion to bfloat16 that older
  // run-time libraries lack.
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  // After the calls of libm, which take vectors lane by lane.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::buildReferencePipeline(OpPassManager &pm,
                                    const ReferencePipelineOptions &options) {
  PosEncDecomposePassOptions decompose;
  decompose.computeType = options.computeType;
  pm.addPass(createPosEncDecomposePass(decompose));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addBufferization(pm);
  addConversionToLLVM(pm);
}

void posenc::buildLLVMPipeline(OpPassManager &pm,
                               const LLVMPipelineOptions &options) {
  // What is written as separate steps becomes attention where it can: first the
  // scores, then the op, whose clauses the rotations are.
  PosEncFuseBiasPassOptions bias;
  PosEncFuseRelativeGatherPassOptions gather;
  bias.maskValue = gather.maskValue = options.maskValue;
  pm.addPass(createPosEncFuseBiasPass(bias));
  pm.addPass(createPosEncFuseRelativeGatherPass(gather));
  pm.addPass(createPosEncFuseAttentionPass());
  pm.addPass(createPosEncFuseRotationPass());
  // Attention alone has a schedule. The ops beside it become linalg while all
  // is on tensors, which is what they work on.
  PosEncDecomposePassOptions decompose;
  decompose.keepAttention = true;
  pm.addPass(createPosEncDecomposePass(decompose));
  // A schedule prepares what a region captures and computes: first drop what it
  // does not use, or has twice.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Before the tiling, which frees its own memory: deallocation takes no
  // program that has begun to.
  addBufferization(pm, options.cInterface);

  PosEncTileAttentionPassOptions tiling;
  tiling.keyParts = options.keyParts;
  switch (options.kernels) {
  case Kernels::Loops:
    if (options.rows)
      tiling.rows = options.rows;
    pm.addPass(createPosEncTileAttentionPass(tiling));
    pm.addPass(createPosEncTileToLoopsPass());
    break;
  case Kernels::Cpu: {
    // A target that LLVM does not know is diagnosed by the pass.
    FailureOr<CpuTarget> target = CpuTarget::get(
        options.triple, options.cpu, options.features, [](const Twine &) {});
    if (succeeded(target)) {
      tiling.rows = target->tileRows();
      tiling.panel = target->panelWidth();
      tiling.bf16Rows = target->pairTileRows();
      tiling.bf16Channels = target->pairChannels();
      tiling.bf16Pairs = options.bf16 == Bf16Products::Pairs ||
                     (options.bf16 == Bf16Products::Fastest &&
                      target->prefersPairs);
    }
    if (options.rows)
      tiling.rows = tiling.bf16Rows = options.rows;
    pm.addPass(createPosEncTileAttentionPass(tiling));
    PosEncTileToCpuPassOptions kernels;
    kernels.triple = options.triple;
    kernels.cpu = options.cpu;
    kernels.features = options.features;
    pm.addPass(createPosEncTileToCpuPass(kernels));
    break;
  }
  }
  PosEncParallelToWorkersPassOptions workers;
  workers.openmp = options.openmp;
  pm.addPass(createPosEncParallelToWorkersPass(workers));
  // The tables of index maps, which come with the kernels as constant tensors,
  // become globals.
  pm.addPass(bufferization::createOneShotBufferizePass());
  addConversionToLLVM(pm, options.cInterface);
}

void posenc::addRuntimeVerification(OpPassManager &pm) {
  std::unique_ptr<Pass> verification = createGenerateRuntimeVerificationPass();
  // Leaves out the op's text.
  (void)verification->initializeOptions(
      "verbose-level=0", [](const Twine &) { return failure(); });
  pm.addPass(std::move(verification));
}

/// Registers a pipeline of modules. Upstream's registration would abort where
/// one is named inside another op's pipeline; this gives a diagnostic.
template <typename Options>
static void registerModulePipeline(StringRef name, StringRef description,
                                   void (*build)(OpPassManager &,
                                                 const Options &)) {
  std::string reason =
      ("'" + name + "' takes a module: name it in builtin.module(...)").str();
  registerPassPipeline(
      name, description,
      [=](OpPassManager &pm, StringRef text,
          function_ref<LogicalResult(const Twine &)> emitError)
          -> LogicalResult {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        StringRef anchor = pm.getOpAnchorName();
        if (anchor != ModuleOp::getOperationName() &&
            anchor != OpPassManager::getAnyOpAnchorName())
          return emitError(reason);
        build(pm, options);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> handle) {
        handle(Options());
      });
}

void posenc::registerPosEncPipelines() {
  registerModulePipeline<ReferencePipelineOptions>(
      "posenc-to-reference",
      "To the LLVM dialect, by the plain decomposition of every op",
      buildReferencePipeline);
  registerModulePipeline<LLVMPipelineOptions>(
      "posenc-to-llvm",
      "To the LLVM dialect, attention by way of a schedule of tiles",
      buildLLVMPipeline);
}
