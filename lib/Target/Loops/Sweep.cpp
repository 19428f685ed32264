//===- Sweep.cpp - The sweep as loops over blocks, rows and keys ----------===//
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
#include <limits>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::tile;

namespace {
using Int = LoopBuilder::IntPredicate;
using Float = LoopBuilder::FloatPredicate;

/// Writes one sweep, pair by pair.
class SweepEmitter {
public:
  SweepEmitter(SweepOp op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter), b(op.getLoc(), rewriter),
        terms(op.getTermList()), buckets(op.getBucketList()) {}

  LogicalResult emit();

private:
  /// The keys [begin, end) of the block that begins at key n.
  struct Block {
    Value n, begin, end;
  };
  struct Pair {
    Value n, p, r, j, d;
  };

  void initialize();
  void finish();
  LogicalResult visitBlocks(function_ref<void(const Block &)> visit);
  LogicalResult prepareBlock(const Block &block);
  LogicalResult visitPair(const Pair &pair);
  /// The query row of row p of the tile.
  Value queryRow(Value p) {
    return op.getQueryRow() ? op.getQueryRow() : b.add(op.getRowLo(), p);
  }
  Value product(const Pair &pair);
  Value element(const SweepOp::Term &term, const Pair &pair);
  Value addTerms(TermUse use, Value y, const Pair &pair);
  Value addClassTerms(Value y, const Pair &pair);
  Value isUnmasked(const Pair &pair);
  void add(const Pair &pair, Value z, ArrayRef<Value> scoreBuckets);
  Value bucketOf(const SweepOp::Bucket &bucket, const Pair &pair,
                 ArrayRef<Value> &scoreBuckets);
  void forEachSum(Value p, function_ref<void(Value sums, ValueRange at)> body);

  SweepOp op;
  PatternRewriter &rewriter;
  LoopBuilder b;
  SmallVector<SweepOp::Term> terms;
  SmallVector<SweepOp::Bucket> buckets;
  /// 2^share is no less than the number of keys. Weights are relative to
  /// the maximum and the share: sums of finite products with values then stay
  /// finite.
  Value share;
};
} // namespace

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is subtracted for a maximum and a share, whose sum is rounded: a row of
/// -inf has no pair with a weight, and -inf - -inf would be a NaN.
static Value subtrahend(LoopBuilder &b, Value maximum, Value share) {
  return b.select(b.compare(maximum, Float::OEQ, b.real(-infinity)), b.real(0),
                  b.add(maximum, share));
}

