//===- Merge.cpp - The sums of a tile from those of parts of its keys -----===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBuilder.h"
#include "dialects/PosEncTile/PosEncTile.h"
#include "posenc/Target/Loops.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::tile;

namespace {
/// Rows outside, parts inside: what is added for a part is a vector of channels
/// or buckets, times a factor.
struct MergeLowering : OpRewritePattern<MergeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MergeOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    Value numParts = b.size(op.getPartM(), 0);
    // No factor is above 1 / S: a sum of finite parts stays finite. Beside a
    // large maximum, rounding may take the share away.
    Value number = arith::IndexCastOp::create(b, b.getI64Type(), numParts);
    number = arith::SIToFPOp::create(b, b.getF32Type(), number);
    Value share = math::CeilOp::create(b, math::Log2Op::create(b, number));
    Value most = b.exp2(b.sub(b.real(0), share));

    SmallVector<std::pair<Value, Value>> vectors{{op.getPartO(), op.getO()}};
    for (auto pair : llvm::zip(op.getPartBuckets(), op.getBuckets()))
      vectors.push_back({std::get<0>(pair), std::get<1>(pair)});
    b.forEach(b.size(op.getM(), 0), [&](Value p) {
      Value maximum = emitMaximum(b, op, p);
      b.store(b.add(maximum, share), op.getM(), p);
      b.store(b.real(0), op.getL(), p);
      for (auto [parts, sums] : vectors)
        b.forEach(b.size(sums, 1),
                  [&](Value i) { b.store(b.real(0), sums, ValueRange{p, i}); });
      b.forEach(numParts, [&](Value s) {
        b.ifThen(isLive(b, op, s, p), [&] {
          Value factor = b.exp2(b.sub(b.load(op.getPartM(), {s, p}), maximum));
          factor = b.mul(factor, most);
          b.ifThen(b.isNotZero(factor), [&] {
            Value l = b.mul(factor, b.load(op.getPartL(), {s, p}));
            b.store(b.add(b.load(op.getL(), p), l), op.getL(), p);
            for (auto [parts, sums] : vectors)
              addScaled(b, parts, sums, s, p, factor);
          });
        });
      });
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Written so that a NaN is a pair of the row.
  static Value isLive(LoopBuilder &b, MergeOp op, Value s, Value p) {
    return b.isNotZero(b.load(op.getPartL(), {s, p}));
  }

  /// The greatest m of the parts with a pair of row p.
  static Value emitMaximum(LoopBuilder &b, MergeOp op, Value p) {
    Value none = b.real(-std::numeric_limits<double>::infinity());
    return b.accumulate(
        b.size(op.getPartM(), 0), none, [&](Value s, Value most) {
          Value m = b.select(isLive(b, op, s, p), b.load(op.getPartM(), {s, p}),
                             none);
          return arith::MaximumFOp::create(b, most, m).getResult();
        });
  }

  /// sums[p, :] += factor parts[s, p, :].
  static void addScaled(LoopBuilder &b, Value parts, Value sums, Value s,
                        Value p, Value factor) {
    b.forEach(b.size(sums, 1), [&](Value i) {
      Value part = b.mul(factor, b.load(parts, {s, p, i}));
      b.store(b.add(b.load(sums, {p, i}), part), sums, ValueRange{p, i});
    });
  }
};
} // namespace

void posenc::populateMergeToLoopsPatterns(RewritePatternSet &patterns,
                                          PatternBenefit benefit) {
  patterns.add<MergeLowering>(patterns.getContext(), benefit);
}
