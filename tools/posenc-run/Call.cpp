//===- Call.cpp - Calling a lowered function ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of a function takes scalars as they are and a pointer to a
// descriptor for each memref. A scalar that is its only result is returned;
// any other result, or several in one struct, are stored where a pointer says
// that comes before the arguments. See https://mlir.llvm.org/docs/TargetLLVMIR,
// "C-compatible wrapper emission".
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Arguments.h"
#include "Host.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "posenc/Target/Machine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <map>

namespace mlir::posenc::run {

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The type of the C interface, or null if a value has no place in it.
static LLVM::LLVMFunctionType getInterfaceType(FunctionType type) {
  MLIRContext *context = type.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto convert = [&](Type valueType) -> Type {
    if (isa<ShapedType>(valueType))
      return pointer;
    if (isa<IndexType>(valueType))
      return IntegerType::get(context, 64);
    return valueType;
  };
  Type result = LLVM::LLVMVoidType::get(context);
  SmallVector<Type> arguments;
  if (type.getNumResults() == 1 && !isa<ShapedType>(type.getResult(0)))
    result = convert(type.getResult(0));
  else if (type.getNumResults() != 0)
    arguments.push_back(pointer);
  llvm::append_range(arguments, llvm::map_range(type.getInputs(), convert));
  return LLVM::LLVMFunctionType::get(result, arguments);
}

/// Why the engine, which has no way to refuse a module, could not link it.
static llvm::Error checkSymbols(const llvm::Module &module) {
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  for (const llvm::Function &function : module) {
    std::string name = function.getName().str();
    // The engine makes a function of this name.
    if (!function.isDeclaration() && module.getNamedValue("_mlir_" + name))
      return llvm::createStringError("the name '_mlir_" + name +
                                     "' is reserved");
    if (!function.isDeclaration() || function.isIntrinsic() ||
        function.use_empty())
      continue;
    bool isKnown = llvm::is_contained(llvm::make_first_range(getHostSymbols()),
                                      function.getName()) ||
                   llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name);
    if (!isKnown)
      return llvm::createStringError("the function '" + name +
                                     "' is declared and called, but not "
                                     "defined");
  }
  return llvm::Error::success();
}

/// See CompiledFunction.
static unsigned getVectorBits(const llvm::Module &module,
                              const llvm::TargetMachine &machine) {
  unsigned widest = 0;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    const llvm::MCSubtargetInfo &cpu = *machine.getSubtargetImpl(function);
    unsigned registerBits = 128;
    if (machine.getTargetTriple().isX86())
      registerBits = cpu.checkFeatures("+avx512f") ? 512
                     : cpu.checkFeatures("+avx")   ? 256
                                                   : 128;
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *vector =
          llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
      bool computes =
          llvm::isa<llvm::BinaryOperator, llvm::IntrinsicInst>(instruction);
      if (vector && computes && vector->getElementType()->isFloatTy())
        widest = std::max(
            widest, std::min(32 * vector->getNumElements(), registerBits));
    }
  }
  return widest;
}

