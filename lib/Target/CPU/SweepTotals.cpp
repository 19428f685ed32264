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

/// Calls `body` for all elements, with vectors of them where rows are whole
/// vectors.
static void
forEachElement(KernelBuilder &b, Value memref, Value rows,
               function_ref<void(ValueRange at, bool isVector)> body) {
  int64_t width = cast<MemRefType>(memref.getType()).getDimSize(1);
  bool isVector = width > 0 && width % b.lanes == 0;
  b.loop(b.index(0), rows, 1, [&](Value row) {
    b.loop(b.index(0), b.dim(memref, 1), isVector ? b.lanes : 1,
           [&](Value column) { body({row, column}, isVector); });
  });
}

static Value loadPart(KernelBuilder &b, Value memref, ValueRange at,
                      bool isVector) {
  return isVector ? b.loadVector(memref, at) : b.load(memref, at);
}

static void storePart(KernelBuilder &b, Value x, Value memref, ValueRange at,
                      bool isVector) {
  if (isVector)
    b.storeVector(x, memref, at);
  else
    b.store(x, memref, at);
}

void SweepEmitter::resetTotals() {
  b.when(isLong, [&] {
    for (const Total &each : totals)
      forEachElement(b, each.total, each.rows, [&](ValueRange at, bool vector) {
        Value zero = vector ? b.splat(0.0f) : b.f32(0.0f);
        storePart(b, zero, each.total, at, vector);
      });
  });
}

/// Before the block of a round: every so often, what was summed since the last
/// time goes to the totals.
void SweepEmitter::addToTotals(Value round) {
  Value isTime = b.both(b.less(b.index(0), round),
                        b.equal(b.rem(round, blocksPerTotal), b.index(0)));
  b.when(b.both(isLong, isTime), [&] {
    for (const Total &each : totals)
      forEachElement(b, each.total, each.rows, [&](ValueRange at, bool vector) {
        Value sum = b.addf(loadPart(b, each.total, at, vector),
                           loadPart(b, each.sums, at, vector));
        storePart(b, sum, each.total, at, vector);
        Value zero = vector ? b.splat(0.0f) : b.f32(0.0f);
        storePart(b, zero, each.sums, at, vector);
      });
  });
}

/// At the end, all is in the sums again.
void SweepEmitter::takeTotals() {
  b.when(isLong, [&] {
    for (const Total &each : totals)
      forEachElement(b, each.total, each.rows, [&](ValueRange at, bool vector) {
        Value sum = b.addf(loadPart(b, each.total, at, vector),
                           loadPart(b, each.sums, at, vector));
        storePart(b, sum, each.sums, at, vector);
      });
  });
}
