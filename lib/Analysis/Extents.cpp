//===- Extents.cpp - What each value of a score region varies over -*- C++ -*-//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Analysis/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;
using Predicate = arith::CmpIPredicate;

/// Forms with larger numbers are dropped: what is computed from the rest does
/// not overflow 64 bits.
static constexpr int64_t maxFactor = int64_t(1) << 15;
static constexpr int64_t maxConstant = int64_t(1) << 40;
/// Ends of intervals that take more forms are widened. Every one costs code at
/// run time, and comparing two of them takes time exponential in their sizes.
static constexpr unsigned maxForms = 4;
/// Comparisons are taken apart this deep.
static constexpr unsigned maxDepth = 3;

//===----------------------------------------------------------------------===//
// Affine forms
//===----------------------------------------------------------------------===//

static AffineForm operator+(const AffineForm &x, const AffineForm &y) {
  return {x.row + y.row, x.key + y.key, x.offset + y.offset};
}

static AffineForm operator*(const AffineForm &x, int64_t factor) {
  return {x.row * factor, x.key * factor, x.offset * factor};
}

static AffineForm operator-(const AffineForm &x, const AffineForm &y) {
  return x + y * -1;
}

static AffineForm constantForm(int64_t value) { return {0, 0, value}; }

static bool isUniform(const AffineForm &form) {
  return form.row == 0 && form.key == 0;
}

static bool isSmall(int64_t value, int64_t limit) {
  return -limit <= value && value <= limit;
}

static bool isSmall(const AffineForm &form) {
  return isSmall(form.row, maxFactor) && isSmall(form.key, maxFactor) &&
         isSmall(form.offset.constant, maxConstant) &&
         llvm::all_of(form.offset.terms, [](const auto &term) {
           return isSmall(term.second, maxFactor);
         });
}

