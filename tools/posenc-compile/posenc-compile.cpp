//===- posenc-compile.cpp - Compile a module for C programs ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "Interface.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Pipelines.h"
#include "posenc/Target/Machine.h"
#include "tools/Programs.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::posenc::compile;
namespace cl = llvm::cl;

static constexpr const char *overview =
    R"(posenc-compile: compile a module for C programs

Writes a shared library, an object file, assembly or LLVM IR, as the output's
name says, and a C header beside it. Each public function with a body becomes a
C function, which takes a description of each array, results among them, and
returns NULL, or a text that says what is wrong. The header says the rest.

  posenc-compile t5.mlir -o t5.so        # t5.so and t5.h
  cc program.c ./t5.so

The code calls libc, libm, libgcc, and with threads libomp: a program that is
linked with an object file is linked with -lomp (libomp.so.5) and -lm. On x86 a
function says if the CPU lacks a feature that the code was compiled for.

The exit code is 0 if all went well, and 1 after an error; then no file is
written.
)";

static cl::OptionCategory category("posenc-compile options");

static cl::opt<std::string> inputFile(cl::Positional, cl::init("-"),
                                      cl::desc("<file.mlir>"),
                                      cl::cat(category));

static cl::opt<std::string>
    outputFile("o", cl::value_desc("file"), cl::Required,
               cl::desc("What to write: FILE.so, FILE.o, FILE.s or FILE.ll, "
                        "and FILE.h beside it"),
               cl::cat(category));

static cl::opt<std::string> triple("triple", cl::value_desc("triple"),
                                   cl::desc("The target, as "
                                            "aarch64-linux-gnu. Default: this "
                                            "machine's"),
                                   cl::cat(category));

static cl::opt<std::string>
    cpu("cpu", cl::value_desc("name"),
        cl::desc("The CPU to compile for, as LLVM names it. Default: native, "
                 "or for another architecture the plainest one"),
        cl::cat(category));

static cl::opt<std::string>
    features("features", cl::value_desc("+a,-b"),
             cl::desc("Features beyond, or not among, those of the CPU"),
             cl::cat(category));

/// Part of LLVM has an option of this name too, which is no concern of ours. It
/// is in the shared library, and so registered before.
static const bool isNameFree = [] {
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();
  return true;
}();

enum class Threads { None, OpenMP };
static cl::opt<Threads> threads(
    "threads", cl::init(Threads::OpenMP), cl::desc("What loops run on:"),
    cl::cat(category),
    cl::values(clEnumValN(Threads::OpenMP, "openmp",
                          "threads of OpenMP, the default"),
               clEnumValN(Threads::None, "none", "the caller's thread")));

static cl::opt<std::string>
    linker("linker", cl::value_desc("program"),
           cl::desc("What links a shared library, with the options of cc. "
                    "Default: cc, clang or gcc, the first that is there"),
           cl::cat(category));

static cl::list<std::string> dialectPlugins(
    "load-dialect-plugin", cl::value_desc("file"),
    cl::desc("A library with dialects, index maps among them, of the module"),
    cl::cat(category));

static cl::opt<bool> timing("timing", cl::desc("Print how long each part took"),
                            cl::cat(category));

static LogicalResult error(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "posenc-compile") << message << '\n';
  return failure();
}

static LogicalResult error(llvm::Error reason) {
  return error(llvm::toString(std::move(reason)));
}

namespace {
enum class OutputKind { Library, Object, Assembly, LLVMIR };

/// One run of this tool. Each step prints what went wrong in one line, or
/// leaves that to a diagnostic of MLIR.
class Compiler {
public:
  Compiler(MLIRContext &context, TimingScope &timer)
      : context(context), timer(timer),
        printDiagnostics(sourceManager, &context),
        countDiagnostics(&context, [this](Diagnostic &diagnostic) {
          numErrors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return failure(); // not handled: on to the printer
        }) {}

  LogicalResult run() {
    return success(succeeded(readOptions()) && succeeded(parse()) &&
                   succeeded(lower()) && succeeded(generateCode()) &&
                   succeeded(write()));
  }

private:
  LogicalResult readOptions();
  LogicalResult parse();
  LogicalResult lower();
  LogicalResult generateCode();
  LogicalResult write();

  MLIRContext &context;
  TimingScope &timer;
  llvm::SourceMgr sourceManager;
  SourceMgrDiagnosticHandler printDiagnostics;
  ScopedDiagnosticHandler countDiagnostics;
  unsigned numErrors = 0;

  OutputKind kind = OutputKind::Library;
  SmallString<128> headerFile;
  FailureOr<posenc::CpuTarget> target = failure();
  OwningOpRef<ModuleOp> module;
  SmallVector<Function> functions;
  std::string code;
};
} // namespace

