//===- Probe.h - The peak of this machine, at this moment -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU's clock depends on its load and on its neighbours: a virtual core
// shares its execution units with a stranger, for seconds at a time. What a
// kernel reaches is therefore compared with what the same core can do just
// before and just after it, never with a number from a data sheet.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_BENCH_PROBE_H
#define TOOLS_POSENC_BENCH_PROBE_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <vector>

namespace mlir::posenc::bench {

/// What multiplies and adds: vectors of f32; of pairs of bf16 (vdpbf16ps); tile
/// registers of bf16 (tdpbf16ps). A CPU with one of them may use those before.
enum class Unit { Fma, Dpbf16, Amx };

StringRef getName(Unit unit);

/// Measures how many floating-point operations a second some threads do when
/// they only multiply and add, in registers of one width.
class ProductProbe {
public:
  /// The unit is that of the code to compare with, or if it may not be used
  /// here one before it, as in that code. `vectorBits` is of that code as well:
  /// multiply-adds are in the widest vectors of this CPU that are no wider, 128
  /// bits at least.
  ProductProbe(Unit unit, unsigned vectorBits, unsigned numThreads);

  Unit getUnit() const { return unit; }
  /// Bits of the registers.
  unsigned getVectorBits() const { return vectorBits; }

  /// Takes about half a millisecond. The rate of all threads together.
  double measure() const;

private:
  /// Does a number of rounds and gives the operations of one.
  using Loop = int64_t (*)(int64_t rounds);
  double measureOne() const;

  Unit unit;
  unsigned vectorBits, numThreads;
  Loop loop;
  int64_t rounds;
};

/// The rate, in bytes per second, at which memory is read that was read before:
/// from a cache if it holds as many bytes.
class ReadProbe {
public:
  ReadProbe(int64_t numBytes, unsigned numThreads);

  int64_t getBytes() const { return memory.size() * sizeof(float); }

  /// Reads all twice and times the second time. The rate of all threads
  /// together, each of which reads its part.
  double measure() const;

private:
  double measurePart(unsigned thread) const;

  std::vector<float> memory;
  unsigned numThreads;
};

} // namespace mlir::posenc::bench

#endif // TOOLS_POSENC_BENCH_PROBE_H
