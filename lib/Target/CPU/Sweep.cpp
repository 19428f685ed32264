//===- Sweep.cpp - The driver of a sweep ----------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"
#include "Patterns.h"
#include "Tiles.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Reference/ScalarEmitter.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

constexpr float infinity = std::numeric_limits<float>::infinity();

SweepEmitter::SweepEmitter(OpBuilder &builder, SweepOp op,
                           const CpuTarget &target, Unit::Kind kind)
    : op(op), terms(op.getTermList()), buckets(op.getBucketList()),
      panels(Unit::getPanels(kind, op, target)),
      b(builder, op.getLoc(), target, panels.lanes),
      unit(Unit::create(kind, b, op, panels)), block(op.getBlock()),
      channels(cast<MemRefType>(op.getQ().getType()).getDimSize(1)),
      valueChannels(cast<MemRefType>(op.getO().getType()).getDimSize(1)),
      stepRows(unit->stepRows), hasRegion(!op.getScore().empty()),
      alwaysCareful(hasRegion || llvm::any_of(terms, [](const Term &term) {
                      return term.use == TermUse::Mask;
                    })) {}

std::optional<StringRef>
SweepEmitter::whyNot(SweepOp op, const CpuTarget &target, Unit::Kind kind) {
  if (std::optional<StringRef> reason = Unit::whyNot(kind, op, target))
    return reason;
  for (SweepOp::Term &term : op.getTermList())
    if (term.kind != TermKind::Pair && term.kind != TermKind::Row &&
        !hasUnitStride(term.table))
      return "a term has no unit stride";
  return std::nullopt;
}

/// The buffer rows that hold `rows`, in whole steps.
int64_t SweepEmitter::padRows(int64_t rows) const {
  return (rows + stepRows - 1) / stepRows * stepRows;
}

/// Row p of a memref that the schedule allocated. The last step may reach
/// beyond a memref whose rows are not those of whole steps.
Value SweepEmitter::rowOf(Value memref, Value p) {
  int64_t rows = cast<MemRefType>(memref.getType()).getDimSize(0);
  if (rows > 0 && rows % stepRows == 0)
    return p;
  return b.min(p, b.sub(numTileRows, 1));
}

