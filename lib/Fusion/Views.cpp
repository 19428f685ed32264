//===- Views.cpp - Tensors whose elements are those of another ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<ShapedType>(tensor.getType()).getShape();
}

bool posenc::isRowsType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() &&
         isa<Float16Type, BFloat16Type, Float32Type>(tensor.getElementType());
}

bool posenc::isCaptureType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getEncoding())
    return false;
  Type element = getElementTypeOrSelf(type);
  if (isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
          element))
    return true;
  return llvm::any_of(
      std::initializer_list<unsigned>{1, 8, 16, 32, 64},
      [&](unsigned width) { return element.isSignlessInteger(width); });
}

bool posenc::isZeros(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (matchPattern(tensor, m_AnyZeroFloat()))
      return true;
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      return matchPattern(fill.value(), m_AnyZeroFloat());
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return matchPattern(splat.getInput(), m_AnyZeroFloat());
    OpOperand *source = getPassedOn(op);
    if (!source)
      return false;
    tensor = source->get();
  }
  return false;
}

/// The loops of a linalg op at the iteration that writes this element; fails
/// where the result's map is no permutation.
static FailureOr<SmallVector<Index>>
loopsAt(linalg::LinalgOp op, OpResult result, ArrayRef<Index> at) {
  AffineMap map = op.getIndexingMapMatchingResult(result);
  if (!map.isPermutation())
    return failure();
  SmallVector<Index> loops(at.size());
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  return loops;
}

/// The operand whose elements a linalg op copies, or null.
static OpOperand *getCopied(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops())
    return nullptr;
  Block *body = op.getBlock();
  auto argument = dyn_cast<BlockArgument>(body->getTerminator()->getOperand(0));
  if (!argument || argument.getOwner() != body)
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  bool isInput =
      isa<RankedTensorType>(operand->get().getType()) && op.isDpsInput(operand);
  return isInput ? operand : nullptr;
}

static bool stepThroughSlice(tensor::ExtractSliceOp op, Value &tensor,
                             SmallVectorImpl<Index> &at) {
  if (llvm::is_contained(op.getStaticOffsets(), ShapedType::kDynamic) ||
      llvm::is_contained(op.getStaticStrides(), ShapedType::kDynamic))
    return false;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Index> source;
  unsigned kept = 0;
  for (auto [i, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides()))
    source.push_back(dropped.test(i) ? Index(offset)
                                     : at[kept++] * stride + Index(offset));
  tensor = op.getSource();
  at.assign(source);
  return true;
}

bool posenc::stepThroughView(Value &tensor, SmallVectorImpl<Index> &at,
                             Atoms &atoms) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (!isa<RankedTensorType>(cast.getSource().getType()))
      return false;
    tensor = cast.getSource();
    return true;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return stepThroughSlice(slice, tensor, at);
  SmallVector<Index> source;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ArrayRef<int64_t> shape = shapeOf(collapse.getSrc());
    for (auto [index, group] :
         llvm::zip(at, collapse.getReassociationIndices())) {
      auto parts = atoms.split(index, shape.slice(group.front(), group.size()));
      if (failed(parts))
        return false;
      llvm::append_range(source, *parts);
    }
    // A tensor without dimensions has none to split.
    for (size_t i = source.size(); i < shape.size(); ++i)
      source.push_back(0);
    tensor = collapse.getSrc();
    at.assign(source);
    return true;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    ArrayRef<int64_t> shape = shapeOf(tensor);
    for (const auto &group : expand.getReassociationIndices()) {
      auto sizes = shape.slice(group.front(), group.size());
      FailureOr<Index> merged =
          atoms.merge(ArrayRef(at).slice(group.front(), group.size()), sizes);
      if (failed(merged))
        return false;
      source.push_back(*merged);
    }
    tensor = expand.getSrc();
    at.assign(source);
    return true;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  OpOperand *copied = linalgOp ? getCopied(linalgOp) : nullptr;
  if (!copied)
    return false;
  auto loops = loopsAt(linalgOp, cast<OpResult>(tensor), at);
  if (failed(loops))
    return false;
  for (AffineExpr expr : linalgOp.getMatchingIndexingMap(copied).getResults()) {
    FailureOr<Index> index = evaluate(expr, *loops);
    if (failed(index))
      return false;
    source.push_back(*index);
  }
  tensor = copied->get();
  at.assign(source);
  return true;
}

