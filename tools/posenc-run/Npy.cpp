//===- Npy.cpp - Arrays in .npy files -------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

namespace mlir::posenc::run {

/// What every file begins with; the version and the header's length follow.
static constexpr StringLiteral magic = "\x93NUMPY";

static llvm::Error malformed(const Twine &reason) {
  return llvm::createStringError("not a valid .npy file: " + reason);
}

ArrayRef<StringRef> getNpyDescrs(Type type) {
  static constexpr StringRef f64[] = {"<f8"}, f32[] = {"<f4"}, f16[] = {"<f2"},
                             bf16[] = {"<u2", "|V2", "<V2"}, i1[] = {"|b1"},
                             i8[] = {"|i1"}, i16[] = {"<i2"}, i32[] = {"<i4"},
                             i64[] = {"<i8"};
  if (isa<Float64Type>(type))
    return f64;
  if (isa<Float32Type>(type))
    return f32;
  if (isa<Float16Type>(type))
    return f16;
  if (isa<BFloat16Type>(type))
    return bf16;
  if (isa<IndexType>(type))
    return i64;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return i1;
  case 8:
    return i8;
  case 16:
    return i16;
  case 32:
    return i32;
  default:
    return i64;
  }
}

llvm::Expected<NpyFile> NpyFile::read(StringRef path) {
  // A device may have no end.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return llvm::createStringError("cannot read '" + path +
                                   "': it is no regular file");
  // Volatile: a mapped file that shrinks while we read it would be a SIGBUS.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  NpyFile file;
  file.buffer = std::move(*buffer);
  if (llvm::Error error = file.parseHeader())
    return error;
  return file;
}

llvm::Error NpyFile::parseHeader() {
  StringRef text = buffer->getBuffer();
  if (!text.consume_front(magic))
    return malformed("it does not begin with \\x93NUMPY");
  if (text.size() < 2)
    return malformed("it ends inside its header");
  unsigned major = uint8_t(text[0]), minor = uint8_t(text[1]);
  if (major < 1 || major > 3 || minor != 0)
    return malformed("unknown version " + Twine(major) + "." + Twine(minor));
  text = text.drop_front(2);

  size_t lengthSize = major == 1 ? 2 : 4;
  if (text.size() < lengthSize)
    return malformed("it ends inside its header");
  size_t length = major == 1 ? llvm::support::endian::read16le(text.data())
                             : llvm::support::endian::read32le(text.data());
  text = text.drop_front(lengthSize);
  if (text.size() < length)
    return malformed("it ends inside its header");
  dataOffset = buffer->getBufferSize() - text.size() + length;
  return parseDictionary(text.take_front(length));
}

