//===- Tiles.h - Products in tile registers ---------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// AMX has eight registers of up to 16 rows of 64 bytes, and an instruction that
// adds to one of 16 x 16 f32 the product of two of 16 x 32 bf16: of rows, and
// of pairs of rows, which is what columns of pairs are in memory. A register
// has one shape in all of a function; here all have the same.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_TILES_H
#define POSENC_LIB_TARGET_CPU_TILES_H

#include "KernelBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::posenc::cpu {

/// Rows and columns of a tile of f32, and bf16 in a row of a tile of these.
constexpr int64_t tileSize = 16, tileDepth = CpuTarget::channelsOfTiles;
/// Tiles of rows that are multiplied at once. With two of columns there are
/// four sums, and two registers for either factor.
constexpr int64_t tilesOfRows = CpuTarget::rowsOfTiles / tileSize;

/// Zeros for the sums of all tiles of rows and two of columns.
SmallVector<Value> emitZeroTiles(KernelBuilder &b);
/// The tile of f32, or of bf16, whose rows are in the two inner dimensions of a
/// memref.
Value emitLoadTile(KernelBuilder &b, Value memref, ValueRange indices);
void emitStoreTile(KernelBuilder &b, Value tile, Value memref,
                   ValueRange indices);

/// sums[x, y] + rows[x] columns[y] over `depth` channels, a multiple of
/// tileDepth. `row` and `column` load the tile of a number from a channel on.
using LoadFactor = function_ref<Value(int64_t number, int64_t from)>;
void emitTileProducts(KernelBuilder &b, MutableArrayRef<Value> sums,
                      int64_t depth, LoadFactor row, LoadFactor column);

/// Emits a branch on whether the process may use tile registers. `withTiles`
/// goes to a function of its own: LLVM configures the registers at the start of
/// the function that uses them, where a process without the permission would
/// be killed. Where there is no module for that, only `without`.
LogicalResult emitIfTiles(PatternRewriter &rewriter, Location loc,
                          function_ref<LogicalResult()> withTiles,
                          function_ref<LogicalResult()> without);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_TILES_H
