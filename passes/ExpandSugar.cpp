//===- ExpandSugar.cpp - Sugar on scores as score regions -*- C++ -*-===//
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

/// Yields the score plus a term, in a region without a terminator yet.
static Value addToScore(ScoreRegion &region, ImplicitLocOpBuilder &b,
                        Value term) {
  Value sum = arith::AddFOp::create(b, region.score(), term);
  YieldOp::create(b, sum, Value(), ValueRange());
  return region.getOp()->getResult(0);
}

namespace {
struct ExpandRelativeBias : OpRewritePattern<RelativeBiasOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RelativeBiasOp op,
                                PatternRewriter &rewriter) const override {
    auto region = ScoreRegion::createScoreMod(rewriter, op.getLoc(), op.getS());
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    b.setInsertionPointToEnd(region.getBlock());
    Value table = region.capture(op.getTable());
    Value row =
        emitTableRow(region, b, op.getMap(), op.getOf(), op.getPosition());
    Attribute outside;
    if (op.getMap().isPartial())
      outside = rewriter.getF64FloatAttr(0.0);
    Value bias =
        LookupOp::create(b, table, ValueRange{row, region.head()}, outside);
    rewriter.replaceOp(op, addToScore(region, b, bias));
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
    auto region = ScoreRegion::createScoreMod(rewriter, op.getLoc(), op.getS());
    b.setInsertionPointToEnd(region.getBlock());
    Value x = region.capture(op.getX());
    Value table = region.capture(op.getTable());
    Value row =
        emitTableRow(region, b, op.getMap(), op.getOf(), op.getPosition());
    Value head = region.head();
    if (group)
      head = arith::DivUIOp::create(b, head, region.capture(group));
    SmallVector<Value> tableAt{row};
    if (cast<ShapedType>(op.getTable().getType()).getRank() == 3)
      tableAt.insert(tableAt.begin(), region.head());
    FloatAttr outside;
    if (op.getMap().isPartial())
      outside = rewriter.getF64FloatAttr(0.0);
    Value product = DotOp::create(
        b, rewriter.getF32Type(), x,
        ValueRange{region.batch(), head, query ? region.row() : region.key()},
        table, tableAt, outside);
    rewriter.replaceOp(op, addToScore(region, b, product));
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
