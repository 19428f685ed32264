//===- CPU.h - Schedules to vector code of a CPU ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TARGET_CPU_H
#define POSENC_TARGET_CPU_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::posenc {

/// How a process on Linux (x86-64) asks for the state of AMX: a system call,
/// arch_prctl, and its arguments. https://docs.kernel.org/arch/x86/xstate.html
struct TilePermission {
  static constexpr int64_t call = 158, request = 0x1023, feature = 18;
};

/// What of a CPU shapes its code: how wide its vectors of f32 are, how many it
/// holds in registers, and which instructions beside plain ones it has.
struct CpuTarget {
  /// f32 in a vector register.
  int64_t lanes = 4;
  /// Vector registers.
  int64_t registers = 16;
  /// Single instructions for the fraction of a float and for the scaling by a
  /// power of two (AVX-512): what an exp2 is made of.
  bool hasReduceScale = false;
  /// One instruction that takes lanes of a register in the order that another
  /// register says (AVX2, AVX-512).
  bool hasPermute = false;
  /// One instruction that adds the products of pairs of bf16 (AVX512-BF16).
  bool hasPairDots = false;
  /// Registers of whole matrices of bf16, and their product (AMX), which a
  /// process must ask its system for.
  bool hasTiles = false;
  /// Whether products of pairs are faster than those of f32.
  bool prefersPairs = false;
  /// Maxima of floats that give NaN for NaN are one instruction (NEON).
  bool hasNanMaximum = false;
  /// What LLVM is to be told.
  std::string triple, cpu, features;

  /// Query rows of a step. Six rows of vectorsPerRow() vectors are the
  /// accumulators of a product.
  static constexpr int64_t rowsPerStep = 6;
  /// Vectors of a step's row: as many as leave registers for the two factors.
  int64_t vectorsPerRow() const {
    // 24 accumulators of 32 registers, 12 of 16.
    return registers >= 32 ? 4 : 2;
  }
  /// Keys of a step, the natural width of a panel of packed columns.
  int64_t panelWidth() const { return vectorsPerRow() * lanes; }
  /// Query rows of a step in registers of matrices, and channels that their
  /// product takes at a time.
  static constexpr int64_t rowsOfTiles = 32, channelsOfTiles = 32;
  /// Query rows that share the keys in the cache.
  int64_t tileRows() const { return 8 * rowsPerStep; }
  /// The same where products are of pairs.
  int64_t pairTileRows() const { return hasTiles ? rowsOfTiles : tileRows(); }
  int64_t pairChannels() const { return hasTiles ? channelsOfTiles : 2; }

  /// The target of a triple, a CPU and further features ("+avx2,-fma"). An
  /// empty triple is the host's; the CPU "native" is the host's with all that
  /// the host has. Fails with a reason for what LLVM does not know.
  static FailureOr<CpuTarget> get(StringRef triple, StringRef cpu,
                                  StringRef features,
                                  function_ref<void(const Twine &)> emitError);
};

/// Rewrites sweeps, products and packs of the schedule as vector code. What
/// they do not take is left to the patterns of Loops.h. `target` must outlive
/// the patterns.
void populateTileToCpuPatterns(RewritePatternSet &patterns,
                               const CpuTarget &target,
                               PatternBenefit benefit = 2);

} // namespace mlir::posenc

#endif // POSENC_TARGET_CPU_H
