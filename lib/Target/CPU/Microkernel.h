//===- Microkernel.h - Products in registers --------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_MICROKERNEL_H
#define POSENC_LIB_TARGET_CPU_MICROKERNEL_H

#include "KernelBuilder.h"

namespace mlir::posenc::cpu {

/// Rows of a step of a product with packed columns.
constexpr int64_t numRows = CpuTarget::rowsPerStep;

/// A matrix in registers, rows x vectors, row by row.
using Accumulators = SmallVector<Value>;

/// sums[x, y] + sum over d in [lo, hi) of row(d, x) * column(d, y), with a
/// scalar for row(d, x) and a vector for column(d, y), of f32 or of pairs.
Accumulators emitProduct(KernelBuilder &b, Value lo, Value hi, int64_t vectors,
                         Accumulators sums,
                         function_ref<Value(Value, int64_t)> row,
                         function_ref<Value(Value, int64_t)> column);

/// The same for numRows rows from zero over all channels, summed 32 at a time:
/// in one chain, each addition would be rounded to the size of the whole sum.
Accumulators emitChannels(KernelBuilder &b, int64_t channels, int64_t vectors,
                          function_ref<Value(Value, int64_t)> row,
                          function_ref<Value(Value, int64_t)> column);

/// Channels that emitDots takes at a time, 64 bytes of f32.
constexpr int64_t dotChannels = 16;

/// Products of rows and keys as they lie in memory, channels side by side: a
/// vector of the scores of b.lanes keys for each row. `row(x, d)` and
/// `key(y, d)` are vectors of channels from d on, and each(y, d) runs once for
/// dotChannels of a key. The number of rows is a power of two, at most 4, and
/// that of channels a multiple of dotChannels.
Accumulators emitDots(KernelBuilder &b, int64_t rows, int64_t channels,
                      function_ref<Value(int64_t, Value)> row,
                      function_ref<Value(int64_t, Value)> key,
                      function_ref<void(int64_t, Value)> each);

/// How a matrix [panels, C, W] of packed columns is cut into vectors.
struct Panels {
  int64_t width;   // W
  int64_t lanes;   // of a vector
  int64_t vectors; // of a step's row

  /// The cut for a target; steps are `block` columns or divide them.
  static Panels get(Value columns, int64_t block, const CpuTarget &target);
  int64_t stepWidth() const { return vectors * lanes; }

  /// Row t of the columns from `column` + y * lanes on, of bf16 the pairs t of
  /// `emitPairsInRows`. `column` is a multiple of stepWidth().
  Value load(KernelBuilder &b, Value columns, Value column, Value t,
             int64_t y) const;
};

/// The transpose of n vectors of n units each, of `unit` lanes.
SmallVector<Value> emitTransposeOfUnits(KernelBuilder &b,
                                        SmallVector<Value> rows, int64_t unit);
/// The transpose of lanes x lanes.
SmallVector<Value> emitTranspose(KernelBuilder &b, SmallVector<Value> rows);

/// A copy of `count` rows of some channels as `padded` rows, the last one again
/// and again behind them, in a buffer of as many rows or more.
Value emitPaddedRows(KernelBuilder &b, Value rows, Value count, Value padded,
                     OpFoldResult capacity, int64_t channels);

/// The memref with the pairs of its innermost dimension in the one before.
Value emitPairsInRows(KernelBuilder &b, Value memref);

/// The matrix as one that is known to have a unit innermost stride.
Value emitUnitStride(KernelBuilder &b, Value memref);
/// Whether its innermost stride is 1, as it runs; null if that is known.
Value emitIsUnitStride(KernelBuilder &b, Value memref);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_MICROKERNEL_H
