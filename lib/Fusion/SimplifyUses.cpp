//===- SimplifyUses.cpp - Sizes are asked of what has them ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

/// One step back to a tensor with the same extent in some dimension.
static bool stepToSource(Value &tensor, int64_t &dim) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return false;
  Operation *op = result.getOwner();
  if (auto scores = dyn_cast<ScoresOp>(op)) {
    tensor = dim == 3 ? scores.getK() : scores.getQ();
    dim = dim == 3 ? 2 : dim;
    return true;
  }
  if (auto values = dyn_cast<ValuesOp>(op)) {
    tensor = dim == 3 ? values.getV() : values.getP();
    return true;
  }
  if (isa<ScoreModOp, RelativeBiasOp, RelativeLogitsOp, RelativeValuesOp,
          SoftmaxOp, tensor::CastOp>(op)) {
    tensor = op->getOperand(0); // the log-sum-exp has the first three
    return isa<RankedTensorType>(tensor.getType());
  }
  if (auto rotate = dyn_cast<RotateOp>(op)) {
    tensor = rotate.getX();
    return true;
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    tensor = linalgOp.getDpsInits()[result.getResultNumber()];
    return true;
  }
  if (op->hasTrait<OpTrait::Elementwise>())
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType())) {
        tensor = operand;
        return true;
      }
  return false;
}

/// The extent of a dimension, asked of what the tensor is made of.
static Value emitExtent(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  while (true) {
    int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(size))
      return arith::ConstantIndexOp::create(b, loc, size);
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      return empty.getDynamicSize(dim);
    if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
      return getValueOrCreateConstantIndexOp(b, loc,
                                             expand.getMixedOutputShape()[dim]);
    if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
      Value product;
      for (int64_t part : collapse.getReassociationIndices()[dim]) {
        Value extent = emitExtent(b, loc, collapse.getSrc(), part);
        product =
            product ? arith::MulIOp::create(b, loc, product, extent).getResult()
                    : extent;
      }
      return product;
    }
    if (!stepToSource(tensor, dim))
      return tensor::DimOp::create(b, loc, tensor, dim);
  }
}

bool posenc::isInOrder(Operation *op) {
  Region *region = op->getParentRegion();
  return region && mayHaveSSADominance(*region);
}

void posenc::simplifyUses(Operation *root, IRRewriter &rewriter) {
  // There an op may be made of itself.
  (void)eraseUnreachableBlocks(rewriter, root->getRegions());
  SmallVector<tensor::DimOp> dims;
  root->walk([&](tensor::DimOp op) {
    if (isInOrder(op))
      dims.push_back(op);
  });
  for (tensor::DimOp op : dims) {
    std::optional<int64_t> dim = op.getConstantIndex();
    Value tensor = op.getSource();
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!dim || !type || *dim < 0 || *dim >= type.getRank())
      continue;
    rewriter.setInsertionPoint(op);
    Value extent = emitExtent(rewriter, op.getLoc(), tensor, *dim);
    auto same = extent.getDefiningOp<tensor::DimOp>();
    if (same && same.getSource() == tensor)
      rewriter.eraseOp(same);
    else
      rewriter.replaceOp(op, extent);
  }
  // Users come after what they use.
  root->walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    if (op != root && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

Operation *posenc::findOtherUser(Value tensor, Block *block,
                                 function_ref<bool(OpOperand &)> accept) {
  for (OpOperand &use : tensor.getUses()) {
    if (accept(use))
      continue;
    Operation *user = use.getOwner();
    if (user->getBlock() != block || user->use_empty() || !getPassedOn(user) ||
        findOtherUser(user->getResult(0), block, accept))
      return user;
  }
  return nullptr;
}
