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
#include <utility>

namespace mlir::posenc::run {

/// The functions by name.
ArrayRef<std::pair<StringRef, void *>> getHostSymbols();

/// Calls compiled code. A fault in it (a division by zero, say) is an error
/// like a failed assertion.
void callOnHost(void (*function)(void **), void **arguments);

/// Frees what compiled code allocated and did not free, its results among it.
void freeHostMemory();

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_HOST_H
