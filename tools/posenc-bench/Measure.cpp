//===- Measure.cpp - How one case is measured -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "Clock.h"
#include "tools/posenc-run/Arguments.h"
#include "tools/posenc-run/Host.h"
#include "llvm/Support/DynamicLibrary.h"
#include <algorithm>
#include <cmath>

namespace mlir::posenc::bench {

using run::Array;

/// Google Benchmark takes batches of samples; a median wants so many at least.
static constexpr int64_t samplesPerBatch = 9;

/// Long beside the clock's resolution and the caches' filling, short beside the
/// time for which a neighbour leaves the core alone.
static constexpr double sampleSeconds = 2e-3;

static double median(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

//===----------------------------------------------------------------------===//
// Subject
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Subject>> Subject::create(const Program &program,
                                                         const Case &wanted) {
  auto subject = std::make_unique<Subject>();
  subject->numThreads = wanted.threads;
  auto operands = program.makeOperands(wanted.length, wanted.getQueries());
  if (!operands)
    return operands.takeError();
  subject->operands = std::move(*operands);
  subject->call.emplace(program.getFunction(), program.getType(),
                        subject->operands);

  run::callOnHost([&] { subject->call->make(); });
  llvm::Expected<SmallVector<Array>> results = subject->call->getResults();
  run::freeHostMemory();
  if (!results)
    return results.takeError();
  for (const Array &result : *results)
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      if (isa<FloatType>(result.getElementType()) &&
          !std::isfinite(result.getFloat(i)))
        return llvm::createStringError(
            "the result is not finite: what computes nonsense is not timed");

  // The first call found cold caches and pages, and any call a busy machine.
  double total = 0, fastest = sampleSeconds;
  while (total < sampleSeconds) {
    double seconds = subject->time(1);
    fastest = std::min(fastest, seconds);
    total += seconds;
  }
  subject->numCalls = std::llround(sampleSeconds / fastest);
  return subject;
}

double Subject::time(int64_t numCalls) {
  double elapsed = 0;
  run::callOnHost([&] {
    double begin = getSeconds(numThreads);
    for (int64_t i = 0; i < numCalls; ++i) {
      call->make();
      run::freeHostMemory();
    }
    elapsed = getSeconds(numThreads) - begin;
  });
  return elapsed / numCalls;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {

/// The time of samples as a multiple of that of another subject, called before
/// and after each of them.
class Comparison {
public:
  explicit Comparison(Subject &other)
      : other(other), before(other.timeSample()) {}

  /// Comes after a sample.
  void add(double seconds) {
    double after = other.timeSample();
    ratios.push_back(seconds / ((before + after) / 2));
    before = after;
  }

  double getRatio() const { return median(ratios); }

private:
  Subject &other;
  double before;
  std::vector<double> ratios;
};

} // namespace

//===----------------------------------------------------------------------===//
// Measurer
//===----------------------------------------------------------------------===//

llvm::Expected<const Program *> Measurer::getProgram(StringRef example,
                                                     const Instance &instance) {
  std::unique_ptr<Program> &known = programs[{example.str(), instance}];
  if (!known) {
    auto created = Program::create(compiler, example, instance);
    if (!created)
      return created.takeError();
    known = std::move(*created);
  }
  return known.get();
}

/// Bytes of the keys and values, all of which are read.
static int64_t countKeyBytes(const Program &program, const Case &wanted) {
  unsigned size = run::getElementSize(
      run::getValueElementType(program.getType().getInput(1)));
  return wanted.length * program.getKeyHeads() *
         (program.getChannels() + program.getValueChannels()) * size;
}

llvm::Error Measurer::prepare(const Case &wanted) {
  if (name == wanted.getName())
    return llvm::Error::success();
  name.clear();
  variant.reset();
  plain.reset();
  single.reset();

  // Before the first call: the threads are started by that.
  using SetThreads = void (*)(int);
  if (auto setThreads = reinterpret_cast<SetThreads>(
          llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(
              "omp_set_num_threads")))
    setThreads(wanted.threads);

  Instance instance;
  instance.heads = heads ? heads : wanted.heads;
  instance.channels = wanted.channels;
  instance.element = wanted.element;
  instance.queries = wanted.queries;
  instance.keyHeads = wanted.keyHeads;
  auto create = [&](std::unique_ptr<Subject> &subject,
                    StringRef example) -> llvm::Expected<const Program *> {
    auto compiled = getProgram(example, instance);
    if (!compiled)
      return compiled;
    auto created = Subject::create(**compiled, wanted);
    if (!created)
      return created.takeError();
    subject = std::move(*created);
    return compiled;
  };
  auto ofVariant = create(variant, wanted.example->name);
  if (!ofVariant)
    return ofVariant.takeError();
  program = *ofVariant;
  instance.heads = program->getHeads();
  instance.keyHeads = program->getKeyHeads();
  if (auto ofPlain = create(plain, wanted.example->getPlain()); !ofPlain)
    return ofPlain.takeError();
  if (wanted.element != "f32") {
    instance.element = "f32";
    if (auto ofSingle = create(single, wanted.example->name); !ofSingle)
      return ofSingle.takeError();
  }

  probe.emplace(program->getUnit(), program->getFunction().vectorBits,
                wanted.threads);
  readProbe.reset();
  if (wanted.queries)
    readProbe.emplace(countKeyBytes(*program, wanted), wanted.threads);
  name = wanted.getName();
  return llvm::Error::success();
}

void Measurer::run(benchmark::State &state, const Case &wanted) {
  if (llvm::Error failure = prepare(wanted)) {
    failed = true;
    state.SkipWithError(llvm::toString(std::move(failure)).c_str());
    return;
  }

  // The two products of a pair that is kept. What a variant computes beside
  // them counts as time, not as work.
  double operations = 2.0 *
                      (program->getChannels() + program->getValueChannels()) *
                      wanted.countPairs() * program->getHeads();
  std::vector<double> ofPeak, rates, peaks, ofRoof, bandwidths;
  Comparison overPlain(*plain);
  std::optional<Comparison> overSingle;
  if (single)
    overSingle.emplace(*single);
  // An iteration is a call of the variant; time stands still for all others.
  while (state.KeepRunningBatch(samplesPerBatch * variant->getNumCalls())) {
    for (int64_t sample = 0; sample < samplesPerBatch; ++sample) {
      state.PauseTiming();
      double peakBefore = probe->measure();
      double readBefore = readProbe ? readProbe->measure() : 0;
      // The probe took the place of keys and values in the caches.
      if (readProbe)
        variant->time(1);
      state.ResumeTiming();
      double seconds = variant->timeSample();
      state.PauseTiming();
      double peakAfter = probe->measure();
      overPlain.add(seconds);
      if (overSingle)
        overSingle->add(seconds);

      peaks.push_back((peakBefore + peakAfter) / 2);
      rates.push_back(operations / seconds);
      ofPeak.push_back(rates.back() / peaks.back());
      if (readProbe) {
        bandwidths.push_back((readBefore + readProbe->measure()) / 2);
        double reading = readProbe->getBytes() / bandwidths.back();
        double computing = operations / peaks.back();
        ofRoof.push_back(std::max(reading, computing) / seconds);
      }
      state.ResumeTiming();
    }
  }
  state.SetLabel(getName(probe->getUnit()).str());
  state.counters["of_peak"] = median(ofPeak);
  state.counters["over_plain"] = overPlain.getRatio();
  if (overSingle)
    state.counters["over_f32"] = overSingle->getRatio();
  state.counters["gflops"] = median(rates) * 1e-9;
  state.counters["peak_gflops"] = median(peaks) * 1e-9;
  state.counters["peak_bits"] = probe->getVectorBits();
  if (readProbe) {
    state.counters["of_roof"] = median(ofRoof);
    state.counters["read_gbs"] = median(bandwidths) * 1e-9;
  }
  state.counters["heads"] = program->getHeads();
  state.counters["samples"] = ofPeak.size();
}

} // namespace mlir::posenc::bench
