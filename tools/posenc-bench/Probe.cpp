//===- Probe.cpp - The peak of this machine, at this moment ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probe.h"
#include "Clock.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#define POSENC_X86 1
#endif

namespace mlir::posenc::bench {

// In a round, each accumulator adds a multiple of the next one: what AArch64
// has an instruction for is an addition to the accumulator, and no product is
// the same as another. They must be as many as the latency of a fused
// multiply-add (4 cycles on today's CPUs) times those that start in a cycle: 2
// on AVX registers, 4 on NEON's. They and the factor stay in registers: x86 has
// 16, with AVX-512 32, and AArch64 32.
// clang-format off
#define FIRST_11(X)                                                            \
  X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 8) X(8, 9)      \
  X(9, 10) X(10, 11)
#define ALL_12(X) FIRST_11(X) X(11, 0)
#define ALL_24(X)                                                              \
  FIRST_11(X) X(11, 12) X(12, 13) X(13, 14) X(14, 15) X(15, 16) X(16, 17)      \
  X(17, 18) X(18, 19) X(19, 20) X(20, 21) X(21, 22) X(22, 23) X(23, 0)
// clang-format on

/// The compiler must not know the values. The factor is too small to change an
/// accumulator, which would become infinite otherwise.
static volatile float factor = 1e-9f, sink;

// Vectors of the compiler's, which it contracts to a fused multiply-add where
// the function's target has one. A macro: the target of a function is not that
// of a template which it calls.
#define BEGIN(i, next) Vector a##i = zero + (factor + i + 1);
#define STEP(i, next) a##i += a##next * b;
#define END(i, next) sum += a##i;
// clang-format off
#define DEFINE_LOOP(name, bits, count, attributes)                             \
  attributes static int64_t name(int64_t rounds) {                             \
    typedef float Vector __attribute__((vector_size(bits / 8)));               \
    const Vector zero = {};                                                    \
    const Vector b = zero + factor;                                            \
    ALL_##count(BEGIN)                                                         \
    for (int64_t round = 0; round < rounds; ++round) {                         \
      ALL_##count(STEP)                                                        \
    }                                                                          \
    Vector sum = zero;                                                         \
    ALL_##count(END)                                                           \
    for (unsigned i = 0; i < bits / 32; ++i)                                   \
      sink = sum[i];                                                           \
    return count * 2 * (bits / 32);                                            \
  }
// clang-format on

#ifdef POSENC_X86
DEFINE_LOOP(loop128, 128, 12, )
DEFINE_LOOP(loop128Fma, 128, 12, __attribute__((target("avx,fma"))))
DEFINE_LOOP(loop256, 256, 12, __attribute__((target("avx"))))
DEFINE_LOOP(loop256Fma, 256, 12, __attribute__((target("avx,fma"))))
DEFINE_LOOP(loop512, 512, 24, __attribute__((target("avx512f"))))
#else
DEFINE_LOOP(loop128, 128, 24, )
#endif

FmaProbe::FmaProbe(unsigned bits, unsigned numThreads)
    : vectorBits(128), numThreads(numThreads), loop(loop128), rounds(1 << 14) {
#ifdef POSENC_X86
  bool hasFma = __builtin_cpu_supports("fma");
  if (bits >= 512 && __builtin_cpu_supports("avx512f")) {
    vectorBits = 512;
    loop = loop512;
  } else if (bits >= 256 && __builtin_cpu_supports("avx")) {
    vectorBits = 256;
    loop = hasFma ? loop256Fma : loop256;
  } else if (hasFma) {
    loop = loop128Fma;
  }
#else
  (void)bits;
#endif
  // As many rounds as take half a millisecond where nothing interrupts. Wide
  // vectors wake up in the first ones.
  double fastest = 0, operations = loop(rounds);
  for (int i = 0; i < 8; ++i)
    fastest = std::max(fastest, measureOne());
  rounds = 0.5e-3 * fastest / operations;
}

double FmaProbe::measureOne() const {
  double begin = getSeconds(numThreads);
  int64_t operations = loop(rounds);
  return rounds * operations / (getSeconds(numThreads) - begin);
}

/// The sum of what all threads measure at once.
static double sumOverThreads(unsigned numThreads,
                             llvm::function_ref<double(unsigned)> measure) {
  if (numThreads == 1)
    return measure(0);
  std::atomic<unsigned> numStarted{0};
  std::vector<double> rates(numThreads);
  auto measureThread = [&](unsigned thread) {
    ++numStarted;
    while (numStarted.load() < numThreads) {
    }
    rates[thread] = measure(thread);
  };
  std::vector<std::thread> threads;
  for (unsigned thread = 1; thread < numThreads; ++thread)
    threads.emplace_back(measureThread, thread);
  measureThread(0);
  double sum = rates[0];
  for (unsigned thread = 1; thread < numThreads; ++thread) {
    threads[thread - 1].join();
    sum += rates[thread];
  }
  return sum;
}

double FmaProbe::measure() const {
  return sumOverThreads(numThreads, [&](unsigned) { return measureOne(); });
}

ReadProbe::ReadProbe(int64_t numBytes, unsigned numThreads)
    : memory(numBytes / sizeof(float), 1.0f), numThreads(numThreads) {}

/// Adds up floats, four vectors at a time. What comes next is asked for: a
/// processor that sees the stream itself is not slowed down by it.
static float readFloats(const float *begin, const float *end) {
  typedef float Vector __attribute__((vector_size(32), aligned(4), may_alias));
  Vector sums[4] = {};
  constexpr int64_t step = 4 * 8, ahead = 1024;
  for (; end - begin >= step; begin += step) {
    __builtin_prefetch(begin + ahead);
    __builtin_prefetch(begin + ahead + step / 2);
    for (int64_t i = 0; i < 4; ++i)
      sums[i] += *reinterpret_cast<const Vector *>(begin + i * step / 4);
  }
  Vector sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[5];
}

double ReadProbe::measurePart(unsigned thread) const {
  size_t part = memory.size() / numThreads;
  const float *begin = memory.data() + thread * part;
  sink = readFloats(begin, begin + part);
  double start = getSeconds(numThreads);
  sink = readFloats(begin, begin + part);
  return part * sizeof(float) / (getSeconds(numThreads) - start);
}

double ReadProbe::measure() const {
  return sumOverThreads(numThreads,
                        [&](unsigned thread) { return measurePart(thread); });
}

} // namespace mlir::posenc::bench
