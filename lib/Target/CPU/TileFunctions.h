//===- TileFunctions.h - Where tile registers may be used -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_TILEFUNCTIONS_H
#define POSENC_LIB_TARGET_CPU_TILEFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::posenc::cpu {

/// Emits a branch on whether the process may use tile registers. `withTiles`
/// goes to a function of its own: LLVM configures the registers at the start of
/// the function that uses them, where a process without the permission would
/// be killed. Where there is no module for that, only `without`.
LogicalResult emitIfTiles(PatternRewriter &rewriter, Location loc,
                          function_ref<LogicalResult()> withTiles,
                          function_ref<LogicalResult()> without);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_TILEFUNCTIONS_H