//===----------------------------------------------------------------------===//
// Conversions of element types
//===----------------------------------------------------------------------===//

/// The tensor of the same shape that an op `CastOp` on all elements takes.
template <typename CastOp> static Value getConverted(Value tensor) {
  if (auto cast = tensor.getDefiningOp<CastOp>())
    return cast.getIn();
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops())
    return {};
  auto cast =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<CastOp>();
  auto argument = cast ? dyn_cast<BlockArgument>(cast.getIn()) : nullptr;
  if (!argument || argument.getOwner() != op.getBlock())
    return {};
  OpOperand *in = op.getMatchingOpOperand(argument);
  AffineMap map = op.getMatchingIndexingMap(in);
  auto from = dyn_cast<RankedTensorType>(in->get().getType());
  if (!from || !map.isPermutation() ||
      map != op.getIndexingMapMatchingResult(cast_or_null<OpResult>(tensor)) ||
      from.getShape() != shapeOf(tensor))
    return {};
  return in->get();
}

Value posenc::getWidened(Value tensor) {
  return getConverted<arith::ExtFOp>(tensor);
}

Value posenc::getNarrowed(Value tensor) {
  return getConverted<arith::TruncFOp>(tensor);
}

/// As stepThroughView, and through conversions.
static bool stepThroughCopy(Value &tensor, SmallVectorImpl<Index> &at,
                            Atoms &atoms) {
  if (stepThroughView(tensor, at, atoms))
    return true;
  Value converted = getNarrowed(tensor);
  if (!converted)
    converted = getWidened(tensor);
  if (converted)
    tensor = converted;
  return bool(converted);
}

OpOperand *posenc::getPassedOn(Operation *op) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type)
    return nullptr;
  // These do whatever is known of their sizes.
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return &op->getOpOperand(0);
  Atoms atoms;
  SmallVector<Index> at = atoms.addIndices(type.getShape());
  Value from = op->getResult(0);
  if (!stepThroughCopy(from, at, atoms))
    return nullptr;
  return llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == from;
  });
}

Value posenc::findThroughViews(Value tensor, function_ref<bool(Value)> accept,
                               bool narrowed) {
  Atoms atoms;
  SmallVector<Index> identity = atoms.addIndices(shapeOf(tensor));
  SmallVector<Index> at = identity;
  ArrayRef<int64_t> shape = shapeOf(tensor);
  int narrower = 0;
  Type element = getElementTypeOrSelf(tensor);
  while (true) {
    if (at == identity && getElementTypeOrSelf(tensor) == element &&
        accept(tensor))
      return tensor;
    // The elements of a slice are not all of its source.
    if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
        slice && (ShapedType::isDynamicShape(shape) ||
                  slice.getSourceType().getNumElements() !=
                      ShapedType::getNumElements(shape)))
      return {};
    if (stepThroughView(tensor, at, atoms))
      continue;
    if (Value wide = narrowed ? getNarrowed(tensor) : Value();
        wide && narrower > 0) {
      --narrower;
      tensor = wide;
    } else if (Value narrow = narrowed ? getWidened(tensor) : Value()) {
      ++narrower;
      tensor = narrow;
    } else {
      return {};
    }
  }
}

RotatedRows posenc::findRotation(Value rows) {
  Operation *last = rows.getDefiningOp();
  Atoms atoms;
  const SmallVector<Index> identity = atoms.addIndices(shapeOf(rows));
  SmallVector<Index> at(identity);
  ArrayRef<int64_t> shape = shapeOf(rows);
  while (Operation *op = rows.getDefiningOp()) {
    if (auto rotate = dyn_cast<RotateOp>(op)) {
      bool isSame = at == identity && shapeOf(rows) == shape;
      return {rotate, isSame ? nullptr : last};
    }
    // A rotation of some of the channels, or of some of the rows.
    if (isa<tensor::ConcatOp, tensor::InsertSliceOp>(op)) {
      for (Value part : op->getOperands())
        if (isa<RankedTensorType>(part.getType()))
          if (RotateOp rotate = findRotation(part).rotate)
            return {rotate, op};
      return {};
    }
    if (!stepThroughCopy(rows, at, atoms))
      return {};
  }
  return {};
}
