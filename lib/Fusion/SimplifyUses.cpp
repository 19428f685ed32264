//===- SimplifyUses.cpp - Sizes are asked of what has them ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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

static Value emitExtent(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return arith::ConstantIndexOp::create(b, loc, size);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(dim);
  return tensor::DimOp::create(b, loc, tensor, dim);
}

void posenc::simplifyUses(Operation *root, IRRewriter &rewriter) {
  SmallVector<tensor::DimOp> dims;
  root->walk([&](tensor::DimOp op) { dims.push_back(op); });
  for (tensor::DimOp op : dims) {
    std::optional<int64_t> dim = op.getConstantIndex();
    Value tensor = op.getSource();
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!dim || !type || *dim < 0 || *dim >= type.getRank())
      continue;
    int64_t sourceDim = *dim;
    while (stepToSource(tensor, sourceDim)) {
    }
    if (tensor == op.getSource())
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op,
                       emitExtent(rewriter, op.getLoc(), tensor, sourceDim));
  }
  // Users come after what they use.
  root->walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    if (op != root && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

Operation *posenc::findOtherUser(Value tensor, Block *block,
                                 function_ref<bool(Operation *)> accept) {
  SmallVector<Value> work{tensor};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (accept(user) || !seen.insert(user).second)
        continue;
      if (user->getNumResults() != 1 || user->use_empty() ||
          user->getBlock() != block)
        return user;
      work.push_back(user->getResult(0));
    }
  }
  return nullptr;
}
