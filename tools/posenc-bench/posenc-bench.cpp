//===- posenc-bench.cpp - How fast compiled attention is ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "tools/Programs.h"
#include "tools/posenc-run/Host.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::posenc;
namespace cl = llvm::cl;

static constexpr const char *overview =
    R"(posenc-bench: how fast compiled attention is

Compiles example programs with the pipeline of a target and times calls of them,
one batch. A benchmark's name says what is called:

  EXAMPLE/ELEMENT/D:64/S:2048/T:1   D channels, S queries and keys, T threads
  EXAMPLE/ELEMENT/D:128/S:8192/N:1/Hkv:1/T:1   N queries, the last of S tokens,
              as in decoding; Hkv key heads, by default those of the file

Its counters are medians over samples of some milliseconds, or of one call where
that takes longer. For one thread, the time for which it has its core counts:

  of_peak     achieved rate of the two products (2 D operations each per kept
              pair) as a part of the peak: the mean of two probes, just before
              and after the sample, of the unit that multiplies in the compiled
              code
  over_plain  time as a multiple of that of attention without a position term
              and with the same mask (plain or causal-bottom-right), called
              before and after each sample; for these two, how steady the
              machine is
  over_f32    with bf16 or f16: time as a multiple of that of the same example
              in f32, called before and after each sample as well
  of_roof     with N: the time that the two products take at the peak, or that
              reading keys and values takes, whichever is longer, as a part of
              the time; read_gbs is the rate of reading as many bytes, from
              the caches that hold them
  gflops, peak_gflops, peak_bits   the rate, the probes, the probes' registers
  heads, samples                   query heads, samples

After them stands the unit. fma: multiply-adds of f32, to which shorter floats
are widened, in vectors as wide as those of the compiled code. dpbf16, amx: for
code that has them, the instructions vdpbf16ps and tdpbf16ps, of pairs of bf16.

All benchmarks of a list are run unless --benchmark_filter=REGEX chooses some or
--case says others; --benchmark_list_tests prints the list. Google Benchmark's
other flags are taken as well, --benchmark_format=json and
--benchmark_min_time=SECONDS among them. Results are checked by the tests, not
here: but a program whose first result is NaN or infinite is not timed.
)";

static cl::OptionCategory category("posenc-bench options");

static cl::opt<std::string>
    targetName("target", cl::value_desc("name"),
               cl::desc("What to compile with, as for posenc-run. Default: "
                        "the last of its targets, the fastest"),
               cl::cat(category));

static cl::list<std::string>
    caseNames("case", cl::value_desc("name"),
              cl::desc("A benchmark by its name, in place of the list. After "
                       "the example, what is f32, D:64, S:2048 or T:1 may be "
                       "left out"),
              cl::cat(category));

static cl::opt<int64_t>
    heads("heads", cl::init(0), cl::value_desc("n"),
          cl::desc("Query heads of all benchmarks. Default: those of the "
                   "example file, or what the list says"),
          cl::cat(category));

static cl::opt<std::string>
    cpu("cpu", cl::init("native"), cl::value_desc("name"),
        cl::desc("Compile for this CPU, by LLVM's name, as far as the target "
                 "can. This machine must be able to run the code: haswell, "
                 "say, shows what AVX2 code does on a machine with AVX-512"),
        cl::cat(category));

static cl::opt<std::string>
    features("features", cl::value_desc("+a,-b"),
             cl::desc("Features to add to the CPU or to take away"),
             cl::cat(category));

static cl::opt<Bf16Products>
    bf16("bf16", cl::init(Bf16Products::Fastest),
         cl::desc("How the target cpu computes products of bf16; default: "
                  "fastest:"),
         posenc::getBf16Values(), cl::cat(category));

static cl::opt<std::string> examples("examples", cl::init(POSENC_EXAMPLES),
                                     cl::value_desc("folder"),
                                     cl::desc("Where the examples are"),
                                     cl::cat(category));

static int fail(const Twine &message) {
  llvm::errs() << "posenc-bench: error: " << message << '\n';
  return 1;
}

/// Memory that compiled code frees is kept for its next call. It would go back
/// to the system otherwise, and be mapped and cleared page by page in each
/// call.
static void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

int main(int argc, char **argv) {
  llvm::InitLLVM start(argc, argv);
  keepFreedMemory();
  run::getHostSettings() = {"posenc-bench", /*poisonMemory=*/false};

  // Each library parses the flags that are its own.
  SmallVector<char *> ours{argv[0]}, theirs{argv[0]};
  for (char *argument : ArrayRef(argv, argc).drop_front())
    (StringRef(argument).starts_with("--benchmark_") ? theirs : ours)
        .push_back(argument);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(ours.size(), ours.data(), overview);
  int numTheirs = theirs.size();
  theirs.push_back(nullptr);
  benchmark::Initialize(&numTheirs, theirs.data());
  if (benchmark::ReportUnrecognizedArguments(numTheirs, theirs.data()))
    return 1;

  if (targetName.empty())
    targetName = run::getTargets().back().name.str();
  const run::Target *target = run::findTarget(targetName);
  if (!target)
    return fail("unknown target '" + targetName + "', expected " +
                run::getTargetNames());
  if (heads < 0)
    return fail("a number of heads must not be negative");

  std::vector<bench::Case> cases;
  for (const std::string &name : caseNames) {
    llvm::Expected<bench::Case> parsed = bench::Case::parse(name);
    if (!parsed)
      return fail(llvm::toString(parsed.takeError()));
    if (parsed->threads > 1 && !target->hasThreads)
      return fail("the code of target '" + targetName + "' has one thread");
    cases.push_back(*parsed);
  }
  if (cases.empty())
    cases = bench::getDefaultCases(target->hasThreads);

  auto context = createContext();
  if (!context)
    return fail(llvm::toString(context.takeError()));

  run::TargetOptions options;
  options.cpu = cpu;
  options.features = features;
  options.bf16 = bf16;
  bench::Measurer measurer({**context, examples, target, options}, heads);
  for (const bench::Case &wanted : cases)
    benchmark::RegisterBenchmark(wanted.getName().c_str(),
                                 [&measurer, wanted](benchmark::State &state) {
                                   measurer.run(state, wanted);
                                 })
        ->Unit(benchmark::kMillisecond);
  benchmark::AddCustomContext("target", targetName);
  benchmark::AddCustomContext("cpu", cpu);
  benchmark::AddCustomContext("features", features);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return measurer.hasFailed();
}
