//===- Pack.cpp - Packed rows and columns ---------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel.h"
#include "Patterns.h"
#include "posenc/Reference/ScalarEmitter.h"
#include <numeric>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

namespace {
/// A table of rows, and how its channels are read: by vectors where its
/// innermost stride is 1, which may show only as it runs.
struct Source {
  Value table, unit; // the table, and itself with a unit stride (or null)
  Value isUnit;      // null: as `unit` says

  Source(KernelBuilder &b, Value table) : table(table) {
    if (hasUnitStride(table)) {
      unit = table;
      return;
    }
    isUnit = emitIsUnitStride(b, table);
    if (isUnit)
      unit = emitUnitStride(b, table);
  }
};

/// Emits rows of a pack op.
class RowEmitter {
public:
  RowEmitter(KernelBuilder &b, PackOp op) : b(b), op(op) {
    for (Value table : op.getSources())
      sources.emplace_back(b, table);
    channels = cast<MemRefType>(op.getSources()[0].getType()).getShape().back();
  }

  int64_t getChannels() const { return channels; }

  /// The row of integer i, into the channels of `to` from `channel` on.
  LogicalResult emit(Value i, Value to, Value row, int64_t channel);
  /// Zeros there.
  void emitZeros(Value to, Value row, int64_t channel, int64_t end);

private:
  /// store(channel, element) for all channels in [from, to), by vectors and
  /// one by one at the end.
  void forChannels(int64_t from, int64_t to, bool vectors,
                   function_ref<void(Value, bool)> body) {
    int64_t whole = vectors ? (to - from) / b.lanes * b.lanes : 0;
    if (whole)
      b.loop(b.index(from), b.index(from + whole), b.lanes,
             [&](Value c) { body(c, true); });
    if (from + whole < to)
      b.loop(b.index(from + whole), b.index(to), 1,
             [&](Value c) { body(c, false); });
  }
  Value load(Value table, ValueRange row, Value c, bool vector) {
    SmallVector<Value> at(row);
    at.push_back(c);
    return b.loadPart(table, at, vector);
  }
  void emitRotated(const Source &source, ValueRange row, Value i, bool vectors,
                   function_ref<void(Value, Value, bool)> store);

  KernelBuilder &b;
  PackOp op;
  SmallVector<Source> sources;
  int64_t channels;
};
} // namespace

void RowEmitter::emitZeros(Value to, Value row, int64_t channel, int64_t end) {
  forChannels(channel, end, true, [&](Value c, bool vector) {
    b.storePart(b.zeroPart(vector), to, {row, c});
  });
}

void RowEmitter::emitRotated(const Source &source, ValueRange row, Value i,
                             bool vectors,
                             function_ref<void(Value, Value, bool)> store) {
  RopeAttr rope = op.getRopeAttr();
  int64_t start = rope.getStart(), width = rope.getRotatedWidth(channels);
  bool half = rope.getLayout() == RopeLayout::Half;
  Value table = vectors ? source.unit : source.table;
  auto copy = [&](int64_t from, int64_t to) {
    forChannels(from, to, vectors, [&](Value c, bool vector) {
      store(load(table, row, c, vector), c, vector);
    });
  };
  copy(0, start);
  // Neighbours that turn together are left to LLVM's vectorizer.
  forChannels(0, width / 2, vectors && half, [&](Value pair, bool vector) {
    Value first = b.add(half ? pair : b.mul(pair, 2), start);
    Value second = b.add(first, half ? width / 2 : 1);
    Value x = load(table, row, first, vector);
    Value y = load(table, row, second, vector);
    Value cos = load(op.getCos(), i, pair, vector);
    Value sin = load(op.getSin(), i, pair, vector);
    store(b.subf(b.mulf(x, cos), b.mulf(y, sin)), first, vector);
    store(b.addf(b.mulf(y, cos), b.mulf(x, sin)), second, vector);
  });
  copy(start + width, channels);
}

LogicalResult RowEmitter::emit(Value i, Value to, Value row, int64_t channel) {
  FailureOr<SmallVector<Value>> yielded =
      reference::emitScalarBlock(b, op.getBody().front(), i, b.getF32Type());
  if (failed(yielded))
    return failure();
  ArrayRef<Value> rest = *yielded;
  auto take = [&](size_t n) {
    ArrayRef<Value> front = rest.take_front(n);
    rest = rest.drop_front(n);
    return front;
  };
  SmallVector<ArrayRef<Value>> rows;
  SmallVector<Value> inside;
  for (const Source &source : sources) {
    rows.push_back(
        take(cast<MemRefType>(source.table.getType()).getRank() - 1));
    inside.push_back(emitInside(b, source.table, rows.back()));
  }
  Value scale = op.getScaled() ? take(1)[0] : Value();
  Value isThere = op.getConditional() ? take(1)[0] : Value();
  Value scales = scale ? b.broadcast(scale) : Value();

  for (auto [number, source] : llvm::enumerate(sources)) {
    auto store = [&](Value x, Value c, bool vector) {
      SmallVector<Value> at{row, b.add(c, channel)};
      if (scale)
        x = b.mulf(x, vector ? scales : scale);
      if (number)
        x = b.addf(x, b.loadPart(to, at, vector));
      b.storePart(x, to, at);
    };
    auto emitWith = [&](bool vectors) {
      if (!number && op.getRopeAttr())
        return emitRotated(source, rows[number], i, vectors, store);
      forChannels(0, channels, vectors, [&](Value c, bool vector) {
        Value table = vectors ? source.unit : source.table;
        store(load(table, rows[number], c, vector), c, vector);
      });
    };
    auto emitRow = [&] {
      if (source.isUnit)
        b.when(
            source.isUnit, [&] { emitWith(true); }, [&] { emitWith(false); });
      else
        emitWith(bool(source.unit));
    };
    auto emitNone = [&] {
      if (!number)
        emitZeros(to, row, channel, channel + channels);
    };
    Value runs = b.both(isThere, inside[number]);
    if (runs)
      b.when(runs, emitRow, emitNone);
    else
      emitRow();
  }
  return success();
}

