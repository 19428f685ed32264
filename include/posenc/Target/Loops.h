//===- Loops.h - Schedules as plain loops -----------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TARGET_LOOPS_H
#define POSENC_TARGET_LOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::posenc {
namespace tile {
class FinishOp;
}

/// Rewrites every op of posenc_tile as the loops that it means, element by
/// element, whatever the target. A target that does better adds its patterns
/// with a higher benefit.
void populateTileToLoopsPatterns(RewritePatternSet &patterns,
                                 PatternBenefit benefit = 1);

/// The part of it that rewrites posenc_tile.sweep.
void populateSweepToLoopsPatterns(RewritePatternSet &patterns,
                                  PatternBenefit benefit = 1);

/// The part of it that rewrites posenc_tile.merge.
void populateMergeToLoopsPatterns(RewritePatternSet &patterns,
                                  PatternBenefit benefit = 1);

/// Emits what posenc_tile.finish does, element by element.
void emitFinishLoops(OpBuilder &builder, tile::FinishOp op);

} // namespace mlir::posenc

#endif // POSENC_TARGET_LOOPS_H
