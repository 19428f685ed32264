//===- Scales.cpp - Factors of queries and keys ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Fusion/Scales.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::posenc;

/// The float as f32, if it is a factor that can be undone.
static std::optional<float> asFactor(llvm::APFloat value) {
  bool inexact;
  value.convert(llvm::APFloat::IEEEsingle(),
                llvm::RoundingMode::NearestTiesToEven, &inexact);
  if (!value.isFiniteNonZero() || value.isDenormal())
    return std::nullopt;
  return value.convertToFloat();
}

/// What a scalar of a body is that no element of a tensor changes: a constant,
/// or a value from outside, by way of conversions.
static std::optional<Factor> getUniform(Value scalar, Block *body) {
  while (true) {
    FloatAttr constant;
    if (matchPattern(scalar, m_Constant(&constant))) {
      Factor factor;
      factor.constant = asFactor(constant.getValue());
      return factor.constant ? std::optional(factor) : std::nullopt;
    }
    if (scalar.getParentBlock() != body) {
      Factor factor;
      factor.scalar = scalar;
      return isa<FloatType>(scalar.getType()) && isCaptureType(scalar.getType())
                 ? std::optional(factor)
                 : std::nullopt;
    }
    Operation *op = scalar.getDefiningOp();
    if (!isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(op))
      return std::nullopt;
    scalar = op->getOperand(0);
  }
}

/// What a tensor holds everywhere: it is read at indices of which none says
/// more than 0.
static std::optional<Factor> getUniform(Value tensor, ArrayRef<Index> at,
                                        Atoms &atoms) {
  SmallVector<Index> indices(at);
  while (true) {
    bool fixed = llvm::all_of(
        indices, [](const Index &index) { return index.terms.empty(); });
    FloatAttr constant;
    Factor factor;
    SplatElementsAttr splat;
    if (matchPattern(tensor, m_Constant(&splat)) &&
        isa<FloatType>(splat.getElementType())) {
      factor.constant = asFactor(splat.getSplatValue<llvm::APFloat>());
      return factor.constant ? std::optional(factor) : std::nullopt;
    }
    if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
      return getUniform(fill.value(), nullptr);
    if (auto splatOp = tensor.getDefiningOp<tensor::SplatOp>())
      return getUniform(splatOp.getInput(), nullptr);
    if (fixed) {
      if (!isRowsType(tensor.getType()))
        return std::nullopt;
      factor.tensor = tensor;
      for (const Index &index : indices)
        factor.at.push_back(index.constant);
      return factor;
    }
    if (!stepThroughView(tensor, indices, atoms))
      return std::nullopt;
  }
}

/// The factor by which an op multiplies or divides each element of one of its
/// operands, and that operand.
static std::optional<std::pair<Factor, OpOperand *>> getScale(Operation *op) {
  auto take =
      [&](std::optional<Factor> factor, OpOperand &x,
          bool divides) -> std::optional<std::pair<Factor, OpOperand *>> {
    if (!factor || x.get().getType() != op->getResult(0).getType())
      return std::nullopt;
    factor->divides = divides;
    return std::pair(*factor, &x);
  };
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return std::nullopt;
  Atoms atoms;
  SmallVector<Index> element = atoms.addIndices(type.getShape());

  if (isa<arith::MulFOp, arith::DivFOp>(op)) {
    bool divides = isa<arith::DivFOp>(op);
    for (unsigned i : {1, 0}) {
      if (i == 0 && divides)
        break;
      if (auto scale = take(getUniform(op->getOperand(i), element, atoms),
                            op->getOpOperand(1 - i), divides))
        return scale;
    }
    return std::nullopt;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      op->getNumResults() != 1 ||
      linalgOp.getNumLoops() != linalgOp.getNumParallelLoops())
    return std::nullopt;
  AffineMap result =
      linalgOp.getIndexingMapMatchingResult(cast<OpResult>(op->getResult(0)));
  if (!result.isPermutation())
    return std::nullopt;
  Block *body = linalgOp.getBlock();
  Operation *product = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(product) ||
      product->getBlock() != body)
    return std::nullopt;
  SmallVector<Index> loops(element.size());
  for (auto [expr, index] : llvm::zip(result.getResults(), element))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  bool divides = isa<arith::DivFOp>(product);
  for (unsigned i : {1, 0}) {
    if (i == 0 && divides)
      break;
    auto x = dyn_cast<BlockArgument>(product->getOperand(1 - i));
    if (!x || x.getOwner() != body)
      continue;
    OpOperand *operand = linalgOp.getMatchingOpOperand(x);
    if (linalgOp.getMatchingIndexingMap(operand) != result)
      continue;
    Value other = product->getOperand(i);
    auto argument = dyn_cast<BlockArgument>(other);
    std::optional<Factor> factor;
    if (!argument || argument.getOwner() != body) {
      factor = getUniform(other, body);
    } else {
      OpOperand *by = linalgOp.getMatchingOpOperand(argument);
      if (!isa<RankedTensorType>(by->get().getType())) {
        factor = getUniform(by->get(), nullptr);
      } else {
        SmallVector<Index> at;
        for (AffineExpr expr : linalgOp.getMatchingIndexingMap(by).getResults())
          if (FailureOr<Index> index = evaluate(expr, loops); succeeded(index))
            at.push_back(*index);
        if (at.size() ==
            size_t(cast<RankedTensorType>(by->get().getType()).getRank()))
          factor = getUniform(by->get(), at, atoms);
      }
    }
    if (auto scale = take(factor, *operand, divides))
      return scale;
  }
  return std::nullopt;
}

/// The operand with whose factors the elements of a result are multiplied, too.
static OpOperand *getLinearOperand(Operation *op) {
  if (auto rotate = dyn_cast<RotateOp>(op))
    return &rotate.getXMutable();
  return getPassedOn(op);
}

SmallVector<Scale> posenc::findScales(OpOperand &use) {
  SmallVector<Scale> scales;
  OpOperand *at = &use;
  // Without its factor a number may be too large for f16: what is rounded to it
  // must have been of that type before. So many factors may move in any case.
  std::optional<size_t> beforeF16;
  // What something else uses stays as it is.
  while (Operation *op = at->get().getDefiningOp()) {
    if (!at->get().hasOneUse() || op->getBlock() != use.getOwner()->getBlock())
      break;
    if (auto scale = getScale(op)) {
      scales.push_back({scale->first, at, scale->second});
      at = scale->second;
    } else if (OpOperand *next = getLinearOperand(op)) {
      bool isF16 = getElementTypeOrSelf(at->get()).isF16();
      bool fromF16 = getElementTypeOrSelf(next->get()).isF16();
      if (fromF16)
        beforeF16.reset();
      else if (isF16 && !beforeF16)
        beforeF16 = scales.size();
      at = next;
    } else {
      break;
    }
  }
  if (beforeF16)
    scales.resize(*beforeF16);
  return scales;
}

Value posenc::emitFactor(ScoreRegion &region, ImplicitLocOpBuilder &b,
                         const Factor &factor) {
  if (factor.constant)
    return arith::ConstantOp::create(b, b.getF32FloatAttr(*factor.constant));
  if (factor.scalar)
    return emitFloatCast(b, b.getLoc(), region.capture(factor.scalar),
                         b.getF32Type());
  SmallVector<Value> indices;
  for (int64_t index : factor.at)
    indices.push_back(arith::ConstantIndexOp::create(b, index));
  return LookupOp::create(b, region.capture(factor.tensor), indices,
                          Attribute());
}