/// Whether integers of the type may stand for positions: narrower ones wrap
/// around on purpose.
static bool holdsPositions(Type type) {
  return type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static Truth exactly(const Box &box) { return {box, box}; }
static Truth exactly(bool value) {
  return exactly(value ? Box::all() : Box::none());
}

/// Whether x and y overlap or adjoin, so that their union is an interval. Also
/// right if one of them turns out to be empty: it then lies inside the other's
/// ends.
static bool adjoin(const BoundRange &x, const BoundRange &y) {
  return x.lo.isAtMost(y.hi + 1) && y.lo.isAtMost(x.hi + 1);
}

static bool contains(const BoundRange &x, const BoundRange &y) {
  return x.lo.isAtMost(y.lo) && y.hi.isAtMost(x.hi);
}

/// Pairs inside x or y, all of them if the union is a box.
static Box getInnerUnion(const Box &x, const Box &y) {
  if (x.isNone() ||
      (!y.isNone() && contains(y.lag, x.lag) && contains(y.key, x.key)))
    return y;
  if (!y.isNone() && ((x.key == y.key && adjoin(x.lag, y.lag)) ||
                      (x.lag == y.lag && adjoin(x.key, y.key))))
    return x.hull(y);
  return x;
}

/// The pairs outside the box, if they are a box.
static std::optional<Box> getComplement(const Box &box) {
  if (box.isNone())
    return Box::all();
  if (box.isAll())
    return Box::none();
  auto complement = [](const BoundRange &range) -> std::optional<BoundRange> {
    if (range.isFinite())
      return std::nullopt;
    if (range.lo.isFinite())
      return BoundRange{Bound::negativeInfinity(), range.lo + -1};
    return BoundRange{range.hi + 1, Bound::positiveInfinity()};
  };
  if (box.key.isAll())
    if (std::optional<BoundRange> lag = complement(box.lag))
      return Box{*lag, BoundRange::all()};
  if (box.lag.isAll())
    if (std::optional<BoundRange> key = complement(box.key))
      return Box{BoundRange::all(), *key};
  return std::nullopt;
}

static Truth conjoin(const Truth &x, const Truth &y) {
  return {x.may.intersect(y.may), x.must.intersect(y.must)};
}

static Truth disjoin(const Truth &x, const Truth &y) {
  return {x.may.hull(y.may), getInnerUnion(x.must, y.must)};
}

static Truth negate(const Truth &x) {
  return {getComplement(x.must).value_or(Box::all()),
          getComplement(x.may).value_or(Box::none())};
}

/// Where form <= 0.
static Truth isNotPositive(const AffineForm &form) {
  if (isUniform(form))
    return form.offset.isConstant() ? exactly(form.offset.constant <= 0)
                                    : Truth();
  // factor x <= -offset, x the distance or the key.
  bool ofLag = form.row == -form.key;
  if (!ofLag && form.row != 0)
    return {};
  int64_t factor = form.key;
  LinearForm limit = form.offset * -1;
  if (factor == -1)
    limit = form.offset;
  else if (factor != 1) {
    // Rounding a division of named values would take more than a linear form.
    if (!limit.isConstant())
      return {};
    limit = factor > 0 ? llvm::divideFloorSigned(limit.constant, factor)
                       : llvm::divideCeilSigned(limit.constant, factor);
  }
  BoundRange range;
  (factor > 0 ? range.hi : range.lo) = limit;
  return exactly(ofLag ? Box{range, BoundRange::all()}
                       : Box{BoundRange::all(), range});
}

/// Where form `predicate` 0.
static Truth compareWithZero(Predicate predicate, const AffineForm &form) {
  switch (predicate) {
  case Predicate::sle:
    return isNotPositive(form);
  case Predicate::slt:
    return isNotPositive(form + constantForm(1));
  case Predicate::sge:
    return isNotPositive(form * -1);
  case Predicate::sgt:
    return isNotPositive(form * -1 + constantForm(1));
  case Predicate::eq:
    return conjoin(isNotPositive(form), isNotPositive(form * -1));
  case Predicate::ne:
    return negate(compareWithZero(Predicate::eq, form));
  default:
    return {};
  }
}

/// The predicate of y, x instead of x, y.
static Predicate swapSides(Predicate predicate) {
  switch (predicate) {
  case Predicate::slt:
    return Predicate::sgt;
  case Predicate::sle:
    return Predicate::sge;
  case Predicate::sgt:
    return Predicate::slt;
  case Predicate::sge:
    return Predicate::sle;
  default:
    return predicate;
  }
}

bool posenc::isUnsigned(Predicate predicate) {
  return predicate == Predicate::ult || predicate == Predicate::ule ||
         predicate == Predicate::ugt || predicate == Predicate::uge;
}
static bool isLess(Predicate predicate) {
  return predicate == Predicate::slt || predicate == Predicate::sle;
}
static bool isGreater(Predicate predicate) {
  return predicate == Predicate::sgt || predicate == Predicate::sge;
}

//===----------------------------------------------------------------------===//
// Where a value varies
//===----------------------------------------------------------------------===//

/// Note that a value is the same on all of `box`.
static void noteConstant(BoundRange &varying, const Box &box) {
  if (!box.key.isAll())
    return;
  if (box.lag.lo.getKind() == Bound::Kind::NegativeInfinity)
    varying.lo = Bound::max(varying.lo, box.lag.hi);
  if (box.lag.hi.getKind() == Bound::Kind::PositiveInfinity)
    varying.hi = Bound::min(varying.hi, box.lag.lo);
}

/// The distances below the box, and those above.
static Box getBelow(const Box &box) {
  return {{Bound::negativeInfinity(), box.lag.lo + -1}, BoundRange::all()};
}
static Box getAbove(const Box &box) {
  return {{box.lag.hi + 1, Bound::positiveInfinity()}, BoundRange::all()};
}

/// Note that a condition is false outside `may` and true inside `must`.
static void noteTruth(BoundRange &varying, const Truth &truth) {
  noteConstant(varying, getBelow(truth.may));
  noteConstant(varying, getAbove(truth.may));
  noteConstant(varying, truth.must);
}

/// A value that meets its two constants has one.
static void dropConstant(BoundRange &varying) {
  if (varying.isNone() || varying.hi.isAtMost(varying.lo))
    varying = BoundRange::none();
}

/// The range, or a larger one whose ends take few forms.
static BoundRange widen(const BoundRange &range) {
  // A minimum is at most its first operand.
  auto raise = [](Bound bound) {
    while (bound.getNumForms() > maxForms)
      bound = bound.getKind() == Bound::Kind::Min ? bound.getOperands().first
                                                  : Bound::positiveInfinity();
    return bound;
  };
  return {-raise(-range.lo), raise(range.hi)};
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

namespace {
class Analyzer {
public:
  explicit Analyzer(DenseMap<Value, Extent> &extents) : extents(extents) {}

  void addArguments(Block &block);
  void add(Operation &op);

private:
  const Extent &get(Value value) const { return extents.find(value)->second; }
  void set(Value value, Extent extent);
  std::optional<AffineForm> getAffine(Operation &op) const;
  Truth compare(Predicate predicate, Value x, Value y,
                unsigned depth = 0) const;
  Truth compareUnsigned(Predicate predicate, Value x, Value y) const;
  BoundRange getVarying(Predicate predicate, Value x, Value y) const;
  BoundRange getVarying(RowOp op) const;
  void noteChoice(BoundRange &varying, const Truth &truth, Value ifTrue,
                  Value ifFalse) const;

  DenseMap<Value, Extent> &extents;
};
} // namespace

void Analyzer::addArguments(Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    Extent extent;
    switch (argument.getArgNumber()) {
    case 0:
      extent.batch = extent.head = extent.row = extent.key = extent.score =
          true;
      break;
    case 1:
      extent.batch = true;
      break;
    case 2:
      extent.head = true;
      break;
    case 3:
      extent.row = true;
      extent.affine = {1, 0, 0};
      break;
    case 4:
      extent.key = true;
      extent.affine = {0, 1, 0};
      break;
    default: // Captures are the same for all pairs.
      break;
    }
    set(argument, std::move(extent));
  }
}

/// Record what is known of a value, made consistent.
void Analyzer::set(Value value, Extent extent) {
  if (extent.affine) {
    // What cancels does not count.
    extent.row = extent.affine->row != 0;
    extent.key = extent.affine->key != 0;
    extent.lag = extent.affine->row == -extent.affine->key;
  }
  if (extent.getKind() == ExtentKind::Uniform) {
    extent.lag = true;
    extent.varying = BoundRange::none();
    // A constant that has no form is too large for one.
    if (!extent.affine && holdsPositions(value.getType()) &&
        !matchPattern(value, m_Constant()))
      extent.affine = {0, 0, LinearForm::of(value)};
  } else if (!extent.lag || extent.affine) {
    extent.varying = BoundRange::all();
  }
  extent.varying = widen(extent.varying);
  if (value.getType().isInteger(1)) {
    Truth &truth = extent.truth ? *extent.truth : extent.truth.emplace();
    truth.may = {widen(truth.may.lag), widen(truth.may.key)};
    Box must{widen(truth.must.lag), widen(truth.must.key)};
    if (!(must == truth.must))
      truth.must = Box::none();
  }
  extents[value] = std::move(extent);
}

std::optional<AffineForm> Analyzer::getAffine(Operation &op) const {
  if (op.getNumResults() != 1 || !holdsPositions(op.getResult(0).getType()))
    return std::nullopt;
  SmallVector<AffineForm> forms;
  for (Value operand : op.getOperands()) {
    const std::optional<AffineForm> &form = get(operand).affine;
    if (!form)
      return std::nullopt;
    forms.push_back(*form);
  }
  auto getConstant = [&](unsigned i) -> std::optional<int64_t> {
    if (isUniform(forms[i]) && forms[i].offset.isConstant())
      return forms[i].offset.constant;
    return std::nullopt;
  };
  std::optional<AffineForm> form =
      llvm::TypeSwitch<Operation *, std::optional<AffineForm>>(&op)
          .Case([&](arith::ConstantOp) -> std::optional<AffineForm> {
            APInt value;
            if (!matchPattern(&op, m_ConstantInt(&value)))
              return std::nullopt;
            return constantForm(value.getSExtValue());
          })
          .Case([&](arith::AddIOp) { return forms[0] + forms[1]; })
          .Case([&](arith::SubIOp) { return forms[0] - forms[1]; })
          .Case([&](arith::MulIOp) -> std::optional<AffineForm> {
            for (unsigned i : {0, 1})
              if (std::optional<int64_t> factor = getConstant(1 - i))
                if (isSmall(*factor, maxFactor))
                  return forms[i] * *factor;
            return std::nullopt;
          })
          .Case([&](arith::ShLIOp) -> std::optional<AffineForm> {
            std::optional<int64_t> bits = getConstant(1);
            if (!bits || *bits < 0 || *bits > llvm::Log2_64(maxFactor))
              return std::nullopt;
            return forms[0] * (int64_t(1) << *bits);
          })
          .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(
              [&](auto) { return forms[0]; })
          .Default([](Operation *) { return std::nullopt; });
  if (!form || !isSmall(*form))
    return std::nullopt;
  // No position is in it, so a narrow type may have cut it off. It needs no
  // form of other values: it is one number itself.
  Type type = op.getResult(0).getType();
  bool mayWrap = !type.isIndex() && type.getIntOrFloatBitWidth() < 64;
  bool fits = form->offset.isConstant() &&
              (!mayWrap || llvm::isIntN(type.getIntOrFloatBitWidth(),
                                        form->offset.constant));
  if (mayWrap && llvm::all_of(forms, isUniform) && !fits)
    return std::nullopt;
  return form;
}

/// The op whose comparison splits into those of its operands, if the value is
/// of one.
static Operation *findSplit(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(
             op) &&
         holdsPositions(op->getResult(0).getType()))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp, math::AbsIOp>(op)
             ? op
             : nullptr;
}

