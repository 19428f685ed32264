//===- FuseBias.cpp - Ops on scores to score regions ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "posenc/Fusion/Fusion.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCFUSEBIASPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

LogicalResult posenc::setMaskValue(Operation *root, double maskValue,
                                   Follow &follow) {
  if (!(maskValue < 0))
    return emitError(root->getLoc())
           << "mask-value must be a negative number: scores down from it "
              "remove pairs";
  follow.maskValue = maskValue;
  return success();
}

void posenc::fuseScoreMods(Operation *root, Follow follow, IRRewriter &rewriter,
                           StringRef pass) {
  DenseSet<Value> remarked;
  SmallVector<Value> scores;
  root->walk([&](Operation *op) {
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      scores.push_back(softmax.getS());
    if (auto logits = dyn_cast<RelativeLogitsOp>(op))
      scores.push_back(logits.getS());
  });
  llvm::SmallPtrSet<Value, 8> done;
  for (Value value : scores)
    if (done.insert(value).second)
      fuseScoreExpression(value, follow, rewriter, pass, remarked);
  simplifyUses(root, rewriter);
  // What no softmax takes: the last of a chain takes in those before it, but
  // for what a row_scan keeps apart.
  SmallVector<ScoreModOp> mods;
  root->walk([&](ScoreModOp op) { mods.push_back(op); });
  for (ScoreModOp op : llvm::reverse(mods)) {
    if (op->use_empty())
      continue;
    if (hasRowScan(op.getScore().front()))
      fuseScoreExpression(op.getS(), follow, rewriter, pass, remarked);
    fuseScoreExpression(op.getResult(), follow, rewriter, pass, remarked);
  }
  simplifyUses(root, rewriter);
}

namespace {
struct PosEncFuseBiasPass
    : posenc::impl::PosEncFuseBiasPassBase<PosEncFuseBiasPass> {
  using PosEncFuseBiasPassBase::PosEncFuseBiasPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    Follow follow;
    follow.elementwise = true;
    if (failed(setMaskValue(root, maskValue, follow)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    simplifyUses(root, rewriter);
    root->walk([&](RelativeBiasOp op) {
      remarkFused(op.getLoc(), "fuse-bias",
                  "wrote posenc.relative_bias as a lookup of a score_mod");
    });
    RewritePatternSet patterns(&getContext());
    populateExpandRelativeBiasPatterns(patterns);
    walkAndApplyPatterns(root, std::move(patterns));
    fuseScoreMods(root, follow, rewriter, "fuse-bias");
  }
};
} // namespace
