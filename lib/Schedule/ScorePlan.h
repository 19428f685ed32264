//===- ScorePlan.h - What a score consists of -------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The normal form of a score region: the score as a sum of coefficients times
// atoms, each with what it varies over, and the condition as conjuncts. What
// does not fit is left to be computed per pair. Extents decide everything; no
// variant has a name here.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SCHEDULE_SCOREPLAN_H
#define LIB_SCHEDULE_SCOREPLAN_H

#include "posenc/Analysis/Extents.h"
#include <vector>

namespace mlir::posenc::schedule {

/// constant * product of values and of inverses of values, uniform or per row.
struct Coefficient {
  Coefficient times(double factor) const;
  Coefficient times(Value factor, bool inverse) const;
  bool operator==(const Coefficient &other) const {
    return constant == other.constant && factors == other.factors;
  }

  double constant = 1;
  SmallVector<std::pair<Value, bool>, 1> factors; // value, whether inverse
};

struct LinearTerm {
  Coefficient coefficient;
  Value atom;
};

/// Terms without the product of queries and keys, by how they are prepared.
struct TermsByExtent {
  void add(const LinearTerm &term, const ExtentAnalysis &extents);

  std::vector<LinearTerm> row, key, lag, pair;
};

/// One side of a posenc.dot: a row of a table, by what its indices vary over.
struct DotSide {
  Value table;
  SmallVector<Value> indices;
  ExtentKind kind;
  BoundRange varying = BoundRange::none(); // of sides of kind Lag
};

/// coefficient * dot(a row of the tile, a row by distance), and further rows
/// that are added to that of the tile.
struct StripTerm {
  Coefficient coefficient;
  DotSide query, table;
  std::vector<DotSide> added;
};
/// coefficient * dot(a row by key, a row by distance).
struct SkewTerm {
  Coefficient coefficient;
  DotSide key, table;
};
/// coefficient * dot(a row of the tile, a row by key): more channels of the
/// product of queries and keys.
struct ChannelTerm {
  Coefficient coefficient;
  DotSide query, key;
};

struct ScorePlan {
  ScorePlan(AttentionOp op, const ExtentAnalysis &extents);

  mutable AttentionOp op; // its accessors are not const
  const ExtentAnalysis &extents;

  /// y = scale * (q . k) + ..., which the sweep accumulates: the score itself,
  /// in units of log2, or the outermost value that is linear in the product.
  Value accumulated;
  bool isLinear = false; // the accumulated value is the score
  Coefficient scale;
  std::vector<DotSide> added; // rows added to those of the queries
  std::vector<ChannelTerm> channels;
  TermsByExtent terms;
  std::vector<StripTerm> strips;
  std::vector<SkewTerm> skews;

  /// If the score is not linear: score = sum of `nonlinear`, whose atoms are
  /// computed from y, and of `outer`, in units of log2.
  std::vector<LinearTerm> nonlinear;
  TermsByExtent outer;

  /// The pairs in `keep` that meet the other conditions are kept; no pair
  /// outside `hull` is.
  Box keep, hull;
  /// For conditions that hold in several boxes, such as the first keys or a
  /// window: no pair outside all boxes of one of these is kept.
  std::vector<SmallVector<Box>> unions;
  SmallVector<Value> rowConditions, keyConditions, lagConditions,
      pairConditions, scoreConditions;

  /// Where strips, skewed products and buckets vary: all of them are constant
  /// outside, or the range is everything.
  BoundRange near = BoundRange::none();

  /// Whether the side is the key row that the product of queries and keys
  /// reads: k[b, h, j], with as many key heads as heads, not rotated.
  bool readsPackedKeys(const DotSide &side) const;
  /// Whether the side is q[b, h, r].
  bool isQueryRow(const DotSide &side) const;

  /// One side of a product: a row of a table.
  DotSide getSide(Value table, ValueRange indices) const;

private:
  void planCondition(Value condition);
  void planScore(Value score, ArrayRef<Value> valueRows);
  void planTerms(ArrayRef<LinearTerm> terms);
  void planDot(const LinearTerm &term, DotOp dot);
  void linearize(Value value, const Coefficient &coefficient,
                 std::vector<LinearTerm> &terms) const;
  bool isRowOf(Value operand, Value row, const DotSide &side) const;

  llvm::SmallPtrSet<Value, 8> plannedConditions;
};

/// Whether the coefficient varies by row.
bool variesByRow(const Coefficient &coefficient, const ExtentAnalysis &extents);

} // namespace mlir::posenc::schedule

#endif // LIB_SCHEDULE_SCOREPLAN_H
