//===- posenc-run.cpp - Compile a function and call it --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "tools/Programs.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;

static constexpr const char *overview =
    R"(posenc-run: compile a function and call it

Lowers a module with the pipeline of a target, compiles it for this machine and
calls one function. The arguments are read from .npy files or written as
literals; their element types, ranks and static sizes are those of the
function's signature, dynamic sizes come from the data. bf16 is stored in .npy
files as its bits, <u2 or V2, and index as <i8.

The function's outputs are its results, then the memref arguments that it
writes. Results, arguments, inputs and dimensions are numbered from 0. An output
that is neither written to a file nor compared is printed; what is printed is a
literal, unless the array is large.

  posenc-run t5.mlir --function=attention --input=@q.npy --input=@k.npy \
    --input=2x8x64x64xf32=0.5 --input=index=7 --expected-output=@out.npy

The exit code is 0 if all went well, and 1 after an error (then no file is
written) or if an output is not as expected (then it is written).
)";

static cl::OptionCategory category("posenc-run options");

static cl::opt<std::string> inputFile(cl::Positional, cl::init("-"),
                                      cl::desc("<file.mlir>"),
                                      cl::cat(category));

static cl::opt<std::string>
    function("function", cl::value_desc("name"),
             cl::desc("The function to call, if the module defines more "
                      "than one"),
             cl::cat(category));

static cl::opt<std::string>
    target("target", cl::value_desc("name"), cl::init("reference"),
           cl::desc("What to compile with: "
                    "reference (the default), loops or cpu"),
           cl::cat(category));

static cl::list<std::string>
    inputs("input", cl::value_desc("value"),
           cl::desc("The value of the next argument: @FILE.npy, "
                    "SHAPExTYPE=VALUES (one value for all elements, or "
                    "none for zeros) or TYPE=VALUE for a scalar"),
           cl::cat(category));

static cl::opt<std::string> cpu(
    "cpu", cl::value_desc("name"), cl::init("native"),
    cl::desc("The CPU to compile for, as LLVM names it; this machine must be "
             "able to run the code. Default: native"),
    cl::cat(category));
static cl::opt<std::string>
    features("features", cl::value_desc("+a,-b"),
             cl::desc("Features beyond, or not among, those of the CPU"),
             cl::cat(category));

static cl::opt<posenc::Bf16Products>
    bf16("bf16", cl::init(posenc::Bf16Products::Fastest),
         cl::desc("How the target cpu computes products of bf16; default: "
                  "fastest:"),
         posenc::getBf16Values(), cl::cat(category));

static cl::opt<bool>
    padInputs("pad-inputs",
              cl::desc("Put NaN between the rows of tensor arguments: memory "
                       "that the function must not read or write, as is that "
                       "beyond the ends of all arguments"),
              cl::cat(category));

static cl::list<std::string>
    outputs("output", cl::value_desc("file"),
            cl::desc("Where the next output goes: @FILE.npy, - to print "
                     "it, or nothing"),
            cl::cat(category));

static cl::list<std::string> expectedOutputs(
    "expected-output", cl::value_desc("value"),
    cl::desc("What the next output must be, as for --input, or nothing for any "
             "value. A wider float than the output's is compared as it is. "
             "NaN equals NaN"),
    cl::cat(category));

static cl::opt<double>
    rtol("rtol", cl::value_desc("r"),
         cl::desc("An output is as expected if no element differs by more than "
                  "atol + rtol * max |expected|. Default: f64 1e-12, f32 1e-5, "
                  "f16 1e-3, bf16 8e-3, integers 0"),
         cl::cat(category));

static cl::opt<double> atolerance("atol", cl::value_desc("a"), cl::init(0.0),
                                  cl::desc("See --rtol. Default: 0"),
                                  cl::cat(category));

static cl::opt<posenc::ComputeType> computeType(
    "compute-type", cl::init(posenc::ComputeType::F32),
    cl::desc("The float type of all computation in the reference:"),
    cl::values(clEnumValN(posenc::ComputeType::F32, "f32", "the default"),
               clEnumValN(posenc::ComputeType::F64, "f64", "twice the digits")),
    cl::cat(category));

static cl::list<std::string> dialectPlugins(
    "load-dialect-plugin", cl::value_desc("file"),
    cl::desc("A library with dialects, index maps among them, of the module"),
    cl::cat(category));

static cl::opt<bool> timing("timing", cl::desc("Print how long each part took"),
                            cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM start(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  DefaultTimingManager timingManager;
  timingManager.setEnabled(timing);
  TimingScope timer = timingManager.getRootScope();

  auto context = posenc::createContext(dialectPlugins);
  if (!context) {
    llvm::errs() << "posenc-run: error: " << llvm::toString(context.takeError())
                 << "\n";
    return 1;
  }

  posenc::run::RunOptions options;
  options.inputFile = inputFile;
  options.function = function;
  options.target = target;
  options.targetOptions.computeType = computeType;
  options.targetOptions.cpu = cpu;
  options.targetOptions.features = features;
  options.targetOptions.bf16 = bf16;
  options.inputs = inputs;
  options.outputs = outputs;
  options.expectedOutputs = expectedOutputs;
  options.atol = atolerance;
  options.padInputs = padInputs;
  if (rtol.getNumOccurrences() != 0)
    options.rtol = rtol;
  return failed(posenc::run::run(**context, timer, options));
}
