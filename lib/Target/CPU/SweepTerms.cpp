//===- SweepTerms.cpp - Terms and buckets of a sweep ----------------------===//
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

static bool isRowSum(const SweepOp::Term &term, TermUse use) {
  return term.kind == TermKind::Row && term.use == use;
}

static Value toValue(KernelBuilder &b, OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), x);
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Terms that only a row has make one scalar for the row and a class.
void SweepEmitter::prepareTerms() {
  pairs.resize(terms.size());
  bool hasRows = false;
  for (auto [number, term] : llvm::enumerate(terms)) {
    hasRows |= term.kind == TermKind::Row && term.use != TermUse::Score &&
               term.use != TermUse::Mask;
    if (term.kind == TermKind::Pair)
      pairs[number] =
          b.scratch({b.getIndexAttr(stepRows), b.getIndexAttr(block)});
  }
  if (!hasRows)
    return;
  Value rows = toValue(b, paddedRows);
  rowConstants = b.scratch({getAsOpFoldResult(b.mul(rows, nearLo ? 3 : 1))});
  TermUse classes[] = {TermUse::Near, TermUse::Left, TermUse::Right};
  b.loop(b.index(0), b.mul(numGroups, stepRows), 1, [&](Value row) {
    Value from = b.min(row, b.sub(numTileRows, 1));
    auto sum = [&](TermUse use, Value start) {
      for (const Term &term : terms) {
        if (!isRowSum(term, use))
          continue;
        Value x = b.load(term.table, {from});
        if (term.factor)
          x = b.mulf(x, b.load(term.factor, {from}));
        start = start ? b.addf(start, x) : x;
      }
      return start;
    };
    Value all = sum(TermUse::All, {});
    for (int64_t i = 0; i < (nearLo ? 3 : 1); ++i) {
      Value here = sum(classes[i], all);
      b.store(here ? here : b.f32(0.0f), rowConstants,
              {b.add(b.mul(rows, i), row)});
    }
  });
}

