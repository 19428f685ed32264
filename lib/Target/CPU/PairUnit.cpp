//===- PairUnit.cpp - Sweeps by products of pairs of bf16 -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairUnit.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

/// Values have as many channels as o rounded up to 16, or more.
static int64_t getValueWidth(SweepOp op) {
  return llvm::alignTo(cast<MemRefType>(op.getO().getType()).getDimSize(1), 16);
}

PairUnit::PairUnit(KernelBuilder &b, SweepOp op, const Panels &panels,
                   int64_t stepRows)
    : Unit(b, op, panels, stepRows, getValueWidth(op), b.getBF16Type()) {}

void PairUnit::prepare(const Buffers &buffers) {
  Unit::prepare(buffers);
  keys = emitPairsInRows(b, op.getK());
  values = emitPairsInRows(b, op.getV());
}

void PairUnit::emitScores(Value p, Value n, Value lo, Value hi, UseScores use) {
  forColumns(lo, hi, [&](Value column) {
    Accumulators zeros(stepRows * panels.vectors, b.splat(0.0f));
    Accumulators scores = emitProduct(
        b, b.index(0), b.index(channels / 2), panels.vectors, zeros,
        [&](Value pair, int64_t x) {
          return b.loadPair(buffers.q, {b.add(p, x), b.mul(pair, 2)});
        },
        [&](Value pair, int64_t y) {
          return panels.load(b, keys, b.add(n, column), pair, y);
        });
    use(b.index(0), column, scores);
  });
}

void PairUnit::emitValues(const Pending &pending) {
  // A key beyond the ends has the weight 0.
  Value lo = b.div(pending.lo, 2), hi = b.div(b.add(pending.hi, 1), 2);
  Value first = b.div(pending.row, 2);
  forChannels([&](Value d, int64_t vectors) {
    Accumulators sums(stepRows * vectors, b.splat(0.0f));
    sums = emitProduct(
        b, lo, hi, vectors, sums,
        [&](Value pair, int64_t x) {
          return b.loadPair(buffers.weights,
                            {b.add(pending.weights, x), b.mul(pair, 2)});
        },
        [&](Value pair, int64_t y) {
          Value channel = b.add(d, y * panels.lanes);
          return b.loadPairs(values, {b.add(first, pair), b.mul(channel, 2)});
        });
    addToOutput(pending, d, sums);
  });
}

Value PairUnit::loadValues(Value row, Value d) {
  Value pairs = b.loadPairs(values, {b.div(row, 2), b.mul(d, 2)});
  auto [first, second] = b.widenPairs(pairs);
  return b.select(b.equal(b.rem(row, 2), b.index(0)), first, second);
}

std::unique_ptr<Unit> cpu::createPairUnit(KernelBuilder &b, SweepOp op,
                                          const Panels &panels) {
  return std::make_unique<PairUnit>(b, op, panels);
}
