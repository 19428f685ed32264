//===- Npy.h - Arrays in .npy files -----------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NumPy's file format, versions 1.0, 2.0 and 3.0:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// The C++ readers that distributions package (xtensor's, cnpy) accept a
// truncated file, or don't know `V2`, as which NumPy stores types it has not,
// bf16 among them. Input data of a compiler's tests deserves a reader that
// looks at every byte, so here is one; it is small.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_NPY_H
#define TOOLS_POSENC_RUN_NPY_H

#include "Array.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::posenc::run {

/// A .npy file in memory whose header is well formed. Whether it has all its
/// data is known once somebody says, in `getArray`, what its elements are.
class NpyFile {
public:
  static llvm::Expected<NpyFile> read(StringRef path);

  /// NumPy's name of the element type, such as `<f4`.
  StringRef getDescr() const { return descr; }
  ArrayRef<int64_t> getShape() const { return shape; }

  /// The array in row-major order, whatever its order in the file.
  /// `elementType` must be one that the file's elements are.
  llvm::Expected<Array> getArray(Type elementType) const;

private:
  llvm::Error parseHeader();
  llvm::Error parseDictionary(StringRef text);

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  size_t dataOffset = 0;
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

/// The names in .npy files of elements that are values of `type`, the first
/// one being that which we write. bf16 is its bits.
ArrayRef<StringRef> getNpyDescrs(Type type);

/// Some files that appear under their names together: as temporary files that
/// are complete before the first is renamed, so that a failure leaves none.
llvm::Error writeNpyFiles(ArrayRef<std::pair<StringRef, const Array *>> files);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_NPY_H