/// Terms of a user's matrix: a piece for the step, where it is read whole.
void SweepEmitter::copyPairs(const Step &step) {
  Value zero = b.index(0);
  for (auto [number, term] : llvm::enumerate(terms)) {
    if (term.kind != TermKind::Pair)
      continue;
    Value table = term.table, piece = pairs[number];
    auto copyRows = [&](function_ref<void(Value, Value)> copy) {
      b.loop(zero, b.index(stepRows), 1, [&](Value x) {
        Value p = b.min(b.add(step.p, x), b.sub(numTileRows, 1));
        copy(x, b.add(firstRow, rowsBehind(p)));
      });
    };
    auto slow = [&] {
      copyRows([&](Value x, Value r) {
        b.loop(step.lo, step.hi, 1, [&](Value column) {
          b.store(b.load(table, {r, b.add(step.n, column)}), piece,
                  {x, column});
        });
      });
    };
    auto fast = [&] {
      Value from = hasUnitStride(table) ? table : emitUnitStride(b, table);
      copyRows([&](Value x, Value r) {
        b.loop(zero, b.index(block), panels.lanes, [&](Value column) {
          b.storeVector(b.loadVector(from, {r, b.add(step.n, column)}), piece,
                        {x, column});
          // Rows of a large matrix lie too far apart for the processor to
          // see what comes next.
          memref::PrefetchOp::create(
              b, from, ValueRange{r, b.add(b.add(step.n, block), column)},
              /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
        });
      });
    };
    Value inside = b.lessEqual(b.add(step.n, block), b.dim(table, 1));
    if (!hasUnitStride(table)) {
      Value unit = emitIsUnitStride(b, table);
      if (!unit) {
        slow();
        continue;
      }
      inside = b.both(inside, unit);
    }
    b.when(inside, fast, slow);
  }
}

/// A term for row x of a step and the keys from `column` of its block on.
Value SweepEmitter::loadTerm(const Term &term, unsigned number,
                             const Step &step, Value x, Value column) {
  Value row = b.add(step.p, x);
  auto distance = [&] {
    Value first = b.sub(b.sub(step.n, step.r), term.offset);
    return b.add(b.sub(first, rowsBehind(x)), column);
  };
  Value element;
  switch (term.kind) {
  case TermKind::Row:
    element = b.broadcast(b.load(term.table, {rowOf(term.table, row)}));
    break;
  case TermKind::Key:
    element =
        b.loadVector(term.table, {b.add(b.sub(step.n, term.offset), column)});
    break;
  case TermKind::Lag:
    element = b.loadVector(term.table, {distance()});
    break;
  case TermKind::Strip:
    element = b.loadVector(term.table, {rowOf(term.table, row), distance()});
    break;
  case TermKind::Tile:
    element = b.loadVector(term.table, {rowOf(term.table, row), column});
    break;
  case TermKind::Pair:
    element = b.loadVector(pairs[number], {x, column});
    break;
  }
  if (term.factor)
    element = b.mulf(
        element, b.broadcast(b.load(term.factor, {rowOf(term.factor, row)})));
  return element;
}

/// Adds the terms to the products. A sum that began with them would be rounded
/// to their size for every channel. For the same reason the maximum comes last;
/// equal pairs of all blocks then have the same score.
void SweepEmitter::addTerms(const Step &step, Value first, Value column,
                            Accumulators &scores) {
  Value classRow = b.add(step.p, first);
  int64_t numScoreRows = scores.size() / panels.vectors;
  if (rowConstants && nearLo) {
    Value rows = toValue(b, paddedRows);
    Value offset = b.select(step.isLeft, rows,
                            b.select(step.isRight, b.mul(rows, 2), b.index(0)));
    classRow = b.add(offset, classRow);
  }
  if (rowConstants)
    for (int64_t x = 0; x < numScoreRows; ++x) {
      Value constant = b.broadcast(b.load(rowConstants, {b.add(classRow, x)}));
      for (int64_t y = 0; y < panels.vectors; ++y) {
        Value &score = scores[x * panels.vectors + y];
        score = addToScore(score, constant);
      }
    }
  auto add = [&](TermUse use, Accumulators sums) {
    for (auto [number, term] : llvm::enumerate(terms)) {
      if (term.use != use || term.kind == TermKind::Row)
        continue;
      for (auto [i, sum] : llvm::enumerate(sums)) {
        Value lanes = b.add(column, i % panels.vectors * panels.lanes);
        Value x = b.add(first, i / panels.vectors);
        if (term.factor) {
          Term plain = term;
          plain.factor = {};
          Value factor =
              b.load(term.factor, {rowOf(term.factor, b.add(step.p, x))});
          sum = b.fma(loadTerm(plain, number, step, x, lanes),
                      b.broadcast(factor), sum);
        } else {
          sum = addToScore(sum, loadTerm(term, number, step, x, lanes));
        }
      }
    }
    return sums;
  };
  scores = add(TermUse::All, scores);
  auto has = [&](TermUse use) {
    return llvm::any_of(terms, [&](const Term &term) {
      return term.use == use && term.kind != TermKind::Row;
    });
  };
  if (!nearLo) {
    scores = add(TermUse::Near, scores);
    return;
  }
  SmallVector<Type> types(scores.size(), b.vectorType);
  auto addIf = [&](Value condition, TermUse use) {
    if (has(use))
      scores = b.choose(
          condition, types, [&] { return add(use, scores); },
          [&] { return scores; });
  };
  addIf(step.isLeft, TermUse::Left);
  addIf(step.isRight, TermUse::Right);
  addIf(b.isNot(b.either(step.isLeft, step.isRight)), TermUse::Near);
}

/// Lanes whose mask terms are all other than 0; null without such terms.
Value SweepEmitter::emitKeepTerms(const Step &step, Value x, Value column) {
  Value keep;
  for (auto [number, term] : llvm::enumerate(terms)) {
    if (term.use != TermUse::Mask)
      continue;
    Value element = loadTerm(term, number, step, x, column);
    keep = b.both(keep,
                  b.compare(arith::CmpFPredicate::UNE, element, b.splat(0.0f)));
  }
  return keep;
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

void SweepEmitter::prepareBuckets() {
  Value rows = toValue(b, paddedRows);
  int64_t padding = block + 16; // beyond either end, in whole vectors
  OpFoldResult width = b.getIndexAttr(panels.lanes);
  OpFoldResult three = getAsOpFoldResult(b.mul(rows, 3));
  lagBuckets.resize(buckets.size());
  for (auto [bucket, lag] : llvm::zip(buckets, lagBuckets)) {
    numScoreBuckets += bucket.kind == BucketKind::Score;
    if (bucket.kind != BucketKind::Lag)
      continue;
    Value columns = b.dim(bucket.weights, 1);
    lag.strip =
        b.scratch({paddedRows, getAsOpFoldResult(b.add(columns, 2 * padding))});
    lag.sums = b.scratch({three, width});
    // The first one's sums are those of all weights, too.
    if (!l)
      l = lag.sums;
  }
  if (!l)
    l = b.scratch({paddedRows, width});
  if (numScoreBuckets)
    bucketNumbers =
        b.scratch(b.getIndexType(), {b.getIndexAttr(numScoreBuckets * stepRows),
                                     b.getIndexAttr(block)});
}

SmallVector<Value> SweepEmitter::getSumRows(Value sums, Value row) {
  Value rows = toValue(b, paddedRows);
  bool hasClasses = llvm::any_of(
      lagBuckets, [&](const LagBucket &lag) { return lag.sums == sums; });
  SmallVector<Value> list{row};
  if (hasClasses)
    list.append({b.add(rows, row), b.add(b.mul(rows, 2), row)});
  return list;
}

void SweepEmitter::resetBuckets(Value row) {
  Value zero = b.index(0);
  for (Value at : getSumRows(l, row))
    b.storeVector(b.splat(0.0f), l, {at, zero});
  for (auto [bucket, lag] : llvm::zip(buckets, lagBuckets)) {
    if (bucket.kind != BucketKind::Lag) {
      b.when(b.less(row, numTileRows), [&] {
        b.loop(zero, b.dim(bucket.weights, 1), 1, [&](Value c) {
          b.store(b.f32(0.0f), bucket.weights, {row, c});
        });
      });
      continue;
    }
    b.loop(zero, b.dim(lag.strip, 1), 1,
           [&](Value c) { b.store(b.f32(0.0f), lag.strip, {row, c}); });
    if (lag.sums != l)
      for (Value at : getSumRows(lag.sums, row))
        b.storeVector(b.splat(0.0f), lag.sums, {at, zero});
  }
}

void SweepEmitter::classifyBuckets(Step &step, Value last) {
  Value rows = toValue(b, paddedRows), zero = b.index(0);
  for (auto [bucket, lag] : llvm::zip(buckets, lagBuckets)) {
    BucketClass &classes = step.bucketClasses.emplace_back();
    if (bucket.kind != BucketKind::Lag)
      continue;
    // The end of the matrix that all kept pairs of the step belong to.
    Value greatest =
        b.sub(b.sub(b.add(b.sub(step.n, 1), step.hi), step.r), bucket.offset);
    Value least = b.sub(b.sub(b.add(step.n, step.lo), last), bucket.offset);
    Value end = b.sub(b.dim(bucket.weights, 1), 1);
    Value isFirst = b.lessEqual(greatest, zero);
    Value isLast = b.lessEqual(end, least);
    classes.isNear = b.isNot(b.either(isFirst, isLast));
    classes.sumRow =
        b.add(b.select(isFirst, rows, b.select(isLast, b.mul(rows, 2), zero)),
              step.p);
  }
}

SmallVector<std::pair<Value, Value>> SweepEmitter::getSums(const Step &step) {
  SmallVector<std::pair<Value, Value>> sums;
  for (auto [lag, classes] : llvm::zip(lagBuckets, step.bucketClasses))
    if (lag.sums)
      sums.push_back({lag.sums, classes.sumRow});
  if (sums.empty())
    sums.push_back({l, step.p});
  return sums;
}

/// The weights of a step into their buckets.
void SweepEmitter::addToBuckets(const Step &step) {
  if (buckets.empty())
    return;
  Value zero = b.index(0);
  int64_t number = 0;
  auto emit = [&] {
    for (auto [bucket, lag, classes] :
         llvm::zip(buckets, lagBuckets, step.bucketClasses)) {
      if (bucket.kind == BucketKind::Lag) {
        // In the order of distances; every distance of a row comes once.
        Value strip = lag.strip;
        Value from =
            b.add(b.sub(b.sub(step.n, step.r), bucket.offset), block + 16);
        b.when(classes.isNear, [&] {
          b.loop(zero, b.index(stepRows), 1, [&](Value x) {
            Value start = b.sub(from, rowsBehind(x));
            b.loop(zero, b.index(block), panels.lanes, [&](Value column) {
              b.storeVector(
                  b.loadVector(weights, {b.add(step.weights, x), column}),
                  strip, {b.add(step.p, x), b.add(start, column)});
            });
          });
        });
        continue;
      }
      bool byScore = bucket.kind == BucketKind::Score;
      int64_t firstRow = byScore ? number++ * stepRows : 0;
      Value columns = b.dim(bucket.weights, 1), matrix = bucket.weights,
            tile = bucket.tile;
      Value rows = b.min(b.index(stepRows), b.sub(numTileRows, step.p));
      b.loop(zero, rows, 1, [&](Value x) {
        Value row = b.add(step.p, x);
        b.loop(step.lo, step.hi, 1, [&](Value column) {
          Value c = byScore
                        ? b.load(bucketNumbers, {b.add(x, firstRow), column})
                        : b.load(tile, {row, column});
          Value inside = b.compare(arith::CmpIPredicate::ult, c, columns);
          b.when(inside, [&] {
            Value weight =
                b.toF32(b.load(weights, {b.add(step.weights, x), column}));
            b.store(b.addf(b.load(matrix, {row, c}), weight), matrix, {row, c});
          });
        });
      });
    }
  };
  b.when(b.compare(arith::CmpIPredicate::ne, step.mode, b.index(MaximaAlone)),
         emit);
}

/// What lies beyond the ends of a strip belongs to its ends.
void SweepEmitter::finishBuckets() {
  Value zero = b.index(0);
  int64_t padding = block + 16;
  for (auto [bucket, lag] : llvm::zip(buckets, lagBuckets)) {
    if (bucket.kind != BucketKind::Lag)
      continue;
    Value strip = lag.strip, sums = lag.sums, weights = bucket.weights;
    Value columns = b.dim(weights, 1);
    b.loop(zero, numTileRows, 1, [&](Value row) {
      b.loop(zero, columns, 1, [&](Value c) {
        b.store(b.load(strip, {row, b.add(c, padding)}), weights, {row, c});
      });
      SmallVector<Value> at = getSumRows(sums, row);
      for (bool last : {false, true}) {
        Value from = last ? b.add(columns, padding) : zero;
        Value tail = b.loop(
            zero, b.index(padding), panels.lanes,
            ValueRange{b.loadVector(sums, {at[1 + last], zero})},
            [&](Value c, ValueRange values) -> SmallVector<Value> {
              return {b.addf(values[0],
                             b.loadVector(strip, {row, b.add(from, c)}))};
            })[0];
        Value end = last ? b.sub(columns, 1) : zero;
        b.store(b.addf(b.load(weights, {row, end}), b.sumLanes(tail)), weights,
                {row, end});
      }
    });
  }
}
