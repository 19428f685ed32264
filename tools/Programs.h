//===- Programs.h - What programs that compile share ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_PROGRAMS_H
#define TOOLS_PROGRAMS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace mlir::posenc {

/// A context for one module on its way to machine code: with upstream's
/// dialects, their translations, posenc's, and those of libraries.
llvm::Expected<std::unique_ptr<MLIRContext>>
createContext(ArrayRef<std::string> dialectPlugins = {});

/// The contents of a file.
llvm::Expected<std::string> readFile(StringRef path);

} // namespace mlir::posenc

#endif // TOOLS_PROGRAMS_H
