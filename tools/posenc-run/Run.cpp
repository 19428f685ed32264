//===- Run.cpp - The steps of a run ---------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "Arguments.h"
#include "Call.h"
#include "Compare.h"
#include "Npy.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::posenc::run;

namespace {
/// A result, or a memref argument that the function writes.
struct Output {
  std::string name;
  Type type;
  /// Where its value is after the call: a result's or an argument's number.
  bool isResult;
  unsigned number;

  /// What the options say about it.
  std::string file;
  bool isPrinted = false;
  std::optional<Array> expected;
};

/// One run of this tool. Each step prints what went wrong in one line, or
/// leaves that to a diagnostic of MLIR.
class Runner {
public:
  Runner(MLIRContext &context, TimingScope &timer, const RunOptions &options);
  LogicalResult run();

private:
  LogicalResult parse();
  LogicalResult findFunction();
  void findOutputs();
  LogicalResult readInputs();
  LogicalResult readOutputOptions();
  LogicalResult lower();
  LogicalResult compileAndCall();
  LogicalResult writeOutputs();
  LogicalResult reportOutputs();

  const Array &getValue(const Output &output) const {
    return output.isResult ? results[output.number] : inputs[output.number];
  }

  MLIRContext &context;
  TimingScope &timer;
  const RunOptions &options;
  llvm::SourceMgr sourceManager;
  SourceMgrDiagnosticHandler printDiagnostics;
  ScopedDiagnosticHandler countDiagnostics;
  unsigned numDiagnostics = 0;

  const Target *target = nullptr;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::string name;
  FunctionType type;
  SmallVector<Array> inputs, results;
  SmallVector<Output> outputs;
};
} // namespace

static LogicalResult error(const Twine &message) {
  llvm::outs().flush();
  llvm::WithColor::error(llvm::errs(), "posenc-run") << message << '\n';
  return failure();
}

static LogicalResult error(const Twine &prefix, llvm::Error reason) {
  return error(prefix + llvm::toString(std::move(reason)));
}

/// Names an option in an error: `input 2 (--input=@k.npy): `.
static std::string describe(const Twine &name, StringRef option,
                            StringRef text) {
  // Of a literal, the values beyond the first ones say nothing.
  constexpr size_t maxLength = 60;
  std::string shown = text.str();
  if (text.size() > maxLength && !text.starts_with("@"))
    shown = text.take_front(maxLength).str() + "...";
  return (name + " (--" + option + "=" + shown + "): ").str();
}

static std::string toString(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(types, os);
  return text;
}

Runner::Runner(MLIRContext &context, TimingScope &timer,
               const RunOptions &options)
    : context(context), timer(timer), options(options),
      printDiagnostics(sourceManager, &context),
      countDiagnostics(&context, [this](Diagnostic &diagnostic) {
        numDiagnostics += diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure(); // not handled: on to the printer
      }) {}

LogicalResult Runner::parse() {
  TimingScope parseTimer = timer.nest("parse");
  std::string message;
  auto buffer = openInputFile(options.inputFile, &message);
  if (!buffer)
    return error(message);
  sourceManager.AddNewSourceBuffer(std::move(buffer), SMLoc());
  module = parseSourceFile<ModuleOp>(sourceManager, &context);
  if (!module && numDiagnostics == 0)
    return error("cannot parse '" + options.inputFile + "'");
  return success(bool(module));
}

