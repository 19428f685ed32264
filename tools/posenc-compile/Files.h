//===- Files.h - What is written --------------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_COMPILE_FILES_H
#define TOOLS_POSENC_COMPILE_FILES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <string>

namespace mlir::posenc::compile {

/// What makes a shared library of an object file.
struct LinkOptions {
  llvm::Triple triple;
  /// A program with the options of `cc`; by default one that is found.
  std::string linker;
  bool openmp = true;
};

/// Links an object file, and gives the library.
llvm::Expected<std::string> link(StringRef object, const LinkOptions &options);

/// An error if a file of this name cannot be written.
llvm::Error checkOutput(StringRef path);

/// Writes files that appear together, under their names when all are complete:
/// a failure leaves none.
llvm::Error
writeFiles(ArrayRef<std::pair<std::string, StringRef>> filesAndContents);

} // namespace mlir::posenc::compile

#endif // TOOLS_POSENC_COMPILE_FILES_H
