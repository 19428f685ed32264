//===- Product.cpp - Products of packed matrices --------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

namespace {
/// Steps of six rows, panel by panel: a panel stays in the cache for all rows.
struct LowerProduct : OpRewritePattern<ProductOp> {
  LowerProduct(MLIRContext *context, const CpuTarget &target,
               PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(ProductOp op,
                                PatternRewriter &rewriter) const override {
    Value rows = op.getRows(), columns = op.getColumns(), dest = op.getDest();
    auto destType = cast<MemRefType>(dest.getType());
    auto columnsType = cast<MemRefType>(columns.getType());
    int64_t channels = columnsType.getDimSize(1); // or pairs of channels
    int64_t width = columnsType.getDimSize(2);
    bool hasPairs = columnsType.getRank() == 4;
    if (ShapedType::isDynamic(channels) || ShapedType::isDynamic(width))
      return rewriter.notifyMatchFailure(op, "channels or panels of any size");
    if (!hasUnitStride(columns) || !hasUnitStride(dest))
      return rewriter.notifyMatchFailure(op, "no unit stride");
    if (hasPairs ? !hasAdjacentPairs(columns) || !hasUnitStride(rows)
                 : !columnsType.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "pairs not side by side");
    bool paneled = destType.getRank() == 3;
    int64_t destWidth = destType.getShape().back();
    if (paneled && ShapedType::isDynamic(destWidth))
      return rewriter.notifyMatchFailure(op, "panels of any width");

    Panels panels = Panels::get(columns, width, target);
    KernelBuilder b(rewriter, op.getLoc(), target, panels.lanes);
    if (hasPairs)
      columns = emitPairsInRows(b, columns);
    Value zero = b.index(0);
    Value numRowsHere = b.dim(rows, 0);
    Value numColumns =
        paneled ? b.mul(b.dim(dest, 0), destWidth) : b.dim(dest, 1);
    numColumns = b.min(numColumns, b.mul(b.dim(columns, 0), width));
    Value piece = b.scratch(
        {b.getIndexAttr(numRows), b.getIndexAttr(panels.stepWidth())});
    auto address = [&](Value row, Value column) -> SmallVector<Value> {
      if (!paneled)
        return {row, column};
      return {b.div(column, destWidth), row, b.rem(column, destWidth)};
    };
    // Whether a vector of a step lies in one panel of dest.
    bool whole = !paneled || destWidth % panels.lanes == 0;

    b.loop(zero, numColumns, panels.stepWidth(), [&](Value column) {
      b.loop(zero, numRowsHere, numRows, [&](Value row) {
        Value last = b.sub(numRowsHere, 1);
        SmallVector<Value> from;
        for (int64_t x = 0; x < numRows; ++x)
          from.push_back(b.min(b.add(row, x), last));
        Accumulators sums = emitChannels(
            b, channels, panels.vectors,
            [&](Value d, int64_t x) {
              return hasPairs ? b.loadPair(rows, {from[x], b.mul(d, 2)})
                              : b.load(rows, {from[x], d});
            },
            [&](Value d, int64_t y) {
              return panels.load(b, columns, column, d, y);
            });
        auto at = [&](int64_t i) { return i % panels.vectors * panels.lanes; };
        auto storeWhole = [&] {
          for (auto [i, sum] : llvm::enumerate(sums))
            b.storeVector(
                sum, dest,
                address(b.add(row, i / panels.vectors), b.add(column, at(i))));
        };
        auto storePart = [&] {
          for (auto [i, sum] : llvm::enumerate(sums))
            b.storeVector(sum, piece,
                          {b.index(i / panels.vectors), b.index(at(i))});
          Value rowEnd = b.min(b.index(numRows), b.sub(numRowsHere, row));
          Value end =
              b.min(b.index(panels.stepWidth()), b.sub(numColumns, column));
          b.loop(zero, rowEnd, 1, [&](Value x) {
            b.loop(zero, end, 1, [&](Value y) {
              b.store(b.load(piece, {x, y}), dest,
                      address(b.add(row, x), b.add(column, y)));
            });
          });
        };
        if (!whole)
          return storePart();
        Value inside =
            b.both(b.lessEqual(b.add(row, numRows), numRowsHere),
                   b.lessEqual(b.add(column, panels.stepWidth()), numColumns));
        b.when(inside, storeWhole, storePart);
      });
    });
    b.freeScratch();
    rewriter.eraseOp(op);
    return success();
  }

  const CpuTarget &target;
};
} // namespace

void cpu::populateProductPatterns(RewritePatternSet &patterns,
                                  const CpuTarget &target,
                                  PatternBenefit benefit) {
  patterns.add<LowerProduct>(patterns.getContext(), target, benefit);
}
