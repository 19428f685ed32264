//===- Product.cpp - Products of packed matrices --------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel.h"
#include "Patterns.h"
#include "Tiles.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

namespace {
/// Emits one product by steps of some rows and columns.
class ProductEmitter {
public:
  ProductEmitter(OpBuilder &builder, ProductOp op, const CpuTarget &target)
      : columnsType(cast<MemRefType>(op.getColumns().getType())),
        destType(cast<MemRefType>(op.getDest().getType())),
        channels(columnsType.getDimSize(1)), width(columnsType.getDimSize(2)),
        hasPairs(columnsType.getRank() == 4),
        isPaneled(destType.getRank() == 3),
        panels(Panels::get(op.getColumns(), width, target)),
        b(builder, op.getLoc(), target, panels.lanes), rows(op.getRows()),
        columns(op.getColumns()), dest(op.getDest()) {}

  static std::optional<StringRef> whyNot(ProductOp op);
  static bool hasTiles(ProductOp op, const CpuTarget &target);

  void emitVectors();
  void emitTiles();

private:
  void prepare();
  SmallVector<Value> address(Value row, Value column);
  void emitSteps(int64_t stepRows, int64_t stepColumns, bool mayStore,
                 function_ref<void(Value row, Value column)> multiply,
                 function_ref<void(Value to, function_ref<SmallVector<Value>(
                                                 int64_t row, int64_t column)>)>
                     store);
  Value padRows(int64_t multiple);

  MemRefType columnsType, destType;
  int64_t channels, width; // channels, or pairs of these
  bool hasPairs, isPaneled;
  Panels panels;
  KernelBuilder b;
  Value rows, columns, dest, numRowsHere, numColumns;
};
} // namespace

std::optional<StringRef> ProductEmitter::whyNot(ProductOp op) {
  Value columns = op.getColumns(), dest = op.getDest();
  auto type = cast<MemRefType>(columns.getType());
  if (type.isDynamicDim(1) || type.isDynamicDim(2))
    return "channels or panels of any size";
  if (!hasUnitStride(columns) || !hasUnitStride(dest))
    return "no unit stride";
  if (type.getRank() == 4
          ? !hasAdjacentPairs(columns) || !hasUnitStride(op.getRows())
          : !type.getElementType().isF32())
    return "pairs not side by side";
  auto destType = cast<MemRefType>(dest.getType());
  if (destType.getRank() == 3 && destType.isDynamicDim(2))
    return "panels of any width";
  return std::nullopt;
}

bool ProductEmitter::hasTiles(ProductOp op, const CpuTarget &target) {
  auto type = cast<MemRefType>(op.getColumns().getType());
  return target.hasTiles && type.getRank() == 4 &&
         type.getDimSize(1) * 2 % tileDepth == 0 &&
         type.getDimSize(2) % tileSize == 0;
}

void ProductEmitter::prepare() {
  if (hasPairs)
    columns = emitPairsInRows(b, columns);
  numRowsHere = b.dim(rows, 0);
  numColumns = isPaneled ? b.mul(b.dim(dest, 0), destType.getDimSize(2))
                         : b.dim(dest, 1);
  numColumns = b.min(numColumns, b.mul(b.dim(columns, 0), width));
}

SmallVector<Value> ProductEmitter::address(Value row, Value column) {
  if (!isPaneled)
    return {row, column};
  int64_t destWidth = destType.getDimSize(2);
  return {b.div(column, destWidth), row, b.rem(column, destWidth)};
}

/// Panel by panel: a panel stays in the cache for all rows. `multiply` makes
/// the products of a step, which `store` puts in place, if it may; those of
/// steps that reach beyond the ends go through a piece of memory.
void ProductEmitter::emitSteps(
    int64_t stepRows, int64_t stepColumns, bool mayStore,
    function_ref<void(Value row, Value column)> multiply,
    function_ref<void(Value to,
                      function_ref<SmallVector<Value>(int64_t, int64_t)>)>
        store) {
  Value zero = b.index(0);
  Value piece =
      b.scratch({b.getIndexAttr(stepRows), b.getIndexAttr(stepColumns)});
  b.loop(zero, numColumns, stepColumns, [&](Value column) {
    b.loop(zero, numRowsHere, stepRows, [&](Value row) {
      multiply(row, column);
      auto storeWhole = [&] {
        store(dest, [&](int64_t x, int64_t y) {
          return address(b.add(row, x), b.add(column, y));
        });
      };
      auto storePart = [&] {
        store(piece, [&](int64_t x, int64_t y) {
          return SmallVector<Value>{b.index(x), b.index(y)};
        });
        Value rowEnd = b.min(b.index(stepRows), b.sub(numRowsHere, row));
        Value end = b.min(b.index(stepColumns), b.sub(numColumns, column));
        b.loop(zero, rowEnd, 1, [&](Value x) {
          b.loop(zero, end, 1, [&](Value y) {
            b.store(b.load(piece, {x, y}), dest,
                    address(b.add(row, x), b.add(column, y)));
          });
        });
      };
      if (!mayStore)
        return storePart();
      Value inside =
          b.both(b.lessEqual(b.add(row, stepRows), numRowsHere),
                 b.lessEqual(b.add(column, stepColumns), numColumns));
      b.when(inside, storeWhole, storePart);
    });
  });
  b.freeScratch();
}

