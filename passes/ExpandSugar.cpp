//===- ExpandSugar.cpp - Sugar on scores as score regions -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Passes.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

/// Writes scores plus a term as a score_mod, its value as that of the sugar.
static void addToScores(PatternRewriter &rewriter, Operation *op, Value scores,
                        function_ref<Value(ScoreBuilder &score)> buildTerm) {
  auto region = ScoreRegion::createScoreMod(rewriter, op->getLoc(), scores);
  ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  b.setInsertionPointToEnd(region.getBlock());
  ScoreBuilder score(region, b);
  Value sum = score.add(score.score(), buildTerm(score));
  YieldOp::create(score, sum, Value(), ValueRange());
  region.captureAll();
  rewriter.replaceOp(op, region.getOp());
}

/// What a table gives outside its rows: 0 where the map may lead there.
static FloatAttr getOutside(OpBuilder &b, RowMapAttr map) {
  return map.isPartial() ? b.getF64FloatAttr(0.0) : FloatAttr();
}

namespace {
struct ExpandRelativeBias : OpRewritePattern<RelativeBiasOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RelativeBiasOp op,
                                PatternRewriter &rewriter) const override {
    addToScores(rewriter, op, op.getS(), [&](ScoreBuilder &score) {
      Value table = score.capture(op.getTable());
      Value row = score.tableRow(op.getMap(),
                                 score.distance(op.getOf(), op.getPosition()));
      return score.lookup(table, {row, score.head()},
                          getOutside(score, op.getMap()));
    });
    return success();
  }
};

struct ExpandRelativeLogits : OpRewritePattern<RelativeLogitsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RelativeLogitsOp op,
                                PatternRewriter &rewriter) const override {
    bool query = op.getSide() == RowsOf::Query;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value group =
        query ? Value() : emitHeadsPerKeyHead(b, op.getS(), op.getX());
    addToScores(rewriter, op, op.getS(), [&](ScoreBuilder &score) {
      Value x = score.capture(op.getX());
      Value table = score.capture(op.getTable());
      Value row = score.tableRow(op.getMap(),
                                 score.distance(op.getOf(), op.getPosition()));
      Value head = score.head();
      if (group)
        head = arith::DivUIOp::create(score, head, group);
      SmallVector<Value> tableAt{row};
      if (cast<ShapedType>(op.getTable().getType()).getRank() == 3)
        tableAt.insert(tableAt.begin(), score.head());
      return score.dot(x,
                       {score.batch(), head, query ? score.row() : score.key()},
                       table, tableAt, getOutside(score, op.getMap()));
    });
    return success();
  }
};
} // namespace

void posenc::populateExpandRelativeBiasPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRelativeBias>(patterns.getContext());
}

void posenc::populateExpandRelativeLogitsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRelativeLogits>(patterns.getContext());
}
