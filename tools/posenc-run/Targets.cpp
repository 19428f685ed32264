//===- Targets.cpp - The pipelines that --target names --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"

namespace mlir::posenc::run {

static void buildReference(OpPassManager &manager,
                           const TargetOptions &options) {
  ReferencePipelineOptions pipelineOptions;
  pipelineOptions.computeType = options.computeType;
  buildReferencePipeline(manager, pipelineOptions);
}

static void buildLoops(OpPassManager &manager, const TargetOptions &) {
  LLVMPipelineOptions options;
  options.kernels = Kernels::Loops;
  buildLLVMPipeline(manager, options);
}

/// Whether the run-time library of OpenMP is here; if so, compiled code finds
/// its functions.
static bool loadOpenMP() {
  static const bool loaded = [] {
    for (const char *name :
         {"libomp.so.5", POSENC_LLVM_LIBRARY_DIR "/libomp.so.5"})
      if (!llvm::sys::DynamicLibrary::LoadLibraryPermanently(name))
        return true;
    return false;
  }();
  return loaded;
}

static void buildCpu(OpPassManager &manager, const TargetOptions &options) {
  LLVMPipelineOptions pipelineOptions;
  pipelineOptions.kernels = Kernels::Cpu;
  pipelineOptions.cpu = options.cpu;
  pipelineOptions.features = options.features;
  pipelineOptions.bf16 = options.bf16;
  pipelineOptions.openmp = loadOpenMP();
  buildLLVMPipeline(manager, pipelineOptions);
}

ArrayRef<Target> getTargets() {
  static const Target targets[] = {
      {"reference", buildReference, /*hasThreads=*/false,
       /*hasComputeType=*/true},
      {"loops", buildLoops},
      {"cpu", buildCpu, /*hasThreads=*/loadOpenMP()},
  };
  return targets;
}

const Target *findTarget(StringRef name) {
  for (const Target &target : getTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

std::string getTargetNames() {
  auto getName = [](const Target &target) { return target.name; };
  return llvm::join(llvm::map_range(getTargets(), getName), " or ");
}

LogicalResult lower(func::FuncOp function, const Target &target,
                    const TargetOptions &options, TimingScope &timer) {
  // Only what the function needs is compiled.
  auto module = function->getParentOfType<ModuleOp>();
  for (auto other : module.getOps<func::FuncOp>())
    other.setPrivate();
  function.setPublic();
  MLIRContext *context = module.getContext();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(context));

  PassManager manager(context);
  manager.enableTiming(timer);
  manager.addPass(createSymbolDCEPass());
  addRuntimeVerification(manager);
  target.build(manager, options);
  return manager.run(module);
}

} // namespace mlir::posenc::run