LogicalResult Runner::findFunction() {
  SmallVector<func::FuncOp> defined;
  for (auto candidate : module->getOps<func::FuncOp>())
    if (!candidate.isExternal())
      defined.push_back(candidate);
  std::string names;
  for (func::FuncOp candidate : defined)
    names += (names.empty() ? "" : ", ") + candidate.getName().str();
  if (names.empty())
    names = "none";

  if (options.function.empty()) {
    if (defined.size() != 1)
      return error("which function is meant? --function must be one of those "
                   "that the module defines: " +
                   names);
    function = defined.front();
  } else {
    Operation *symbol = module->lookupSymbol(options.function);
    function = dyn_cast_or_null<func::FuncOp>(symbol);
    if (!symbol)
      return error("no function '" + options.function +
                   "', the module defines: " + names);
    if (!function)
      return error("'" + options.function + "' is no func.func");
    if (function.isExternal())
      return error("the function '" + options.function + "' has no body");
  }

  name = function.getName().str();
  type = function.getFunctionType();
  for (auto [number, argument] : llvm::enumerate(type.getInputs()))
    if (llvm::Error reason = checkArgumentType(argument))
      return error("argument " + Twine(number) + " of '" + name + "': ",
                   std::move(reason));
  for (auto [number, result] : llvm::enumerate(type.getResults()))
    if (llvm::Error reason = checkResultType(result))
      return error("result " + Twine(number) + " of '" + name + "': ",
                   std::move(reason));
  return success();
}

void Runner::findOutputs() {
  auto add = [&](const Twine &outputName, Type outputType, bool isResult,
                 unsigned number) {
    outputs.emplace_back();
    outputs.back().name = outputName.str();
    outputs.back().type = outputType;
    outputs.back().isResult = isResult;
    outputs.back().number = number;
  };
  for (auto [number, result] : llvm::enumerate(type.getResults()))
    add("result " + Twine(number), result, /*isResult=*/true, number);
  for (unsigned number : getWrittenArguments(function))
    add("argument " + Twine(number), type.getInput(number), /*isResult=*/false,
        number);
}

LogicalResult Runner::readInputs() {
  if (options.inputs.size() != type.getNumInputs())
    return error("'" + name + "' takes " + Twine(type.getNumInputs()) +
                 " inputs (" + toString(type.getInputs()) + "), got " +
                 Twine(options.inputs.size()));
  for (auto [number, text] : llvm::enumerate(options.inputs)) {
    llvm::Expected<Array> input =
        readValue(text, type.getInput(number), ElementMatch::Exact);
    if (!input)
      return error(describe("input " + Twine(number), "input", text),
                   input.takeError());
    inputs.push_back(std::move(*input));
  }
  return success();
}

LogicalResult Runner::readOutputOptions() {
  auto checkCount = [&](StringRef option, size_t count) {
    if (count <= outputs.size())
      return success();
    std::string names;
    for (const Output &output : outputs)
      names += (names.empty() ? "" : ", ") + output.name;
    return error("'" + name + "' has " + Twine(outputs.size()) + " outputs (" +
                 (names.empty() ? "none" : names) + "), got " + Twine(count) +
                 " times --" + option);
  };
  if (failed(checkCount("output", options.outputs.size())) ||
      failed(checkCount("expected-output", options.expectedOutputs.size())))
    return failure();

  for (auto [number, output] : llvm::enumerate(outputs)) {
    bool hasFile = number < options.outputs.size();
    bool hasExpected = number < options.expectedOutputs.size();
    output.isPrinted = !hasFile && !hasExpected;
    if (hasFile) {
      StringRef text = options.outputs[number], file = text;
      if (text == "-")
        output.isPrinted = true;
      else if (file.consume_front("@") && !file.empty())
        output.file = file.str();
      else if (!text.empty())
        return error(describe(output.name, "output", text) +
                     "expected @FILE.npy, - or nothing");
      // What can't be written had better be known before a long run.
      StringRef folder = llvm::sys::path::parent_path(output.file);
      if (!output.file.empty() &&
          ((llvm::sys::fs::exists(output.file) &&
            !llvm::sys::fs::is_regular_file(output.file)) ||
           llvm::sys::fs::access(folder.empty() ? "." : folder,
                                 llvm::sys::fs::AccessMode::Write)))
        return error(describe(output.name, "output", text) +
                     "cannot write there");
    }
    if (hasExpected && !options.expectedOutputs[number].empty()) {
      llvm::Expected<Array> expected =
          readValue(options.expectedOutputs[number], output.type,
                    ElementMatch::OrWiderFloat);
      if (!expected)
        return error(describe(output.name, "expected-output",
                              options.expectedOutputs[number]),
                     expected.takeError());
      output.expected = std::move(*expected);
    }
  }
  return success();
}

