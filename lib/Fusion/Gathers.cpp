//===- Gathers.cpp - Padding and products as region code ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

/// An element of a pad or a concatenation: of the source where the indices are
/// inside. Where ranges say so there is no question.
Value TensorReader::readPadded(Value tensor, ArrayRef<Index> at) {
  /// 1 inside, 0 outside, -1 if it depends.
  auto inside = [&](const Index &index, int64_t size) {
    auto range = atoms.range(index);
    if (!range)
      return -1;
    if (range->first >= 0 && range->second < size)
      return 1;
    return range->second < 0 || range->first >= size ? 0 : -1;
  };
  auto emitInside = [&](const Index &index, int64_t size) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, emit(index),
                                 arith::ConstantIndexOp::create(b, size));
  };
  if (auto pad = tensor.getDefiningOp<tensor::PadOp>()) {
    SmallVector<Index> source;
    Value condition;
    for (auto [index, low, high, size] :
         llvm::zip(at, pad.getStaticLow(), pad.getStaticHigh(),
                   pad.getSourceType().getShape())) {
      source.push_back(index + Index(-low));
      if (low == 0 && high == 0)
        continue;
      int where = inside(source.back(), size);
      if (where == 0)
        return captureScalar(pad.getConstantPaddingValue());
      if (where > 0)
        continue;
      Value holds = emitInside(source.back(), size);
      condition = condition
                      ? arith::AndIOp::create(b, condition, holds).getResult()
                      : holds;
    }
    Value element = read(pad.getSource(), source);
    if (!condition || !element)
      return element;
    return arith::SelectOp::create(
        b, condition, element, captureScalar(pad.getConstantPaddingValue()));
  }

  auto concat = tensor.getDefiningOp<tensor::ConcatOp>();
  unsigned dim = concat.getDim();
  SmallVector<std::pair<Value, Value>> parts; // condition or null, element
  int64_t offset = 0;
  for (Value input : concat.getInputs()) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    SmallVector<Index> source(at);
    source[dim] = at[dim] + Index(-offset);
    offset += size;
    int where = inside(source[dim], size);
    if (where == 0)
      continue;
    Value condition = where > 0 ? Value() : emitInside(source[dim], size);
    Value element = read(input, source);
    if (!element)
      return {};
    parts.push_back({condition, element});
  }
  if (parts.empty()) // outside, where nothing is said of the value
    return arith::ConstantOp::create(
        b, b.getZeroAttr(concat.getType().getElementType()));
  Value element = parts.back().second;
  for (auto &[condition, part] : llvm::reverse(ArrayRef(parts).drop_back()))
    element =
        condition ? arith::SelectOp::create(b, condition, part, element) : part;
  return element;
}

/// The tensor whose last dimension is the channel of a product, and where its
/// row stands; false if there is none on the way back through views.
static bool findRow(Value &tensor, SmallVectorImpl<Index> &at, Atoms &atoms,
                    unsigned channel) {
  auto isRow = [&] {
    return !at.empty() && at.back().isAtom(channel) &&
           llvm::none_of(ArrayRef(at).drop_back(), [&](const Index &index) {
             return index.uses(channel);
           });
  };
  Value best;
  SmallVector<Index> bestAt;
  int64_t channels = atoms.size(channel);
  while (true) {
    if (isRow() && isRowsType(tensor.getType()) &&
        cast<RankedTensorType>(tensor.getType()).getShape().back() ==
            channels) {
      best = tensor;
      bestAt.assign(at.begin(), at.end());
    }
    if (stepThroughView(tensor, at, atoms))
      continue;
    Value narrow = getWidened(tensor);
    if (!narrow)
      break;
    tensor = narrow;
  }
  if (!best)
    return false;
  tensor = best;
  at.assign(bestAt);
  return true;
}

/// Whether a body adds the product of its two inputs, perhaps widened, to its
/// output: contractions may compute more.
static bool isSumOfProducts(Block &body) {
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value output = body.getArgument(2);
  if (sum.getLhs() != output && sum.getRhs() != output)
    return false;
  auto product = (sum.getLhs() == output ? sum.getRhs() : sum.getLhs())
                     .getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  auto stripped = [](Value value) {
    auto widened = value.getDefiningOp<arith::ExtFOp>();
    return widened ? widened.getIn() : value;
  };
  Value x = stripped(product.getLhs()), y = stripped(product.getRhs());
  return (x == body.getArgument(0) && y == body.getArgument(1)) ||
         (x == body.getArgument(1) && y == body.getArgument(0));
}

/// A sum of products over one loop, in f32, of rows: posenc.dot. Null if it is
/// not one.
Value TensorReader::readProduct(Value tensor, ArrayRef<Index> at) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumDpsInputs() != 2 || !linalg::isaContractionOpInterface(op) ||
      !getElementTypeOrSelf(tensor).isF32() || !isSumOfProducts(*op.getBlock()))
    return {};
  if (!isZeros(op.getDpsInits()[0]))
    return {};
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(tensor));
  if (reductions.size() != 1 || !map.isProjectedPermutation())
    return {};
  int64_t channels = op.getStaticLoopRanges()[reductions[0]];
  if (ShapedType::isDynamic(channels) || channels == 0)
    return {};
  unsigned channel = atoms.add({}, channels);
  SmallVector<Index> loops(op.getNumLoops(), Index(0));
  loops[reductions[0]] = Index::ofAtom(channel);
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;

  SmallVector<Value> rows;
  SmallVector<SmallVector<Value>> rowsAt;
  SmallVector<std::pair<Value, SmallVector<Index>>> found;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value row = operand->get();
    SmallVector<Index> rowAt;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      FailureOr<Index> index = evaluate(expr, loops);
      if (failed(index))
        return {};
      rowAt.push_back(*index);
    }
    if (!isa<RankedTensorType>(row.getType()) ||
        !findRow(row, rowAt, atoms, channel))
      return {};
    found.push_back({row, rowAt});
  }
  for (auto &[row, rowAt] : found) {
    rows.push_back(region.capture(row));
    SmallVector<Value> &indices = rowsAt.emplace_back();
    for (const Index &index : ArrayRef(rowAt).drop_back())
      indices.push_back(emit(index));
  }
  return DotOp::create(b, b.getF32Type(), rows[0], rowsAt[0], rows[1],
                       rowsAt[1], FloatAttr());
}
