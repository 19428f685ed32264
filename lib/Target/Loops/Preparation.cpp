//===- Preparation.cpp - All ops but the sweep as loops -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBuilder.h"
#include "dialects/PosEncTile/PosEncTile.h"
#include "posenc/Reference/ScalarEmitter.h"
#include "posenc/Target/Loops.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::tile;

/// What the region of an op yields for some integers.
static FailureOr<SmallVector<Value>> evaluate(LoopBuilder &b, Region &region,
                                              ValueRange integers) {
  return reference::emitScalarBlock(b, region.front(), integers,
                                    b.getF32Type());
}

namespace {
//===----------------------------------------------------------------------===//
// posenc_tile.fill
//===----------------------------------------------------------------------===//

struct FillLowering : OpRewritePattern<FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FillOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> integers;
    if (failed(fill(b, op, integers)))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Fills the part where the first ranges have the values `integers`.
  static LogicalResult fill(LoopBuilder &b, FillOp op,
                            SmallVector<Value> &integers) {
    unsigned range = integers.size();
    if (range < op.getLbs().size()) {
      LogicalResult result = success();
      b.forEach(op.getLbs()[range], op.getUbs()[range], [&](Value x) {
        integers.push_back(x);
        result = fill(b, op, integers);
      });
      return result;
    }
    FailureOr<SmallVector<Value>> element = evaluate(b, op.getBody(), integers);
    if (failed(element))
      return failure();
    SmallVector<Value> at;
    for (auto [x, lo] : llvm::zip(integers, op.getLbs()))
      at.push_back(b.sub(x, lo));
    b.store(element->front(), op.getDest(), at);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// posenc_tile.angles
//===----------------------------------------------------------------------===//

struct AnglesLowering : OpRewritePattern<AnglesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AnglesOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    int64_t pairs = cast<MemRefType>(op.getCos().getType()).getDimSize(1);
    RopeAttr rope = op.getRope();
    Value freqs = op.getFreqs();
    if (op.getLength()) {
      freqs =
          memref::AllocOp::create(b, MemRefType::get(pairs, b.getF64Type()));
      b.forEach(b.index(pairs), [&](Value pair) {
        b.store(
            reference::emitFrequency(b, rope, 2 * pairs, op.getLength(), pair),
            freqs, pair);
      });
    }
    reference::AngleEmitter angles(b, rope, 2 * pairs, freqs, op.getCosTable(),
                                   op.getSinTable());
    LogicalResult result = success();
    b.forEach(op.getHi(), [&](Value i) {
      auto positionOf = [&](ValueRange integers) -> Value {
        FailureOr<SmallVector<Value>> position =
            evaluate(b, op.getBody(), integers);
        result = position;
        return succeeded(position) ? position->front() : Value();
      };
      bool hasAxes = op.getBody().getNumArguments() > 1;
      Value position = hasAxes ? Value() : positionOf(i);
      if (failed(result))
        return;
      b.forEach(b.index(pairs), [&](Value pair) {
        if (hasAxes)
          position = positionOf({i, angles.emitAxis(b, pair)});
        if (failed(result))
          return;
        auto [cos, sin] = angles.emit(b, position, pair);
        b.store(cos, op.getCos(), {i, pair});
        b.store(sin, op.getSin(), {i, pair});
      });
    });
    if (failed(result))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    if (op.getLength())
      memref::DeallocOp::create(b, freqs);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// posenc_tile.scan
//===----------------------------------------------------------------------===//

struct ScanLowering : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    Value rowLo = op.getLbs()[0], rowHi = op.getUbs()[0];
    Value keyLo = op.getLbs()[1], keyHi = op.getUbs()[1];
    LogicalResult result = success();
    b.forEach(rowLo, rowHi, [&](Value r) {
      Value row = b.sub(r, rowLo);
      Value last = b.sub(keyHi, b.index(1));
      b.accumulate(b.sub(keyHi, keyLo), b.real(0), [&](Value t, Value sum) {
        Value j = b.sub(last, t);
        FailureOr<SmallVector<Value>> pair = evaluate(b, op.getBody(), {r, j});
        result = pair;
        if (failed(pair))
          return sum;
        sum = b.select((*pair)[1], b.add(sum, (*pair)[0]), sum);
        b.store(sum, op.getDest(), {row, b.sub(j, keyLo)});
        return sum;
      });
    });
    if (failed(result))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// posenc_tile.pack
//===----------------------------------------------------------------------===//

/// A row of a source of posenc_tile.pack.
struct SourceRow {
  Value table;
  SmallVector<Value> indices;
  Value inside;

  Value load(LoopBuilder &b, Value channel) const {
    SmallVector<Value> at(indices);
    at.push_back(channel);
    return b.load(table, at);
  }
  /// Zero outside the table.
  Value loadOrZero(LoopBuilder &b, Value channel) const {
    return b.ifElse(inside, b.real(0), [&] { return load(b, channel); });
  }
};

struct PackLowering : OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PackOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    Packed dest(op.getDest());
    Value count = b.sub(op.getHi(), op.getLo());
    LogicalResult result = success();
    b.forEach(dest.getCount(b), [&](Value vector) {
      auto store = [&](Value value, Value channel) {
        b.store(value, op.getDest(), dest.at(b, vector, channel));
      };
      // Zeros, where nothing comes after.
      b.forEach(b.index(op.getChannel()),
                b.index(getPackedChannels(op.getDest())),
                [&](Value channel) { store(b.real(0), channel); });
      b.ifThen(b.compare(vector, LoopBuilder::IntPredicate::slt, count),
               [&] { result = pack(b, op, b.add(op.getLo(), vector), store); });
    });
    if (failed(result))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Packs the row of integer i.
  static LogicalResult pack(LoopBuilder &b, PackOp op, Value i,
                            function_ref<void(Value, Value)> store) {
    FailureOr<SmallVector<Value>> yielded = evaluate(b, op.getBody(), i);
    if (failed(yielded))
      return failure();
    ArrayRef<Value> rest = *yielded;
    auto take = [&](size_t n) {
      ArrayRef<Value> front = rest.take_front(n);
      rest = rest.drop_front(n);
      return front;
    };
    SmallVector<SourceRow> rows;
    for (Value table : op.getSources()) {
      ArrayRef<Value> indices =
          take(cast<MemRefType>(table.getType()).getRank() - 1);
      rows.push_back(
          {table, SmallVector<Value>(indices), emitInside(b, table, indices)});
    }
    Value scale = op.getScaled() ? take(1)[0] : Value();
    Value isThere = op.getConditional() ? take(1)[0] : Value();

    auto finish = [&](Value x, Value channel) {
      for (const SourceRow &row : llvm::drop_begin(rows))
        x = b.add(x, row.loadOrZero(b, channel));
      store(scale ? b.mul(scale, x) : x,
            b.add(b.index(op.getChannel()), channel));
    };
    auto copy = [&](int64_t from, int64_t to) {
      b.forEach(b.index(from), b.index(to), [&](Value channel) {
        finish(rows[0].loadOrZero(b, channel), channel);
      });
    };
    b.ifThen(isThere, [&] {
      int64_t channels =
          cast<MemRefType>(rows[0].table.getType()).getShape().back();
      RopeAttr rope = op.getRopeAttr();
      if (!rope)
        return copy(0, channels);
      int64_t start = rope.getStart();
      int64_t width = rope.getRotatedWidth(channels);
      copy(0, start);
      turn(b, op, rows[0], i, width, finish);
      copy(start + width, channels);
    });
    return success();
  }

  /// The channels that rotate.
  static void turn(LoopBuilder &b, PackOp op, const SourceRow &row, Value i,
                   int64_t width, function_ref<void(Value, Value)> finish) {
    RopeAttr rope = op.getRopeAttr();
    bool half = rope.getLayout() == RopeLayout::Half;
    Value start = b.index(rope.getStart());
    b.forEach(b.index(width / 2), [&](Value pair) {
      Value first = b.add(start, half ? pair : b.mul(pair, b.index(2)));
      Value second = b.add(first, b.index(half ? width / 2 : 1));
      Value zero = b.real(0);
      SmallVector<Value> turned = emitGuarded(
          b, row.inside, ValueRange{zero, zero}, [&]() -> SmallVector<Value> {
            Value x = row.load(b, first), y = row.load(b, second);
            Value cos = b.load(op.getCos(), {i, pair});
            Value sin = b.load(op.getSin(), {i, pair});
            return {b.sub(b.mul(x, cos), b.mul(y, sin)),
                    b.add(b.mul(y, cos), b.mul(x, sin))};
          });
      finish(turned[0], first);
      finish(turned[1], second);
    });
  }
};

//===----------------------------------------------------------------------===//
// posenc_tile.product, posenc_tile.strip, posenc_tile.skew
//===----------------------------------------------------------------------===//

struct ProductLowering : OpRewritePattern<ProductOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ProductOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    Packed columns(op.getColumns()), dest(op.getDest());
    Value destColumns =
        dest.hasPanels() ? dest.getCount(b) : b.size(op.getDest(), 1);
    Value numRows = b.min(b.size(op.getRows(), 0),
                          b.size(op.getDest(), dest.hasPanels() ? 1 : 0));
    Value numColumns = b.min(columns.getCount(b), destColumns);
    b.forEach(numRows, [&](Value r) {
      b.forEach(numColumns, [&](Value c) {
        Value sum = b.accumulate(
            b.size(op.getRows(), 1), b.real(0), [&](Value t, Value sum) {
              Value x = b.load(op.getRows(), {r, t});
              Value y = b.load(op.getColumns(), columns.at(b, c, t));
              return b.add(sum, b.mul(x, y));
            });
        SmallVector<Value> at{r, c};
        if (dest.hasPanels())
          at = dest.at(b, c, r);
        b.store(sum, op.getDest(), at);
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct StripLowering : OpRewritePattern<StripOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StripOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    Value length =
        b.min(b.size(op.getRowNumbers(), 0), b.size(op.getStrip(), 1));
    b.forEach(b.size(op.getStrip(), 0), [&](Value r) {
      b.forEach(length, [&](Value x) {
        Value column = b.load(op.getRowNumbers(), x);
        Value element = b.loadOr(b.real(0), op.getProducts(), {r, column});
        b.store(element, op.getStrip(), {r, x});
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct SkewLowering : OpRewritePattern<SkewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SkewOp op,
                                PatternRewriter &rewriter) const override {
    LoopBuilder b(op.getLoc(), rewriter);
    b.forEach(b.size(op.getTile(), 0), [&](Value r) {
      b.forEach(b.size(op.getTile(), 1), [&](Value l) {
        Value entry = b.sub(b.add(op.getFrom(), l), r);
        // There is no row -1.
        Value row = b.loadOr(b.index(-1), op.getRowNumbers(), entry);
        Value element = b.loadOr(b.real(0), op.getProducts(), {row, l});
        b.store(element, op.getTile(), {r, l});
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// posenc_tile.finish
//===----------------------------------------------------------------------===//

struct FinishLowering : OpRewritePattern<FinishOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FinishOp op,
                                PatternRewriter &rewriter) const override {
    emitFinishLoops(rewriter, op);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

/// A channel of o[p, :] with the rows of the tables by their weights. A
/// weight of 0 adds nothing, whatever its row holds.
static Value weighValues(LoopBuilder &b, FinishOp op, Value p, Value channel) {
  Value o = b.load(op.getO(), {p, channel});
  for (auto pair : llvm::zip(op.getBuckets(), op.getTables())) {
    Value weights = std::get<0>(pair), table = std::get<1>(pair);
    o = b.accumulate(b.size(weights, 1), o, [&](Value c, Value sum) {
      Value weight = b.load(weights, {p, c});
      return b.ifElse(b.isNotZero(weight), sum, [&] {
        return b.add(sum, b.mul(weight, b.load(table, {c, channel})));
      });
    });
  }
  return o;
}

void posenc::emitFinishLoops(OpBuilder &builder, FinishOp op) {
  LoopBuilder b(op.getLoc(), builder);
  b.forEach(b.size(op.getOut(), 0), [&](Value p) {
    Value m = b.load(op.getM(), p), l = b.load(op.getL(), p);
    // Written so that a NaN is a row with a pair.
    Value isLive = b.isNotZero(l);
    if (op.getKeep())
      isLive = b.both(isLive, b.load(op.getKeep(), p));
    Value sum = l;
    if (op.getSink()) {
      Value sink = b.mul(op.getSink(), b.real(llvm::numbers::log2e));
      sum = b.add(l, b.exp2(b.sub(sink, m)));
    }
    b.forEach(b.size(op.getOut(), 1), [&](Value channel) {
      Value result = b.ifElse(isLive, b.real(0), [&]() -> Value {
        Value o = weighValues(b, op, p, channel);
        return arith::DivFOp::create(b, o, sum);
      });
      b.store(result, op.getOut(), {p, channel});
    });
    if (op.getLse()) {
      Value log2 = b.add(m, math::Log2Op::create(b, l));
      Value lse = b.mul(b.real(llvm::numbers::ln2), log2);
      // The weights of an infinite score are no numbers, but their sum is.
      Value infinity = b.real(std::numeric_limits<double>::infinity());
      lse = b.select(b.compare(m, arith::CmpFPredicate::OEQ, infinity),
                     infinity, lse);
      Value none = b.real(-std::numeric_limits<double>::infinity());
      b.store(b.select(isLive, lse, none), op.getLse(), p);
    }
  });
}

void posenc::populateTileToLoopsPatterns(RewritePatternSet &patterns,
                                         PatternBenefit benefit) {
  patterns.add<AnglesLowering, FillLowering, FinishLowering, PackLowering,
               ProductLowering, ScanLowering, SkewLowering, StripLowering>(
      patterns.getContext(), benefit);
  populateMergeToLoopsPatterns(patterns, benefit);
  populateSweepToLoopsPatterns(patterns, benefit);
}