/// Steps of six rows, as in a sweep. Beyond the last row it is read again.
void ProductEmitter::emitVectors() {
  prepare();
  Accumulators sums;
  auto multiply = [&](Value row, Value column) {
    SmallVector<Value> from;
    for (int64_t x = 0; x < numRows; ++x)
      from.push_back(b.min(b.add(row, x), b.sub(numRowsHere, 1)));
    sums = emitChannels(
        b, channels, panels.vectors,
        [&](Value d, int64_t x) {
          return hasPairs ? b.loadPair(rows, {from[x], b.mul(d, 2)})
                          : b.load(rows, {from[x], d});
        },
        [&](Value d, int64_t y) {
          return panels.load(b, columns, column, d, y);
        });
  };
  // A vector of a step must lie in one panel of dest.
  bool mayStore = !isPaneled || destType.getDimSize(2) % panels.lanes == 0;
  emitSteps(numRows, panels.stepWidth(), mayStore, multiply,
            [&](Value to,
                function_ref<SmallVector<Value>(int64_t, int64_t)> addressOf) {
              for (auto [i, sum] : llvm::enumerate(sums))
                b.storeVector(sum, to,
                              addressOf(i / panels.vectors,
                                        i % panels.vectors * panels.lanes));
            });
}

/// The rows, as many as a multiple of so many.
Value ProductEmitter::padRows(int64_t multiple) {
  auto type = cast<MemRefType>(rows.getType());
  if (!type.isDynamicDim(0) && type.getDimSize(0) % multiple == 0)
    return rows;
  Value padded = b.roundUp(numRowsHere, multiple);
  return emitPaddedRows(b, rows, numRowsHere, padded, getAsOpFoldResult(padded),
                        2 * channels);
}

void ProductEmitter::emitTiles() {
  prepare();
  Value from = padRows(tilesOfRows * tileSize);
  SmallVector<Value> sums;
  auto multiply = [&](Value row, Value column) {
    sums = emitZeroTiles(b);
    emitTileProducts(
        b, sums, 2 * channels,
        [&](int64_t x, int64_t d) {
          return emitLoadTile(b, from, {b.add(row, x * tileSize), b.index(d)});
        },
        [&](int64_t y, int64_t d) {
          // Of the last panel there may be no second half.
          Value last = b.sub(b.mul(b.dim(columns, 0), width), tileSize);
          Value at = b.min(b.add(column, y * tileSize), last);
          return emitLoadTile(
              b, columns,
              {b.div(at, width), b.index(d / 2), b.mul(b.rem(at, width), 2)});
        });
  };
  bool mayStore = !isPaneled || destType.getDimSize(2) % tileSize == 0;
  emitSteps(tilesOfRows * tileSize, 2 * tileSize, mayStore, multiply,
            [&](Value to,
                function_ref<SmallVector<Value>(int64_t, int64_t)> addressOf) {
              for (auto [i, sum] : llvm::enumerate(sums))
                emitStoreTile(b, sum, to,
                              addressOf(int64_t(i) / 2 * tileSize,
                                        int64_t(i) % 2 * tileSize));
            });
}

namespace {
struct LowerProduct : OpRewritePattern<ProductOp> {
  LowerProduct(MLIRContext *context, const CpuTarget &target,
               PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(ProductOp op,
                                PatternRewriter &rewriter) const override {
    if (std::optional<StringRef> reason = ProductEmitter::whyNot(op))
      return rewriter.notifyMatchFailure(op, *reason);
    auto emitVectors = [&] {
      ProductEmitter(rewriter, op, target).emitVectors();
      return success();
    };
    auto emitTiles = [&] {
      ProductEmitter(rewriter, op, target).emitTiles();
      return success();
    };
    LogicalResult emitted =
        ProductEmitter::hasTiles(op, target)
            ? emitIfTiles(rewriter, op.getLoc(), emitTiles, emitVectors)
            : emitVectors();
    if (failed(emitted))
      return failure();
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
