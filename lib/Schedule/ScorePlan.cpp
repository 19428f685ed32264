//===- ScorePlan.cpp - What a score consists of ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScorePlan.h"
#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// exp(z) = exp2(z log2(e)).
static constexpr double log2e = 1.44269504088896340736;

//===----------------------------------------------------------------------===//
// Sums of coefficients times atoms
//===----------------------------------------------------------------------===//

Coefficient Coefficient::times(double factor) const {
  Coefficient product = *this;
  product.constant *= factor;
  return product;
}

Coefficient Coefficient::times(Value factor, bool inverse) const {
  Coefficient product = *this;
  FloatAttr number;
  if (matchPattern(factor, m_Constant(&number))) {
    double value = number.getValueAsDouble();
    product.constant *= inverse ? 1 / value : value;
  } else {
    product.factors.push_back({factor, inverse});
  }
  return product;
}

bool schedule::variesByRow(const Coefficient &coefficient,
                           const ExtentAnalysis &extents) {
  return llvm::any_of(coefficient.factors, [&](auto factor) {
    return extents[factor.first].getKind() == ExtentKind::Row;
  });
}

void TermsByExtent::add(const LinearTerm &term, const ExtentAnalysis &extents) {
  switch (extents[term.atom].getKind()) {
  case ExtentKind::Uniform:
  case ExtentKind::Row:
    return row.push_back(term);
  case ExtentKind::Key:
    // A vector of keys has no room for what varies by row.
    return (variesByRow(term.coefficient, extents) ? pair : key)
        .push_back(term);
  case ExtentKind::Lag:
    return lag.push_back(term);
  case ExtentKind::Pair:
  case ExtentKind::Score:
    return pair.push_back(term);
  }
}

/// Whether `value` may be a factor of a coefficient: finite, and not 0, as far
/// as constants go. Others may be infinite; so may the sums they scale.
static bool isFactor(Value value, bool inverse, const ExtentAnalysis &extents) {
  ExtentKind kind = extents[value].getKind();
  if (kind != ExtentKind::Uniform && kind != ExtentKind::Row)
    return false;
  FloatAttr number;
  if (!matchPattern(value, m_Constant(&number)))
    return true;
  double constant = number.getValueAsDouble();
  return std::isfinite(inverse ? 1 / constant : constant);
}

void ScorePlan::linearize(Value value, const Coefficient &coefficient,
                          std::vector<LinearTerm> &terms) const {
  ExtentKind kind = extents[value].getKind();
  Operation *op = value.getDefiningOp();
  bool whole = kind != ExtentKind::Pair && kind != ExtentKind::Score;
  // Sums of sums that share their parts have very many terms.
  constexpr size_t maxTerms = 64;
  if (whole || !op || !value.getType().isF32() || terms.size() >= maxTerms) {
    terms.push_back({coefficient, value});
    return;
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    linearize(op->getOperand(0), coefficient, terms);
    linearize(op->getOperand(1),
              coefficient.times(isa<arith::SubFOp>(op) ? -1.0 : 1.0), terms);
    return;
  }
  if (isa<arith::NegFOp>(op))
    return linearize(op->getOperand(0), coefficient.times(-1.0), terms);
  if (isa<arith::DivFOp>(op) && isFactor(op->getOperand(1), true, extents))
    return linearize(op->getOperand(0),
                     coefficient.times(op->getOperand(1), /*inverse=*/true),
                     terms);
  if (isa<arith::MulFOp, math::FmaOp>(op)) {
    for (unsigned side : {0, 1}) {
      Value factor = op->getOperand(side);
      if (!isFactor(factor, false, extents))
        continue;
      linearize(op->getOperand(1 - side),
                coefficient.times(factor, /*inverse=*/false), terms);
      if (isa<math::FmaOp>(op))
        linearize(op->getOperand(2), coefficient, terms);
      return;
    }
  }
  terms.push_back({coefficient, value});
}

//===----------------------------------------------------------------------===//
// The condition
//===----------------------------------------------------------------------===//

