//===- ScoreRegions.cpp - Building score regions --------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// What sugar stands for
//===----------------------------------------------------------------------===//

Value posenc::emitHeadsPerKeyHead(ImplicitLocOpBuilder &b, Value scores,
                                  Value k) {
  auto s = cast<ShapedType>(scores.getType());
  auto keys = cast<ShapedType>(k.getType());
  if (!s.isDynamicDim(1) && s.getDimSize(1) == keys.getDimSize(1))
    return {};
  if (!s.isDynamicDim(1) && !keys.isDynamicDim(1) && keys.getDimSize(1) != 0)
    return arith::ConstantIndexOp::create(b,
                                          s.getDimSize(1) / keys.getDimSize(1));
  // With no key heads there are no pairs; the quotient is never 0 otherwise.
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value keyHeads =
      arith::MaxUIOp::create(b, tensor::DimOp::create(b, k, 1), one);
  Value group =
      arith::DivUIOp::create(b, tensor::DimOp::create(b, scores, 1), keyHeads);
  return arith::MaxUIOp::create(b, group, one);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static Value emitNot(ImplicitLocOpBuilder &b, Value condition) {
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>())
    return arith::CmpIOp::create(b,
                                 arith::invertPredicate(compare.getPredicate()),
                                 compare.getLhs(), compare.getRhs());
  if (auto negation = condition.getDefiningOp<arith::XOrIOp>();
      negation && matchPattern(negation.getRhs(), m_One()))
    return negation.getLhs();
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, condition, yes);
}

static Value emitAnd(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y || x == y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

static bool isPositiveConstant(Value value) {
  FloatAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         constant.getValue().isFiniteNonZero() &&
         !constant.getValue().isNegative();
}

bool posenc::isMaskConstant(Value value, double maskValue) {
  // Perhaps by way of another type.
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  llvm::APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) && !constant.isNaN() &&
         FloatAttr::getValueAsDouble(constant) <= maskValue;
}

namespace {
class MaskSplitter {
public:
  MaskSplitter(ImplicitLocOpBuilder &b, double maskValue)
      : b(b), maskValue(maskValue) {}

  MaskedScore split(Value score) {
    auto [entry, isNew] = known.try_emplace(score);
    if (!isNew)
      return entry->second;
    MaskedScore masked = splitImpl(score);
    known[score] = masked; // the recursion may have moved the entry
    return masked;
  }

private:
  MaskedScore splitImpl(Value score);

  ImplicitLocOpBuilder &b;
  double maskValue;
  DenseMap<Value, MaskedScore> known;
};
} // namespace

MaskedScore MaskSplitter::splitImpl(Value score) {
  Operation *op = score.getDefiningOp();
  if (!op)
    return {score, {}};
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (!select.getCondition().getType().isInteger(1))
      return {score, {}};
    bool first = isMaskConstant(select.getTrueValue(), maskValue);
    if (!first && !isMaskConstant(select.getFalseValue(), maskValue))
      return {score, {}};
    MaskedScore inner =
        split(first ? select.getFalseValue() : select.getTrueValue());
    Value condition = select.getCondition();
    return {inner.score,
            emitAnd(b, inner.keep, first ? emitNot(b, condition) : condition)};
  }
  auto replaceOperand = [&](unsigned i, Value value) -> Value {
    Operation *copy = b.clone(*op);
    copy->setOperand(i, value);
    return copy->getResult(0);
  };
  if (isa<arith::AddFOp>(op)) {
    MaskedScore x = split(op->getOperand(0));
    MaskedScore y = split(op->getOperand(1));
    if (!x.keep && !y.keep)
      return {score, {}};
    Value sum;
    if (y.keep && matchPattern(y.score, m_AnyZeroFloat()))
      sum = x.score;
    else if (x.keep && matchPattern(x.score, m_AnyZeroFloat()))
      sum = y.score;
    else
      sum = arith::AddFOp::create(b, x.score, y.score);
    return {sum, emitAnd(b, x.keep, y.keep)};
  }
  // What is clamped to the least score, or to one that removes the pair, is the
  // score where the pair is kept.
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    for (unsigned i : {0, 1})
      if (isMaskConstant(op->getOperand(1 - i), maskValue)) {
        MaskedScore inner = split(op->getOperand(i));
        return inner.keep ? inner : MaskedScore{score, {}};
      }
  std::optional<unsigned> kept;
  if (isa<arith::SubFOp, arith::ExtFOp, arith::TruncFOp>(op) ||
      (isa<arith::DivFOp, arith::MulFOp>(op) &&
       isPositiveConstant(op->getOperand(1))))
    kept = 0;
  else if (isa<arith::MulFOp>(op) && isPositiveConstant(op->getOperand(0)))
    kept = 1;
  if (!kept)
    return {score, {}};
  MaskedScore inner = split(op->getOperand(*kept));
  if (!inner.keep)
    return {score, {}};
  return {replaceOperand(*kept, inner.score), inner.keep};
}

MaskedScore posenc::splitMask(ImplicitLocOpBuilder &b, Value score,
                              double maskValue) {
  return MaskSplitter(b, maskValue).split(score);
}
