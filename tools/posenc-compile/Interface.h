//===- Interface.h - What a C program sees of a module ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_COMPILE_INTERFACE_H
#define TOOLS_POSENC_COMPILE_INTERFACE_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Target/TargetMachine.h"
#include <string>

namespace mlir::posenc::compile {

/// An argument of a C function: what goes in, memory that the function may
/// change, or what comes out.
struct Argument {
  enum class Role { Input, Memory, Result };
  std::string name;
  Type type;
  Role role;

  /// Arrays are passed by a pointer to their description; so is a scalar that
  /// comes out.
  bool isArray() const { return role == Role::Result || isa<ShapedType>(type); }
  Type getElementType() const;
  /// None of a scalar.
  ArrayRef<int64_t> getShape() const;
};

/// A C function: a public function of a module.
struct Function {
  std::string name;
  SmallVector<Argument> arguments;
};

/// The C functions of a module, named as in its source. Emits an error if there
/// are none, or one has no form in C.
FailureOr<SmallVector<Function>> readInterface(ModuleOp module,
                                               const AsmParserState &names);

/// How C stores an element, such as `uint16_t`.
StringRef getCType(Type elementType);

/// The C header. `guard` is the name of a file.
std::string makeHeader(ArrayRef<Function> functions, StringRef fileName);

/// Gives a module, as it is translated, the C functions, which check what they
/// are given and call those of the same names. Nothing else can be called from
/// outside.
void addEntryPoints(llvm::Module &module, ArrayRef<Function> functions,
                    const llvm::TargetMachine &machine);

} // namespace mlir::posenc::compile

#endif // TOOLS_POSENC_COMPILE_INTERFACE_H
