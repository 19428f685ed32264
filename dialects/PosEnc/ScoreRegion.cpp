//===- ScoreRegion.cpp - What holds of every score region -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

bool posenc::isRegionScalar(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() <= 64;
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

// Canonicalisation may leave a `ub.poison` in a region.
bool posenc::isScoreRegionKind(Operation *op) {
  // Scales of microscaling formats have no meaning for these types, and another
  // rounding than the usual one has no lowering.
  if (isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return false;
  if (auto truncation = dyn_cast<arith::TruncFOp>(op))
    if (truncation.getRoundingmode().value_or(
            arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return false;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
      op->getDialect());
}

bool posenc::isScoreRegionOp(Operation *op) {
  return isa<ScoreOpInterface>(op) ||
         (isScoreRegionKind(op) &&
          llvm::all_of(op->getOperandTypes(), isRegionScalar) &&
          llvm::all_of(op->getResultTypes(), isRegionScalar));
}

LogicalResult posenc::verifyScoreRegion(Operation *op, StringRef name,
                                        Region &region, ValueRange captures,
                                        unsigned numValueTables) {
  Block &block = region.front();
  Type index = IndexType::get(op->getContext());
  SmallVector<Type> expected{Float32Type::get(op->getContext()), index, index,
                             index, index};
  llvm::append_range(expected, captures.getTypes());
  if (TypeRange(block.getArgumentTypes()) != TypeRange(expected))
    return op->emitOpError(name)
           << "_c8: the region's arguments must be score (f32), batch, head, "
              "row, key (index) and the captures";
  if (block.empty() || !isa<YieldOp>(block.back()))
    return op->emitOpError(name) << "_c10: the region must end in posenc.yield";
  for (Operation &inner : block.without_terminator()) {
    if (!isScoreRegionOp(&inner))
      return inner.emitOpError(name)
             << "_c9: a score region holds only ops of arith and math on "
                "scalars and score ops";
    if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner))
      return inner.emitOpError(name) << "_c9: a score region is straight-line "
                                        "code without side effects";
  }
  auto yield = cast<YieldOp>(block.back());
  if (yield.getValueRows().size() != numValueTables)
    return yield.emitOpError(name)
           << "_c11: expected " << numValueTables
           << " value rows, one per value table, but got "
           << yield.getValueRows().size();
  // A sum over the kept pairs of a row is known after all of them are.
  llvm::SmallDenseSet<Value> scanned;
  for (Operation &inner : block.without_terminator())
    if (isa<RowScanOp>(inner) ||
        llvm::any_of(inner.getOperands(),
                     [&](Value x) { return scanned.contains(x); }))
      scanned.insert(inner.result_begin(), inner.result_end());
  if (yield.getKeep() && scanned.contains(yield.getKeep()))
    return yield.emitOpError("row_scan_c1: whether a pair is kept depends on a "
                             "sum over kept pairs");
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

namespace {
/// Drops captures that the region does not use, merges those of the same
/// value, and moves constants into the region.
template <typename OpTy> struct SimplifyCaptures : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Block &block = op.getScore().front();
    OperandRange captures = op.getCaptures();
    llvm::BitVector dropped(block.getNumArguments());
    DenseMap<Value, BlockArgument> first;
    for (auto [i, capture] : llvm::enumerate(captures)) {
      BlockArgument argument = block.getArgument(numScoreArguments + i);
      auto [known, isNew] = first.try_emplace(capture, argument);
      TypedAttr constant;
      if (!isNew) {
        rewriter.replaceAllUsesWith(argument, known->second);
      } else if (isRegionScalar(capture.getType()) &&
                 matchPattern(capture, m_Constant(&constant))) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(&block);
        rewriter.replaceAllUsesWith(
            argument,
            arith::ConstantOp::create(rewriter, op.getLoc(), constant));
      }
      if (argument.use_empty())
        dropped.set(numScoreArguments + i);
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "every capture is needed");
    SmallVector<Value> kept;
    for (auto [i, capture] : llvm::enumerate(captures))
      if (!dropped.test(numScoreArguments + i))
        kept.push_back(capture);
    rewriter.modifyOpInPlace(op, [&] {
      op.getCapturesMutable().assign(kept);
      block.eraseArguments(dropped);
    });
    return success();
  }
};

/// A pair that is always kept needs no condition.
template <typename OpTy> struct DropTrueKeep : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    YieldOp yield = op.getYield();
    if (!yield.getKeep() || !matchPattern(yield.getKeep(), m_One()))
      return rewriter.notifyMatchFailure(op, "some pairs may not be kept");
    rewriter.modifyOpInPlace(yield, [&] { yield.getKeepMutable().clear(); });
    return success();
  }
};
} // namespace

template <typename OpTy>
void posenc::populateScoreRegionCanonicalization(RewritePatternSet &patterns) {
  patterns.add<SimplifyCaptures<OpTy>, DropTrueKeep<OpTy>>(
      patterns.getContext());
}
template void
posenc::populateScoreRegionCanonicalization<AttentionOp>(RewritePatternSet &);
template void
posenc::populateScoreRegionCanonicalization<ScoreModOp>(RewritePatternSet &);
