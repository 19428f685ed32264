//===- Array.cpp - Arrays as the compiled functions see them --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

namespace mlir::posenc::run {

/// A cache line, so that what is timed does not depend on where malloc put an
/// array.
static constexpr size_t alignment = 64;

/// Bytes before and behind the elements: as much as a tile that reaches beyond
/// them is likely to take.
static constexpr size_t surrounding = 1 << 16;

/// Elements between two rows of a padded array: an odd number, so that rows are
/// not aligned.
static constexpr int64_t padding = 5;

/// All bits of an element that must not be read or written.
static constexpr int poison = 0xff;
static bool isPoison(char byte) { return byte == char(poison); }

/// An array with more elements is printed as its first and last ones.
static constexpr int64_t maxPrinted = 64, edgePrinted = 8;

unsigned getElementSize(Type type) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type))
    return type.getIntOrFloatBitWidth() / 8;
  if (isa<IndexType>(type))
    return 8;
  for (unsigned width : {8, 16, 32, 64})
    if (type.isSignlessInteger(width))
      return width / 8;
  return type.isSignlessInteger(1) ? 1 : 0;
}

void printShape(raw_ostream &os, ArrayRef<int64_t> shape) {
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
}

llvm::Expected<Array> Array::create(Type elementType, ArrayRef<int64_t> shape) {
  // The product that must not overflow counts empty dimensions as 1: strides
  // are computed from the others.
  int64_t extent = getElementSize(elementType);
  bool overflow = false;
  for (int64_t size : shape)
    overflow |=
        llvm::MulOverflow(extent, std::max<int64_t>(size, 1), extent) != 0;

  Array array(elementType, shape);
  array.numElements =
      llvm::is_contained(shape, 0) ? 0 : extent / getElementSize(elementType);
  size_t numBytes = array.getNumBytes();
  char *memory = nullptr;
  if (!overflow)
    memory = static_cast<char *>(std::aligned_alloc(
        alignment, llvm::alignTo(numBytes, alignment) + 2 * surrounding));
  if (!memory) {
    std::string text;
    llvm::raw_string_ostream os(text);
    array.printType(os);
    return llvm::createStringError("not enough memory for " + text);
  }
  array.data.reset(memory + surrounding);
  std::memset(memory, poison, surrounding);
  std::memset(array.getData(), 0, numBytes);
  std::memset(array.getData() + numBytes, poison, surrounding);
  return array;
}

void Array::Free::operator()(char *pointer) const {
  std::free(pointer - surrounding);
}

bool Array::isSurroundingIntact() const {
  auto isIntact = [](const char *begin) {
    return std::all_of(begin, begin + surrounding, isPoison);
  };
  return isIntact(getData() - surrounding) &&
         isIntact(getData() + getNumBytes());
}

SmallVector<int64_t> Array::getStrides() const {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = shape.size() - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * std::max<int64_t>(shape[dim + 1], 1);
  return strides;
}

/// Calls back for every element of a shape in row-major order, with its
/// position in that and its offset by the strides.
static void walkElements(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                         function_ref<void(int64_t, int64_t)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> indices(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t position = 0;; ++position) {
    visit(position, offset);
    int64_t dim = shape.size() - 1;
    for (; dim >= 0; --dim) {
      offset += strides[dim];
      if (++indices[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      indices[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

void Array::copyFrom(const char *source, ArrayRef<int64_t> strides) {
  if (numElements == 0)
    return;
  if (strides == ArrayRef(getStrides())) {
    std::memcpy(data.get(), source, getNumBytes());
    return;
  }
  int64_t elementSize = getElementSize(elementType);
  walkElements(shape, strides, [&](int64_t position, int64_t offset) {
    std::memcpy(data.get() + position * elementSize,
                source + offset * elementSize, elementSize);
  });
}

llvm::Expected<Array> Array::getPadded() const {
  SmallVector<int64_t> paddedShape = shape;
  for (auto [dim, size] : llvm::enumerate(paddedShape))
    if (dim != 0)
      size += padding;
  llvm::Expected<Array> padded = create(elementType, paddedShape);
  if (!padded)
    return padded;
  std::memset(padded->getData(), poison, padded->getNumBytes());
  int64_t elementSize = getElementSize(elementType);
  walkElements(shape, padded->getStrides(),
               [&](int64_t position, int64_t offset) {
                 std::memcpy(padded->getData() + offset * elementSize,
                             getData() + position * elementSize, elementSize);
               });
  return padded;
}

bool Array::isPaddingIntact(const Array &padded) const {
  // What is left when the elements are taken away.
  std::string bytes(padded.getData(), padded.getNumBytes());
  int64_t elementSize = getElementSize(elementType);
  walkElements(shape, padded.getStrides(), [&](int64_t, int64_t offset) {
    std::memset(&bytes[offset * elementSize], poison, elementSize);
  });
  return padded.isSurroundingIntact() && llvm::all_of(bytes, isPoison);
}

double Array::getFloat(int64_t position) const {
  const char *element = data.get() + position * getElementSize(elementType);
  if (isa<Float64Type>(elementType)) {
    double value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  if (isa<Float32Type>(elementType)) {
    float value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  return llvm::APFloat(cast<FloatType>(elementType).getFloatSemantics(),
                       llvm::APInt(16, bits))
      .convertToDouble();
}

int64_t Array::getInteger(int64_t position) const {
  unsigned size = getElementSize(elementType);
  uint64_t bits = 0;
  std::memcpy(&bits, data.get() + position * size, size);
  return elementType.isInteger(1) ? int64_t(bits & 1)
                                  : llvm::SignExtend64(bits, 8 * size);
}

SmallVector<int64_t> Array::getIndices(int64_t position) const {
  SmallVector<int64_t> indices(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    indices[dim] = position % shape[dim];
    position /= shape[dim];
  }
  return indices;
}

void Array::printElement(raw_ostream &os, int64_t position) const {
  if (!isa<FloatType>(elementType)) {
    os << getInteger(position);
    return;
  }
  // Decimal digits that survive a rounding to the type, or nearly.
  int digits = isa<Float64Type>(elementType)   ? 16
               : isa<Float32Type>(elementType) ? 7
               : isa<Float16Type>(elementType) ? 4
                                               : 3;
  os << llvm::format("%.*g", digits, getFloat(position));
}

void Array::printType(raw_ostream &os) const {
  for (int64_t size : shape)
    os << size << 'x';
  os << elementType;
}

void Array::printValues(raw_ostream &os) const {
  auto printRange = [&](int64_t begin, int64_t end) {
    llvm::interleave(
        llvm::seq(begin, end), os, [&](int64_t i) { printElement(os, i); },
        " ");
  };
  if (numElements > maxPrinted) {
    printRange(0, edgePrinted);
    os << " ... ";
    printRange(numElements - edgePrinted, numElements);
    return;
  }
  // A bracket for each dimension but the first that begins or ends here.
  SmallVector<int64_t> strides = getStrides();
  auto countEdges = [&](int64_t position) {
    return llvm::count_if(ArrayRef(strides).drop_back(!strides.empty()),
                          [&](int64_t s) { return position % s == 0; });
  };
  for (int64_t position : llvm::seq<int64_t>(numElements)) {
    int64_t opened = countEdges(position);
    if (position != 0 && opened == 0)
      os << ' ';
    os << std::string(opened, '[');
    printElement(os, position);
    os << std::string(countEdges(position + 1), ']');
  }
}

} // namespace mlir::posenc::run
