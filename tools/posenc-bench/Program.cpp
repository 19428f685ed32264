//===- Program.cpp - An example program, compiled -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "tools/Programs.h"
#include "tools/posenc-run/Arguments.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cmath>
#include <cstring>
#include <random>

namespace mlir::posenc::bench {

using run::Array;

/// The operands' letters, from the comment that begins an example file: a line
/// `//   %q  [B, H, N, D]  queries` for each in the function's order, then its
/// results.
static SmallVector<SmallVector<std::string>> readLetters(StringRef text) {
  SmallVector<SmallVector<std::string>> letters;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.consume_front("//   %"))
      continue;
    letters.emplace_back();
    auto [name, rest] = line.split(' ');
    rest = rest.ltrim();
    if (!rest.consume_front("["))
      continue;
    SmallVector<StringRef> words;
    rest.take_until([](char c) { return c == ']'; }).split(words, ", ");
    for (StringRef word : words)
      letters.back().push_back(word.str());
  }
  return letters;
}

/// What instantiate.py makes of an example.
static llvm::Expected<std::string>
instantiate(StringRef folder, StringRef example,
            ArrayRef<std::string> differences) {
  auto python = llvm::sys::findProgramByName("python3");
  if (!python)
    return llvm::createStringError("there is no python3 to instantiate '" +
                                   example + "'");
  SmallString<128> script(folder), output;
  llvm::sys::path::append(script, "instantiate.py");
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("posenc-bench", "mlir", output))
    return llvm::createStringError("no temporary file: " + code.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove(output); });

  SmallVector<StringRef> arguments{*python, script, example};
  llvm::append_range(arguments, differences);
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output),
                                          std::nullopt};
  std::string reason;
  if (llvm::sys::ExecuteAndWait(*python, arguments, std::nullopt, redirects, 0,
                                0, &reason) != 0)
    return llvm::createStringError("cannot instantiate '" + example +
                                   "' with " + llvm::join(differences, " ") +
                                   (reason.empty() ? "" : ": ") + reason);
  return readFile(output);
}

llvm::Error Program::parse(MLIRContext &context, StringRef text,
                           StringRef file) {
  module = parseSourceString<ModuleOp>(text, &context, file);
  auto op = module ? module->lookupSymbol<func::FuncOp>("attention") : nullptr;
  if (!op)
    return llvm::createStringError("'" + file + "' has no function attention");
  type = op.getFunctionType();
  sizes.clear();
  if (letters.size() < type.getNumInputs())
    return llvm::createStringError("the comment of '" + file +
                                   "' has not all operands");
  for (auto [operand, names] : llvm::zip(type.getInputs(), letters)) {
    if (llvm::Error failure = run::checkArgumentType(operand))
      return failure;
    auto shaped = dyn_cast<ShapedType>(operand);
    if (names.size() != size_t(shaped ? shaped.getRank() : 0))
      return llvm::createStringError("the comment of '" + file +
                                     "' does not say what its types do");
    for (auto [dim, name] : llvm::enumerate(names))
      sizes[name] = shaped.getDimSize(dim);
  }
  for (StringRef letter : {"H", "D", "Dv"})
    if (sizes.lookup(letter) <= 0)
      return llvm::createStringError("'" + file + "' has no size " + letter);
  return llvm::Error::success();
}

SmallVector<std::string>
Program::getDifferences(const Instance &instance) const {
  SmallVector<std::string> differences;
  auto add = [&](StringRef letter, int64_t size) {
    if (size != 0 && sizes.contains(letter) && sizes.lookup(letter) != size)
      differences.push_back(("--" + letter + "=" + Twine(size)).str());
  };
  int64_t keyHeads = instance.keyHeads;
  // Fewer heads are grouped as those of the file are.
  if (keyHeads == 0 && instance.heads != 0)
    keyHeads =
        std::max<int64_t>(1, instance.heads * getKeyHeads() / getHeads());
  add("H", instance.heads);
  add("Hkv", keyHeads);
  add("D", instance.channels);
  add("N", instance.queries);
  std::string element;
  llvm::raw_string_ostream(element)
      << run::getValueElementType(type.getInput(0));
  if (!instance.element.empty() && instance.element != element)
    differences.push_back("--type=" + instance.element);
  return differences;
}