/// Where x `predicate` y, of signed integers.
Truth Analyzer::compare(Predicate predicate, Value x, Value y,
                        unsigned depth) const {
  std::optional<AffineForm> xForm = get(x).affine, yForm = get(y).affine;
  if (xForm && yForm)
    return compareWithZero(predicate, *xForm - *yForm);
  if (depth == maxDepth)
    return {};
  Operation *op = findSplit(x);
  if (!op) {
    op = findSplit(y);
    std::swap(x, y);
    std::swap(xForm, yForm);
    predicate = swapSides(predicate);
  }
  // A minimum is above y if both its operands are, and below if one is; |x| is
  // the maximum of x and -x.
  if (isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp>(op)) {
    if (!isLess(predicate) && !isGreater(predicate))
      return {};
    Truth first = compare(predicate, op->getOperand(0), y, depth + 1);
    Truth second = compare(predicate, op->getOperand(1), y, depth + 1);
    return isa<arith::MinSIOp>(op) == isGreater(predicate)
               ? conjoin(first, second)
               : disjoin(first, second);
  }
  if (auto magnitude = dyn_cast_or_null<math::AbsIOp>(op)) {
    const std::optional<AffineForm> &form = get(magnitude.getOperand()).affine;
    if (!form || !yForm)
      return {};
    auto compareBoth = [&](Predicate predicate) {
      Truth first = compareWithZero(predicate, *form - *yForm);
      Truth second = compareWithZero(predicate, *form * -1 - *yForm);
      return isGreater(predicate) ? disjoin(first, second)
                                  : conjoin(first, second);
    };
    if (isLess(predicate) || isGreater(predicate))
      return compareBoth(predicate);
    if (predicate == Predicate::eq)
      return {compareBoth(Predicate::sle).may, Box::none()};
  }
  return {};
}

