//===- Header.cpp - A C header --------------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace mlir::posenc::compile {

static constexpr llvm::StringLiteral introduction =
    R"(/* Written by posenc-compile.
 *
 * An array is described by a posenc_arrayR, R being its rank: where its first
 * element is, its sizes, and its strides, which count elements and may have any
 * value: views are passed as they are. Elements are stored in the C type that
 * stands behind their own; bf16 and f16 are their bits, i1 is 0 or 1.
 *
 * A function reads its inputs and writes its results, in memory of the caller,
 * which must not overlap with anything else that is passed. It returns NULL, or
 * a constant text that says what is wrong; results then mean nothing. It may be
 * called by several threads at once.
 */
)";

static void printShape(raw_ostream &os, const Argument &argument) {
  os << "[";
  llvm::interleaveComma(argument.getShape(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << "?";
    else
      os << size;
  });
  os << "] of ";
}

static void printFunction(raw_ostream &os, const Function &function) {
  size_t width = 0;
  for (const Argument &argument : function.arguments)
    width = std::max(width, argument.name.size());
  os << "\n" << (function.arguments.empty() ? "" : "/*");
  for (auto [i, argument] : llvm::enumerate(function.arguments)) {
    os << " " << llvm::left_justify(std::to_string(i), 2) << " "
       << llvm::left_justify(argument.name, width) << "  ";
    if (isa<ShapedType>(argument.type))
      printShape(os, argument);
    os << argument.getElementType() << " ("
       << getCType(argument.getElementType()) << ")";
    if (argument.role == Argument::Role::Result)
      os << ", written";
    if (argument.role == Argument::Role::Memory)
      os << ", read or written";
    if (auto memref = dyn_cast<MemRefType>(argument.type)) {
      auto [strides, offset] = memref.getStridesAndOffset();
      if (argument.role == Argument::Role::Memory &&
          memref.getLayout().isIdentity() && memref.getRank() > 0)
        os << ", without gaps";
      else if (argument.role == Argument::Role::Memory &&
               llvm::any_of(strides, [](int64_t stride) {
                 return !ShapedType::isDynamic(stride);
               })) {
        os << ", strides [";
        llvm::interleaveComma(strides, os, [&](int64_t stride) {
          if (ShapedType::isDynamic(stride))
            os << "?";
          else
            os << stride;
        });
        os << "]";
      }
    }
    os << "\n *";
  }
  os << (function.arguments.empty() ? "" : "/\n") << "const char *"
     << function.name << "(";
  llvm::interleave(
      function.arguments, os,
      [&](const Argument &argument) {
        if (argument.isArray())
          os << "const posenc_array" << argument.getShape().size() << " *";
        else
          os << getCType(argument.getElementType()) << " ";
        os << argument.name;
      },
      ",\n    ");
  os << (function.arguments.empty() ? "void" : "") << ");\n";
}

std::string makeHeader(ArrayRef<Function> functions, StringRef fileName) {
  std::string guard = "POSENC_";
  for (char c : fileName)
    guard.push_back(llvm::isAlnum(c) ? llvm::toUpper(c) : '_');
  std::set<size_t> ranks;
  for (const Function &function : functions)
    for (const Argument &argument : function.arguments)
      if (argument.isArray())
        ranks.insert(argument.getShape().size());

  std::string text;
  llvm::raw_string_ostream os(text);
  os << introduction << "\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" "
        "{\n#endif\n";
  for (size_t rank : ranks) {
    os << "\n#ifndef POSENC_ARRAY" << rank << "\n#define POSENC_ARRAY" << rank
       << "\ntypedef struct posenc_array" << rank << " {\n  void *data;\n";
    if (rank != 0)
      os << "  int64_t sizes[" << rank << "];\n  int64_t strides[" << rank
         << "];\n";
    os << "} posenc_array" << rank << ";\n#endif\n";
  }
  for (const Function &function : functions)
    printFunction(os, function);
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}

} // namespace mlir::posenc::compile
