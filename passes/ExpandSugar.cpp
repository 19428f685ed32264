//===- ExpandSugar.cpp - Sugar on scores as score regions -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// The score region that a sugar op stands for, under construction.
class ScoreModBuilder {
public:
  ScoreModBuilder(PatternRewriter &rewriter, Location loc, Value scores)
      : rewriter(rewriter), b(loc, rewriter) {
    OperationState state(loc, ScoreModOp::getOperationName());
    state.addOperands(scores);
    state.addTypes(scores.getType());
    state.addRegion();
    op = cast<ScoreModOp>(rewriter.create(state));
    Type index = rewriter.getIndexType();
    block = rewriter.createBlock(
        &op.getScore(), {}, {rewriter.getF32Type(), index, index, index, index},
        SmallVector<Location>(5, loc));
    b.setInsertionPointToEnd(block);
  }
  Value score() { return block->getArgument(0); }
  Value batch() { return block->getArgument(1); }
  Value head() { return block->getArgument(2); }
  Value row() { return block->getArgument(3); }
  Value key() { return block->getArgument(4); }

  /// What stands for an outer value inside the region.
  Value capture(Value outer) {
    op.getCapturesMutable().append(outer);
    return block->addArgument(outer.getType(), outer.getLoc());
  }
  /// The table row of the pair's distance.
  Value tableRow(RowMapAttr map, Relation of, Value from) {
    Value position = row();
    if (from) {
      Value offset = capture(from);
      if (isa<ShapedType>(from.getType()))
        offset = LookupOp::create(b, offset, ValueRange{batch()}, Attribute());
      position = arith::AddIOp::create(b, position, offset);
    }
    Value distance = of == Relation::Lag
                         ? arith::SubIOp::create(b, position, key())
                         : arith::SubIOp::create(b, key(), position);
    return RowOp::create(b, map, distance);
  }
  /// The op, whose region yields the score plus `term`.
  Value addToScore(Value term) {
    Value sum = arith::AddFOp::create(b, score(), term);
    YieldOp::create(b, sum, Value(), ValueRange());
    return op.getResult();
  }

  PatternRewriter &rewriter;
  ImplicitLocOpBuilder b;

private:
  ScoreModOp op;
  Block *block;
};

struct ExpandRelativeBias : OpRewritePattern<RelativeBiasOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RelativeBiasOp op,
                                PatternRewriter &rewriter) const override {
    ScoreModBuilder mod(rewriter, op.getLoc(), op.getS());
    Value table = mod.capture(op.getTable());
    Value row = mod.tableRow(op.getMap(), op.getOf(), op.getPosition());
    Attribute outside;
    if (op.getMap().isPartial())
      outside = rewriter.getF64FloatAttr(0.0);
    Value bias =
        LookupOp::create(mod.b, table, ValueRange{row, mod.head()}, outside);
    rewriter.replaceOp(op, mod.addToScore(bias));
    return success();
  }
};

struct ExpandRelativeLogits : OpRewritePattern<RelativeLogitsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RelativeLogitsOp op,
                                PatternRewriter &rewriter) const override {
    bool query = op.getSide() == RowsOf::Query;
    Value group = query ? Value() : headsPerKeyHead(op, rewriter);
    ScoreModBuilder mod(rewriter, op.getLoc(), op.getS());
    Value x = mod.capture(op.getX());
    Value table = mod.capture(op.getTable());
    Value row = mod.tableRow(op.getMap(), op.getOf(), op.getPosition());
    Value head = mod.head();
    if (group)
      head = arith::DivUIOp::create(mod.b, head, mod.capture(group));
    SmallVector<Value> tableAt{row};
    if (cast<ShapedType>(op.getTable().getType()).getRank() == 3)
      tableAt.insert(tableAt.begin(), mod.head());
    FloatAttr outside;
    if (op.getMap().isPartial())
      outside = rewriter.getF64FloatAttr(0.0);
    Value product = DotOp::create(
        mod.b, rewriter.getF32Type(), x,
        ValueRange{mod.batch(), head, query ? mod.row() : mod.key()}, table,
        tableAt, outside);
    rewriter.replaceOp(op, mod.addToScore(product));
    return success();
  }

private:
  /// H / Hkv, or null if every head has its own keys.
  static Value headsPerKeyHead(RelativeLogitsOp op, PatternRewriter &rewriter) {
    auto s = cast<ShapedType>(op.getS().getType());
    auto k = cast<ShapedType>(op.getX().getType());
    if (!s.isDynamicDim(1) && s.getDimSize(1) == k.getDimSize(1))
      return {};
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value keyHeads =
        arith::MaxUIOp::create(b, tensor::DimOp::create(b, op.getX(), 1),
                               arith::ConstantIndexOp::create(b, 1));
    Value group = arith::DivUIOp::create(
        b, tensor::DimOp::create(b, op.getS(), 1), keyHeads);
    // With no key heads there are no pairs; the quotient is never 0 otherwise.
    return arith::MaxUIOp::create(b, group,
                                  arith::ConstantIndexOp::create(b, 1));
  }
};
} // namespace

void posenc::populateExpandSugarPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRelativeBias, ExpandRelativeLogits>(patterns.getContext());
}
