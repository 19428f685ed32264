//===- Measure.h - How one case is measured ---------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_BENCH_MEASURE_H
#define TOOLS_POSENC_BENCH_MEASURE_H

#include "Case.h"
#include "Probe.h"
#include "Program.h"
#include <benchmark/benchmark.h>
#include <map>
#include <optional>

namespace mlir::posenc::bench {

/// A program and operands for it, ready to be timed.
class Subject {
public:
  /// Makes a first call and refuses a program whose results are not finite.
  static llvm::Expected<std::unique_ptr<Subject>> create(const Program &program,
                                                         const Case &wanted);

  /// Seconds of a call, on average over so many.
  double time(int64_t numCalls);

  /// The calls of a sample: as many as take some milliseconds, or one.
  int64_t getNumCalls() const { return numCalls; }

  /// Seconds of a call, on average over those of a sample.
  double timeSample() { return time(numCalls); }

private:
  SmallVector<run::Array> operands;
  std::optional<run::PreparedCall> call;
  unsigned numThreads = 1;
  int64_t numCalls = 1;
};

/// Measures cases, one after the other. Compiles what they need when they need
/// it, and each program once.
class Measurer {
public:
  /// `heads` are those of all cases, unless 0.
  Measurer(const Compiler &compiler, int64_t heads)
      : compiler(compiler), heads(heads) {}

  /// Runs a case as a benchmark.
  void run(benchmark::State &state, const Case &wanted);

  /// Whether a case could not be measured.
  bool hasFailed() const { return failed; }

private:
  llvm::Error prepare(const Case &wanted);
  llvm::Expected<const Program *> getProgram(StringRef example,
                                             const Instance &instance);

  Compiler compiler;
  int64_t heads;
  bool failed = false;
  std::map<std::pair<std::string, Instance>, std::unique_ptr<Program>> programs;

  /// The case that is being measured, which Google Benchmark runs more than
  /// once to find how many iterations it wants.
  std::string name;
  const Program *program = nullptr;
  std::unique_ptr<Subject> variant, plain;
  std::unique_ptr<Subject> single; // the variant in f32, if it is in less
  std::optional<ProductProbe> probe;
  std::optional<ReadProbe> readProbe; // of a few queries
};

} // namespace mlir::posenc::bench

#endif // TOOLS_POSENC_BENCH_MEASURE_H
