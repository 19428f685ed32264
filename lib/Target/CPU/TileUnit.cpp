//===- TileUnit.cpp - Sweeps by products of tile registers ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairUnit.h"
#include "Tiles.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

/// Rows whose scores are in registers at a time: enough exponentials that none
/// waits for another.
static constexpr int64_t scoreRows = 4;

namespace {
/// Thirty-two rows and a block of keys are a step, small enough that all of it
/// stays in the first level of the cache. Scores go through memory, since
/// nothing but a product works on tiles.
class TileUnit : public PairUnit {
public:
  TileUnit(KernelBuilder &b, SweepOp op, const Panels &panels)
      : PairUnit(b, op, panels, CpuTarget::rowsOfTiles) {}

  void emitScores(Value p, Value n, Value lo, Value hi, UseScores use) override;
  void emitValues(const Pending &pending) override;
};
} // namespace

void TileUnit::emitScores(Value p, Value n, Value lo, Value hi, UseScores use) {
  b.loop(b.index(0), b.index(block), 2 * tileSize, [&](Value column) {
    SmallVector<Value> sums = emitZeroTiles(b);
    emitTileProducts(
        b, sums, channels,
        [&](int64_t x, int64_t d) {
          return emitLoadTile(b, buffers.q,
                              {b.add(p, x * tileSize), b.index(d)});
        },
        [&](int64_t y, int64_t d) {
          Value key = b.add(b.add(n, column), y * tileSize);
          return emitLoadTile(b, keys,
                              {b.div(key, panels.width), b.index(d / 2),
                               b.mul(b.rem(key, panels.width), 2)});
        });
    for (int64_t i = 0; i < 2 * tilesOfRows; ++i)
      emitStoreTile(
          b, sums[i], buffers.scores,
          {b.index(i / 2 * tileSize), b.add(column, i % 2 * tileSize)});
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
  Value first = b.div(pending.row, 2);
  auto emit = [&](Value d, int64_t columns) {
    auto at = [&](int64_t i) -> SmallVector<Value> {
      return {b.add(pending.p, i / columns * tileSize),
              b.add(d, i % columns * tileSize)};
    };
    SmallVector<Value> sums;
    for (int64_t i = 0; i < tilesOfRows * columns; ++i)
      sums.push_back(emitLoadTile(b, buffers.o, at(i)));
    emitTileProducts(
        b, sums, block,
        [&](int64_t x, int64_t key) {
          return emitLoadTile(
              b, buffers.weights,
              {b.add(pending.weights, x * tileSize), b.index(key)});
        },
        [&](int64_t y, int64_t key) {
          Value channel = b.add(d, y * tileSize);
          return emitLoadTile(b, values,
                              {b.add(first, key / 2), b.mul(channel, 2)});
        });
    for (int64_t i = 0; i < tilesOfRows * columns; ++i)
      emitStoreTile(b, sums[i], buffers.o, at(i));
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
