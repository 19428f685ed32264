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
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir;
using namespace mlir::posenc;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
posenc::createTargetMachine(const CpuTarget &cpu, CodeFor use) {
  static std::once_flag native, all;
  if (use == CodeFor::Process)
    std::call_once(native, [] {
      llvm::InitializeNativeTarget();
      llvm::InitializeNativeTargetAsmPrinter();
    });
  else
    std::call_once(all, [] {
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

/// What LLVM calls for conversions to bf16 on CPUs that have no instruction for
/// them, and libgcc has from version 13 on. The result is in the low half of
/// the register that a float is returned in. From f64 by way of the f32 next to
/// it whose last digit is odd, so that the value is rounded once.
static constexpr llvm::StringLiteral bf16Conversions = R"(
define float @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %isNaN = fcmp uno float %x, %x
  %high = lshr i32 %bits, 16
  %last = and i32 %high, 1
  %half = add i32 %last, 32767
  %rounded = add i32 %bits, %half
  %quiet = or i32 %bits, 4194304
  %result = select i1 %isNaN, i32 %quiet, i32 %rounded
  %shifted = lshr i32 %result, 16
  %returned = bitcast i32 %shifted to float
  ret float %returned
}
define float @__truncdfbf2(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %bits = bitcast float %near to i32
  %isInexact = fcmp one double %back, %x
  %last = and i32 %bits, 1
  %isEven = icmp eq i32 %last, 0
  %moves = and i1 %isInexact, %isEven
  %distance = call double @llvm.fabs.f64(double %x)
  %nearDistance = call double @llvm.fabs.f64(double %back)
  %isFarther = fcmp ogt double %distance, %nearDistance
  %step = select i1 %isFarther, i32 1, i32 -1
  %moved = add i32 %bits, %step
  %odd = select i1 %moves, i32 %moved, i32 %bits
  %y = bitcast i32 %odd to float
  %result = call float @__truncsfbf2(float %y)
  ret float %result
}
declare double @llvm.fabs.f64(double)
)";

/// Adds them to a module in which there is bf16.
static llvm::Error addBF16Conversions(llvm::Module &module) {
  auto isBF16 = [](const llvm::Value &value) {
    return value.getType()->getScalarType()->isBFloatTy();
  };
  bool hasBF16 = llvm::any_of(module, [&](const llvm::Function &function) {
    return llvm::any_of(function.args(), isBF16) ||
           llvm::any_of(llvm::instructions(function), isBF16);
  });
  if (!hasBF16)
    return llvm::Error::success();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> conversions = llvm::parseAssemblyString(
      bf16Conversions, diagnostic, module.getContext());
  if (!conversions)
    return llvm::createStringError(diagnostic.getMessage());
  conversions->setTargetTriple(module.getTargetTriple());
  conversions->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(conversions)))
    return llvm::createStringError("cannot add conversions to bf16");
  // Only now: the linker leaves out what is internal and not used.
  for (StringRef name : {"__truncsfbf2", "__truncdfbf2"})
    module.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::Error::success();
}

llvm::Error posenc::optimize(llvm::Module &module,
                             llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (llvm::Error failure = addBF16Conversions(module))
    return failure;
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
