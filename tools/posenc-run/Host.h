//===- Host.h - What compiled code finds in this process --------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code calls `puts` and `abort` when an assertion fails, and `malloc`
// and `free`. It gets these functions from here, so that whatever goes wrong
// in it ends the process with one line and exit code 1.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_HOST_H
#define TOOLS_POSENC_RUN_HOST_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <utility>

namespace mlir::posenc::run {

/// What the tools differ in; to be set before the first call.
struct HostSettings {
  /// The tool, as its errors name it. A literal.
  const char *tool = "posenc-run";
  /// Whether memory is NaN in every float format when compiled code gets it, so
  /// that nobody mistakes what was never written for a zero.
  bool poisonMemory = true;
};
HostSettings &getHostSettings();

/// The functions by name.
ArrayRef<std::pair<StringRef, void *>> getHostSymbols();

/// Calls what runs compiled code. A fault in it (a division by zero, say) is an
/// error like a failed assertion.
void callOnHost(llvm::function_ref<void()> function);

/// Frees what compiled code allocated and did not free, its results among it.
void freeHostMemory();

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_HOST_H
