//===- Machine.h - From LLVM IR to machine code -----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TARGET_MACHINE_H
#define POSENC_TARGET_MACHINE_H

#include "posenc/Target/CPU.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::posenc {

/// Where machine code goes: into this process, or into files, for programs and
/// shared libraries.
enum class CodeFor { Process, File };

/// LLVM's code generator for a target.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CpuTarget &cpu, CodeFor use);

/// Sets the module's target, and optimises what was lowered.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::posenc

#endif // POSENC_TARGET_MACHINE_H
