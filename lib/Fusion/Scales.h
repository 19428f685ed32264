//===- Scales.h - Factors of queries and keys -------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FUSION_SCALES_H
#define LIB_FUSION_SCALES_H

#include "posenc/Fusion/Fusion.h"

namespace mlir::posenc {

/// A number that is the same for every element: a constant, a value, or one
/// element of a tensor.
struct Factor {
  std::optional<float> constant;
  Value scalar, tensor;
  SmallVector<int64_t> at;
  bool divides = false;
};

/// A factor on the way to an operand. Without it, `use` reads what `unscaled`
/// reads.
struct Scale {
  Factor factor;
  OpOperand *use, *unscaled;
};

/// The factors of queries or keys, from the last applied to the first.
SmallVector<Scale> findScales(OpOperand &use);

/// The factor as f32.
Value emitFactor(ScoreRegion &region, ImplicitLocOpBuilder &b,
                 const Factor &factor);

} // namespace mlir::posenc

#endif // LIB_FUSION_SCALES_H
