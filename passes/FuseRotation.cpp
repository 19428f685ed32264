//===- FuseRotation.cpp - Rotations to clauses of attention ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"
#include "posenc/Fusion/Fusion.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCFUSEROTATIONPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

static constexpr StringLiteral pass = "fuse-rotation";

/// A user of rotated rows other than `op`, which may read them as queries or
/// keys alone.
static Operation *getOtherUser(Value tensor, AttentionOp op) {
  return findOtherUser(tensor, op->getBlock(), [&](OpOperand &use) {
    return &use == &op.getQMutable() || &use == &op.getKMutable();
  });
}

/// Takes in the last rotation of queries, or of keys. Returns whether it did.
static bool fuseRotation(AttentionOp op, bool query, IRRewriter &rewriter) {
  StringRef what = query ? "queries" : "keys";
  Value rows = query ? op.getQ() : op.getK();
  auto [rotate, through] = findRotation(rows);
  if (!rotate)
    return false;
  if (through) {
    remarkNotFused(rotate.getLoc(), pass,
                   "the rotated " + what + " go through " + describe(through) +
                       " before attention reads them: rotate after it");
    return false;
  }
  if (rotate->getBlock() != op->getBlock()) {
    remarkNotFused(rotate.getLoc(), pass,
                   "the rotated " + what +
                       " stay in memory: attention stands "
                       "in another block, which may run more often");
    return false;
  }
  if (query ? op.getQueryRotation() : op.getKeyRotation()) {
    remarkNotFused(rotate.getLoc(), pass,
                   "the " + what +
                       " are rotated twice: attention takes one rotation, "
                       "which may have sections");
    return false;
  }
  if (Operation *other = getOtherUser(rotate.getResult(), op)) {
    remarkNotFused(rotate.getLoc(), pass,
                   "the rotated " + what +
                       " stay in memory: " + describeOtherUser(other));
    return false;
  }
  Value x = rotate.getX();
  if (Value narrow = getWidened(x); narrow && isRowsType(narrow.getType()))
    x = narrow;
  rewriter.modifyOpInPlace(op, [&] {
    if (query) {
      op.getQMutable().set(x);
      op.setQueryRotation(rotate.getRotation());
    } else {
      op.getKMutable().set(x);
      op.setKeyRotation(rotate.getRotation());
    }
  });
  remarkFused(rotate.getLoc(), pass,
              "the rotation of the " + what + " is a clause of attention");
  return true;
}

namespace {
struct PosEncFuseRotationPass
    : posenc::impl::PosEncFuseRotationPassBase<PosEncFuseRotationPass> {
  using PosEncFuseRotationPassBase::PosEncFuseRotationPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    simplifyUses(getOperation(), rewriter);
    SmallVector<AttentionOp> attentions;
    getOperation()->walk([&](AttentionOp op) {
      if (op->getNumResults() > 0 && isInOrder(op))
        attentions.push_back(op);
    });
    for (AttentionOp op : attentions) {
      bool fusedKeys = false;
      while (fuseRotation(op, /*query=*/true, rewriter)) {
      }
      while (fuseRotation(op, /*query=*/false, rewriter))
        fusedKeys = true;
      if (fusedKeys)
        shareKeyHeads(op, rewriter, pass);
    }
    simplifyUses(getOperation(), rewriter);
  }
};
} // namespace