LogicalResult Runner::lower() {
  TimingScope pipelineTimer = timer.nest("pipeline");
  if (succeeded(posenc::run::lower(function, *target, options.targetOptions,
                                   pipelineTimer)))
    return success();
  if (numDiagnostics == 0)
    return error("the pipeline of target '" + target->name + "' failed");
  return failure();
}

LogicalResult Runner::compileAndCall() {
  TimingScope compileTimer = timer.nest("LLVM");
  llvm::Expected<CompiledFunction> compiled =
      compile(*module, name, type, options.targetOptions);
  if (!compiled) {
    if (numDiagnostics == 0)
      return error("", compiled.takeError());
    llvm::consumeError(compiled.takeError());
    return failure();
  }
  compileTimer.stop();

  TimingScope callTimer = timer.nest("run");
  llvm::Expected<SmallVector<Array>> values =
      call(*compiled, type, inputs, options.padInputs);
  if (!values)
    return error("", values.takeError());
  results = std::move(*values);
  return success();
}

LogicalResult Runner::writeOutputs() {
  SmallVector<std::pair<StringRef, const Array *>> files;
  for (auto [number, output] : llvm::enumerate(outputs)) {
    const Array &value = getValue(output);
    if (output.expected && output.expected->getShape() != value.getShape()) {
      std::string shapes;
      llvm::raw_string_ostream os(shapes);
      printShape(os, output.expected->getShape());
      os << ", got ";
      printShape(os, value.getShape());
      return error(describe(output.name, "expected-output",
                            options.expectedOutputs[number]) +
                   "expected " + shapes);
    }
    if (!output.file.empty())
      files.push_back({output.file, &value});
  }
  if (llvm::Error reason = writeNpyFiles(files))
    return error("", std::move(reason));
  return success();
}

LogicalResult Runner::reportOutputs() {
  raw_ostream &os = llvm::outs();
  bool isAsExpected = true;
  for (const Output &output : outputs) {
    const Array &value = getValue(output);
    os << output.name << ": ";
    value.printType(os);
    if (output.isPrinted) {
      os << '=';
      value.printValues(os);
    }
    os << '\n';
    if (!output.expected)
      continue;
    Comparison comparison = compare(value, *output.expected);
    os << output.name << ": ";
    print(os, comparison, value, *output.expected);
    os << '\n';
    double relative = options.rtol.value_or(
        getDefaultRelativeTolerance(value.getElementType()));
    double tolerance = options.atol + relative * comparison.largestExpected;
    if (comparison.largestError <= tolerance)
      continue;
    isAsExpected = false;
    std::string text;
    llvm::raw_string_ostream(text)
        << output.name << ": not as expected, the largest error "
        << llvm::format("%.2g exceeds %.2g = %.2g + %.2g * %.2g",
                        comparison.largestError, tolerance, options.atol,
                        relative, comparison.largestExpected);
    (void)error(text);
  }
  return success(isAsExpected);
}

LogicalResult Runner::run() {
  target = findTarget(options.target);
  if (!target)
    return error("unknown target '" + options.target + "', expected " +
                 getTargetNames());
  if (options.targetOptions.computeType != posenc::ComputeType::F32 &&
      !target->hasComputeType)
    return error("only the target 'reference' takes a compute type");
  // Written this way round for NaN.
  if (!(options.rtol.value_or(0) >= 0) || !(options.atol >= 0))
    return error("a tolerance must not be negative");

  if (failed(parse()) || failed(findFunction()))
    return failure();
  findOutputs();
  return success(succeeded(readInputs()) && succeeded(readOutputOptions()) &&
                 succeeded(lower()) && succeeded(compileAndCall()) &&
                 succeeded(writeOutputs()) && succeeded(reportOutputs()));
}

LogicalResult posenc::run::run(MLIRContext &context, TimingScope &timer,
                               const RunOptions &options) {
  return Runner(context, timer, options).run();
}
