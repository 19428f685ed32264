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
    numRows = b.sub(op.getHi(), op.getLo());
  }

  int64_t getChannels() const { return channels; }

  /// The row of integer i, into the channels of `to` from `channel` on.
  LogicalResult emit(Value i, Value to, Value row, int64_t channel);
  /// Row p of the packed matrix, zeros if there is none, with zeros from the
  /// channels of the sources on up to `end`.
  LogicalResult emitOrZeros(Value p, Value to, Value row, int64_t channel,
                            int64_t end);
  /// Zeros there.
  void emitZeros(Value to, Value row, int64_t channel, int64_t end);

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

private:
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
  Value numRows; // that there are
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

LogicalResult RowEmitter::emitOrZeros(Value p, Value to, Value row,
                                      int64_t channel, int64_t end) {
  LogicalResult result = success();
  b.when(
      b.less(p, numRows),
      [&] {
        result = emit(b.add(op.getLo(), p), to, row, channel);
        emitZeros(to, row, channel + channels, end);
      },
      [&] { emitZeros(to, row, channel, end); });
  return result;
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
    int64_t rank = type.getRank();
    if (!hasUnitStride(dest) || (rank == 4 && !hasAdjacentPairs(dest)))
      return rewriter.notifyMatchFailure(op, "no unit stride");
    if (ShapedType::isDynamic(type.getDimSize(1)) ||
        (rank > 2 && ShapedType::isDynamic(type.getDimSize(2))))
      return rewriter.notifyMatchFailure(op, "channels or panels of any size");
    if (rank == 3 && !type.getElementType().isF32() && !isTwoByTwo(op))
      return rewriter.notifyMatchFailure(op, "columns of halves");
    if (rank == 4 && op.getChannel() % 2)
      return rewriter.notifyMatchFailure(op, "channels between pairs");
    if (failed(rank == 2        ? packRows(op, rewriter)
               : isTwoByTwo(op) ? packTwoByTwo(op, rewriter)
                                : packColumns(op, rewriter)))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// What rows are emitted to, before they go to columns. Several sources are
  /// added there, and rounded after that.
  static Value makePiece(KernelBuilder &b, PackOp op, int64_t rows,
                         int64_t channels) {
    bool isSum = op.getSources().size() > 1;
    auto type = cast<MemRefType>(op.getDest().getType());
    return b.scratch(isSum ? b.getF32Type() : type.getElementType(),
                     {b.getIndexAttr(rows), b.getIndexAttr(channels)});
  }

  /// `count` * b.lanes elements of a piece, as bf16.
  static Value loadRounded(KernelBuilder &b, Value piece, Value row, Value c,
                           int64_t count) {
    auto type = cast<MemRefType>(piece.getType());
    Type bf16 = b.getBF16Type();
    auto halves = VectorType::get({count * b.lanes}, bf16);
    if (!type.getElementType().isF32())
      return vector::LoadOp::create(b, halves, piece, ValueRange{row, c});
    Value x = vector::LoadOp::create(
        b, VectorType::get({count * b.lanes}, b.getF32Type()), piece,
        ValueRange{row, c});
    return arith::TruncFOp::create(b, halves, x);
  }

  LogicalResult packRows(PackOp op, PatternRewriter &rewriter) const {
    KernelBuilder b(rewriter, op.getLoc(), target, target.lanes);
    RowEmitter rows(b, op);
    Value dest = op.getDest();
    auto type = cast<MemRefType>(dest.getType());
    int64_t channel = op.getChannel(), all = type.getDimSize(1);
    bool isSum = op.getSources().size() > 1;
    bool isRounded = isSum && !type.getElementType().isF32();
    Value piece = isRounded ? makePiece(b, op, 1, all) : dest;
    LogicalResult result = success();
    b.loop(b.index(0), b.dim(dest, 0), 1, [&](Value row) {
      Value to = isRounded ? b.index(0) : row;
      result = rows.emitOrZeros(row, piece, to, channel, all);
      if (isRounded)
        rows.forChannels(channel, all, true, [&](Value c, bool vector) {
          b.storePart(b.loadPart(piece, {to, c}, vector), dest, {row, c});
        });
    });
    b.freeScratch();
    return result;
  }

  /// A few rows at a time to a piece, and transposed from there; of pairs, both
  /// elements as one.
  LogicalResult packColumns(PackOp op, PatternRewriter &rewriter) const {
    Value dest = op.getDest();
    auto type = cast<MemRefType>(dest.getType());
    int64_t width = type.getDimSize(2), all = type.getDimSize(1);
    bool hasPairs = type.getRank() == 4;
    int64_t unit = hasPairs ? 2 : 1;
    KernelBuilder b(rewriter, op.getLoc(), target,
                    std::gcd(width, target.lanes));
    RowEmitter rows(b, op);
    if (hasPairs)
      dest = emitPairsInRows(b, dest);
    // Counted in units from here on.
    int64_t lanes = b.lanes, first = op.getChannel() / unit;
    int64_t count = llvm::divideCeil(rows.getChannels(), unit);
    int64_t whole = count / lanes * lanes;
    // A line more than the channels: rows a multiple of 4 KB apart would fall
    // into the same set of the cache.
    Value piece = makePiece(b, op, lanes, (whole + lanes) * unit + 16);
    LogicalResult result = success();
    Value end = b.mul(b.dim(dest, 0), width);
    b.loop(b.index(0), end, lanes, [&](Value column) {
      Value panel = b.div(column, width), lane = b.rem(column, width);
      auto store = [&](Value x, Value row) {
        if (hasPairs)
          x = b.asHalves(x);
        b.storeVector(x, dest, {panel, row, b.mul(lane, unit)});
      };
      b.loop(b.index(0), b.index(lanes), 1, [&](Value row) {
        result =
            rows.emitOrZeros(b.add(column, row), piece, row, 0, count * unit);
      });
      auto transpose = [&](Value c, int64_t numStored) {
        SmallVector<Value> vectors;
        for (int64_t row = 0; row < lanes; ++row) {
          Value at = b.index(row);
          if (!hasPairs) {
            vectors.push_back(b.loadVector(piece, {at, c}));
            continue;
          }
          vectors.push_back(
              b.asPairs(loadRounded(b, piece, at, b.mul(c, 2), 2)));
        }
        vectors = emitTranspose(b, vectors);
        for (int64_t i = 0; i < numStored; ++i)
          store(vectors[i], b.add(b.add(c, i), first));
      };
      if (whole)
        b.loop(b.index(0), b.index(whole), lanes,
               [&](Value c) { transpose(c, lanes); });
      if (whole < count)
        transpose(b.index(whole), count - whole);
      Value none = b.splat(hasPairs ? TypedAttr(b.getI32IntegerAttr(0))
                                    : b.getF32FloatAttr(0.0f));
      if (first + count < all)
        b.loop(b.index(first + count), b.index(all), 1,
               [&](Value c) { store(none, c); });
    });
    b.freeScratch();
    return result;
  }

  /// Whether columns are two by two, as values in pairs of keys are.
  static bool isTwoByTwo(PackOp op) {
    auto type = cast<MemRefType>(op.getDest().getType());
    return type.getRank() == 3 && hasAdjacentPairs(op.getDest()) &&
           type.getElementType().isBF16() && type.getDimSize(1) % 16 == 0 &&
           op.getChannel() == 0;
  }

  /// Their elements come by turns from one row and from the other.
  LogicalResult packTwoByTwo(PackOp op, PatternRewriter &rewriter) const {
    KernelBuilder b(rewriter, op.getLoc(), target, target.lanes);
    RowEmitter rows(b, op);
    int64_t all = cast<MemRefType>(op.getDest().getType()).getDimSize(1);
    Value dest = emitPairsInRows(b, op.getDest());
    Value piece = makePiece(b, op, 2, all);
    SmallVector<int64_t> byTurns;
    for (int64_t lane = 0; lane < b.lanes; ++lane)
      byTurns.append({lane, b.lanes + lane});
    LogicalResult result = success();
    b.loop(b.index(0), b.dim(dest, 0), 1, [&](Value panel) {
      for (int64_t row = 0; row < 2; ++row)
        result = rows.emitOrZeros(b.add(b.mul(panel, 2), row), piece,
                                  b.index(row), 0, all);
      b.loop(b.index(0), b.index(all), b.lanes, [&](Value c) {
        Value x = loadRounded(b, piece, b.index(0), c, 1);
        Value y = loadRounded(b, piece, b.index(1), c, 1);
        b.storeVector(vector::ShuffleOp::create(b, x, y, byTurns), dest,
                      {panel, b.mul(c, 2)});
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
