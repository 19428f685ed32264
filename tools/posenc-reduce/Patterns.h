//===- Patterns.h - Less attention ------------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_REDUCE_PATTERNS_H
#define TOOLS_POSENC_REDUCE_PATTERNS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::posenc {

/// Lets the reduction tree take attention apart.
void registerReductionPatterns(DialectRegistry &registry);

} // namespace mlir::posenc

#endif // TOOLS_POSENC_REDUCE_PATTERNS_H