LogicalResult Compiler::readOptions() {
  StringRef ending = llvm::sys::path::extension(outputFile);
  auto known = llvm::StringSwitch<std::optional<OutputKind>>(ending)
                   .Case(".so", OutputKind::Library)
                   .Case(".o", OutputKind::Object)
                   .Case(".s", OutputKind::Assembly)
                   .Case(".ll", OutputKind::LLVMIR)
                   .Default(std::nullopt);
  if (!known)
    return error("'" + outputFile +
                 "' says not what to write: expected FILE.so, FILE.o, FILE.s "
                 "or FILE.ll");
  kind = *known;
  headerFile = outputFile;
  llvm::sys::path::replace_extension(headerFile, ".h");
  // What can't be written had better be known before long work.
  for (StringRef file : {StringRef(outputFile), StringRef(headerFile)})
    if (llvm::Error reason = checkOutput(file))
      return error(std::move(reason));

  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  llvm::Triple wanted(triple.empty() ? host.str()
                                     : llvm::Triple::normalize(triple));
  bool isNative = wanted.getArch() == host.getArch();
  std::string reason;
  target = posenc::CpuTarget::get(
      wanted.str(), cpu.empty() && isNative ? "native" : StringRef(cpu),
      features, [&](const Twine &text) { reason = text.str(); });
  if (failed(target))
    return error(reason);
  if (!wanted.isArch64Bit())
    return error("expected a target of 64 bits, got " + wanted.str());
  return success();
}

LogicalResult Compiler::parse() {
  TimingScope parseTimer = timer.nest("parse");
  std::string message;
  auto buffer = openInputFile(inputFile, &message);
  if (!buffer)
    return error(message);
  // Bytecode has no names of values.
  bool hasNames = !isBytecode(*buffer);
  sourceManager.AddNewSourceBuffer(std::move(buffer), SMLoc());
  Block block;
  AsmParserState names;
  if (failed(hasNames
                 ? parseAsmSourceFile(sourceManager, &block, &context, &names)
                 : parseSourceFile(sourceManager, &block, &context)))
    return numErrors ? failure() : error("cannot parse '" + inputFile + "'");
  // What is no module is in one, as in other tools.
  if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
    module = cast<ModuleOp>(block.front());
    (*module)->remove();
  } else {
    module = ModuleOp::create(
        FileLineColLoc::get(&context, inputFile, /*line=*/0, /*column=*/0));
    module->getBody()->getOperations().splice(module->getBody()->end(),
                                              block.getOperations());
  }
  FailureOr<SmallVector<Function>> read = readInterface(*module, names);
  if (failed(read))
    return failure();
  functions = std::move(*read);
  return success();
}

LogicalResult Compiler::lower() {
  TimingScope pipelineTimer = timer.nest("pipeline");
  PassManager manager(&context);
  manager.enableTiming(pipelineTimer);
  manager.addPass(createSymbolDCEPass());
  posenc::addRuntimeVerification(manager);
  posenc::LLVMPipelineOptions options;
  options.triple = target->triple;
  options.cpu = target->cpu;
  options.features = target->features;
  options.openmp = threads == Threads::OpenMP;
  options.cInterface = true;
  posenc::buildLLVMPipeline(manager, options);
  if (succeeded(manager.run(*module)))
    return success();
  return numErrors ? failure() : error("the module cannot be lowered");
}

LogicalResult Compiler::generateCode() {
  TimingScope codeTimer = timer.nest("LLVM");
  auto machine = posenc::createTargetMachine(*target, posenc::CodeFor::File);
  if (!machine)
    return error(machine.takeError());
  llvm::LLVMContext llvmContext;
  auto llvmModule = translateModuleToLLVMIR(*module, llvmContext);
  if (!llvmModule)
    return numErrors ? failure() : error("the module cannot be translated");
  llvmModule->setModuleIdentifier(llvm::sys::path::filename(inputFile));
  addEntryPoints(*llvmModule, functions, **machine);
  if (llvm::Error reason = posenc::optimize(*llvmModule, **machine))
    return error(std::move(reason));

  if (kind == OutputKind::LLVMIR) {
    llvm::raw_string_ostream(code) << *llvmModule;
    return success();
  }
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr,
                                      kind == OutputKind::Assembly
                                          ? llvm::CodeGenFileType::AssemblyFile
                                          : llvm::CodeGenFileType::ObjectFile))
    return error("LLVM writes no such file for " + target->triple);
  passes.run(*llvmModule);
  code.assign(bytes.begin(), bytes.end());
  return success();
}

LogicalResult Compiler::write() {
  TimingScope writeTimer = timer.nest("link and write");
  if (kind == OutputKind::Library) {
    LinkOptions options;
    options.triple = llvm::Triple(target->triple);
    options.linker = linker;
    options.openmp = threads == Threads::OpenMP;
    llvm::Expected<std::string> library = link(code, options);
    if (!library)
      return error(library.takeError());
    code = std::move(*library);
  }
  std::string header =
      makeHeader(functions, llvm::sys::path::filename(headerFile));
  std::pair<std::string, StringRef> files[] = {
      {outputFile, code}, {std::string(headerFile), header}};
  if (llvm::Error reason = writeFiles(files))
    return error(std::move(reason));
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM start(argc, argv);
  (void)isNameFree;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  DefaultTimingManager timingManager;
  timingManager.setEnabled(timing);
  TimingScope timer = timingManager.getRootScope();

  auto context = posenc::createContext(dialectPlugins);
  if (!context)
    return failed(error(context.takeError()));
  return failed(Compiler(**context, timer).run());
}
