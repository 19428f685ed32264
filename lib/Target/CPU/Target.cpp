//===- Target.cpp - What of a CPU shapes its code -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Target/CPU.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace mlir::posenc;

FailureOr<CpuTarget>
CpuTarget::get(StringRef triple, StringRef cpu, StringRef features,
               function_ref<void(const Twine &)> emitError) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargetMCs();
  });

  CpuTarget target;
  target.triple = triple.empty() ? llvm::sys::getDefaultTargetTriple()
                                 : llvm::Triple::normalize(triple);
  std::string reason;
  llvm::Triple parsed(target.triple);
  const llvm::Target *known =
      llvm::TargetRegistry::lookupTarget(parsed, reason);
  if (!known)
    return emitError(reason), failure();

  llvm::SubtargetFeatures all;
  if (cpu == "native") {
    if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch() !=
        parsed.getArch())
      return emitError("the CPU 'native' is no " + parsed.getArchName()),
             failure();
    target.cpu = llvm::sys::getHostCPUName().str();
    // A hypervisor may hide what the named CPU has.
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      all.AddFeature(feature.first(), feature.second);
  } else {
    target.cpu = cpu.str();
  }
  SmallVector<StringRef> names;
  features.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  // Asked for what it does not know, LLVM goes on with a warning.
  std::unique_ptr<llvm::MCSubtargetInfo> any(
      known->createMCSubtargetInfo(parsed, /*CPU=*/"", /*Features=*/""));
  for (StringRef name : names) {
    if (!name.starts_with("+") && !name.starts_with("-"))
      return emitError("expected features as +a,-b, but got '" + name + "'"),
             failure();
    if (any && llvm::none_of(any->getAllProcessorFeatures(),
                             [&](const llvm::SubtargetFeatureKV &feature) {
                               return feature.Key == name.drop_front();
                             }))
      return emitError("'" + name.drop_front() + "' is no feature of " +
                       parsed.getArchName()),
             failure();
  }
  llvm::SubtargetFeatures further(features);
  all.addFeaturesVector(further.getFeatures());
  target.features = all.getString();

  std::unique_ptr<llvm::MCSubtargetInfo> info(
      known->createMCSubtargetInfo(parsed, target.cpu, target.features));
  if (!info || (!target.cpu.empty() && !info->isCPUStringValid(target.cpu)))
    return emitError("'" + target.cpu + "' is no CPU of " +
                     parsed.getArchName()),
           failure();
  auto has = [&](StringRef feature) {
    return info->checkFeatures(("+" + feature).str());
  };
  if (parsed.isX86()) {
    if (has("avx512f") && has("avx512dq")) {
      target.lanes = 16;
      target.registers = 32;
      target.hasReduceScale = true;
      target.hasPermute = true;
      target.hasPairDots = has("avx512bf16");
    } else if (has("avx2") && has("fma")) {
      target.lanes = 8;
      target.hasPermute = true;
    }
    // Asking the system is known of Linux.
    target.hasTiles = has("amx-tile") && has("amx-bf16") &&
                      parsed.isOSLinux() && parsed.isArch64Bit();
    // Intel's take two cycles for what an fma does in a half; AMD's as long as
    // an fma, so twice as much.
    bool hasFastDots =
        target.hasPairDots && StringRef(target.cpu).starts_with("znver");
    target.prefersPairs = target.hasTiles || hasFastDots;
  } else if (parsed.isAArch64()) {
    target.registers = 32;
    target.hasNanMaximum = true;
  }
  return target;
}
