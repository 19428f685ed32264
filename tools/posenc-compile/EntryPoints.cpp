//===- EntryPoints.cpp - C functions around what was lowered --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry point is code of the plainest CPU of its architecture, so that it
// can say that this CPU is not the one that the rest is for.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace mlir::posenc::compile {

/// Features of x86 that LLVM uses unasked and that `__cpu_model` of libgcc 12
/// tells of.
static constexpr llvm::StringLiteral x86Features =
    "popcnt sse3 ssse3 sse4.1 sse4.2 avx avx2 fma fma4 xop f16c bmi bmi2 lzcnt "
    "movbe avx512f avx512vl avx512bw avx512dq avx512cd avx512vbmi avx512ifma "
    "avx512vpopcntdq avx512vbmi2 avx512vnni avx512bf16 avx512bitalg gfni "
    "amx-tile amx-int8 amx-bf16";

/// The name that the lowered form of a function has beside its entry point.
static std::string getLoweredName(StringRef name) {
  return ("posenc.function." + name).str();
}

namespace {
class EntryPoint {
public:
  EntryPoint(llvm::Module &module, const Function &function,
             const llvm::TargetMachine &machine)
      : module(module), function(function), machine(machine),
        b(module.getContext()) {}

  void build() {
    llvm::Function *lowered = module.getFunction(getLoweredName(function.name));
    SmallVector<llvm::Type *> types;
    for (const Argument &argument : function.arguments)
      types.push_back(getParameterType(argument));
    entry = llvm::Function::Create(
        llvm::FunctionType::get(b.getPtrTy(), types, /*isVarArg=*/false),
        llvm::GlobalValue::ExternalLinkage, function.name, module);
    if (machine.getTargetTriple().isX86()) {
      entry->addFnAttr("target-cpu", "x86-64");
      entry->addFnAttr("target-features", "");
    }
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", entry));

    checkCpu();
    SmallVector<llvm::Value *> operands;
    for (auto [i, argument] : llvm::enumerate(function.arguments)) {
      llvm::Value *value = entry->getArg(i);
      value->setName(argument.name);
      if (argument.isArray()) {
        addArray(i, argument, value, operands);
        continue;
      }
      llvm::Type *type = lowered->getArg(operands.size())->getType();
      if (type->isIntegerTy(1))
        value = b.CreateIsNotNull(value);
      else if (type != value->getType())
        value = b.CreateBitCast(value, type);
      operands.push_back(value);
    }
    b.CreateRet(b.CreateCall(lowered, operands));
  }

private:
  llvm::Type *getParameterType(const Argument &argument) {
    if (argument.isArray())
      return b.getPtrTy();
    Type type = argument.type;
    if (type.isF64())
      return b.getDoubleTy();
    if (type.isF32())
      return b.getFloatTy();
    if (type.isIndex())
      return b.getInt64Ty();
    // 16 bits of a float, a byte of a truth value.
    return b.getIntNTy(std::max(8u, type.getIntOrFloatBitWidth()));
  }

  /// Returns a text unless a condition holds.
  void require(llvm::Value *condition, const Twine &text) {
    auto *failed = llvm::BasicBlock::Create(module.getContext(), "", entry);
    auto *rest = llvm::BasicBlock::Create(module.getContext(), "", entry);
    b.CreateCondBr(condition, rest, failed);
    b.SetInsertPoint(failed);
    b.CreateRet(b.CreateGlobalString(text.str(), "posenc.text"));
    b.SetInsertPoint(rest);
  }

  void checkCpu() {
    if (!machine.getTargetTriple().isX86())
      return;
    const llvm::MCSubtargetInfo &cpu = *machine.getMCSubtargetInfo();
    SmallVector<StringRef> needed;
    for (StringRef feature : llvm::split(x86Features, ' '))
      if (cpu.checkFeatures(("+" + feature).str()))
        needed.push_back(feature);
    if (needed.empty())
      return;
    // As clang makes __builtin_cpu_supports.
    auto *initialize = llvm::cast<llvm::Function>(
        module
            .getOrInsertFunction("__cpu_indicator_init",
                                 llvm::FunctionType::get(b.getVoidTy(), false))
            .getCallee());
    initialize->setDSOLocal(true);
    b.CreateCall(initialize);
    auto getWord = [&](unsigned number) -> llvm::Value * {
      // The first word is the last member of __cpu_model.
      llvm::Type *type = llvm::ArrayType::get(b.getInt32Ty(), 4);
      StringRef name = "__cpu_model";
      unsigned index = 3;
      if (number != 0) {
        name = "__cpu_features2";
        type = llvm::ArrayType::get(b.getInt32Ty(), 3);
        index = number - 1;
      }
      auto *words = llvm::cast<llvm::GlobalVariable>(
          module.getOrInsertGlobal(name, type));
      words->setDSOLocal(true);
      return b.CreateAlignedLoad(
          b.getInt32Ty(), b.CreateConstInBoundsGEP2_64(type, words, 0, index),
          llvm::Align(4));
    };
    for (StringRef feature : needed)
      for (auto [number, bits] :
           llvm::enumerate(llvm::X86::getCpuSupportsMask({feature})))
        if (bits != 0)
          require(b.CreateIsNotNull(b.CreateAnd(getWord(number), bits)),
                  "this CPU lacks " + feature +
                      ", for which the code was compiled");
  }

