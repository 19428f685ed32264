//===- SweepStep.cpp - A step of a sweep, and its values ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"
#include "VectorMath.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

//===----------------------------------------------------------------------===//
// Scores and weights
//===----------------------------------------------------------------------===//

LogicalResult SweepEmitter::emitStep(const Step &step) {
  copyPairs(step);
  emitScores(step);
  LogicalResult result = success();
  if (alwaysCareful)
    result = emitCareful(step);
  else
    b.when(step.raw, [&] { result = emitCareful(step); });
  addToBuckets(step);
  return result;
}

/// The scores of a step into the buffer of weights, as such on the careful
/// path, and their weights on the plain one.
void SweepEmitter::emitScores(const Step &step) {
  auto emitColumns = [&](Value column) {
    Value key = b.add(step.n, column);
    Accumulators scores =
        keysInPlace ? emitProductsInPlace(step, key)
                    : emitChannels(
                          b, channels, panels.vectors,
                          [&](Value d, int64_t x) {
                            return b.load(q, {b.add(step.p, x), d});
                          },
                          [&](Value d, int64_t y) {
                            return panels.load(b, op.getK(), key, d, y);
                          });
    addTerms(step, column, scores);
    auto storeRaw = [&] {
      for (auto [i, score] : llvm::enumerate(scores))
        b.storeVector(score, p,
                      {b.add(step.weights, i / panels.vectors),
                       b.add(column, i % panels.vectors * panels.lanes)});
    };
    if (alwaysCareful)
      storeRaw();
    else
      b.when(step.raw, storeRaw, [&] { emitWeights(step, column, scores); });
  };
  int64_t width = panels.stepWidth();
  if (block == width)
    return emitColumns(b.index(0));
  // Columns that no row keeps are left out.
  b.loop(b.roundDown(step.lo, width), step.hi, width, emitColumns);
}

/// Into the second level of the cache: what is read once comes from memory, and
/// a processor does not see ahead from the keys of a block to its values.
static void prefetch(KernelBuilder &b, Value memref, Value row, Value channel) {
  memref::PrefetchOp::create(b, memref, ValueRange{row, channel},
                             /*isWrite=*/false, /*localityHint=*/2,
                             /*isDataCache=*/true);
}

/// The products of the step's rows and the keys from `key` on, read where they
/// lie. Meanwhile the values of these keys come nearer. In place of keys beyond
/// the ends, the last ones are read again.
Accumulators SweepEmitter::emitProductsInPlace(const Step &step, Value key) {
  Value from = keyCopies ? keyCopies : op.getK();
  if (keyCopies)
    key = b.sub(key, step.n);
  auto emit = [&](function_ref<Value(Value)> rowOf) {
    SmallVector<Value> keys;
    for (int64_t y = 0; y < b.lanes; ++y)
      keys.push_back(rowOf(b.add(key, y)));
    return emitDots(
        b, stepRows, channels,
        [&](int64_t x, Value d) {
          return b.loadVector(q, {b.add(step.p, x), d});
        },
        [&](int64_t y, Value d) { return b.loadVector(from, {keys[y], d}); },
        [&](int64_t y, Value d) {
          Value row = keyCopies ? b.add(step.n, keys[y]) : keys[y];
          prefetch(b, op.getV(), row, d);
        });
  };
  if (keyCopies)
    return emit([](Value row) { return row; });
  Value inside =
      b.both(b.lessEqual(keyLo, key), b.lessEqual(b.add(key, b.lanes), keyHi));
  return b.choose(
      inside, SmallVector<Type>(stepRows, b.vectorType),
      [&] { return emit([](Value row) { return row; }); },
      [&] {
        return emit(
            [&](Value row) { return b.clamp(row, keyLo, b.sub(keyHi, 1)); });
      });
}