/// Boxes outside of which the condition is false: several for a disjunction,
/// one for what has too many.
/// `depth` says how many more ops are looked through.
static SmallVector<Box> getBoxes(Value condition, const ExtentAnalysis &extents,
                                 unsigned depth = 8) {
  constexpr size_t maxBoxes = 4;
  const Extent &extent = extents[condition];
  SmallVector<Box> boxes{extent.truth ? extent.truth->may : Box::all()};
  bool both = condition.getDefiningOp<arith::AndIOp>();
  if (depth == 0 || (!both && !condition.getDefiningOp<arith::OrIOp>()))
    return boxes;
  Operation *op = condition.getDefiningOp();
  SmallVector<Box> left = getBoxes(op->getOperand(0), extents, depth - 1);
  SmallVector<Box> right = getBoxes(op->getOperand(1), extents, depth - 1);
  SmallVector<Box> parts;
  if (both) {
    for (const Box &x : left)
      for (const Box &y : right)
        parts.push_back(x.intersect(y));
  } else {
    llvm::append_range(parts, left);
    llvm::append_range(parts, right);
  }
  llvm::erase_if(parts, [](const Box &box) { return box.isNone(); });
  // One that is everything leaves nothing to pass over.
  bool helps = parts.size() <= maxBoxes &&
               llvm::none_of(parts, [](const Box &box) { return box.isAll(); });
  return helps ? parts : boxes;
}

void ScorePlan::planCondition(Value condition) {
  if (!plannedConditions.insert(condition).second)
    return;
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    planCondition(both.getLhs());
    planCondition(both.getRhs());
    return;
  }
  const Extent &extent = extents[condition];
  if (extent.truth) {
    auto meet = [](Box &box, const Box &other) {
      box.lag = box.lag.intersect(other.lag);
      box.key = box.key.intersect(other.key);
    };
    meet(hull, extent.truth->may);
    if (extent.truth->isExact() && extent.getKind() != ExtentKind::Uniform &&
        extent.getKind() != ExtentKind::Row) {
      meet(keep, extent.truth->may);
      return;
    }
  }
  SmallVector<Box> boxes = getBoxes(condition, extents);
  if (boxes.size() > 1)
    unions.push_back(boxes);
  switch (extent.getKind()) {
  case ExtentKind::Uniform:
  case ExtentKind::Row:
    return rowConditions.push_back(condition);
  case ExtentKind::Key:
    return keyConditions.push_back(condition);
  case ExtentKind::Lag:
    return lagConditions.push_back(condition);
  case ExtentKind::Pair:
    return pairConditions.push_back(condition);
  case ExtentKind::Score:
    return scoreConditions.push_back(condition);
  }
}

//===----------------------------------------------------------------------===//
// The score
//===----------------------------------------------------------------------===//

/// The outermost value that is linear in the score argument and through which
/// all of `roots` depend on it.
static Value findAccumulated(Value argument, ArrayRef<Value> roots,
                             const ExtentAnalysis &extents) {
  // The ops between the argument and the roots.
  SetVector<Operation *> ops;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && extents[value].getKind() == ExtentKind::Score)
      ops.insert(op);
  };
  llvm::for_each(roots, add);
  for (unsigned i = 0; i < ops.size(); ++i)
    llvm::for_each(ops[i]->getOperands(), add);

  Value current = argument;
  while (!llvm::is_contained(roots, current)) {
    OpOperand *only = nullptr;
    unsigned uses = 0;
    for (OpOperand &use : current.getUses())
      if (ops.contains(use.getOwner())) {
        only = &use;
        ++uses;
      }
    if (uses != 1)
      break;
    Operation *user = only->getOwner();
    auto isFactorAt = [&](unsigned operand, bool inverse) {
      return isFactor(user->getOperand(operand), inverse, extents);
    };
    auto isScore = [&](unsigned operand) {
      return extents[user->getOperand(operand)].getKind() == ExtentKind::Score;
    };
    unsigned at = only->getOperandNumber();
    bool linear = false;
    if (!user->getResult(0).getType().isF32())
      break;
    if (isa<arith::AddFOp, arith::SubFOp>(user))
      linear = !isScore(1 - at);
    else if (isa<arith::NegFOp>(user))
      linear = true;
    else if (isa<arith::MulFOp>(user))
      linear = isFactorAt(1 - at, false);
    else if (isa<arith::DivFOp>(user))
      linear = at == 0 && isFactorAt(1, true);
    else if (isa<math::FmaOp>(user))
      linear = at == 2 ? !isScore(0) && !isScore(1)
                       : isFactorAt(1 - at, false) && !isScore(2);
    if (!linear)
      break;
    current = user->getResult(0);
  }
  return current;
}

