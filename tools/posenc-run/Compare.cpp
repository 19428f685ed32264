//===- Compare.cpp - Results against expected values ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

namespace mlir::posenc::run {

static double getError(double value, double expected) {
  if (std::isfinite(value) && std::isfinite(expected))
    return std::fabs(value - expected);
  bool same = value == expected || (std::isnan(value) && std::isnan(expected));
  return same ? 0.0 : std::numeric_limits<double>::infinity();
}

/// The distance of two integers, which their difference may be too narrow for.
static double getError(int64_t value, int64_t expected) {
  return value < expected ? uint64_t(expected) - uint64_t(value)
                          : uint64_t(value) - uint64_t(expected);
}

Comparison compare(const Array &array, const Array &expected) {
  Comparison comparison;
  bool isFloat = isa<FloatType>(array.getElementType());
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    double magnitude, error;
    if (isFloat) {
      magnitude = std::fabs(expected.getFloat(i));
      error = getError(array.getFloat(i), expected.getFloat(i));
    } else {
      magnitude = std::fabs(double(expected.getInteger(i)));
      error = getError(array.getInteger(i), expected.getInteger(i));
    }
    if (std::isfinite(magnitude))
      comparison.largestExpected =
          std::max(comparison.largestExpected, magnitude);
    if (error > comparison.largestError) {
      comparison.largestError = error;
      comparison.position = i;
    }
  }
  return comparison;
}

void print(raw_ostream &os, const Comparison &comparison, const Array &array,
           const Array &expected) {
  double relative = comparison.largestError == 0
                        ? 0
                        : comparison.largestError / comparison.largestExpected;
  os << llvm::format("largest error %.2g", comparison.largestError)
     << llvm::format(" (relative to the largest |expected| %.2g)", relative);
  if (comparison.position < 0)
    return;
  os << " at ";
  printShape(os, array.getIndices(comparison.position));
  os << ": ";
  array.printElement(os, comparison.position);
  os << " expected ";
  expected.printElement(os, comparison.position);
}

double getDefaultRelativeTolerance(Type elementType) {
  if (isa<Float64Type>(elementType))
    return 1e-12;
  if (isa<Float32Type>(elementType))
    return 1e-5;
  if (isa<Float16Type>(elementType))
    return 1e-3;
  if (isa<BFloat16Type>(elementType))
    return 8e-3;
  return 0;
}

} // namespace mlir::posenc::run
