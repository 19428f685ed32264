//===- Finish.cpp - The results of a tile ---------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel.h"
#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "posenc/Target/Loops.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

namespace {
/// Steps of six rows, as in a sweep: the weights of buckets times the tables'
/// rows is a product. Beyond the last row the last is computed again.
struct LowerFinish : OpRewritePattern<FinishOp> {
  LowerFinish(MLIRContext *context, const CpuTarget &target,
              PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(FinishOp op,
                                PatternRewriter &rewriter) const override {
    Value out = op.getOut();
    int64_t channels = cast<MemRefType>(op.getO().getType()).getDimSize(1);
    if (ShapedType::isDynamic(channels))
      return rewriter.notifyMatchFailure(op, "any number of channels");
    if (!hasUnitStride(op.getO()) ||
        !llvm::all_of(op.getTables(), hasUnitStride))
      return rewriter.notifyMatchFailure(op, "no unit stride");
    KernelBuilder b(rewriter, op.getLoc(), target, target.lanes);
    Value isUnit = hasUnitStride(out) ? Value() : emitIsUnitStride(b, out);
    if (!hasUnitStride(out) && !isUnit)
      return rewriter.notifyMatchFailure(op, "no unit stride");

    if (op.getBuckets().empty()) {
      emitRows(b, op, isUnit, channels);
    } else {
      // A product of all buckets and rows, unless a row holds what a weight of
      // 0 does not take away.
      b.when(
          emitAllFinite(b, op.getTables(), channels),
          [&] { emitRows(b, op, isUnit, channels); },
          [&] { emitFinishLoops(b, op); });
    }
    b.freeScratch();
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Whether all elements of the tables are finite.
  static Value emitAllFinite(KernelBuilder &b, ValueRange tables,
                             int64_t channels) {
    int64_t whole = channels / b.lanes * b.lanes;
    Value sum = b.splat(0.0f), rest = b.f32(0.0f);
    Value none = b.splat(0.0f), zero = b.index(0);
    for (Value table : tables) {
      SmallVector<Value> sums = b.loop(
          zero, b.dim(table, 0), 1, {sum, rest},
          [&](Value c, ValueRange carried) -> SmallVector<Value> {
            // 0 times what is not finite is NaN.
            Value vectors = carried[0], scalars = carried[1];
            if (whole)
              vectors =
                  b.loop(zero, b.index(whole), b.lanes, vectors,
                         [&](Value d, ValueRange inner) {
                           return SmallVector<Value>{b.fma(
                               b.loadVector(table, {c, d}), none, inner[0])};
                         })[0];
            if (whole < channels)
              scalars =
                  b.loop(b.index(whole), b.index(channels), 1, scalars,
                         [&](Value d, ValueRange inner) {
                           Value product =
                               b.mulf(b.load(table, {c, d}), b.f32(0.0f));
                           return SmallVector<Value>{b.addf(inner[0], product)};
                         })[0];
            return {vectors, scalars};
          });
      sum = sums[0];
      rest = sums[1];
    }
    return b.compare(arith::CmpFPredicate::OEQ, b.addf(b.sumLanes(sum), rest),
                     b.f32(0.0f));
  }

  /// A result, scalar or vector, in the type that `out` has.
  static Value toElement(KernelBuilder &b, FinishOp op, Value x) {
    Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
    if (element.isF32())
      return x;
    Type type = element;
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      type = vector.clone(element);
    return arith::TruncFOp::create(b, type, x);
  }

  /// Six rows at a time, in vectors of channels.
  void emitRows(KernelBuilder &b, FinishOp op, Value isUnit,
                int64_t channels) const {
    Value out = op.getOut();
    Value zero = b.index(0), rows = b.dim(out, 0);
    int64_t lanes = b.lanes, whole = channels / lanes * lanes;
    Value factors = b.scratch({b.getIndexAttr(numRows)});
    Value unitOut = isUnit ? emitUnitStride(b, out) : out;
    b.loop(zero, rows, numRows, [&](Value first) {
      SmallVector<Value> row;
      for (int64_t x = 0; x < numRows; ++x)
        row.push_back(b.min(b.add(first, x), b.sub(rows, 1)));
      b.loop(zero, b.index(numRows), 1, [&](Value x) {
        Value p = b.min(b.add(first, x), b.sub(rows, 1));
        b.store(emitFactor(b, op, p), factors, {x});
      });
      // A row that keeps nothing gives zeros, whatever its sums hold.
      auto scale = [&](int64_t x, Value sum, Value none) {
        Value factor = b.load(factors, {b.index(x)});
        Value live = b.compare(arith::CmpFPredicate::UNE, factor, b.f32(0.0f));
        if (isa<VectorType>(sum.getType()))
          factor = b.broadcast(factor);
        return toElement(b, op, b.select(live, b.mulf(sum, factor), none));
      };
      auto emitVectors = [&](Value d, int64_t vectors) {
        Accumulators sums;
        for (int64_t i = 0; i < numRows * vectors; ++i)
          sums.push_back(b.loadVector(
              op.getO(), {row[i / vectors], b.add(d, i % vectors * lanes)}));
        for (auto pair : llvm::zip(op.getBuckets(), op.getTables())) {
          Value weights = std::get<0>(pair), table = std::get<1>(pair);
          sums = emitProduct(
              b, zero, b.dim(weights, 1), vectors, sums,
              [&](Value c, int64_t x) { return b.load(weights, {row[x], c}); },
              [&](Value c, int64_t y) {
                return b.loadVector(table, {c, b.add(d, y * lanes)});
              });
        }
        for (int64_t i = 0; i < numRows * vectors; ++i) {
          Value result = scale(i / vectors, sums[i], b.splat(0.0f));
          Value p = row[i / vectors], c = b.add(d, i % vectors * lanes);
          auto store = [&] { b.storeVector(result, unitOut, {p, c}); };
          if (!isUnit) {
            store();
            continue;
          }
          b.when(isUnit, store, [&] {
            for (int64_t lane = 0; lane < lanes; ++lane)
              b.store(vector::ExtractOp::create(b, result, lane), out,
                      {p, b.add(c, lane)});
          });
        }
      };
      int64_t vectors = target.vectorsPerRow(), width = vectors * lanes;
      int64_t wide = whole / width * width;
      if (op.getBuckets().empty()) {
        // Nothing to keep in registers.
        vectors = 1, width = lanes, wide = whole;
      }
      if (wide)
        b.loop(zero, b.index(wide), width,
               [&](Value d) { emitVectors(d, vectors); });
      if (wide < whole)
        emitVectors(b.index(wide), (whole - wide) / lanes);
      if (whole < channels)
        b.loop(b.index(whole), b.index(channels), 1, [&](Value d) {
          for (int64_t x = 0; x < numRows; ++x) {
            Value sum = b.load(op.getO(), {row[x], d});
            for (auto pair : llvm::zip(op.getBuckets(), op.getTables())) {
              Value weights = std::get<0>(pair), table = std::get<1>(pair);
              sum = b.loop(
                  zero, b.dim(weights, 1), 1, sum,
                  [&](Value c, ValueRange values) {
                    Value product = b.mulf(b.load(weights, {row[x], c}),
                                           b.load(table, {c, d}));
                    return SmallVector<Value>{b.addf(values[0], product)};
                  })[0];
            }
            b.store(scale(x, sum, b.f32(0.0f)), out, {row[x], d});
          }
        });
    });
  }

  /// What the sums of a row are multiplied with, 0 for a row that keeps
  /// nothing; writes the log-sum-exp.
  static Value emitFactor(KernelBuilder &b, FinishOp op, Value p) {
    Value m = b.load(op.getM(), {p}), l = b.load(op.getL(), {p});
    // Written so that a NaN is a row with a pair.
    Value live = b.compare(arith::CmpFPredicate::UNE, l, b.f32(0.0f));
    if (op.getKeep())
      live = b.both(live, b.load(op.getKeep(), {p}));
    if (op.getLse()) {
      Value log2 = b.addf(m, math::Log2Op::create(b, l));
      Value lse = b.mulf(b.f32(llvm::numbers::ln2f), log2);
      // The weights of an infinite score are no numbers, but their sum is.
      Value infinity = b.f32(std::numeric_limits<float>::infinity());
      lse = b.select(b.compare(arith::CmpFPredicate::OEQ, m, infinity),
                     infinity, lse);
      Value none = b.f32(-std::numeric_limits<float>::infinity());
      b.store(b.select(live, lse, none), op.getLse(), {p});
    }
    Value sum = l;
    if (op.getSink()) {
      Value sink = b.mulf(op.getSink(), b.f32(llvm::numbers::log2ef));
      sum = b.addf(sum, math::Exp2Op::create(b, b.subf(sink, m)));
    }
    return b.select(live, arith::DivFOp::create(b, b.f32(1.0f), sum),
                    b.f32(0.0f));
  }

  const CpuTarget &target;
};
} // namespace

void cpu::populateFinishPatterns(RewritePatternSet &patterns,
                                 const CpuTarget &target,
                                 PatternBenefit benefit) {
  patterns.add<LowerFinish>(patterns.getContext(), target, benefit);
}
