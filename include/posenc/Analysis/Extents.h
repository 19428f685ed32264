//===- Extents.h - What each value of a score region varies over -*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A score region says what happens to one pair of a query row r and a key j.
// This analysis finds out why it is cheap: over which of batch, head, row, key
// and score a value varies, whether it depends on the distance d = j - r alone,
// between which distances it varies, and where a condition surely holds or
// fails. Every later decision reads it; no variant has a name in it.
//
// Integers that stand for positions are taken not to overflow: a sum of
// positions, distances and offsets fits its type, which has 32 bits at least.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ANALYSIS_EXTENTS_H
#define POSENC_ANALYSIS_EXTENTS_H

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace mlir::posenc {

/// constant + sum of factor * value. The values are integers of the region that
/// vary over batch and head at most: captures and what is computed from them.
struct LinearForm {
  LinearForm(int64_t constant = 0) : constant(constant) {}
  static LinearForm of(Value value);

  LinearForm operator+(const LinearForm &other) const;
  LinearForm operator-(const LinearForm &other) const;
  LinearForm operator*(int64_t factor) const;
  bool operator==(const LinearForm &other) const;
  bool isConstant() const { return terms.empty(); }

  int64_t constant;
  SmallVector<std::pair<Value, int64_t>, 2> terms; // no factor is 0
};

/// An end of an interval of integers: infinite, a linear form, or the least or
/// greatest of two ends.
class Bound {
public:
  enum class Kind { NegativeInfinity, PositiveInfinity, Linear, Min, Max };

  static Bound negativeInfinity();
  static Bound positiveInfinity();
  Bound(LinearForm form);
  Bound(int64_t constant) : Bound(LinearForm(constant)) {}
  /// Fold infinities and forms that differ by a constant.
  static Bound min(const Bound &x, const Bound &y);
  static Bound max(const Bound &x, const Bound &y);

  Bound operator+(const LinearForm &form) const;
  Bound operator-() const;
  bool operator==(const Bound &other) const;
  /// Whether this is at most `other` whatever the values are; false if unknown.
  bool isAtMost(const Bound &other) const;

  Kind getKind() const;
  bool isFinite() const;
  const LinearForm &getForm() const;           // of Linear
  std::pair<Bound, Bound> getOperands() const; // of Min and Max
  std::optional<int64_t> getConstant() const;
  /// How many linear forms it takes to write it down.
  unsigned getNumForms() const;

private:
  struct Node;
  explicit Bound(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

/// The integers from lo to hi, both included. Empty if lo is +inf and hi -inf.
struct BoundRange {
  Bound lo = Bound::negativeInfinity(), hi = Bound::positiveInfinity();
  static BoundRange all() { return {}; }
  static BoundRange none() {
    return {Bound::positiveInfinity(), Bound::negativeInfinity()};
  }
  bool isAll() const;
  bool isNone() const;
  /// Neither end is infinite.
  bool isFinite() const { return lo.isFinite() && hi.isFinite(); }
  BoundRange intersect(const BoundRange &other) const;
  BoundRange hull(const BoundRange &other) const;
  bool operator==(const BoundRange &other) const {
    return lo == other.lo && hi == other.hi;
  }
};

/// row * r + key * j + offset.
struct AffineForm {
  int64_t row = 0, key = 0;
  LinearForm offset;
};

/// Pairs whose distance j - r lies in `lag` and whose key j lies in `key`.
struct Box {
  BoundRange lag, key;
  static Box all() { return {}; }
  static Box none() { return {BoundRange::none(), BoundRange::none()}; }
  bool isAll() const { return lag.isAll() && key.isAll(); }
  bool isNone() const { return lag.isNone() || key.isNone(); }
  Box intersect(const Box &other) const;
  /// The least box that holds both.
  Box hull(const Box &other) const;
  bool operator==(const Box &other) const {
    return lag == other.lag && key == other.key;
  }
};

/// Where a condition may hold, and where it surely does: it is false outside
/// the first box and true inside the second.
struct Truth {
  Box may, must = Box::none();
  /// The condition is exactly a box.
  bool isExact() const { return may == must; }
};

/// Whether integers are compared as unsigned ones: not by their difference.
bool isUnsigned(arith::CmpIPredicate predicate);

/// What a value costs, by what it varies over; batch and head are free.
enum class ExtentKind { Uniform, Row, Key, Lag, Pair, Score };

struct Extent {
  bool batch = false, head = false, row = false, key = false, score = false;
  /// A function of j - r and of uniform values alone.
  bool lag = false;
  /// For integers linear in r and j.
  std::optional<AffineForm> affine;
  /// For lag values: constant for all distances <= lo, and constant for all
  /// distances >= hi. Uniform values vary nowhere; for other values it is all.
  BoundRange varying = BoundRange::none();
  /// For conditions.
  std::optional<Truth> truth;

  ExtentKind getKind() const;
};

/// The extents of all values of the score region of an attention, and of its
/// captures.
class ExtentAnalysis {
public:
  explicit ExtentAnalysis(Region &scoreRegion);
  const Extent &operator[](Value value) const;

private:
  DenseMap<Value, Extent> extents;
};

StringRef stringifyExtentKind(ExtentKind kind);

} // namespace mlir::posenc

#endif // POSENC_ANALYSIS_EXTENTS_H