/// Where x `predicate` y, of unsigned integers: known where y is a constant
/// that is not negative, so that what is below it lies from 0 to y.
Truth Analyzer::compareUnsigned(Predicate predicate, Value x, Value y) const {
  if (predicate == Predicate::ugt || predicate == Predicate::uge)
    return negate(compareUnsigned(arith::invertPredicate(predicate), x, y));
  std::optional<AffineForm> xForm = get(x).affine, yForm = get(y).affine;
  if (!xForm || !yForm || yForm->row || yForm->key ||
      !yForm->offset.isConstant() || yForm->offset.constant < 0)
    return {};
  Predicate below =
      predicate == Predicate::ult ? Predicate::slt : Predicate::sle;
  return conjoin(compareWithZero(Predicate::sge, *xForm),
                 compareWithZero(below, *xForm - *yForm));
}

/// Where the comparison, a lag value, varies: not where its truth is known, nor
/// where that of its opposite is.
BoundRange Analyzer::getVarying(Predicate predicate, Value x, Value y) const {
  BoundRange varying;
  noteTruth(varying, compare(predicate, x, y));
  noteTruth(varying, compare(arith::invertPredicate(predicate), x, y));
  return varying;
}

/// Where a row by a map of one integer, a lag value, varies.
BoundRange Analyzer::getVarying(RowOp op) const {
  BoundRange varying;
  Interval ends = op.getMap().getVarying();
  AffineForm form = *get(op.getX()[0]).affine;
  auto note = [&](Predicate predicate, std::optional<int64_t> end) {
    if (end && isSmall(*end, maxConstant))
      noteConstant(varying,
                   compareWithZero(predicate, form - constantForm(*end)).must);
  };
  note(Predicate::sle, ends.lo);
  note(Predicate::sge, ends.hi);
  return varying;
}