void SweepEmitter::prepare() {
  firstRow = op.getQueryRow() ? op.getQueryRow() : op.getRowLo();
  keyLo = b.max(op.getKeyLo(), b.index(0));
  keyHi = op.getKeyHi();
  numTileRows = b.sub(op.getRowHi(), op.getRowLo());
  numGroups =
      b.div(b.add(b.max(numTileRows, b.index(0)), stepRows - 1), stepRows);
  // So that sums of these and of rows do not overflow.
  Value far = b.index(int64_t(1) << 48), farLeft = b.index(-(int64_t(1) << 48));
  auto bounded = [&](Value x) {
    return x ? b.clamp(x, farLeft, far) : Value();
  };
  keepLo = bounded(op.getKeepLo());
  keepHi = bounded(op.getKeepHi());
  nearLo = bounded(op.getNearLo());
  nearHi = bounded(op.getNearHi());

  int64_t rows = ShapedType::kDynamic;
  for (Value sized : {op.getO(), op.getM(), op.getL(), op.getQ()}) {
    int64_t known = cast<MemRefType>(sized.getType()).getDimSize(0);
    if (known >= 0 && (rows < 0 || known < rows))
      rows = known;
  }
  if (rows >= 0)
    paddedRows = b.getIndexAttr(std::max<int64_t>(padRows(rows), stepRows));
  else
    paddedRows = b.mul(numGroups, stepRows);

  auto size = [&](int64_t x) -> OpFoldResult { return b.getIndexAttr(x); };
  scores = b.scratch({size(stepRows), size(block)});
  weights = b.scratch(unit->weightType, {size(2 * stepRows), size(block)});
  o = b.scratch({paddedRows, size(unit->valueWidth)});
  m = b.scratch({paddedRows});
  negatedM = b.scratch({paddedRows});
  unknown = b.scratch(b.getI1Type(), {paddedRows});

  // Queries in whole steps: rows beyond the tile are of no consequence.
  // Products of some units read vectors of them.
  Value q = op.getQ();
  int64_t queryRows = cast<MemRefType>(q.getType()).getDimSize(0);
  if (queryRows < 0 || queryRows % stepRows || !hasUnitStride(q))
    q = emitPaddedRows(b, q, numTileRows, b.mul(numGroups, stepRows),
                       paddedRows, channels);
  prepareTerms();
  prepareBuckets();
  unit->prepare({q, scores, weights, o});
  prepareTotals();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// The exponent of a power of two above the number of keys, as a float.
Value SweepEmitter::emitLog2OfKeys() {
  Type i32 = b.getI32Type();
  Value keys = b.max(b.sub(keyHi, keyLo), b.index(1));
  keys = arith::IndexCastOp::create(b, b.getI64Type(), keys);
  Value bits = arith::BitcastOp::create(
      b, i32, arith::SIToFPOp::create(b, b.getF32Type(), keys));
  auto integer = [&](int64_t x) -> Value {
    return arith::ConstantIntOp::create(b, i32, x);
  };
  Value exponent = arith::ShRUIOp::create(b, bits, integer(23));
  exponent = arith::SubIOp::create(b, exponent, integer(126));
  return arith::SIToFPOp::create(b, b.getF32Type(), exponent);
}

void SweepEmitter::reset(Value mode) {
  Value known = b.lessEqual(b.index(MaximaKnown), mode);
  Value zero = b.f32(0.0f), least = b.f32(-infinity);
  // Where as many weights as there are keys must not sum up to more than 1.
  Value raise =
      b.select(b.equal(mode, b.index(SelectedValues)), emitLog2OfKeys(), zero);
  b.loop(b.index(0), b.mul(numGroups, stepRows), 1, [&](Value row) {
    // Rows beyond the tile pretend to know theirs.
    Value start = b.select(b.less(row, numTileRows), least, zero);
    Value maximum = b.select(known, b.load(m, {row}), start);
    b.store(maximum, m, {row});
    Value none = b.compare(arith::CmpFPredicate::OEQ, maximum, least);
    Value base = b.addf(maximum, raise);
    b.store(b.select(none, zero, arith::NegFOp::create(b, base)), negatedM,
            {row});
    b.store(b.isNot(known), unknown, {row});
    b.loop(b.index(0), b.index(unit->valueWidth), panels.lanes,
           [&](Value d) { b.storeVector(b.splat(0.0f), o, {row, d}); });
    resetBuckets(row);
  });
  resetTotals();
}

LogicalResult SweepEmitter::emitRound(Value mode) {
  // Blocks from key 0 on; that of `first` comes first.
  Value zero = b.index(0);
  Value blockLo = b.div(keyLo, block);
  Value blockHi = b.div(b.add(b.max(keyHi, zero), block - 1), block);
  Value first = b.div(
      b.max(b.min(b.max(op.getFirst(), keyLo), b.sub(keyHi, 1)), zero), block);
  Value numBlocks = b.max(b.sub(blockHi, blockLo), zero);
  LogicalResult result = success();

  // One round more, over no block, adds the values of the last step.
  SmallVector<Value> none(5, zero);
  b.loop(zero, b.add(numBlocks, 1), 1, none, [&](Value t, ValueRange carried) {
    addToTotals(t);
    Value other = b.add(b.add(blockLo, t), -1);
    Value late = b.lessEqual(first, other);
    other = b.add(other, b.select(late, b.index(1), zero));
    Value n = b.mul(b.select(b.equal(t, zero), first, other), block);
    Value isBlock = b.less(t, numBlocks);
    if (!op.getVisits().empty()) {
      FailureOr<SmallVector<Value>> holdsPairs = reference::emitScalarBlock(
          b, op.getVisits().front(), n, b.getF32Type());
      result = holdsPairs;
      if (failed(holdsPairs))
        return SmallVector<Value>(carried);
      isBlock = b.both(isBlock, holdsPairs->front());
    }
    Value lo = b.max(n, keyLo), hi = b.min(b.add(n, block), keyHi);
    hi = b.select(isBlock, hi, lo);

    if (!op.getEachBlock().empty()) {
      Value runs = isBlock;
      if (nearLo) {
        Value lastRow = b.add(firstRow, rowsBehind(b.sub(numTileRows, 1)));
        Value allLeft = b.lessEqual(b.sub(b.sub(hi, 1), firstRow), nearLo);
        Value allRight = b.lessEqual(nearHi, b.sub(lo, lastRow));
        runs = b.both(runs, b.isNot(b.either(allLeft, allRight)));
      }
      b.when(runs, [&] {
        IRMapping mapping;
        mapping.map(op.getEachBlock().getArgument(0), n);
        for (Operation &inner : op.getEachBlock().front().without_terminator())
          b.clone(inner, mapping);
      });
    }
    Value valueRow = unit->prepareBlock({n, lo, hi}, t);

    Value groups = b.select(isBlock, numGroups, b.index(1));
    return b.loop(
        zero, groups, 1, carried, [&](Value group, ValueRange values) {
          Pending pending = Pending::get(values);
          Step step;
          step.mode = mode;
          step.n = n;
          step.p = b.mul(group, stepRows);
          step.r = b.add(firstRow, rowsBehind(step.p));
          step.weights = b.mul(pending.parity, stepRows);
          Value lastOfStep =
              b.min(b.add(step.p, stepRows - 1), b.sub(numTileRows, 1));
          Value last = b.add(firstRow, rowsBehind(lastOfStep));
          Value kLo = lo, kHi = hi;
          if (keepLo) {
            kLo = b.max(kLo, b.add(step.r, keepLo));
            kHi = b.min(kHi, b.add(b.add(last, keepHi), 1));
          }
          Value live = b.less(kLo, kHi);
          step.lo = b.sub(kLo, n);
          step.hi = b.sub(kHi, n);
          b.when(live, [&] {
            if (nearLo) {
              step.isLeft = b.lessEqual(b.sub(b.sub(kHi, 1), step.r), nearLo);
              step.isRight = b.lessEqual(nearHi, b.sub(kLo, last));
            }
            classifyBuckets(step, last);
            // Whole: every pair of the step is kept, as far as bounds say.
            Value whole = b.equal(b.sub(step.hi, step.lo), b.index(block));
            if (keepLo) {
              whole = b.both(whole, b.lessEqual(keepLo, b.sub(n, last)));
              whole =
                  b.both(whole, b.lessEqual(b.sub(b.add(n, block - 1), step.r),
                                            keepHi));
            }
            step.raw = b.either(b.isNot(whole), b.load(unknown, {step.p}));
            if (alwaysCareful)
              step.raw = b.i1(true);
            if (failed(emitStep(step)))
              result = failure();
          });
          emitValues(mode, pending);
          Value counts = b.both(live, b.compare(arith::CmpIPredicate::ne, mode,
                                                b.index(MaximaAlone)));
          Pending next;
          next.parity =
              b.select(live, b.sub(b.index(1), pending.parity), pending.parity);
          next.p = step.p;
          next.row = valueRow;
          next.lo = step.lo;
          next.hi = b.select(counts, step.hi, step.lo);
          return next.list();
        });
  });
  takeTotals();
  return result;
}

/// Writes the sums, and gives the next mode.
Value SweepEmitter::emitGuard(Value mode) {
  Value zero = b.index(0), zeros = b.splat(0.0f);
  SmallVector<Value> good = b.loop(
      zero, numTileRows, 1, ValueRange{b.i1(true), zeros},
      [&](Value row, ValueRange values) -> SmallVector<Value> {
        // With buckets by distance there is a sum for each class.
        Value sum;
        for (Value at : getSumRows(l, row)) {
          Value part = b.loadVector(l, {at, zero});
          sum = sum ? b.addf(sum, part) : part;
        }
        sum = b.sumLanes(sum);
        Value maximum = b.load(m, {row});
        b.store(sum, op.getL(), {row});
        b.store(arith::NegFOp::create(b, b.load(negatedM, {row})), op.getM(),
                {row});
        // No finite score: nothing was added, and nothing will be.
        Value empty = b.both(
            b.compare(arith::CmpFPredicate::OEQ, maximum, b.f32(-infinity)),
            b.compare(arith::CmpFPredicate::OEQ, sum, b.f32(0.0f)));
        // 2^66: sums of products with most values are then far from infinite.
        Value fits =
            b.both(b.compare(arith::CmpFPredicate::OGT, sum, b.f32(0.0f)),
                   b.compare(arith::CmpFPredicate::OLT, sum, b.f32(0x1p66f)));
        // 0 for finite values, NaN for others.
        Value nothing = b.loop(
            zero, b.index(unit->valueWidth), panels.lanes, values[1],
            [&](Value d, ValueRange values) -> SmallVector<Value> {
              return {b.fma(b.loadVector(o, {row, d}), zeros, values[0])};
            })[0];
        return {b.both(values[0], b.either(empty, fits)), nothing};
      });
  Value isFinite =
      b.compare(arith::CmpFPredicate::OEQ, b.sumLanes(good[1]), b.f32(0.0f));
  auto is = [&](Mode which) { return b.equal(mode, b.index(which)); };
  Value again =
      b.select(is(First), b.index(MaximaAlone), b.index(SelectedValues));
  Value next =
      b.select(b.either(isFinite, is(SelectedValues)), b.index(Done), again);
  next = b.select(is(MaximaAlone), b.index(MaximaKnown), next);
  return b.select(b.both(is(First), b.isNot(good[0])), b.index(MaximaAlone),
                  next);
}

void SweepEmitter::finish() {
  b.loop(b.index(0), numTileRows, 1, [&](Value row) {
    b.loop(b.index(0), b.index(valueChannels), 1,
           [&](Value d) { b.store(b.load(o, {row, d}), op.getO(), {row, d}); });
  });
  finishBuckets();
  b.freeScratch();
}

LogicalResult SweepEmitter::emit() {
  prepare();
  LogicalResult result = success();
  scf::WhileOp::create(
      b, TypeRange(b.getIndexType()), ValueRange(b.index(First)),
      [&](OpBuilder &, Location, ValueRange modes) {
        reset(modes[0]);
        result = emitRound(modes[0]);
        Value next = emitGuard(modes[0]);
        scf::ConditionOp::create(b, b.less(next, b.index(Done)), next);
      },
      [&](OpBuilder &, Location, ValueRange modes) {
        scf::YieldOp::create(b, modes);
      });
  finish();
  return result;
}

namespace {
struct LowerSweep : OpRewritePattern<SweepOp> {
  LowerSweep(MLIRContext *context, const CpuTarget &target,
             PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(SweepOp op,
                                PatternRewriter &rewriter) const override {
    Unit::Kind kind = Unit::getKind(op);
    if (std::optional<StringRef> reason =
            SweepEmitter::whyNot(op, target, kind))
      return rewriter.notifyMatchFailure(op, *reason);
    auto emit = [&](Unit::Kind kind) {
      return SweepEmitter(rewriter, op, target, kind).emit();
    };
    bool hasTiles = kind == Unit::Kind::Pairs &&
                    !Unit::whyNot(Unit::Kind::Tiles, op, target);
    LogicalResult emitted = hasTiles
                                ? emitIfTiles(
                                      rewriter, op.getLoc(),
                                      [&] { return emit(Unit::Kind::Tiles); },
                                      [&] { return emit(kind); })
                                : emit(kind);
    if (failed(emitted))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.eraseOp(op);
    return success();
  }

  const CpuTarget &target;
};
} // namespace

void cpu::populateSweepPatterns(RewritePatternSet &patterns,
                                const CpuTarget &target,
                                PatternBenefit benefit) {
  patterns.add<LowerSweep>(patterns.getContext(), target, benefit);
}

void posenc::populateTileToCpuPatterns(RewritePatternSet &patterns,
                                       const CpuTarget &target,
                                       PatternBenefit benefit) {
  cpu::populateFinishPatterns(patterns, target, benefit);
  cpu::populateRelativePatterns(patterns, target, benefit);
  cpu::populatePackPatterns(patterns, target, benefit);
  cpu::populateProductPatterns(patterns, target, benefit);
  cpu::populateSweepPatterns(patterns, target, benefit);
}
