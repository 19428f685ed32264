//===- Array.h - Arrays as the compiled functions see them ------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_ARRAY_H
#define TOOLS_POSENC_RUN_ARRAY_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::posenc::run {

/// Number of bytes of one element in memory; 0 for a type that arrays don't
/// hold. They hold f64, f32, f16, bf16, index and signless integers of 1, 8,
/// 16, 32 and 64 bits.
unsigned getElementSize(Type type);

/// Writes `[1, 2, 3]`.
void printShape(raw_ostream &os, ArrayRef<int64_t> shape);

/// A row-major array without gaps that owns its elements. An array of rank 0
/// also stands for a scalar. What stands before and behind the elements is NaN
/// in every float format, so that a read beyond an end shows in the results.
class Array {
public:
  /// An array of zeros, or an error if it does not fit into the memory.
  static llvm::Expected<Array> create(Type elementType,
                                      ArrayRef<int64_t> shape);

  Type getElementType() const { return elementType; }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  size_t getNumBytes() const {
    return numElements * getElementSize(elementType);
  }
  char *getData() { return data.get(); }
  const char *getData() const { return data.get(); }

  /// Whether nothing was written before or behind the elements.
  bool isSurroundingIntact() const;

  /// Number of elements between neighbours along each dimension. Dimensions of
  /// size 0 count as 1.
  SmallVector<int64_t> getStrides() const;

  /// Copies elements from `source`, whose strides are given in elements, one
  /// for each dimension, and may be negative.
  void copyFrom(const char *source, ArrayRef<int64_t> strides);

  /// The elements with some that are NaN after those of each row, of each
  /// matrix and so on.
  llvm::Expected<Array> getPadded() const;

  /// Whether nothing was written around the elements of an array from
  /// `getPadded`, and between those that are also in this array.
  bool isPaddingIntact(const Array &padded) const;

  /// The element at a position in row-major order: a float as such (exact for
  /// every float type here), an integer sign-extended but for i1.
  double getFloat(int64_t position) const;
  int64_t getInteger(int64_t position) const;

  /// The indices of a position in row-major order.
  SmallVector<int64_t> getIndices(int64_t position) const;

  /// Writes one element, floats with as many digits as their type is good for.
  void printElement(raw_ostream &os, int64_t position) const;

  /// Writes `2x3xf32`.
  void printType(raw_ostream &os) const;

  /// Writes `[1 2 3][4 5 6]`, so that `printType`, `=` and this are what
  /// `--input` takes; a large array is cut to its first and last elements.
  void printValues(raw_ostream &os) const;

private:
  struct Free {
    void operator()(char *pointer) const;
  };

  Array(Type elementType, ArrayRef<int64_t> shape)
      : elementType(elementType), shape(shape) {}

  Type elementType;
  SmallVector<int64_t> shape;
  int64_t numElements = 0;
  std::unique_ptr<char[], Free> data;
};

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_ARRAY_H
