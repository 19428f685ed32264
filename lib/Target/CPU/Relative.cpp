//===- Relative.cpp - Products in the order of distances ------------------===//
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
/// Vectors of distances first, all rows for each. Maps of distances grow
/// slowly, so that the numbers of a vector lie in one vector of the products,
/// from where one instruction puts them in place.
struct LowerStrip : OpRewritePattern<StripOp> {
  LowerStrip(MLIRContext *context, const CpuTarget &target,
             PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(StripOp op,
                                PatternRewriter &rewriter) const override {
    Value products = op.getProducts(), numbers = op.getRowNumbers(),
          strip = op.getStrip();
    if (!hasUnitStride(products) || !hasUnitStride(strip))
      return rewriter.notifyMatchFailure(op, "no unit stride");
    KernelBuilder b(rewriter, op.getLoc(), target, target.lanes);
    Value zero = b.index(0);
    Value columns = b.dim(products, 1), rows = b.dim(strip, 0);
    Value length = b.min(b.dim(numbers, 0), b.dim(strip, 1));
    Value whole = b.roundDown(length, b.lanes);

    auto emitElement = [&](Value x) {
      Value number = b.load(numbers, {x});
      Value inside = b.compare(arith::CmpIPredicate::ult, number, columns);
      Value from = b.select(inside, number, zero);
      b.loop(zero, rows, 1, [&](Value row) {
        Value element = b.choose(
            inside, b.getF32Type(),
            [&] { return SmallVector<Value>{b.load(products, {row, from})}; },
            [&] { return SmallVector<Value>{b.f32(0.0f)}; })[0];
        b.store(element, strip, {row, x});
      });
    };
    b.loop(zero, whole, b.lanes, [&](Value x) {
      SmallVector<Value> lanes;
      Value lowest, highest;
      for (int64_t i = 0; i < b.lanes; ++i) {
        Value number = lanes.emplace_back(b.load(numbers, {b.add(x, i)}));
        lowest = lowest ? b.min(lowest, number) : number;
        highest = highest ? b.max(highest, number) : number;
      }
      auto storeRows = [&](function_ref<Value(Value)> emitVector) {
        b.loop(zero, rows, 1, [&](Value row) {
          b.storeVector(emitVector(row), strip, {row, x});
        });
      };
      auto gather = [&] {
        storeRows([&](Value row) -> Value {
          SmallVector<Value> elements;
          for (Value number : lanes)
            elements.push_back(b.load(products, {row, number}));
          return vector::FromElementsOp::create(b, b.vectorType, elements);
        });
      };
      Value base = b.max(b.min(lowest, b.sub(columns, b.lanes)), zero);
      auto permute = [&] {
        Type i32 = b.getI32Type();
        SmallVector<Value> distances;
        for (Value number : lanes)
          distances.push_back(
              arith::IndexCastOp::create(b, i32, b.sub(number, base)));
        Value places = vector::FromElementsOp::create(
            b, VectorType::get({b.lanes}, i32), distances);
        storeRows([&](Value row) {
          return b.permute(b.loadVector(products, {row, base}), places);
        });
      };
      Value inside =
          b.both(b.lessEqual(zero, lowest), b.less(highest, columns));
      Value near = b.both(b.less(highest, b.add(base, b.lanes)),
                          b.lessEqual(b.index(b.lanes), columns));
      b.when(
          inside,
          [&] {
            if (b.canPermute())
              b.when(near, permute, gather);
            else
              gather();
          },
          [&] { b.loop(x, b.add(x, b.lanes), 1, emitElement); });
    });
    b.loop(whole, length, 1, emitElement);
    rewriter.eraseOp(op);
    return success();
  }

  const CpuTarget &target;
};

/// tile[r, l] is of the row of distance l - r. In a vector of keys from l on,
/// lane k of row r is that of X[r - k], with X[t] the vector of the row of
/// distance l - t: for each bit of k, rows that have it set come from as many
/// vectors before.
struct LowerSkew : OpRewritePattern<SkewOp> {
  LowerSkew(MLIRContext *context, const CpuTarget &target,
            PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(SkewOp op,
                                PatternRewriter &rewriter) const override {
    Value products = op.getProducts(), numbers = op.getRowNumbers(),
          tile = op.getTile();
    int64_t width = cast<MemRefType>(tile.getType()).getDimSize(1);
    int64_t available = cast<MemRefType>(products.getType()).getDimSize(1);
    if (!hasUnitStride(products) || !hasUnitStride(tile))
      return rewriter.notifyMatchFailure(op, "no unit stride");
    if (ShapedType::isDynamic(width) || width % target.lanes ||
        available < width)
      return rewriter.notifyMatchFailure(op, "not a tile of whole vectors");
    KernelBuilder b(rewriter, op.getLoc(), target, target.lanes);
    Value zero = b.index(0), rows = b.dim(tile, 0);
    Value count = b.dim(numbers, 0), height = b.dim(products, 0);

    b.loop(zero, b.index(width), b.lanes, [&](Value column) {
      Value from = b.add(op.getFrom(), column);
      auto load = [&](Value t) -> Value {
        Value entry = b.sub(from, t);
        Value exists = b.compare(arith::CmpIPredicate::ult, entry, count);
        Value number = b.choose(
            exists, b.getIndexType(),
            [&] { return SmallVector<Value>{b.load(numbers, {entry})}; },
            [&] { return SmallVector<Value>{b.index(-1)}; })[0];
        exists = b.compare(arith::CmpIPredicate::ult, number, height);
        return b.choose(
            exists, b.vectorType,
            [&] {
              return SmallVector<Value>{
                  b.loadVector(products, {number, column})};
            },
            [&] { return SmallVector<Value>{b.splat(0.0f)}; })[0];
      };
      // The stages' last vectors, 1 of the first, 2 of the second, and so on.
      SmallVector<Value> before(b.lanes - 1, b.splat(0.0f));
      auto advance = [&](Value x, MutableArrayRef<Value> before) {
        for (int64_t distance = 1; distance < b.lanes; distance *= 2) {
          MutableArrayRef<Value> queue = before.slice(distance - 1, distance);
          SmallVector<bool> bit;
          for (int64_t lane = 0; lane < b.lanes; ++lane)
            bit.push_back(lane & distance);
          Value mask = b.constant(DenseElementsAttr::get(
              VectorType::get({b.lanes}, b.getI1Type()), bit));
          Value next = b.select(mask, queue.front(), x);
          std::rotate(queue.begin(), queue.begin() + 1, queue.end());
          queue.back() = x;
          x = next;
        }
        return x;
      };
      before = b.loop(b.index(1 - b.lanes), zero, 1, before,
                      [&](Value t, ValueRange values) {
                        SmallVector<Value> next(values);
                        advance(load(t), next);
                        return next;
                      });
      b.loop(zero, rows, 1, before, [&](Value t, ValueRange values) {
        SmallVector<Value> next(values);
        b.storeVector(advance(load(t), next), tile, {t, column});
        return next;
      });
    });
    rewriter.eraseOp(op);
    return success();
  }

  const CpuTarget &target;
};
} // namespace

void cpu::populateRelativePatterns(RewritePatternSet &patterns,
                                   const CpuTarget &target,
                                   PatternBenefit benefit) {
  patterns.add<LowerSkew, LowerStrip>(patterns.getContext(), target, benefit);
}
