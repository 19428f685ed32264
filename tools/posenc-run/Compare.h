//===- Compare.h - Results against expected values --------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_COMPARE_H
#define TOOLS_POSENC_RUN_COMPARE_H

#include "Array.h"

namespace mlir::posenc::run {

/// How far an array is from another of the same shape, which is of the same
/// type or one with wider floats.
struct Comparison {
  /// The largest |array - expected|. NaN equals NaN and an infinity itself;
  /// any other pair that is not finite has an infinite error.
  double largestError = 0;
  /// The first position with that error in row-major order, if it is not 0.
  int64_t position = -1;
  /// The largest |expected| that is finite.
  double largestExpected = 0;
};
Comparison compare(const Array &array, const Array &expected);

/// Writes `largest error 3.1e-07 (relative to the largest |expected| 1.2e-07)
/// at [0, 1, 5, 7]: 0.123 expected 0.124`.
void print(raw_ostream &os, const Comparison &comparison, const Array &array,
           const Array &expected);

/// The tolerance, as a part of the largest |expected|, for results of a type:
/// f64 1e-12, f32 1e-5, f16 1e-3, bf16 8e-3, integers 0. Attention computes in
/// f32 whatever its elements are, so that two roundings of the result will do
/// for f16 and bf16.
double getDefaultRelativeTolerance(Type elementType);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_COMPARE_H
