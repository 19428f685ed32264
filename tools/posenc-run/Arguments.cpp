//===- Arguments.cpp - What a function takes and gives --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Npy.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

namespace mlir::posenc::run {

template <typename... Parts> static llvm::Error error(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return llvm::createStringError(text);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type getValueElementType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : type;
}

llvm::Error checkResultType(Type type) {
  if (isa<UnrankedTensorType, UnrankedMemRefType, VectorType>(type) ||
      getElementSize(getValueElementType(type)) == 0)
    return error("unsupported type ", type,
                 ", expected a scalar, ranked tensor or memref of f64, f32, "
                 "f16, bf16, i1, i8, i16, i32, i64 or index");
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (tensor.getEncoding())
      return error("unsupported type ", type, ", expected no encoding");
  if (auto memref = dyn_cast<MemRefType>(type)) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return error("unsupported type ", type, ", expected a strided layout");
    if (memref.getMemorySpace())
      return error("unsupported type ", type,
                   ", expected the default memory space");
  }
  return llvm::Error::success();
}

llvm::Error checkArgumentType(Type type) {
  if (llvm::Error failure = checkResultType(type))
    return failure;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return llvm::Error::success();

  auto [strides, offset] = memref.getStridesAndOffset();
  bool fits = offset == 0 || ShapedType::isDynamic(offset);
  // The stride of a dimension is known where the sizes after it are. A size of
  // 0 or 1 makes every stride right.
  int64_t stride = 1;
  for (int64_t dim = memref.getRank() - 1; dim >= 0; --dim) {
    int64_t size = memref.getDimSize(dim);
    bool isFree = size == 0 || size == 1 || ShapedType::isDynamic(strides[dim]);
    // With a dynamic size after it, the stride depends on the data: only a
    // dynamic one takes all of them.
    if (!isFree && stride != strides[dim])
      fits = false;
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(stride) ||
        llvm::MulOverflow(stride, std::max<int64_t>(size, 1), stride))
      stride = ShapedType::kDynamic;
  }
  if (!fits)
    return error("unsupported type ", type,
                 ", its layout is not that of row-major data without gaps");
  return llvm::Error::success();
}

SmallVector<int64_t> getArgumentStrides(Type type, const Array &array) {
  SmallVector<int64_t> strides = array.getStrides();
  if (auto memref = dyn_cast<MemRefType>(type)) {
    auto [typeStrides, offset] = memref.getStridesAndOffset();
    for (auto [stride, typeStride] : llvm::zip_equal(strides, typeStrides))
      if (!ShapedType::isDynamic(typeStride))
        stride = typeStride;
  }
  return strides;
}

/// Checks a shape against the type's rank and static sizes.
static llvm::Error checkShape(ArrayRef<int64_t> shape, Type type) {
  ArrayRef<int64_t> wanted;
  if (auto shaped = dyn_cast<ShapedType>(type))
    wanted = shaped.getShape();
  std::string text;
  llvm::raw_string_ostream os(text);
  printShape(os, shape);
  if (shape.size() != wanted.size())
    return error("expected ", type, ", got rank ", shape.size(), " ", text);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!ShapedType::isDynamic(wanted[dim]) && wanted[dim] != shape[dim])
      return error("expected ", type, ", got ", text, ": dimension ", dim,
                   " must be ", wanted[dim]);
  return llvm::Error::success();
}

