//===- SweepTotals.cpp - Sums over many keys ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

/// Blocks after which sums begin anew: of 64 keys, 2048. A sum of a million
/// keys is then one of 512 sums of 32 sums of 64.
static constexpr int64_t blocksPerTotal = 32;

void SweepEmitter::prepareTotals() {
  isLong = b.less(b.index(blocksPerTotal * block), b.sub(op.getKeyHi(), keyLo));
  auto add = [&](Value sums, Value rows) {
    for (const Total &known : totals)
      if (known.sums == sums)
        return;
    SmallVector<OpFoldResult> sizes{rows, getAsOpFoldResult(b.dim(sums, 1))};
    totals.push_back({sums, b.scratch(sizes), rows});
  };
  add(o, b.dim(o, 0));
  add(l, b.dim(l, 0));
  for (auto [bucket, lag] : llvm::zip(buckets, lagBuckets)) {
    if (lag.sums)
      add(lag.sums, b.dim(lag.sums, 0));
    else
      add(bucket.weights, numTileRows);
  }
}

/// In a long sweep, calls `body` for all parts of all sums.
void SweepEmitter::forEachTotal(
    function_ref<void(const Total &, ValueRange at, bool isVector)> body) {
  b.when(isLong, [&] {
    for (const Total &each : totals) {
      int64_t width = cast<MemRefType>(each.sums.getType()).getDimSize(1);
      bool isVector = width > 0 && width % b.lanes == 0;
      b.loop(b.index(0), each.rows, 1, [&](Value row) {
        b.loop(b.index(0), b.dim(each.sums, 1), isVector ? b.lanes : 1,
               [&](Value column) { body(each, {row, column}, isVector); });
      });
    }
  });
}

Value SweepEmitter::addTotal(const Total &each, ValueRange at, bool isVector) {
  return b.addf(b.loadPart(each.total, at, isVector),
                b.loadPart(each.sums, at, isVector));
}

void SweepEmitter::resetTotals() {
  forEachTotal([&](const Total &each, ValueRange at, bool isVector) {
    b.storePart(b.zeroPart(isVector), each.total, at);
  });
}

/// Before the block of a round: every so often, what was summed since the last
/// time goes to the totals.
void SweepEmitter::addToTotals(Value round) {
  Value isTime = b.both(b.less(b.index(0), round),
                        b.equal(b.rem(round, blocksPerTotal), b.index(0)));
  b.when(isTime, [&] {
    forEachTotal([&](const Total &each, ValueRange at, bool isVector) {
      b.storePart(addTotal(each, at, isVector), each.total, at);
      b.storePart(b.zeroPart(isVector), each.sums, at);
    });
  });
}

/// At the end, all is in the sums again.
void SweepEmitter::takeTotals() {
  forEachTotal([&](const Total &each, ValueRange at, bool isVector) {
    b.storePart(addTotal(each, at, isVector), each.sums, at);
  });
}
