//===- FmaUnit.cpp - Sweeps by fused multiply-adds of f32 -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

static bool isF32(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementType().isF32();
}

namespace {
/// Six rows and packed keys are a step. Values are read where they are if they
/// are whole vectors of f32; others are copied so, a block at a time. As they
/// are added one step late, there are copies of two blocks.
class FmaUnit : public Unit {
public:
  FmaUnit(KernelBuilder &b, SweepOp op, const Panels &panels, int64_t stepRows)
      : Unit(b, op, panels, stepRows,
             llvm::alignTo(cast<MemRefType>(op.getO().getType()).getDimSize(1),
                           panels.lanes),
             b.getF32Type()) {}

  void prepare(const Buffers &buffers) override {
    Unit::prepare(buffers);
    prepareValues(isF32(op.getV()));
  }
  Value prepareBlock(const Block &block, Value round) override {
    return copyValues(block, round);
  }
  void emitScores(Value p, Value n, Value lo, Value hi, UseScores use) override;
  void emitValues(const Pending &pending) override;
  Value loadValues(Value row, Value d) override {
    return b.loadVector(values, {row, d});
  }

protected:
  /// With `isRead` values can be read as they are, but for their strides.
  void prepareValues(bool isRead);
  Value copyValues(const Block &block, Value round);
  /// Runs when the channels from d on of a value have been loaded.
  virtual void onValue(Value row, Value d) {}

private:
  Value valueCopies, isUnit; // null if not used
  Value values;              // what products with values read
};

/// One, two or four rows, as many as share the load of a key, and keys where
/// they lie. What is read once comes from memory, and a processor does not see
/// ahead from the keys of a block to its values: they are prefetched.
class InPlaceUnit : public FmaUnit {
public:
  InPlaceUnit(KernelBuilder &b, SweepOp op, const Panels &panels)
      : FmaUnit(b, op, panels, getStepRows(op)) {}