void SweepEmitter::emitWeights(const Step &step, Value column,
                               Accumulators &scores) {
  Value zero = b.index(0);
  for (int64_t x = 0; x < stepRows; ++x) {
    Value sum, shift = b.broadcast(b.load(negatedM, {b.add(step.p, x)}));
    for (int64_t y = 0; y < panels.vectors; ++y) {
      Value weight = emitExp2(b, b.addf(scores[x * panels.vectors + y], shift));
      b.storeVector(weight, p,
                    {b.add(step.weights, x), b.add(column, y * panels.lanes)});
      sum = sum ? b.addf(sum, weight) : weight;
    }
    for (auto [sums, row] : getSums(step)) {
      Value at = b.add(row, x);
      b.storeVector(b.addf(b.loadVector(sums, {at, zero}), sum), sums,
                    {at, zero});
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Halves are widened once for all steps of a block if there are many. For two,
/// it is less to widen them as they are loaded.
void SweepEmitter::prepareKeys() {
  auto type = cast<MemRefType>(op.getK().getType());
  int64_t rows = cast<MemRefType>(op.getQ().getType()).getDimSize(0);
  bool hasMany = rows < 0 || rows > 2 * stepRows;
  if (keysInPlace && hasMany && !type.getElementType().isF32())
    keyCopies = b.scratch({b.getIndexAttr(block), b.getIndexAttr(channels)});
}

void SweepEmitter::copyKeys(Value n, Value lo, Value hi) {
  if (!keyCopies)
    return;
  b.loop(lo, hi, 1, [&](Value key) {
    b.loop(b.index(0), b.index(channels), b.lanes, [&](Value d) {
      b.storeVector(b.loadVector(op.getK(), {key, d}), keyCopies,
                    {b.sub(key, n), d});
    });
  });
}

/// The products with values read rows of f32 with a unit stride and whole
/// vectors. Other values are copied so, a block at a time; as these are added
/// one step late, there are copies of two blocks.
void SweepEmitter::prepareValues() {
  Value v = op.getV();
  bool isRead = cast<MemRefType>(v.getType()).getElementType().isF32() ||
                (keysInPlace && !keyCopies && hasUnitStride(v));
  bool isWhole = isRead && valueChannels % panels.lanes == 0;
  if (isWhole && hasUnitStride(v)) {
    values = v;
    return;
  }
  int64_t padded =
      (valueChannels + panels.lanes - 1) / panels.lanes * panels.lanes;
  valueCopies = b.scratch({b.getIndexAttr(2 * block), b.getIndexAttr(padded)});
  if (padded != valueChannels)
    b.loop(b.index(0), b.index(2 * block), 1, [&](Value row) {
      b.storeVector(b.splat(0.0f), valueCopies,
                    {row, b.index(padded - panels.lanes)});
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
Value SweepEmitter::copyValues(Value n, Value round) {
  if (!valueCopies)
    return n;
  Value v = op.getV(), zero = b.index(0);
  Value slot = b.mul(b.rem(round, 2), block);
  Value lo = b.max(n, keyLo), hi = b.min(b.add(n, block), keyHi);
  bool isWhole = values != valueCopies;
  int64_t whole = valueChannels / panels.lanes * panels.lanes;
  auto copy = [&](bool vectors) {
    Value from = vectors ? emitUnitStride(b, v) : v;
    b.loop(lo, hi, 1, [&](Value key) {
      Value to = b.add(slot, b.sub(key, n));
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
  std::function<void()> nothing;
  b.when(
      isUnit,
      [&] {
        if (!isWhole)
          copy(true);
      },
      [&] { copy(false); });
  return isWhole ? b.select(isUnit, n, slot) : slot;
}

/// Vectors of channels that a product with values sums at a time.
int64_t SweepEmitter::getValueVectors() const {
  int64_t all = (valueChannels + panels.lanes - 1) / panels.lanes;
  int64_t most = b.target.vectorsPerRow() * CpuTarget::rowsPerStep / stepRows;
  if (all <= most)
    return all;
  // Without a rest, if that leaves enough sums to be independent.
  for (int64_t vectors = most; vectors > most / 2; --vectors)
    if (all % vectors == 0)
      return vectors;
  return most;
}

/// o += weights of a step x rows of v, for the keys that a row of it keeps.
void SweepEmitter::emitValues(Value mode, const Pending &pending) {
  auto emitChunk = [&](Value d, int64_t vectors) {
    auto at = [&](int64_t i) -> SmallVector<Value> {
      return {b.add(pending.p, i / vectors),
              b.add(d, i % vectors * panels.lanes)};
    };
    Accumulators sums(stepRows * vectors, b.splat(0.0f));
    // The step's weights are in the half that is not being written.
    Value weights = b.mul(b.sub(b.index(1), pending.parity), stepRows);
    sums = emitProduct(
        b, pending.lo, pending.hi, vectors, sums,
        [&](Value key, int64_t x) {
          return b.load(p, {b.add(weights, x), key});
        },
        [&](Value key, int64_t y) {
          Value row = b.add(pending.row, key);
          Value channel = b.add(d, y * panels.lanes);
          // The keys of the step itself have been read: these are the next.
          if (keysInPlace && y * panels.lanes % dotChannels == 0)
            prefetch(b, op.getK(), b.add(row, 2 * block), channel);
          return b.loadVector(values, {row, channel});
        });
    for (int64_t i = 0; i < stepRows * vectors; ++i)
      b.storeVector(b.addf(b.loadVector(o, at(i)), sums[i]), o, at(i));
  };
  auto emitAll = [&] {
    int64_t vectors = (valueChannels + panels.lanes - 1) / panels.lanes;
    int64_t width = getValueVectors() * panels.lanes;
    int64_t whole = vectors * panels.lanes / width * width;
    if (whole == width)
      emitChunk(b.index(0), width / panels.lanes);
    else
      b.loop(b.index(0), b.index(whole), width,
             [&](Value d) { emitChunk(d, width / panels.lanes); });
    if (int64_t rest = vectors - whole / panels.lanes)
      emitChunk(b.index(whole), rest);
  };
  b.when(b.less(pending.lo, pending.hi), [&] {
    b.when(
        b.equal(mode, b.index(SelectedValues)),
        [&] { emitSelectedValues(pending); }, emitAll);
  });
}

/// The same for values that may be infinite or NaN: those of weight 0 add
/// nothing.
void SweepEmitter::emitSelectedValues(const Pending &pending) {
  Value zero = b.index(0);
  Value weights = b.mul(b.sub(b.index(1), pending.parity), stepRows);
  int64_t padded =
      (valueChannels + panels.lanes - 1) / panels.lanes * panels.lanes;
  b.loop(zero, b.index(stepRows), 1, [&](Value x) {
    b.loop(pending.lo, pending.hi, 1, [&](Value key) {
      Value weight = b.load(p, {b.add(weights, x), key});
      Value row = b.add(pending.p, x);
      b.when(b.compare(arith::CmpFPredicate::UNE, weight, b.f32(0.0f)), [&] {
        b.loop(zero, b.index(padded), panels.lanes, [&](Value d) {
          Value value = b.loadVector(values, {b.add(pending.row, key), d});
          Value sum = b.loadVector(o, {row, d});
          b.storeVector(b.fma(b.broadcast(weight), value, sum), o, {row, d});
        });
      });
    });
  });
}