void ScorePlan::planScore(Value score, ArrayRef<Value> valueRows) {
  Value argument = op.getScore().getArgument(0);
  std::vector<LinearTerm> terms;
  linearize(score, {}, terms);
  for (LinearTerm &term : terms)
    term.coefficient.constant *= log2e;
  auto isScore = [&](const LinearTerm &term) {
    return extents[term.atom].getKind() == ExtentKind::Score;
  };
  SmallVector<Value> others(scoreConditions);
  llvm::copy_if(valueRows, std::back_inserter(others), [&](Value row) {
    return extents[row].getKind() == ExtentKind::Score;
  });
  if (others.empty() && llvm::count_if(terms, isScore) == 1 &&
      llvm::find_if(terms, isScore)->atom == argument) {
    isLinear = true;
    accumulated = score;
    return planTerms(terms);
  }

  SmallVector<Value> roots(others);
  for (LinearTerm &term : terms) {
    if (!isScore(term)) {
      outer.add(term, extents);
      continue;
    }
    nonlinear.push_back(term);
    roots.push_back(term.atom);
  }
  accumulated = findAccumulated(argument, roots, extents);
  std::vector<LinearTerm> inner;
  linearize(accumulated, {}, inner);
  planTerms(inner);
}

void ScorePlan::planTerms(ArrayRef<LinearTerm> terms) {
  Value argument = op.getScore().getArgument(0);
  std::vector<std::pair<LinearTerm, DotOp>> dots;
  for (const LinearTerm &term : terms) {
    if (term.atom == argument) {
      scale = term.coefficient;
      continue;
    }
    ExtentKind kind = extents[term.atom].getKind();
    if (auto dot = term.atom.getDefiningOp<DotOp>();
        dot && kind != ExtentKind::Uniform && kind != ExtentKind::Row &&
        dot.getOutside().value_or(APFloat(0.0)).isZero())
      dots.push_back({term, dot});
    else
      this->terms.add(term, extents);
  }
  // Products of two rows that both vary first: others may join them.
  auto isUniform = [&](ValueRange indices) {
    return llvm::all_of(indices, [&](Value index) {
      return extents[index].getKind() == ExtentKind::Uniform;
    });
  };
  llvm::stable_sort(dots, [&](auto &x, auto &y) {
    auto joins = [&](DotOp dot) {
      return isUniform(dot.getXIndices()) || isUniform(dot.getYIndices());
    };
    return joins(x.second) < joins(y.second);
  });
  for (auto &[term, dot] : dots)
    planDot(term, dot);
}

//===----------------------------------------------------------------------===//
// Inner products
//===----------------------------------------------------------------------===//

DotSide ScorePlan::getSide(Value table, ValueRange indices) const {
  DotSide side{table, llvm::to_vector(indices), ExtentKind::Uniform};
  bool row = false, key = false, lag = true, score = false;
  for (Value index : indices) {
    const Extent &extent = extents[index];
    row |= extent.row;
    key |= extent.key;
    score |= extent.score;
    lag &= extent.lag;
    if (extent.lag)
      side.varying = side.varying.hull(extent.varying);
  }
  if (score)
    side.kind = ExtentKind::Score;
  else if (row || key)
    side.kind = lag          ? ExtentKind::Lag
                : row && key ? ExtentKind::Pair
                : row        ? ExtentKind::Row
                             : ExtentKind::Key;
  return side;
}