  void prepare(const Buffers &buffers) override;
  Value prepareBlock(const Block &block, Value round) override {
    copyKeys(block);
    return copyValues(block, round);
  }
  void emitScores(Value p, Value n, Value lo, Value hi, UseScores use) override;

private:
  static int64_t getStepRows(SweepOp op) {
    int64_t rows = cast<MemRefType>(op.getQ().getType()).getDimSize(0);
    return rows == 1 || rows == 2 ? rows : 4;
  }
  void copyKeys(const Block &block);
  Accumulators emitProducts(Value p, Value n, Value key);
  void prefetch(Value memref, Value row, Value channel) {
    // Into the second level of the cache.
    memref::PrefetchOp::create(b, memref, ValueRange{row, channel},
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
  void onValue(Value row, Value d) override {
    // The keys of the step itself have been read: these are the next.
    prefetch(op.getK(), b.add(row, 2 * block), d);
  }

  Value keyCopies; // a block of keys as f32; null if not used
};
} // namespace

//===----------------------------------------------------------------------===//
// Packed keys
//===----------------------------------------------------------------------===//

void FmaUnit::emitScores(Value p, Value n, Value lo, Value hi, UseScores use) {
  forColumns(lo, hi, [&](Value column) {
    Accumulators scores = emitChannels(
        b, channels, panels.vectors,
        [&](Value d, int64_t x) { return b.load(buffers.q, {b.add(p, x), d}); },
        [&](Value d, int64_t y) {
          return panels.load(b, op.getK(), b.add(n, column), d, y);
        });
    use(b.index(0), column, scores);
  });
}

void FmaUnit::prepareValues(bool isRead) {
  Value v = op.getV();
  bool isWhole = isRead && valueChannels == valueWidth;
  if (isWhole && hasUnitStride(v)) {
    values = v;
    return;
  }
  valueCopies =
      b.scratch({b.getIndexAttr(2 * block), b.getIndexAttr(valueWidth)});
  if (valueWidth != valueChannels)
    b.loop(b.index(0), b.index(2 * block), 1, [&](Value row) {
      b.storeVector(b.splat(0.0f), valueCopies,
                    {row, b.index(valueWidth - panels.lanes)});
    });
  values = valueCopies;
  isUnit = hasUnitStride(v) ? b.i1(true) : emitIsUnitStride(b, v);
  if (!isUnit)
    isUnit = b.i1(false);
  if (!isWhole)
    return;
  // The stride shows as it runs.
  Value direct = emitUnitStride(b, v), copies = emitUnitStride(b, valueCopies);
  values = b.choose(
      isUnit, TypeRange(direct.getType()),
      [&] { return SmallVector<Value>{direct}; },
      [&] { return SmallVector<Value>{copies}; })[0];
}

/// Copies the values of a block, if it must be, and gives their first row.
Value FmaUnit::copyValues(const Block &of, Value round) {
  if (!valueCopies)
    return of.n;
  Value v = op.getV(), zero = b.index(0);
  Value slot = b.mul(b.rem(round, 2), block);
  bool isWhole = values != valueCopies;
  int64_t whole = valueChannels / panels.lanes * panels.lanes;
  auto copy = [&](bool vectors) {
    Value from = vectors ? emitUnitStride(b, v) : v;
    b.loop(of.lo, of.hi, 1, [&](Value key) {
      Value to = b.add(slot, b.sub(key, of.n));
      if (vectors)
        b.loop(zero, b.index(whole), panels.lanes, [&](Value d) {
          b.storeVector(b.loadVector(from, {key, d}), valueCopies, {to, d});
        });
      b.loop(b.index(vectors ? whole : 0), b.index(valueChannels), 1,
             [&](Value d) {
               b.store(b.toF32(b.load(v, {key, d})), valueCopies, {to, d});
             });
    });
  };
  b.when(
      isUnit,
      [&] {
        if (!isWhole)
          copy(true);
      },
      [&] { copy(false); });
  return isWhole ? b.select(isUnit, of.n, slot) : slot;
}

void FmaUnit::emitValues(const Pending &pending) {
  forChannels([&](Value d, int64_t vectors) {
    Accumulators sums(stepRows * vectors, b.splat(0.0f));
    sums = emitProduct(
        b, pending.lo, pending.hi, vectors, sums,
        [&](Value key, int64_t x) {
          return b.load(buffers.weights, {b.add(pending.weights, x), key});
        },
        [&](Value key, int64_t y) {
          Value row = b.add(pending.row, key);
          Value channel = b.add(d, y * panels.lanes);
          if (y * panels.lanes % dotChannels == 0)
            onValue(row, channel);
          return loadValues(row, channel);
        });
    addToOutput(pending, d, sums);
  });
}

//===----------------------------------------------------------------------===//
// Keys in place
//===----------------------------------------------------------------------===//

/// Halves are widened once for all steps of a block if there are many. For two,
/// it is less to widen them as they are loaded.
void InPlaceUnit::prepare(const Buffers &buffers) {
  Unit::prepare(buffers);
  int64_t rows = cast<MemRefType>(op.getQ().getType()).getDimSize(0);
  bool hasMany = rows < 0 || rows > 2 * stepRows;
  if (hasMany && !isF32(op.getK()))
    keyCopies = b.scratch({b.getIndexAttr(block), b.getIndexAttr(channels)});
  prepareValues(isF32(op.getV()) || (!keyCopies && hasUnitStride(op.getV())));
}

void InPlaceUnit::copyKeys(const Block &of) {
  if (!keyCopies)
    return;
  b.loop(of.lo, of.hi, 1, [&](Value key) {
    b.loop(b.index(0), b.index(channels), b.lanes, [&](Value d) {
      b.storeVector(b.loadVector(op.getK(), {key, d}), keyCopies,
                    {b.sub(key, of.n), d});
    });
  });
}

void InPlaceUnit::emitScores(Value p, Value n, Value lo, Value hi,
                             UseScores use) {
  forColumns(lo, hi, [&](Value column) {
    Accumulators scores = emitProducts(p, n, b.add(n, column));
    use(b.index(0), column, scores);
  });
}

/// The products of the step's rows and the keys from `key` on. Meanwhile the
/// values of these keys come nearer. In place of keys beyond the ends, the last
/// ones are read again.
Accumulators InPlaceUnit::emitProducts(Value p, Value n, Value key) {
  Value from = keyCopies ? keyCopies : op.getK();
  if (keyCopies)
    key = b.sub(key, n);
  auto emit = [&](function_ref<Value(Value)> rowOf) {
    SmallVector<Value> keys;
    for (int64_t y = 0; y < b.lanes; ++y)
      keys.push_back(rowOf(b.add(key, y)));
    return emitDots(
        b, stepRows, channels,
        [&](int64_t x, Value d) {
          return b.loadVector(buffers.q, {b.add(p, x), d});
        },
        [&](int64_t y, Value d) { return b.loadVector(from, {keys[y], d}); },
        [&](int64_t y, Value d) {
          prefetch(op.getV(), keyCopies ? b.add(n, keys[y]) : keys[y], d);
        });
  };
  if (keyCopies)
    return emit([](Value row) { return row; });
  Value lo = b.max(op.getKeyLo(), b.index(0)), hi = op.getKeyHi();
  Value inside =
      b.both(b.lessEqual(lo, key), b.lessEqual(b.add(key, b.lanes), hi));
  return b.choose(
      inside, SmallVector<Type>(stepRows, b.vectorType),
      [&] { return emit([](Value row) { return row; }); },
      [&] {
        return emit([&](Value row) { return b.clamp(row, lo, b.sub(hi, 1)); });
      });
}

std::unique_ptr<Unit> cpu::createFmaUnit(KernelBuilder &b, SweepOp op,
                                         const Panels &panels) {
  return std::make_unique<FmaUnit>(b, op, panels, numRows);
}

std::unique_ptr<Unit> cpu::createInPlaceUnit(KernelBuilder &b, SweepOp op,
                                             const Panels &panels) {
  return std::make_unique<InPlaceUnit>(b, op, panels);
}
