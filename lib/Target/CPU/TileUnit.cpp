//===- TileUnit.cpp - Sweeps by products of tile registers ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairUnit.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

/// A tile register has up to 16 rows of 64 bytes: 16 f32, or 32 bf16. There are
/// eight: four sums, two of rows and two of columns.
static constexpr int64_t tileSize = 16;
static constexpr int64_t tileDepth = 32;

/// Rows whose scores are in registers at a time: enough exponentials that none
/// waits for another.
static constexpr int64_t scoreRows = 4;

namespace {
/// AMX. What a product of tiles takes is the layout of pairs as it is: rows of
/// pairs of channels on one side, pairs of rows on the other. Thirty-two rows
/// and a block of keys are a step, small enough that all of it stays in the
/// first level of the cache. Scores go through memory, since nothing but a
/// product works on tiles.
class TileUnit : public PairUnit {
public:
  TileUnit(KernelBuilder &b, SweepOp op, const Panels &panels)
      : PairUnit(b, op, panels, CpuTarget::rowsOfTiles) {}

  void emitScores(Value p, Value n, Value lo, Value hi, UseScores use) override;
  void emitValues(const Pending &pending) override;

private:
  Value load(int64_t rows, int64_t columns, Type element, Value memref,
             ValueRange at) {
    return amx::TileLoadOp::create(
        b, amx::TileType::get({rows, columns}, element), memref, at);
  }
  /// sums[x, y] + rows[x] columns[y] for factors of `depth` channels or keys.
  using LoadFactor = function_ref<Value(int64_t number, int64_t from,
                                        int64_t rows, int64_t columns)>;
  void multiply(MutableArrayRef<Value> sums, int64_t depth, LoadFactor row,
                LoadFactor column);
};
} // namespace

void TileUnit::multiply(MutableArrayRef<Value> sums, int64_t depth,
                        LoadFactor row, LoadFactor column) {
  constexpr int64_t rows = CpuTarget::rowsOfTiles / tileSize;
  int64_t columns = sums.size() / rows;
  for (int64_t from = 0; from < depth; from += tileDepth) {
    int64_t here = std::min(tileDepth, depth - from);
    SmallVector<Value> factors;
    for (int64_t y = 0; y < columns; ++y)
      factors.push_back(column(y, from, here / 2, 2 * tileSize));
    for (int64_t x = 0; x < rows; ++x) {
      Value factor = row(x, from, tileSize, here);
      for (int64_t y = 0; y < columns; ++y) {
        Value &sum = sums[x * columns + y];
        sum =
            amx::TileMulFOp::create(b, sum.getType(), factor, factors[y], sum);
      }
    }
  }
}

void TileUnit::emitScores(Value p, Value n, Value lo, Value hi, UseScores use) {
  Type bf16 = b.getBF16Type();
  auto sumType = amx::TileType::get({tileSize, tileSize}, b.getF32Type());
  b.loop(b.index(0), b.index(block), 2 * tileSize, [&](Value column) {
    SmallVector<Value> sums;
    for (int64_t i = 0; i < 4; ++i)
      sums.push_back(amx::TileZeroOp::create(b, sumType));
    multiply(
        sums, channels,
        [&](int64_t x, int64_t d, int64_t rows, int64_t columns) {
          return load(rows, columns, bf16, buffers.q,
                      {b.add(p, x * tileSize), b.index(d)});
        },
        [&](int64_t y, int64_t d, int64_t rows, int64_t columns) {
          Value key = b.add(b.add(n, column), y * tileSize);
          Value lane = b.rem(key, panels.width);
          return load(
              rows, columns, bf16, keys,
              {b.div(key, panels.width), b.index(d / 2), b.mul(lane, 2)});
        });
    for (auto [i, sum] : llvm::enumerate(sums))
      amx::TileStoreOp::create(
          b, buffers.scores,
          ValueRange{b.index(int64_t(i) / 2 * tileSize),
                     b.add(column, int64_t(i) % 2 * tileSize)},
          sum);
  });
  b.loop(b.index(0), b.index(stepRows), scoreRows, [&](Value x) {
    for (int64_t column = 0; column < block; column += panels.stepWidth()) {
      Accumulators scores;
      for (int64_t i = 0; i < scoreRows; ++i)
        for (int64_t y = 0; y < panels.vectors; ++y)
          scores.push_back(
              b.loadVector(buffers.scores,
                           {b.add(x, i), b.index(column + y * panels.lanes)}));
      use(x, b.index(column), scores);
    }
  });
}

void TileUnit::emitValues(const Pending &pending) {
  Type bf16 = b.getBF16Type(), f32 = b.getF32Type();
  Value first = b.div(pending.row, 2);
  auto emit = [&](Value d, int64_t columns) {
    auto at = [&](int64_t i) -> SmallVector<Value> {
      return {b.add(pending.p, i / columns * tileSize),
              b.add(d, i % columns * tileSize)};
    };
    SmallVector<Value> sums;
    for (int64_t i = 0; i < 2 * columns; ++i)
      sums.push_back(load(tileSize, tileSize, f32, buffers.o, at(i)));
    multiply(
        sums, block,
        [&](int64_t x, int64_t key, int64_t rows, int64_t columns) {
          return load(rows, columns, bf16, buffers.weights,
                      {b.add(pending.weights, x * tileSize), b.index(key)});
        },
        [&](int64_t y, int64_t key, int64_t rows, int64_t columns) {
          Value channel = b.add(d, y * tileSize);
          return load(rows, columns, bf16, values,
                      {b.add(first, key / 2), b.mul(channel, 2)});
        });
    for (auto [i, sum] : llvm::enumerate(sums))
      amx::TileStoreOp::create(b, buffers.o, at(i), sum);
  };
  int64_t whole = valueWidth / (2 * tileSize) * (2 * tileSize);
  b.loop(b.index(0), b.index(whole), 2 * tileSize,
         [&](Value d) { emit(d, 2); });
  if (whole < valueWidth)
    emit(b.index(whole), 1);
}

std::unique_ptr<Unit> cpu::createTileUnit(KernelBuilder &b, SweepOp op,
                                          const Panels &panels) {
  return std::make_unique<TileUnit>(b, op, panels);
}