namespace {
struct LowerPack : OpRewritePattern<PackOp> {
  LowerPack(MLIRContext *context, const CpuTarget &target,
            PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(PackOp op,
                                PatternRewriter &rewriter) const override {
    Value dest = op.getDest();
    auto type = cast<MemRefType>(dest.getType());
    if (!hasUnitStride(dest))
      return rewriter.notifyMatchFailure(op, "no unit stride");
    if (ShapedType::isDynamic(type.getDimSize(1)) ||
        (type.getRank() == 3 && ShapedType::isDynamic(type.getDimSize(2))))
      return rewriter.notifyMatchFailure(op, "channels or panels of any size");
    if (failed(type.getRank() == 2 ? packRows(op, rewriter)
                                   : packColumns(op, rewriter)))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }

private:
  LogicalResult packRows(PackOp op, PatternRewriter &rewriter) const {
    KernelBuilder b(rewriter, op.getLoc(), target, target.lanes);
    RowEmitter rows(b, op);
    Value dest = op.getDest();
    int64_t channel = op.getChannel();
    int64_t end = channel + rows.getChannels();
    int64_t all = cast<MemRefType>(dest.getType()).getDimSize(1);
    LogicalResult result = success();
    Value numThere = b.sub(op.getHi(), op.getLo());
    b.loop(b.index(0), b.dim(dest, 0), 1, [&](Value row) {
      b.when(
          b.less(row, numThere),
          [&] {
            result = rows.emit(b.add(op.getLo(), row), dest, row, channel);
            rows.emitZeros(dest, row, end, all);
          },
          [&] { rows.emitZeros(dest, row, channel, all); });
    });
    return result;
  }

  /// A few rows at a time to a buffer, and transposed from there.
  LogicalResult packColumns(PackOp op, PatternRewriter &rewriter) const {
    Value dest = op.getDest();
    auto type = cast<MemRefType>(dest.getType());
    int64_t width = type.getDimSize(2), all = type.getDimSize(1);
    KernelBuilder b(rewriter, op.getLoc(), target,
                    std::gcd(width, target.lanes));
    RowEmitter rows(b, op);
    int64_t lanes = b.lanes, channel = op.getChannel();
    int64_t channels = rows.getChannels();
    int64_t whole = channels / lanes * lanes;
    // A line more than the channels: rows a multiple of 4 KB apart would fall
    // into the same set of the cache.
    Value piece =
        b.scratch({b.getIndexAttr(lanes), b.getIndexAttr(whole + lanes + 16)});
    LogicalResult result = success();
    Value numThere = b.sub(op.getHi(), op.getLo());
    Value end = b.mul(b.dim(dest, 0), width);
    b.loop(b.index(0), end, lanes, [&](Value column) {
      Value panel = b.div(column, width), lane = b.rem(column, width);
      b.loop(b.index(0), b.index(lanes), 1, [&](Value row) {
        Value i = b.add(column, row);
        b.when(
            b.less(i, numThere),
            [&] { result = rows.emit(b.add(op.getLo(), i), piece, row, 0); },
            [&] { rows.emitZeros(piece, row, 0, channels); });
      });
      if (whole)
        b.loop(b.index(0), b.index(whole), lanes, [&](Value c) {
          SmallVector<Value> vectors;
          for (int64_t row = 0; row < lanes; ++row)
            vectors.push_back(b.loadVector(piece, {b.index(row), c}));
          for (auto [i, vector] : llvm::enumerate(emitTranspose(b, vectors)))
            b.storeVector(vector, dest,
                          {panel, b.add(b.add(c, i), channel), lane});
        });
      if (whole < channels)
        b.loop(b.index(whole), b.index(channels), 1, [&](Value c) {
          b.loop(b.index(0), b.index(lanes), 1, [&](Value row) {
            b.store(b.load(piece, {row, c}), dest,
                    {panel, b.add(c, channel), b.add(lane, row)});
          });
        });
      if (channel + channels < all)
        b.loop(b.index(channel + channels), b.index(all), 1, [&](Value c) {
          b.storeVector(b.splat(0.0f), dest, {panel, c, lane});
        });
    });
    b.freeScratch();
    return result;
  }

  const CpuTarget &target;
};
} // namespace

void cpu::populatePackPatterns(RewritePatternSet &patterns,
                               const CpuTarget &target,
                               PatternBenefit benefit) {
  patterns.add<LowerPack>(patterns.getContext(), target, benefit);
}