llvm::Expected<CompiledFunction> compile(ModuleOp module, StringRef name,
                                         FunctionType type,
                                         const TargetOptions &options) {
  std::string interface = ("_mlir_ciface_" + name).str();
  auto lowered = module.lookupSymbol<LLVM::LLVMFuncOp>(interface);
  if (!lowered || lowered.isExternal() ||
      lowered.getFunctionType() != getInterfaceType(type))
    return llvm::createStringError(
        "the target's pipeline does not keep the signature of '" + name + "'");

  std::string reason;
  FailureOr<CpuTarget> cpu =
      CpuTarget::get(/*triple=*/"", options.cpu, options.features,
                     [&](const Twine &text) { reason = text.str(); });
  if (failed(cpu))
    return llvm::createStringError(reason);
  auto machine = createTargetMachine(*cpu, CodeFor::Process);
  if (!machine)
    return machine.takeError();

  llvm::Error symbolError = llvm::Error::success();
  llvm::StringSet<> defined;
  auto translate = [&](Operation *op, llvm::LLVMContext &context) {
    auto llvmModule = translateModuleToLLVMIR(op, context);
    if (!llvmModule)
      return llvmModule;
    for (const llvm::GlobalValue &value : llvmModule->global_values())
      if (!value.isDeclaration())
        defined.insert(value.getName());
    symbolError = checkSymbols(*llvmModule);
    return symbolError ? nullptr : std::move(llvmModule);
  };
  // The engine will own the machine.
  llvm::TargetMachine *machinePointer = machine->get();
  unsigned vectorBits = 0;
  auto transform = [&](llvm::Module *llvmModule) -> llvm::Error {
    if (llvm::Error failure = optimize(*llvmModule, *machinePointer))
      return failure;
    vectorBits = getVectorBits(*llvmModule, *machinePointer);
    return llvm::Error::success();
  };
  ExecutionEngineOptions engineOptions;
  engineOptions.llvmModuleBuilder = translate;
  engineOptions.transformer = transform;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto engine =
      ExecutionEngine::create(module, engineOptions, std::move(*machine));
  if (symbolError) {
    llvm::consumeError(engine.takeError());
    return std::move(symbolError);
  }
  if (!engine)
    return engine.takeError();

  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    // Those of the module itself come first.
    for (auto [symbol, address] : getHostSymbols())
      if (!defined.contains(symbol))
        symbols[interner(symbol)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                     llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  // This generates the machine code.
  auto entry = (*engine)->lookupPacked(interface);
  if (!entry)
    return entry.takeError();
  return CompiledFunction{std::move(*engine), *entry, vectorBits};
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// A memref descriptor is words of 64 bits: the allocated pointer, the pointer
/// to the elements, an offset, the sizes and the strides.
static constexpr size_t headWords = 3;
static size_t getDescriptorWords(Type type) {
  return headWords + 2 * cast<ShapedType>(type).getRank();
}

static SmallVector<int64_t> makeDescriptor(Type type, Array &array) {
  SmallVector<int64_t> words(headWords, 0);
  words[0] = words[1] = reinterpret_cast<intptr_t>(array.getData());
  llvm::append_range(words, array.getShape());
  llvm::append_range(words, getArgumentStrides(type, array));
  return words;
}

/// Copies what a descriptor describes.
static llvm::Expected<Array> readDescriptor(Type type, const char *memory) {
  SmallVector<int64_t> words(getDescriptorWords(type));
  std::memcpy(words.data(), memory, words.size() * sizeof(int64_t));
  size_t rank = cast<ShapedType>(type).getRank();
  ArrayRef<int64_t> shape = ArrayRef(words).slice(headWords, rank);
  ArrayRef<int64_t> strides = ArrayRef(words).take_back(rank);
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return llvm::createStringError("has a negative size");
  Type elementType = getValueElementType(type);
  llvm::Expected<Array> array = Array::create(elementType, shape);
  if (array)
    array->copyFrom(reinterpret_cast<const char *>(words[1]) +
                        words[2] * getElementSize(elementType),
                    strides);
  return array;
}

PreparedCall::PreparedCall(const CompiledFunction &function, FunctionType type,
                           MutableArrayRef<Array> arguments)
    : entry(function.entry), type(type), descriptors(arguments.size()),
      pointers(arguments.size()) {
  // Everything is aligned to its size, a descriptor to that of a word.
  size_t resultBytes = 0;
  for (Type result : type.getResults()) {
    bool isScalar = !isa<ShapedType>(result);
    size_t size = isScalar ? getElementSize(result) : sizeof(int64_t);
    resultOffsets.push_back(llvm::alignTo(resultBytes, size));
    resultBytes = resultOffsets.back() +
                  (isScalar ? size : size * getDescriptorWords(result));
  }
  results.resize(llvm::divideCeil(resultBytes, 8), 0);
  resultsPointer = results.data();
  bool isReturned =
      type.getNumResults() == 1 && !isa<ShapedType>(type.getResult(0));

  // The engine takes a pointer to each argument, and to the returned value
  // after them. Those of pointers need a place as well.
  if (type.getNumResults() != 0 && !isReturned)
    packed.push_back(&resultsPointer);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (isa<ShapedType>(type.getInput(i))) {
      descriptors[i] = makeDescriptor(type.getInput(i), arguments[i]);
      pointers[i] = descriptors[i].data();
      packed.push_back(&pointers[i]);
    } else {
      packed.push_back(arguments[i].getData());
    }
  }
  if (isReturned)
    packed.push_back(resultsPointer);
}

void PreparedCall::moveArgument(unsigned number, Array &memory) {
  SmallVector<int64_t> &words = descriptors[number];
  words[0] = words[1] = reinterpret_cast<intptr_t>(memory.getData());
  llvm::copy(memory.getStrides(), words.end() - memory.getShape().size());
}

llvm::Expected<SmallVector<Array>> PreparedCall::getResults() const {
  SmallVector<Array> arrays;
  for (auto [number, result] : llvm::enumerate(type.getResults())) {
    const char *memory =
        reinterpret_cast<const char *>(results.data()) + resultOffsets[number];
    llvm::Expected<Array> array = isa<ShapedType>(result)
                                      ? readDescriptor(result, memory)
                                      : Array::create(result, {});
    if (!array)
      return llvm::createStringError("result " + Twine(number) + " " +
                                     llvm::toString(array.takeError()));
    if (!isa<ShapedType>(result))
      array->copyFrom(memory, {});
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

llvm::Expected<SmallVector<Array>> call(const CompiledFunction &function,
                                        FunctionType type,
                                        MutableArrayRef<Array> arguments,
                                        bool padTensors) {
  PreparedCall prepared(function, type, arguments);
  std::map<size_t, Array> padded;
  for (size_t i = 0; padTensors && i < arguments.size(); ++i) {
    if (!isa<TensorType>(type.getInput(i)))
      continue;
    llvm::Expected<Array> array = arguments[i].getPadded();
    if (!array)
      return array.takeError();
    prepared.moveArgument(i,
                          padded.emplace(i, std::move(*array)).first->second);
  }
  callOnHost([&] { prepared.make(); });
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto it = padded.find(i);
    if (it == padded.end() ? !arguments[i].isSurroundingIntact()
                           : !arguments[i].isPaddingIntact(it->second))
      return llvm::createStringError("the function wrote beyond the ends of "
                                     "argument " +
                                     Twine(i));
  }
  llvm::Expected<SmallVector<Array>> results = prepared.getResults();
  freeHostMemory();
  return results;
}

} // namespace mlir::posenc::run