/// The unit of compiled code, by its instructions: which one it is does not
/// follow from the CPU and the element type alone, as few query rows take their
/// keys from where they are.
static Unit findUnit(ModuleOp module) {
  Unit unit = Unit::Fma;
  module.walk([&](LLVM::CallIntrinsicOp call) {
    StringRef name = call.getIntrin();
    if (name.contains("tdpbf16ps"))
      unit = Unit::Amx;
    else if (name.contains("dpbf16ps"))
      unit = std::max(unit, Unit::Dpbf16);
  });
  return unit;
}

llvm::Error Program::compile(const Compiler &compiler) {
  auto op = module->lookupSymbol<func::FuncOp>("attention");
  TimingScope noTiming;
  if (failed(run::lower(op, *compiler.target, compiler.options, noTiming)))
    return llvm::createStringError("the pipeline of target '" +
                                   compiler.target->name + "' failed");
  unit = findUnit(*module);
  auto compiled = run::compile(*module, "attention", type, compiler.options);
  if (!compiled)
    return compiled.takeError();
  function = std::move(*compiled);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(const Compiler &compiler, StringRef example,
                Instance instance) {
  SmallString<128> path(compiler.folder);
  llvm::sys::path::append(path, example + ".mlir");
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  auto program = std::make_unique<Program>();
  program->letters = readLetters(*text);
  if (llvm::Error failure = program->parse(compiler.context, *text, path))
    return std::move(failure);

  auto differences = program->getDifferences(instance);
  if (!differences.empty()) {
    text = instantiate(compiler.folder, example, differences);
    if (!text)
      return text.takeError();
    if (llvm::Error failure = program->parse(compiler.context, *text, path))
      return std::move(failure);
  }
  if (llvm::Error failure = program->compile(compiler))
    return std::move(failure);
  return program;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static void fillWithFloats(Array &array, unsigned seed) {
  std::minstd_rand generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  auto type = cast<FloatType>(array.getElementType());
  unsigned size = run::getElementSize(type);
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    llvm::APFloat value(distribution(generator));
    bool losesInfo;
    value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
    uint64_t bits = value.bitcastToAPInt().getZExtValue();
    std::memcpy(array.getData() + i * size, &bits, size);
  }
}

/// A number per head falls as the slopes of ALiBi do: 2^(-8 (h + 1) / H).
/// Slopes of any sign would let scores grow without end.
static void fillWithSlopes(Array &array) {
  auto *slopes = reinterpret_cast<float *>(array.getData());
  for (int64_t h = 0, heads = array.getNumElements(); h < heads; ++h)
    slopes[h] = std::exp2(-8.0 * (h + 1) / heads);
}

/// Masks keep everything, positions count along the last dimension from `first`
/// on. A position that is a scalar is that of row 0, so that a causal row sees
/// what is behind it.
static void fillWithIntegers(Array &array, int64_t first) {
  unsigned size = run::getElementSize(array.getElementType());
  bool isMask = array.getElementType().isInteger(1);
  int64_t period = array.getShape().empty() ? 1 : array.getShape().back();
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    int64_t value = isMask ? 1 : first + i % period;
    std::memcpy(array.getData() + i * size, &value, size);
  }
}

llvm::Expected<SmallVector<Array>>
Program::makeOperands(int64_t length, int64_t queries) const {
  SmallVector<Array> operands;
  for (auto [operand, names] : llvm::zip(type.getInputs(), letters)) {
    SmallVector<int64_t> shape;
    for (const std::string &name : names) {
      int64_t size = sizes.lookup(name);
      if (ShapedType::isDynamic(size)) {
        // L rows of a table that distances index, from 0 on.
        if (name != "B" && name != "N" && name != "M" && name != "L")
          return llvm::createStringError("no size for the letter " + name);
        size = name == "B" ? 1 : name == "N" ? queries : length;
      }
      shape.push_back(size);
    }
    Type elementType = run::getValueElementType(operand);
    llvm::Expected<Array> array = Array::create(elementType, shape);
    if (!array)
      return array.takeError();
    if (elementType.isF32() && ArrayRef(names) == ArrayRef<std::string>("H"))
      fillWithSlopes(*array);
    else if (isa<FloatType>(elementType))
      fillWithFloats(*array, /*seed=*/1 + operands.size());
    else
      fillWithIntegers(
          *array, names.empty() || names.back() == "N" ? length - queries : 0);
    operands.push_back(std::move(*array));
  }
  return operands;
}

} // namespace mlir::posenc::bench