  /// Checks an array, and adds what a lowered function takes for a memref: two
  /// pointers to its elements, an offset, its sizes and its strides.
  void addArray(unsigned number, const Argument &argument, llvm::Value *array,
                SmallVectorImpl<llvm::Value *> &operands) {
    std::string name =
        ("argument " + Twine(number) + " (" + argument.name + ")").str();
    unsigned rank = argument.getShape().size();
    require(b.CreateIsNotNull(array), name + ": the pointer is null");
    auto load = [&](llvm::Type *type, unsigned word) -> llvm::Value * {
      return b.CreateAlignedLoad(
          type, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), array, word),
          llvm::Align(8));
    };
    llvm::Value *data = load(b.getPtrTy(), 0);
    SmallVector<llvm::Value *> sizes, strides;
    for (unsigned dim = 0; dim < rank; ++dim) {
      sizes.push_back(load(b.getInt64Ty(), 1 + dim));
      strides.push_back(load(b.getInt64Ty(), 1 + rank + dim));
    }

    llvm::Value *isEmpty = b.getFalse();
    // Of sizes of which none is so large, products in floats are about right.
    // Beside a size of 0 the others must be such sizes too.
    llvm::Value *bytes = llvm::ConstantFP::get(
        b.getDoubleTy(),
        argument.getElementType().isIndex()
            ? 8
            : llvm::divideCeil(
                  argument.getElementType().getIntOrFloatBitWidth(), 8));
    for (auto [dim, size, known] :
         llvm::enumerate(sizes, argument.getShape())) {
      std::string place = name + ": dimension " + std::to_string(dim);
      if (!ShapedType::isDynamic(known)) {
        require(b.CreateICmpEQ(size, b.getInt64(known)),
                place + " must be " + Twine(known));
        size = b.getInt64(known);
      } else {
        require(b.CreateICmpSGE(size, b.getInt64(0)), place + " is negative");
      }
      isEmpty = b.CreateOr(isEmpty, b.CreateICmpEQ(size, b.getInt64(0)));
      llvm::Value *atLeastOne =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, b.getInt64(1));
      bytes = b.CreateFMul(bytes, b.CreateUIToFP(atLeastOne, b.getDoubleTy()));
    }
    if (rank != 0)
      require(b.CreateFCmpOLT(bytes,
                              llvm::ConstantFP::get(b.getDoubleTy(), 0x1p47)),
              name + ": the sizes are too large");
    require(b.CreateOr(isEmpty, b.CreateIsNotNull(data)),
            name + ": the pointer to the data is null");
    if (auto memref = dyn_cast<MemRefType>(argument.type))
      if (argument.role == Argument::Role::Memory)
        checkStrides(name, memref, isEmpty, sizes, strides);

    operands.append({data, data, b.getInt64(0)});
    operands.append(sizes);
    operands.append(strides);
  }

  /// Strides that the type knows must be the array's, but where they are of no
  /// use: these become the type's.
  void checkStrides(const std::string &name, MemRefType type,
                    llvm::Value *isEmpty, ArrayRef<llvm::Value *> sizes,
                    SmallVectorImpl<llvm::Value *> &strides) {
    auto [known, offset] = type.getStridesAndOffset();
    bool isContiguous = type.getLayout().isIdentity();
    llvm::Value *next = b.getInt64(1);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      llvm::Value *expected = next;
      if (!isContiguous) {
        if (ShapedType::isDynamic(known[dim]))
          continue;
        expected = b.getInt64(known[dim]);
      }
      llvm::Value *isFree =
          b.CreateOr(isEmpty, b.CreateICmpULE(sizes[dim], b.getInt64(1)));
      require(b.CreateOr(isFree, b.CreateICmpEQ(strides[dim], expected)),
              name + ": stride " + Twine(dim) + " must be " +
                  (ShapedType::isDynamic(known[dim])
                       ? "that of an array without gaps"
                       : Twine(known[dim]).str()));
      strides[dim] = expected;
      next = b.CreateMul(expected, sizes[dim]);
    }
  }

  llvm::Module &module;
  const Function &function;
  const llvm::TargetMachine &machine;
  llvm::IRBuilder<> b;
  llvm::Function *entry = nullptr;
};
} // namespace

void addEntryPoints(llvm::Module &module, ArrayRef<Function> functions,
                    const llvm::TargetMachine &machine) {
  // Under no name that generated code calls, such as memcpy.
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setName(getLoweredName(function.getName()));
    }
  for (llvm::GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration())
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const Function &function : functions)
    EntryPoint(module, function, machine).build();
}

} // namespace mlir::posenc::compile