/// Note that a value is one or the other by a condition. On either side it
/// varies as the one that the condition proves, if it proves one.
void Analyzer::noteChoice(BoundRange &varying, const Truth &truth, Value ifTrue,
                          Value ifFalse) const {
  auto note = [&](const Box &box, Value value) {
    BoundRange chosen = BoundRange::all();
    noteConstant(chosen, box);
    // Now constant from the box's end on, were the value constant.
    const BoundRange &own = get(value).varying;
    varying.lo = Bound::max(varying.lo, Bound::min(chosen.lo, own.lo));
    varying.hi = Bound::min(varying.hi, Bound::max(chosen.hi, own.hi));
  };
  note(getBelow(truth.may), ifFalse);
  note(getAbove(truth.may), ifFalse);
  note(truth.must, ifTrue);
}

void Analyzer::add(Operation &op) {
  // Anything: a function of its operands.
  Extent extent;
  extent.lag = true;
  for (Value operand : op.getOperands()) {
    const Extent &from = get(operand);
    extent.batch |= from.batch;
    extent.head |= from.head;
    extent.row |= from.row;
    extent.key |= from.key;
    extent.score |= from.score;
    extent.lag &= from.lag;
    extent.varying = extent.varying.hull(from.varying);
  }
  extent.affine = getAffine(op);

  auto narrow = [&](const BoundRange &varying) {
    extent.varying.lo = Bound::max(extent.varying.lo, varying.lo);
    extent.varying.hi = Bound::min(extent.varying.hi, varying.hi);
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](arith::ConstantOp constant) {
        if (constant.getType().isInteger(1))
          extent.truth = exactly(
              cast<IntegerAttr>(constant.getValue()).getValue().isOne());
      })
      .Case([&](arith::CmpIOp compared) {
        Value x = compared.getLhs(), y = compared.getRhs();
        Predicate predicate = compared.getPredicate();
        if (isUnsigned(predicate)) {
          extent.truth = compareUnsigned(predicate, x, y);
          return;
        }
        // It is a function of the difference: of the lag, even if neither side
        // is.
        const Extent &xExtent = get(x), &yExtent = get(y);
        if (xExtent.affine && yExtent.affine) {
          AffineForm difference = *xExtent.affine - *yExtent.affine;
          extent.row = difference.row != 0;
          extent.key = difference.key != 0;
          extent.lag = difference.row == -difference.key;
          extent.varying = BoundRange::all();
        }
        extent.truth = compare(predicate, x, y);
        if (extent.lag)
          narrow(getVarying(predicate, x, y));
      })
      .Case([&](arith::SelectOp select) {
        const Extent &condition = get(select.getCondition());
        if (extent.lag)
          noteChoice(extent.varying, *condition.truth, select.getTrueValue(),
                     select.getFalseValue());
        if (select.getType().isInteger(1))
          extent.truth = disjoin(
              conjoin(*condition.truth, *get(select.getTrueValue()).truth),
              conjoin(negate(*condition.truth),
                      *get(select.getFalseValue()).truth));
      })
      .Case<arith::MaxSIOp, arith::MinSIOp>([&](auto) {
        // As a select. A comparison without equality ends at the crossing on
        // the side of the one that varies, so that one comes first.
        Value x = op.getOperand(0), y = op.getOperand(1);
        if (get(x).getKind() == ExtentKind::Uniform)
          std::swap(x, y);
        Predicate predicate =
            isa<arith::MinSIOp>(op) ? Predicate::slt : Predicate::sgt;
        if (extent.lag)
          noteChoice(extent.varying, compare(predicate, x, y), x, y);
      })
      .Case([&](RowScanOp) {
        // Of a pair, and of all later ones; not of this score alone.
        extent = Extent();
        extent.batch = extent.head = extent.row = extent.key = true;
      })
      .Case([&](RowOp row) {
        if (extent.lag && row.getX().size() == 1 && get(row.getX()[0]).affine)
          narrow(getVarying(row));
      });

  if (op.getNumResults() == 1 && op.getResult(0).getType().isInteger(1)) {
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
      const Truth &x = *get(op.getOperand(0)).truth;
      const Truth &y = *get(op.getOperand(1)).truth;
      if (isa<arith::AndIOp>(op))
        extent.truth = conjoin(x, y);
      else if (isa<arith::OrIOp>(op))
        extent.truth = disjoin(x, y);
      else
        extent.truth = disjoin(conjoin(x, negate(y)), conjoin(negate(x), y));
    }
    if (extent.truth && extent.lag)
      noteTruth(extent.varying, *extent.truth);
  }
  dropConstant(extent.varying);
  for (Value result : op.getResults())
    set(result, extent);
}

ExtentAnalysis::ExtentAnalysis(Region &scoreRegion) {
  Block &block = scoreRegion.front();
  Analyzer analyzer(extents);
  analyzer.addArguments(block);
  for (Operation &op : block.without_terminator())
    analyzer.add(op);
}

const Extent &ExtentAnalysis::operator[](Value value) const {
  auto known = extents.find(value);
  assert(known != extents.end() && "not a value of the score region");
  return known->second;
}

ExtentKind Extent::getKind() const {
  if (score)
    return ExtentKind::Score;
  if (row && key)
    return lag ? ExtentKind::Lag : ExtentKind::Pair;
  if (row)
    return ExtentKind::Row;
  return key ? ExtentKind::Key : ExtentKind::Uniform;
}

StringRef posenc::stringifyExtentKind(ExtentKind kind) {
  switch (kind) {
  case ExtentKind::Uniform:
    return "uniform";
  case ExtentKind::Row:
    return "row";
  case ExtentKind::Key:
    return "key";
  case ExtentKind::Lag:
    return "lag";
  case ExtentKind::Pair:
    return "pair";
  case ExtentKind::Score:
    return "score";
  }
  llvm_unreachable("unknown kind of extent");
}
