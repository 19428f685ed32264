//===- Probe.cpp - The peak of this machine, at this moment ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probe.h"
#include "Clock.h"
#include "posenc/Target/CPU.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define POSENC_X86 1
#endif
// Asking for tile registers is known of Linux.
#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <unistd.h>
#define POSENC_AMX 1
#endif

namespace mlir::posenc::bench {

// In a round, each accumulator adds a multiple of the next one: what AArch64
// has an instruction for is an addition to the accumulator, and no product is
// the same as another. They must be as many as the latency of a fused
// multiply-add (4 cycles on today's CPUs, 6 of a vdpbf16ps) times those that
// start in a cycle: 2 on AVX registers, 4 on NEON's. They and the factor stay
// in registers: x86 has 16, with AVX-512 32, and AArch64 32.
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
/// accumulator, which would become infinite otherwise. In bf16 it is itself
/// beside a zero.
static volatile float factor = 0x1p-30f, sink;

// Vectors of the compiler's, which it contracts to a fused multiply-add where
// the function's target has one. A macro: the target of a function is not that
// of a template which it calls.
#define BEGIN(i, next) Vector a##i = zero + (factor + i + 1);
#define FMA(i, next) a##i += a##next * b;
#define DPBF16(i, next)                                                        \
  a##i = (Vector)_mm512_dpbf16_ps((__m512)a##i, (__m512bh)a##next, (__m512bh)b);
#define END(i, next) sum += a##i;
// clang-format off
#define DEFINE_LOOP(name, bits, count, STEP, products, attributes)             \
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
    return count * 2 * products * (bits / 32);                                 \
  }
// clang-format on

#ifdef POSENC_X86
DEFINE_LOOP(loop128, 128, 12, FMA, 1, )
DEFINE_LOOP(loop128Fma, 128, 12, FMA, 1, __attribute__((target("avx,fma"))))
DEFINE_LOOP(loop256, 256, 12, FMA, 1, __attribute__((target("avx"))))
DEFINE_LOOP(loop256Fma, 256, 12, FMA, 1, __attribute__((target("avx,fma"))))
DEFINE_LOOP(loop512, 512, 24, FMA, 1, __attribute__((target("avx512f"))))
DEFINE_LOOP(loopDpbf16, 512, 24, DPBF16, 2,
            __attribute__((target("avx512f,avx512bf16"))))
#else
DEFINE_LOOP(loop128, 128, 24, FMA, 1, )
#endif

#ifdef POSENC_AMX
/// Four products: one starts every 16 cycles, and its sums are there after 52.
__attribute__((target("amx-tile,amx-bf16"))) static int64_t
loopAmx(int64_t rounds) {
  // Registers of 16 rows, each of 16 sums or 16 pairs.
  constexpr int size = 16, rowBytes = 64;
  struct alignas(64) {
    uint8_t palette = 1, firstRow = 0, reserved[14] = {};
    uint16_t bytesOfRows[16] = {};
    uint8_t rows[16] = {};
  } config;
  std::fill_n(config.bytesOfRows, 8, rowBytes);
  std::fill_n(config.rows, 8, size);
  float factors[size * size];
  for (float &pair : factors)
    pair = factor;
  // The compiler does not see all that the next instructions read.
  __asm__ volatile("" : : "r"(&config), "r"(factors) : "memory");
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, factors, rowBytes);
  _tile_loadd(5, factors, rowBytes);
  _tile_loadd(6, factors, rowBytes);
  _tile_loadd(7, factors, rowBytes);
  for (int64_t round = 0; round < rounds; ++round) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  return 4 * 2 * (size * size * 2 * size);
}

/// Whether the CPU has such registers and this process may use them, for which
/// it asks as compiled code does.
static bool mayUseAmx() {
  constexpr unsigned bf16 = 1 << 22, tiles = 1 << 24;
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bf16) && (d & tiles) &&
         syscall(TilePermission::call, TilePermission::request,
                 TilePermission::feature) == 0;
}
#endif

StringRef getName(Unit unit) {
  switch (unit) {
  case Unit::Fma:
    return "fma";
  case Unit::Dpbf16:
    return "dpbf16";
  case Unit::Amx:
    return "amx";
  }
  llvm_unreachable("unknown unit");
}

ProductProbe::ProductProbe(Unit wanted, unsigned bits, unsigned numThreads)
    : unit(Unit::Fma), vectorBits(128), numThreads(numThreads), loop(loop128),
      rounds(1 << 14) {
#ifdef POSENC_X86
  bool hasFma = __builtin_cpu_supports("fma");
  if (wanted >= Unit::Dpbf16 && __builtin_cpu_supports("avx512bf16")) {
    unit = Unit::Dpbf16;
    vectorBits = 512;
    loop = loopDpbf16;
  } else if (bits >= 512 && __builtin_cpu_supports("avx512f")) {
    vectorBits = 512;
    loop = loop512;
  } else if (bits >= 256 && __builtin_cpu_supports("avx")) {
    vectorBits = 256;
    loop = hasFma ? loop256Fma : loop256;
  } else if (hasFma) {
    loop = loop128Fma;
  }
#else
  (void)wanted, (void)bits;
#endif
#ifdef POSENC_AMX
  if (wanted == Unit::Amx && mayUseAmx()) {
    unit = Unit::Amx;
    vectorBits = 16 * 512;
    loop = loopAmx;
  }
#endif
  // As many rounds as take half a millisecond where nothing interrupts. Wide
  // vectors wake up in the first ones.
  double fastest = 0, operations = loop(rounds);
  for (int i = 0; i < 8; ++i)
    fastest = std::max(fastest, measureOne());
  rounds = 0.5e-3 * fastest / operations;
}

double ProductProbe::measureOne() const {
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

double ProductProbe::measure() const {
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
