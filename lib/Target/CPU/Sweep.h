//===- Sweep.h - A sweep as vector code -------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_SWEEP_H
#define POSENC_LIB_TARGET_CPU_SWEEP_H

#include "Unit.h"

namespace mlir::posenc::cpu {

/// Emits one sweep.
///
/// A few rows and a block of keys are a step, whose products a unit computes.
/// Its scores stay in registers from the product to the weights where nothing
/// but the exponential is to be done (the plain path); where a maximum, a mask
/// or the score region comes between, they go through a small buffer, row by
/// row (the careful path). The weighted values of a step are added while the
/// next step runs, so that a core finds products to compute beside the
/// exponentials.
///
/// The weights of a row are relative to the maximum of the first block in
/// which it keeps a key. If a sum shows that this was far from the maximum of
/// all, the tile is swept again for the maxima alone, and then with them. If
/// the weighted values are not finite, it is swept once more, and values of
/// weight 0, which may be anything, are left out one by one.
class SweepEmitter {
public:
  SweepEmitter(OpBuilder &builder, tile::SweepOp op, const CpuTarget &target,
               Unit::Kind kind);

  /// Why the sweep cannot be emitted, if it cannot.
  static std::optional<StringRef>
  whyNot(tile::SweepOp op, const CpuTarget &target, Unit::Kind kind);

  LogicalResult emit();

private:
  /// What a round over all keys is for. The last makes weights whose sum is at
  /// most 1, so that no sum of finite products with values is infinite, and
  /// leaves out values of weight 0.
  enum Mode : int64_t { First, MaximaAlone, MaximaKnown, SelectedValues, Done };

  /// Where a step's weights go for buckets by distance.
  struct BucketClass {
    Value isNear; // to more than one of the ends
    Value sumRow; // of the sums for its class, the row of the step's first
  };
  /// The rows of a step and a block of keys.
  struct Step {
    Value mode;
    Value n;       // the first key of the block
    Value p;       // the first row, counted in the tile
    Value r;       // the same row, counted in the queries
    Value lo, hi;  // the keys of the block that a row of the step may keep
    Value weights; // the first row of the step's weights in their buffer
    Value raw;     // whether the careful path runs
    Value isLeft, isRight; // null without classes
    SmallVector<BucketClass> bucketClasses;
  };
  /// The values that are to be added: of a block, rows lo to hi.
  struct Pending {
    Value parity, p, row, lo, hi;
    static Pending get(ValueRange v) { return {v[0], v[1], v[2], v[3], v[4]}; }
    SmallVector<Value> list() const { return {parity, p, row, lo, hi}; }
  };

  // Sweep.cpp: the driver.
  void prepare();
  Value emitLog2OfKeys();
  void reset(Value mode);
  LogicalResult emitRound(Value mode);
  Value emitGuard(Value mode);
  void finish();
  int64_t padRows(int64_t rows) const;
  Value rowOf(Value memref, Value p);
  /// How many query rows row x of a step is behind its first.
  Value rowsBehind(Value x) { return op.getQueryRow() ? b.index(0) : x; }

  // SweepStep.cpp: a step, and what its values are multiplied with. Scores are
  // those of some rows, the step's from x on, and of the columns from `column`.
  LogicalResult emitStep(const Step &step);
  void emitScores(const Step &step);
  void scaleProducts(const Step &step, Value x, Accumulators &scores);
  Value addToScore(Value score, Value x);
  void emitWeights(const Step &step, Value x, Value column,
                   ArrayRef<Value> scores);
  void emitWeightsOfRow(const Step &step, Value x, Value column, Value shift,
                        ArrayRef<Value> scores);
  void emitValues(Value mode, const Pending &pending);
  void emitSelectedValues(const Unit::Pending &pending);

  // SweepTotals.cpp: sums over many keys.
  struct Total;
  void prepareTotals();
  void forEachTotal(
      function_ref<void(const Total &, ValueRange at, bool isVector)> body);
  Value addTotal(const Total &each, ValueRange at, bool isVector);
  void resetTotals();
  void addToTotals(Value round);
  void takeTotals();

  // SweepScore.cpp: the careful path.
  LogicalResult emitCareful(const Step &step);
  LogicalResult emitRegion(const Step &step, Value x, Value r,
                           MutableArrayRef<Value> scores,
                           MutableArrayRef<Value> keep);

  // SweepTerms.cpp: terms and buckets.
  using Term = tile::SweepOp::Term;
  void prepareTerms();
  void copyPairs(const Step &step);
  Value loadTerm(const Term &term, unsigned number, const Step &step, Value x,
                 Value column);
  void addTerms(const Step &step, Value x, Value column, Accumulators &scores);
  Value emitKeepTerms(const Step &step, Value x, Value column);
  void prepareBuckets();
  void resetBuckets(Value p);
  void classifyBuckets(Step &step, Value last);
  void addToBuckets(const Step &step);
  void finishBuckets();
  /// The sums of weights that a step adds to: of each a matrix and the row of
  /// the step's first row in it.
  SmallVector<std::pair<Value, Value>> getSums(const Step &step);
  /// The rows of a matrix of sums that belong to a row of the tile.
  SmallVector<Value> getSumRows(Value sums, Value row);

  tile::SweepOp op;
  SmallVector<Term> terms;
  SmallVector<tile::SweepOp::Bucket> buckets;
  Panels panels;
  KernelBuilder b;
  std::unique_ptr<Unit> unit;

  int64_t block, channels, valueChannels;
  int64_t stepRows; // rows of a step
  bool hasRegion, alwaysCareful;
  Value firstRow; // the query row of row 0
  Value keyLo, keyHi, keepLo, keepHi, nearLo, nearHi;
  Value numTileRows, numGroups;
  OpFoldResult paddedRows; // rows of the buffers, those of whole steps
  Value scores;            // of a step on the careful path, [stepRows, block]
  Value weights; // of a step and of the one before, [2 * stepRows, block]
  Value o, l, m, negatedM, unknown;
  /// What a long sweep has summed so far. A sum of many numbers, one after the
  /// other, loses digits; so all sums begin anew from time to time.
  struct Total {
    Value sums, total, rows;
  };
  SmallVector<Total> totals;
  Value isLong;             // whether totals are used
  Value rowConstants;       // [classes * rows], null without row terms
  SmallVector<Value> pairs; // by number of the term
  struct LagBucket {
    Value strip, sums;
  };
  SmallVector<LagBucket> lagBuckets; // by number of the bucket
  Value bucketNumbers;               // of a step, by score
  int64_t numScoreBuckets = 0;
};

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_SWEEP_H