LogicalResult SweepEmitter::emit() {
  initialize();
  LogicalResult result = success();
  Value numRows = b.sub(op.getRowHi(), op.getRowLo());
  LogicalResult visited = visitBlocks([&](const Block &block) {
    LogicalResult prepared = prepareBlock(block);
    b.forEach(numRows, [&](Value p) {
      Value r = queryRow(p);
      b.forEach(block.begin, block.end, [&](Value j) {
        result = visitPair({block.n, p, r, j, b.sub(j, r)});
      });
    });
    if (failed(prepared))
      result = failure();
  });
  finish();
  return success(succeeded(visited) && succeeded(result));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult
SweepEmitter::visitBlocks(function_ref<void(const Block &)> visit) {
  Value lo = op.getKeyLo(), hi = op.getKeyHi();
  Value one = b.index(1), size = b.index(op.getBlock());
  // The blocks from that of key lo up to that of key hi - 1. Keys are not
  // negative, unless there is none.
  Value last = b.sub(hi, one);
  Value lowest = b.div(lo, size), highest = b.div(last, size);
  Value isEmpty = b.compare(lo, Int::sge, hi);
  Value count =
      b.select(isEmpty, b.index(0), b.add(b.sub(highest, lowest), one));
  Value first = b.div(b.min(b.max(op.getFirst(), lo), last), size);

  LogicalResult result = success();
  b.forEach(count, [&](Value visited) {
    // After the first block all others ascend.
    Value other = b.sub(b.add(lowest, visited), one);
    Value isAfter = b.compare(other, Int::sge, first);
    other = b.select(isAfter, b.add(other, one), other);
    Value isFirst = b.compare(visited, Int::eq, b.index(0));
    Value n = b.mul(b.select(isFirst, first, other), size);
    Value holdsPairs;
    if (!op.getVisits().empty()) {
      FailureOr<SmallVector<Value>> yielded = reference::emitScalarBlock(
          b, op.getVisits().front(), n, b.getF32Type());
      if (failed(yielded)) {
        result = failure();
        return;
      }
      holdsPairs = yielded->front();
    }
    b.ifThen(holdsPairs,
             [&] { visit({n, b.max(n, lo), b.min(b.add(n, size), hi)}); });
  });
  return result;
}

LogicalResult SweepEmitter::prepareBlock(const Block &block) {
  if (op.getEachBlock().empty())
    return success();
  Value isNear;
  if (op.getNearLo()) {
    Value one = b.index(1);
    Value lastRow = b.sub(b.sub(op.getRowHi(), op.getRowLo()), one);
    Value least = b.sub(block.begin, queryRow(lastRow));
    Value greatest = b.sub(b.sub(block.end, one), queryRow(b.index(0)));
    isNear = b.both(b.compare(greatest, Int::sgt, op.getNearLo()),
                    b.compare(least, Int::slt, op.getNearHi()));
  }
  LogicalResult result = success();
  b.ifThen(isNear, [&] {
    mlir::Block *body = &op.getEachBlock().front();
    Operation *yield = body->getTerminator();
    auto scoreOps = llvm::to_vector(body->getOps<ScoreOpInterface>());
    rewriter.inlineBlockBefore(body, b.getInsertionBlock(),
                               b.getInsertionPoint(), block.n);
    rewriter.eraseOp(yield);
    // Score ops stand in no loop.
    for (ScoreOpInterface score : scoreOps) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(score);
      Value value = score.emitScalar(rewriter, score.getLoc(),
                                     score->getOperands(), b.getF32Type());
      if (!value) {
        result = failure();
        continue;
      }
      rewriter.replaceOp(score, value);
    }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Value SweepEmitter::product(const Pair &pair) {
  Packed k(op.getK());
  Value sum =
      b.accumulate(b.size(op.getQ(), 1), b.real(0), [&](Value t, Value sum) {
        Value x = b.load(op.getQ(), {pair.p, t});
        Value y = b.load(op.getK(), k.at(b, pair.j, t));
        return b.add(sum, b.mul(x, y));
      });
  return op.getScale() ? b.mul(sum, b.load(op.getScale(), pair.p)) : sum;
}

/// The element of a term. Of a pair that is removed later it may be outside the
/// memref: any value serves.
Value SweepEmitter::element(const SweepOp::Term &term, const Pair &pair) {
  auto place = [&]() -> SmallVector<Value> {
    switch (term.kind) {
    case TermKind::Row:
      return {pair.p};
    case TermKind::Key:
      return {b.sub(pair.j, term.offset)};
    case TermKind::Lag:
      return {b.sub(pair.d, term.offset)};
    case TermKind::Strip:
      return {pair.p, b.sub(pair.d, term.offset)};
    case TermKind::Tile:
      return {pair.p, b.sub(pair.j, pair.n)};
    case TermKind::Pair:
      return {pair.r, pair.j};
    }
    llvm_unreachable("unknown kind of a term");
  };
  Value x = b.loadOr(b.real(0), term.table, place());
  return term.factor ? b.mul(x, b.load(term.factor, pair.p)) : x;
}

/// y with the terms of one use.
Value SweepEmitter::addTerms(TermUse use, Value y, const Pair &pair) {
  for (const SweepOp::Term &term : terms)
    if (term.use == use)
      y = b.add(y, element(term, pair));
  return y;
}

/// Whether no mask removes the pair; null without masks.
Value SweepEmitter::isUnmasked(const Pair &pair) {
  Value unmasked;
  for (const SweepOp::Term &term : terms)
    if (term.use == TermUse::Mask)
      unmasked = b.both(unmasked, b.isNotZero(element(term, pair)));
  return unmasked;
}

/// y with the terms of the pair's class.
Value SweepEmitter::addClassTerms(Value y, const Pair &pair) {
  if (!op.getNearLo())
    return addTerms(TermUse::Near, y, pair);
  Value isLeft = b.compare(pair.d, Int::sle, op.getNearLo());
  Value isRight = b.compare(pair.d, Int::sge, op.getNearHi());
  Value no = arith::ConstantIntOp::create(b, 0, 1);
  isRight = b.select(isLeft, no, isRight);
  Value isNear = b.compare(isLeft, Int::eq, isRight);
  auto addIf = [&](Value isOfClass, TermUse use) {
    if (llvm::any_of(terms, [&](auto &term) { return term.use == use; }))
      y = b.ifElse(isOfClass, y, [&] { return addTerms(use, y, pair); });
  };
  addIf(isLeft, TermUse::Left);
  addIf(isRight, TermUse::Right);
  addIf(isNear, TermUse::Near);
  return y;
}

LogicalResult SweepEmitter::visitPair(const Pair &pair) {
  Value isInside;
  if (op.getKeepLo())
    isInside = b.both(b.compare(pair.d, Int::sge, op.getKeepLo()),
                      b.compare(pair.d, Int::sle, op.getKeepHi()));
  LogicalResult result = success();
  b.ifThen(isInside, [&] {
    b.ifThen(isUnmasked(pair), [&] {
      Value y = addTerms(TermUse::All, product(pair), pair);
      y = addClassTerms(y, pair);
      if (op.getScore().empty())
        return add(pair, y, {});
      SmallVector<Value> arguments{y, pair.r, pair.j};
      for (const SweepOp::Term &term : terms)
        if (term.use == TermUse::Score)
          arguments.push_back(element(term, pair));
      FailureOr<SmallVector<Value>> score = reference::emitScalarBlock(
          b, op.getScore().front(), arguments, b.getF32Type());
      result = score;
      if (failed(score))
        return;
      ArrayRef<Value> scoreBuckets = ArrayRef<Value>(*score).drop_front(2);
      b.ifThen((*score)[1], [&] { add(pair, (*score)[0], scoreBuckets); });
    });
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// All that is summed with the weights of row p, but l.
void SweepEmitter::forEachSum(
    Value p, function_ref<void(Value sums, ValueRange at)> body) {
  SmallVector<Value> matrices{op.getO()};
  llvm::append_range(matrices, op.getBuckets());
  for (Value sums : matrices)
    b.forEach(b.size(sums, 1), [&](Value i) { body(sums, {p, i}); });
}

void SweepEmitter::initialize() {
  Value keys = b.max(b.sub(op.getKeyHi(), op.getKeyLo()), b.index(1));
  keys = arith::IndexCastOp::create(b, b.getI64Type(), keys);
  Value number = arith::SIToFPOp::create(b, b.real(0).getType(), keys);
  share = math::CeilOp::create(b, math::Log2Op::create(b, number));
  b.forEach(b.sub(op.getRowHi(), op.getRowLo()), [&](Value p) {
    b.store(b.real(-infinity), op.getM(), p);
    b.store(b.real(0), op.getL(), p);
    forEachSum(
        p, [&](Value sums, ValueRange at) { b.store(b.real(0), sums, at); });
  });
}

/// The sums are relative to the maximum and the share.
void SweepEmitter::finish() {
  b.forEach(b.sub(op.getRowHi(), op.getRowLo()), [&](Value p) {
    b.store(b.add(b.load(op.getM(), p), share), op.getM(), p);
  });
}

Value SweepEmitter::bucketOf(const SweepOp::Bucket &bucket, const Pair &pair,
                             ArrayRef<Value> &scoreBuckets) {
  switch (bucket.kind) {
  case BucketKind::Lag: {
    Value last = b.sub(b.size(bucket.weights, 1), b.index(1));
    Value number = b.sub(pair.d, bucket.offset);
    return b.min(b.max(number, b.index(0)), last);
  }
  case BucketKind::Tile:
    return b.loadOr(b.index(-1), bucket.tile, {pair.p, b.sub(pair.j, pair.n)});
  case BucketKind::Score: {
    Value number = scoreBuckets.front();
    scoreBuckets = scoreBuckets.drop_front();
    return number;
  }
  }
  llvm_unreachable("unknown kind of a bucket");
}

/// Adds a kept pair of score z. A NaN becomes the maximum, and from then on
/// every sum of the row is one.
void SweepEmitter::add(const Pair &pair, Value z,
                       ArrayRef<Value> scoreBuckets) {
  Value p = pair.p;
  Value before = b.load(op.getM(), p);
  Value maximum = arith::MaximumFOp::create(b, before, z);
  Value reference = subtrahend(b, maximum, share);
  // What was summed so far is relative to the maximum before. What weighs 0
  // adds nothing, be it infinite.
  b.ifThen(b.compare(before, Float::UNE, maximum), [&] {
    Value factor = b.exp2(b.sub(b.add(before, share), reference));
    auto scale = [&](Value x) {
      return b.select(b.isZero(factor), b.real(0), b.mul(x, factor));
    };
    b.store(maximum, op.getM(), p);
    b.store(scale(b.load(op.getL(), p)), op.getL(), p);
    forEachSum(p, [&](Value sums, ValueRange at) {
      b.store(scale(b.load(sums, at)), sums, at);
    });
  });

  Packed values(op.getV());
  Value weight = b.exp2(b.sub(z, reference));
  b.ifThen(b.isNotZero(weight), [&] {
    b.store(b.add(b.load(op.getL(), p), weight), op.getL(), p);
    b.forEach(b.size(op.getO(), 1), [&](Value channel) {
      Value o = b.load(op.getO(), {p, channel});
      Value v = b.load(op.getV(), values.at(b, pair.j, channel));
      b.store(b.add(o, b.mul(weight, v)), op.getO(), {p, channel});
    });
    for (const SweepOp::Bucket &bucket : buckets) {
      Value number = bucketOf(bucket, pair, scoreBuckets);
      Value isThere = b.compare(number, Int::ult, b.size(bucket.weights, 1));
      b.ifThen(isThere, [&] {
        Value sum = b.load(bucket.weights, {p, number});
        b.store(b.add(sum, weight), bucket.weights, {p, number});
      });
    }
  });
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

namespace {
struct SweepLowering : OpRewritePattern<SweepOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SweepOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(SweepEmitter(op, rewriter).emit()))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void posenc::populateSweepToLoopsPatterns(RewritePatternSet &patterns,
                                          PatternBenefit benefit) {
  patterns.add<SweepLowering>(patterns.getContext(), benefit);
}
