//===- Machine.cpp - From LLVM IR to machine code -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Target/Machine.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir;
using namespace mlir::posenc;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
posenc::createTargetMachine(const CpuTarget &cpu, CodeFor use) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    llvm::InitializeAllTargets();
    llvm::InitializeAllAsmPrinters();
  });
  llvm::Triple triple(cpu.triple);
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError(reason);
  // Shared libraries lie anywhere in memory.
  std::optional<llvm::Reloc::Model> relocations;
  if (use == CodeFor::File)
    relocations = llvm::Reloc::PIC_;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu.cpu, cpu.features, llvm::TargetOptions(), relocations,
      /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Default,
      /*JIT=*/use == CodeFor::Process));
  if (!machine)
    return llvm::createStringError("LLVM makes no code for " + cpu.triple);
  return std::move(machine);
}

/// What a lowered module needs: values from memory to registers, invariants out
/// of loops, and vectors in the loops of the ops beside attention, whose own
/// code has them already. Of LLVM's default pipelines, level 2 makes no faster
/// code of attention and takes four times as long.
static constexpr llvm::StringLiteral optimizations =
    "function(sroa,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "loop-vectorize,simplifycfg)";

llvm::Error posenc::optimize(llvm::Module &module,
                             llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::CGSCCAnalysisManager callGraphAnalyses;
  llvm::ModuleAnalysisManager moduleAnalyses;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(callGraphAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses,
                               callGraphAnalyses, moduleAnalyses);
  llvm::ModulePassManager passes;
  if (llvm::Error failure = builder.parsePassPipeline(passes, optimizations))
    return failure;
  passes.run(module, moduleAnalyses);
  return llvm::Error::success();
}
