//===- FuseRotation.cpp - Rotations to clauses of attention ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The rotation that makes these rows, seen through casts of shapes and
/// roundings. Widened rows are what they were.
static RotateOp findRotation(Value rows) {
  while (true) {
    if (auto op = rows.getDefiningOp<RotateOp>())
      return op;
    Value next = findThroughViews(
        rows, [&](Value other) { return other.getDefiningOp<RotateOp>(); });
    if (!next)
      next = getNarrowed(rows);
    if (!next)
      next = getWidened(rows);
    if (!next)
      return {};
    rows = next;
  }
}

/// A user of rotated rows other than `op`, which may read them as queries or
/// keys alone.
static Operation *getOtherUser(Value tensor, AttentionOp op) {
  for (OpOperand &use : tensor.getUses())
    if (use.getOwner() == op && &use != &op.getQMutable() &&
        &use != &op.getKMutable())
      return op;
  return findOtherUser(tensor, op->getBlock(),
                       [&](Operation *user) { return user == op; });
}

/// Takes in the rotation of queries, or of keys. Returns whether it did.
static bool fuseRotation(AttentionOp op, bool query, IRRewriter &rewriter) {
  StringRef what = query ? "queries" : "keys";
  Value rows = query ? op.getQ() : op.getK();
  RotateOp rotate = findRotation(rows);
  if (!rotate)
    return false;
  if (query ? op.getQueryRotation() : op.getKeyRotation()) {
    remarkNotFused(rotate.getLoc(), pass,
                   "the " + what +
                       " are rotated twice: attention takes one rotation");
    return false;
  }
  if (Operation *other = getOtherUser(rotate.getResult(), op)) {
    remarkNotFused(rotate.getLoc(), pass,
                   "the rotated " + what + " stay in memory: " +
                       describe(other) + " uses them too");
    return false;
  }
  Value x = rotate.getX();
  if (Value narrow = getWidened(x); narrow && isRowsType(narrow.getType()))
    x = narrow;
  auto set = [&](MutableOperandRange range, Value value) {
    if (value)
      range.assign(value);
  };
  rewriter.modifyOpInPlace(op, [&] {
    if (query) {
      op.setQRopeAttr(rotate.getRopeAttr());
      op.getQMutable().set(x);
      set(op.getQPositionMutable(), rotate.getPosition());
      set(op.getQLengthMutable(), rotate.getLength());
      set(op.getQFreqsMutable(), rotate.getFreqs());
      set(op.getQCosMutable(), rotate.getCos());
      set(op.getQSinMutable(), rotate.getSin());
    } else {
      op.setKRopeAttr(rotate.getRopeAttr());
      op.getKMutable().set(x);
      set(op.getKPositionMutable(), rotate.getPosition());
      set(op.getKLengthMutable(), rotate.getLength());
      set(op.getKFreqsMutable(), rotate.getFreqs());
      set(op.getKCosMutable(), rotate.getCos());
      set(op.getKSinMutable(), rotate.getSin());
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
      if (op->getNumResults() > 0)
        attentions.push_back(op);
    });
    for (AttentionOp op : attentions) {
      fuseRotation(op, /*query=*/true, rewriter);
      if (fuseRotation(op, /*query=*/false, rewriter) &&
          shareKeyHeads(op, rewriter))
        remarkFused(op.getLoc(), pass,
                    "read key heads where they are, not from copies");
    }
    simplifyUses(getOperation(), rewriter);
  }
};
} // namespace
