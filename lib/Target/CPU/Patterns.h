//===- Patterns.h - The patterns of the CPU, by op --------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_PATTERNS_H
#define POSENC_LIB_TARGET_CPU_PATTERNS_H

#include "dialects/PosEncTile/PosEncTile.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Target/CPU.h"

namespace mlir::posenc::cpu {

// They keep a reference to the target.
void populateSweepPatterns(RewritePatternSet &patterns, const CpuTarget &target,
                           PatternBenefit benefit);
void populateProductPatterns(RewritePatternSet &patterns,
                             const CpuTarget &target, PatternBenefit benefit);
void populateFinishPatterns(RewritePatternSet &patterns,
                            const CpuTarget &target, PatternBenefit benefit);
void populateRelativePatterns(RewritePatternSet &patterns,
                              const CpuTarget &target, PatternBenefit benefit);
void populatePackPatterns(RewritePatternSet &patterns, const CpuTarget &target,
                          PatternBenefit benefit);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_PATTERNS_H
