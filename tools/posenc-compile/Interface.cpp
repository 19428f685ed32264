//===- Interface.cpp - What a C program sees of a module ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace mlir::posenc::compile {

Type Argument::getElementType() const {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : type;
}

ArrayRef<int64_t> Argument::getShape() const {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getShape() : ArrayRef<int64_t>();
}

StringRef getCType(Type elementType) {
  if (elementType.isF64())
    return "double";
  if (elementType.isF32())
    return "float";
  if (elementType.isBF16() || elementType.isF16())
    return "uint16_t";
  if (elementType.isIndex() || elementType.isInteger(64))
    return "int64_t";
  if (elementType.isInteger(32))
    return "int32_t";
  if (elementType.isInteger(16))
    return "int16_t";
  if (elementType.isInteger(8))
    return "int8_t";
  if (elementType.isInteger(1))
    return "uint8_t";
  return "";
}

/// Words of C and C++, and names of the headers that ours includes.
static bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = [] {
    llvm::StringSet<> words;
    for (StringRef word : llvm::split(
             "alignas alignof and and_eq asm auto bitand bitor bool break case "
             "catch char char8_t char16_t char32_t class co_await co_return "
             "co_yield compl concept const const_cast consteval constexpr "
             "constinit continue decltype default delete do double "
             "dynamic_cast else enum explicit export extern false float for "
             "friend goto if inline int long mutable namespace new noexcept "
             "not not_eq nullptr operator or or_eq private protected public "
             "register reinterpret_cast requires restrict return short signed "
             "sizeof static static_assert static_cast struct switch template "
             "this thread_local throw true try typedef typeid typename typeof "
             "typeof_unqual union unsigned using virtual void volatile wchar_t "
             "while xor xor_eq NULL main",
             ' '))
      words.insert(word);
    return words;
  }();
  // With an underscore begin names of the C implementation.
  return words.contains(name) || name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The name of an argument: that of its value, as far as C allows.
static std::string makeName(StringRef text, unsigned number,
                            llvm::StringSet<> &taken) {
  std::string name;
  for (char c : text)
    name.push_back(llvm::isAlnum(c) ? c : '_');
  if (name.empty() || llvm::isDigit(name[0]))
    name = "arg" + (name.empty() ? std::to_string(number) : name);
  while (isReserved(name) || taken.contains(name))
    name.push_back('_');
  taken.insert(name);
  return name;
}

/// Why a type has no form in C, or nothing.
static std::string checkType(Type type) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  Type elementType = type;
  if (auto shaped = dyn_cast<ShapedType>(type))
    elementType = shaped.getElementType();
  if (isa<UnrankedTensorType, UnrankedMemRefType, VectorType>(type) ||
      getCType(elementType).empty())
    os << "type " << type
       << " has no form in C; expected a scalar, ranked tensor or memref of "
          "f64, f32, f16, bf16, i1, i8, i16, i32, i64 or index";
  else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (tensor.getEncoding())
      os << "type " << type << " has an encoding, which has no form in C";
  } else if (auto memref = dyn_cast<MemRefType>(type)) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)) ||
        memref.getMemorySpace() ||
        (offset != 0 && !ShapedType::isDynamic(offset)))
      os << "type " << type
         << " has no form in C; expected strides from offset 0 in the default "
            "memory space";
  }
  return reason;
}

static FailureOr<Function> readFunction(func::FuncOp op,
                                        const AsmParserState &names) {
  Function function;
  function.name = op.getName().str();
  // Calls of such a function would be calls of this one; the names are those of
  // any C library.
  llvm::TargetLibraryInfoImpl library(llvm::Triple("x86_64-unknown-linux-gnu"));
  llvm::LibFunc known;
  if (!isIdentifier(function.name) || isReserved(function.name))
    return op.emitError("'") << function.name << "' is no name of a C function";
  if (library.getLibFunc(function.name, known))
    return op.emitError("'")
           << function.name << "' is a function of the C library";

  const auto *block = names.getBlockDef(&op.getBody().front());
  llvm::StringSet<> taken;
  auto add = [&](StringRef text, Type type, Argument::Role role) {
    unsigned number = function.arguments.size();
    function.arguments.push_back({makeName(text, number, taken), type, role});
  };
  for (auto [i, type] : llvm::enumerate(op.getArgumentTypes())) {
    if (std::string reason = checkType(type); !reason.empty())
      return op.emitError("argument ") << i << ": " << reason;
    StringRef text;
    if (block && i < block->arguments.size() &&
        block->arguments[i].loc.isValid()) {
      SMRange range = block->arguments[i].loc;
      text = StringRef(range.Start.getPointer(),
                       range.End.getPointer() - range.Start.getPointer());
      text.consume_front("%");
    }
    add(text, type,
        isa<MemRefType>(type) ? Argument::Role::Memory : Argument::Role::Input);
  }
  for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
    if (std::string reason = checkType(type); !reason.empty())
      return op.emitError("result ") << i << ": " << reason;
    add(getResultName(i, op.getNumResults()), type, Argument::Role::Result);
  }
  return function;
}

FailureOr<SmallVector<Function>> readInterface(ModuleOp module,
                                               const AsmParserState &names) {
  SmallVector<Function> functions;
  for (auto op : module.getOps<func::FuncOp>()) {
    if (op.isExternal()) {
      if (!op.symbolKnownUseEmpty(module))
        return op.emitError("'")
               << op.getName() << "' is used, but has no body";
      continue;
    }
    if (!op.isPublic())
      continue;
    FailureOr<Function> function = readFunction(op, names);
    if (failed(function))
      return failure();
    functions.push_back(std::move(*function));
  }
  if (functions.empty())
    return module.emitError("expected a public func.func with a body");
  return functions;
}

} // namespace mlir::posenc::compile