/// The element types that a text for a value of `type` may have.
static SmallVector<Type> getElementTypes(Type type, ElementMatch match) {
  Type elementType = getValueElementType(type);
  SmallVector<Type> types = {elementType};
  if (match == ElementMatch::OrWiderFloat && isa<FloatType>(elementType))
    for (Type wider : {Type(Float32Type::get(type.getContext())),
                       Type(Float64Type::get(type.getContext()))})
      if (wider.getIntOrFloatBitWidth() > elementType.getIntOrFloatBitWidth())
        types.push_back(wider);
  return types;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static llvm::Expected<Array> readFile(StringRef path, Type type,
                                      ElementMatch match) {
  llvm::Expected<NpyFile> file = NpyFile::read(path);
  if (!file)
    return file.takeError();
  SmallVector<StringRef> descrs;
  for (Type elementType : getElementTypes(type, match)) {
    ArrayRef<StringRef> known = getNpyDescrs(elementType);
    if (llvm::is_contained(known, file->getDescr())) {
      if (llvm::Error failure = checkShape(file->getShape(), type))
        return failure;
      return file->getArray(elementType);
    }
    llvm::append_range(descrs, known);
  }
  std::string got;
  llvm::raw_string_ostream os(got);
  os << '\'' << file->getDescr() << "' ";
  printShape(os, file->getShape());
  return error("expected ", type, " with elements of type '",
               llvm::join(descrs, "' or '"), "', got ", got);
}

/// Parses one value of a literal into the memory of an element.
static llvm::Error parseElement(StringRef text, Type type, char *element) {
  auto invalid = [&](StringRef reason) {
    return error("'", text, "' ", reason, " ", type);
  };
  auto store = [&](uint64_t bits) {
    std::memcpy(element, &bits, getElementSize(type));
    return llvm::Error::success();
  };

  if (auto floatType = dyn_cast<FloatType>(type)) {
    // Parsed in the element's own format: a detour over double rounds twice.
    llvm::APFloat value(floatType.getFloatSemantics());
    auto status =
        value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return invalid("is no value of type");
    }
    if (*status & llvm::APFloat::opOverflow)
      return invalid("is too large for");
    return store(value.bitcastToAPInt().getZExtValue());
  }

  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  if (width == 1) {
    if (text == "1" || text == "true")
      return store(1);
    if (text == "0" || text == "false")
      return store(0);
    return invalid("is no value of type");
  }
  int64_t value;
  if (text.getAsInteger(10, value))
    return invalid("is no value of type");
  if (!llvm::isIntN(width, value))
    return invalid("is too large for");
  return store(value);
}

static llvm::Expected<Array> parseLiteral(StringRef text, Type type,
                                          ElementMatch match) {
  auto [typeText, valueText] = text.split('=');
  // Sizes end at the first word: `index` has an x as well.
  SmallVector<int64_t> shape;
  StringRef rest = typeText;
  while (!rest.empty() && llvm::isDigit(rest.front())) {
    int64_t size;
    if (rest.consumeInteger(10, size) || !rest.consume_front("x"))
      return error("expected @FILE.npy, SHAPExTYPE=VALUES or TYPE=VALUE");
    shape.push_back(size);
  }

  Type elementType;
  for (Type candidate : getElementTypes(type, match)) {
    std::string name;
    llvm::raw_string_ostream(name) << candidate;
    if (rest == name)
      elementType = candidate;
  }
  if (!elementType) {
    if (rest.empty() || !llvm::all_of(rest, llvm::isAlnum))
      return error("expected @FILE.npy, SHAPExTYPE=VALUES or TYPE=VALUE");
    return error("expected ", type, ", got elements of type ", rest);
  }
  if (llvm::Error failure = checkShape(shape, type))
    return failure;
  llvm::Expected<Array> array = Array::create(elementType, shape);
  if (!array)
    return array.takeError();

  // Brackets show the structure to a reader; the shape has been said.
  SmallVector<StringRef> words;
  llvm::SplitString(valueText, words, " \t\n,[]");
  int64_t numElements = array->getNumElements(), numWords = words.size();
  if (numWords > 1 && numWords != numElements)
    return error("expected ", numElements, " values, one or none, got ",
                 numWords);
  size_t elementSize = getElementSize(elementType);
  if (numWords == 1) {
    char element[sizeof(uint64_t)];
    if (llvm::Error failure = parseElement(words[0], elementType, element))
      return failure;
    for (int64_t i = 0; i < numElements; ++i)
      std::memcpy(array->getData() + i * elementSize, element, elementSize);
    return array;
  }
  for (auto [i, word] : llvm::enumerate(words))
    if (llvm::Error failure =
            parseElement(word, elementType, array->getData() + i * elementSize))
      return failure;
  return array;
}

llvm::Expected<Array> readValue(StringRef text, Type type, ElementMatch match) {
  if (text.consume_front("@"))
    return readFile(text, type, match);
  return parseLiteral(text, type, match);
}

} // namespace mlir::posenc::run
