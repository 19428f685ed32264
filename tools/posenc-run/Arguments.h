//===- Arguments.h - What a function takes and gives ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_RUN_ARGUMENTS_H
#define TOOLS_POSENC_RUN_ARGUMENTS_H

#include "Array.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::posenc::run {

/// Why a function with this argument or result cannot be called from here:
/// it must be a scalar, a ranked tensor or a memref with an element type that
/// `Array` holds, and data without gaps must have its layout.
llvm::Error checkArgumentType(Type type);
llvm::Error checkResultType(Type type);

/// The type of a scalar, or of the elements of a tensor or memref.
Type getValueElementType(Type type);

/// The strides for row-major data without gaps as an argument of this type.
/// They are those of the data but where the type says otherwise of a dimension
/// in which nobody takes a step, since its size is at most one.
SmallVector<int64_t> getArgumentStrides(Type type, const Array &array);

/// Which element types a text may have.
enum class ElementMatch {
  /// That of the function's signature.
  Exact,
  /// That, or a wider float: for what results are compared with.
  OrWiderFloat
};

/// Reads the value of an argument or result of this type from `@FILE.npy`,
/// `SHAPExTYPE=VALUES` or `TYPE=VALUE`.
llvm::Expected<Array> readValue(StringRef text, Type type, ElementMatch match);

/// The memref arguments that the function writes, by number.
SmallVector<unsigned> getWrittenArguments(func::FuncOp function);

} // namespace mlir::posenc::run

#endif // TOOLS_POSENC_RUN_ARGUMENTS_H