/// Whether the side is operand[b, h, row].
bool ScorePlan::isRowOf(Value operand, Value row, const DotSide &side) const {
  Block &block = op.getScore().front();
  auto capture = dyn_cast<BlockArgument>(side.table);
  return capture && capture.getOwner() == &block &&
         op.getCaptures()[capture.getArgNumber() - numScoreArguments] ==
             operand &&
         side.indices == SmallVector<Value>{block.getArgument(1),
                                            block.getArgument(2), row};
}

bool ScorePlan::readsPackedKeys(const DotSide &side) const {
  auto qType = cast<ShapedType>(op.getQ().getType());
  auto kType = cast<ShapedType>(op.getK().getType());
  return !op.getKRope() && !qType.isDynamicDim(1) &&
         qType.getDimSize(1) == kType.getDimSize(1) &&
         isRowOf(op.getK(), op.getScore().getArgument(4), side);
}

bool ScorePlan::isQueryRow(const DotSide &side) const {
  return isRowOf(op.getQ(), op.getScore().getArgument(3), side);
}

void ScorePlan::planDot(const LinearTerm &term, DotOp dot) {
  DotSide x = getSide(dot.getX(), dot.getXIndices());
  DotSide y = getSide(dot.getY(), dot.getYIndices());
  auto orderAs = [&](ExtentKind first, ExtentKind second) {
    if (x.kind == second && y.kind == first)
      std::swap(x, y);
    return x.kind == first && y.kind == second;
  };
  const Coefficient &coefficient = term.coefficient;

  // What is the same for all rows of a tile is added to the rows of another
  // product with the same table.
  if (orderAs(ExtentKind::Uniform, ExtentKind::Lag)) {
    for (StripTerm &strip : strips)
      if (strip.table.table == y.table && strip.table.indices == y.indices &&
          strip.coefficient == coefficient) {
        strip.added.push_back(x);
        return;
      }
    terms.lag.push_back(term);
    return;
  }
  if (orderAs(ExtentKind::Uniform, ExtentKind::Key)) {
    if (readsPackedKeys(y) && coefficient == scale &&
        cast<ShapedType>(x.table.getType()).getShape().back() ==
            cast<ShapedType>(op.getQ().getType()).getShape().back())
      added.push_back(x);
    else if (variesByRow(coefficient, extents))
      channels.push_back({coefficient, x, y});
    else
      terms.key.push_back(term);
    return;
  }
  if (orderAs(ExtentKind::Row, ExtentKind::Key)) {
    channels.push_back({coefficient, x, y});
    return;
  }
  if (orderAs(ExtentKind::Row, ExtentKind::Lag)) {
    strips.push_back({coefficient, x, y, {}});
    return;
  }
  if (orderAs(ExtentKind::Key, ExtentKind::Lag)) {
    skews.push_back({coefficient, x, y});
    return;
  }
  if (orderAs(ExtentKind::Lag, ExtentKind::Lag))
    terms.lag.push_back(term);
  else if (orderAs(ExtentKind::Key, ExtentKind::Key) &&
           !variesByRow(coefficient, extents))
    terms.key.push_back(term);
  else
    terms.pair.push_back(term);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

ScorePlan::ScorePlan(AttentionOp op, const ExtentAnalysis &extents)
    : op(op), extents(extents) {
  posenc::YieldOp yield = op.getYield();
  if (yield.getKeep())
    planCondition(yield.getKeep());
  planScore(yield.getScore(), llvm::to_vector(yield.getValueRows()));

  for (const StripTerm &strip : strips)
    if (strip.table.varying.isFinite())
      near = near.hull(strip.table.varying);
  for (const SkewTerm &skew : skews)
    near = near.hull(skew.table.varying);
  for (Value row : yield.getValueRows())
    if (extents[row].getKind() == ExtentKind::Lag)
      near = near.hull(extents[row].varying);
}