/// Takes a Python string off the front of `text`. What the format has to say
/// needs printable ASCII and no escapes.
static std::optional<StringRef> consumeString(StringRef &text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return std::nullopt;
  size_t end = text.find(text[0], 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef string = text.slice(1, end);
  if (!llvm::all_of(string, llvm::isPrint))
    return std::nullopt;
  text = text.drop_front(end + 1);
  return string;
}

/// Takes a Python tuple of sizes off the front of `text`.
static std::optional<SmallVector<int64_t>> consumeShape(StringRef &text) {
  SmallVector<int64_t> shape;
  bool comma = true;
  if (!text.consume_front("("))
    return std::nullopt;
  while (true) {
    text = text.ltrim();
    if (text.consume_front(")"))
      break;
    int64_t size;
    if (!comma || text.consumeInteger(10, size) || size < 0)
      return std::nullopt;
    shape.push_back(size);
    text = text.ltrim();
    comma = text.consume_front(",");
  }
  // `(3)` is a number in parentheses, `(3,)` a tuple.
  if (shape.size() == 1 && !comma)
    return std::nullopt;
  return shape;
}

llvm::Error NpyFile::parseDictionary(StringRef text) {
  // What Python's `literal_eval` makes of it, as far as the format allows: a
  // dictionary with three keys in any order.
  bool hasDescr = false, hasOrder = false, hasShape = false, comma = true;
  text = text.ltrim();
  if (!text.consume_front("{"))
    return malformed("its header is no dictionary");
  while (true) {
    text = text.ltrim();
    if (text.consume_front("}"))
      break;
    std::optional<StringRef> key = consumeString(text);
    text = text.ltrim();
    if (!key || !comma || !text.consume_front(":"))
      return malformed("its header is no dictionary");
    text = text.ltrim();
    if (*key == "descr" && !hasDescr) {
      std::optional<StringRef> value = consumeString(text);
      if (!value)
        return malformed("its elements are structures");
      descr = value->str();
      hasDescr = true;
    } else if (*key == "fortran_order" && !hasOrder) {
      fortranOrder = text.consume_front("True");
      if (!fortranOrder && !text.consume_front("False"))
        return malformed("'fortran_order' is no truth value");
      hasOrder = true;
    } else if (*key == "shape" && !hasShape) {
      std::optional<SmallVector<int64_t>> value = consumeShape(text);
      if (!value)
        return malformed("'shape' is no tuple of sizes");
      shape = std::move(*value);
      hasShape = true;
    } else {
      return malformed("unexpected key '" + *key + "' in its header");
    }
    text = text.ltrim();
    comma = text.consume_front(",");
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return malformed("its header lacks 'descr', 'fortran_order' or 'shape'");
  if (!text.trim().empty())
    return malformed("text after the dictionary in its header");
  return llvm::Error::success();
}

llvm::Expected<Array> NpyFile::getArray(Type elementType) const {
  // The size is compared before anything as large is allocated.
  StringRef bytes = buffer->getBuffer().drop_front(dataOffset);
  int64_t numBytes = getElementSize(elementType);
  bool overflow = false;
  for (int64_t size : shape)
    overflow |= llvm::MulOverflow(numBytes, size, numBytes) != 0;
  if (llvm::is_contained(shape, 0))
    numBytes = 0;
  else if (overflow)
    return malformed("its shape is too large");
  if (bytes.size() != size_t(numBytes))
    return malformed("its header announces " + Twine(numBytes) +
                     " bytes of data, it has " + Twine(bytes.size()));

  llvm::Expected<Array> array = Array::create(elementType, shape);
  if (!array)
    return array.takeError();
  SmallVector<int64_t> strides = array->getStrides();
  if (fortranOrder) {
    int64_t stride = 1;
    for (auto [size, dimStride] : llvm::zip_equal(shape, strides)) {
      dimStride = stride;
      stride *= std::max<int64_t>(size, 1);
    }
  }
  array->copyFrom(bytes.data(), strides);
  // Compiled code may assume that the upper bits of an i1 are zero.
  if (elementType.isInteger(1))
    for (char &c : MutableArrayRef(array->getData(), array->getNumBytes()))
      c = c != 0;
  return array;
}

/// All that precedes the data. Its length is a multiple of 64, for those who
/// map the file into memory.
static std::string makeHeader(const Array &array) {
  std::string dictionary;
  llvm::raw_string_ostream os(dictionary);
  os << "{'descr': '" << getNpyDescrs(array.getElementType()).front()
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(array.getShape(), os);
  os << (array.getShape().size() == 1 ? ",), }" : "), }");

  size_t before = magic.size() + 4;
  size_t length = llvm::alignTo(before + dictionary.size() + 1, 64) - before;
  os.indent(length - dictionary.size() - 1) << '\n';

  std::string header = magic.str();
  header += {char(1), char(0), char(length & 0xff), char(length >> 8)};
  return header + dictionary;
}

llvm::Error writeNpyFiles(ArrayRef<std::pair<StringRef, const Array *>> files) {
  auto fail = [](StringRef path, llvm::Error error) {
    return llvm::createStringError("cannot write '" + path +
                                   "': " + llvm::toString(std::move(error)));
  };
  SmallVector<std::unique_ptr<llvm::FileOutputBuffer>> outputs;
  for (auto [path, array] : files) {
    std::string header = makeHeader(*array);
    auto output = llvm::FileOutputBuffer::create(
        path, header.size() + array->getNumBytes());
    if (!output)
      return fail(path, output.takeError());
    uint8_t *bytes = (*output)->getBufferStart();
    std::memcpy(bytes, header.data(), header.size());
    std::memcpy(bytes + header.size(), array->getData(), array->getNumBytes());
    outputs.push_back(std::move(*output));
  }
  for (auto [file, output] : llvm::zip_equal(files, outputs))
    if (llvm::Error error = output->commit())
      return fail(file.first, std::move(error));
  return llvm::Error::success();
}

} // namespace mlir::posenc::run
