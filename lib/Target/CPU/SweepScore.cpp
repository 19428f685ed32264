//===- SweepScore.cpp - Scores that need more than an exponential ---------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Region.h"
#include "Sweep.h"
#include "VectorMath.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Row by row: the score region, what is kept, the maximum where it is not yet
/// known, and the weights.
LogicalResult SweepEmitter::emitCareful(const Step &step) {
  Value zero = b.index(0), least = b.f32(-infinity);
  Value isUnknown = b.load(unknown, {step.p});
  Value maximaAlone = b.equal(step.mode, b.index(MaximaAlone));
  int64_t vectors = block / panels.lanes;
  auto column = [&](int64_t y) { return b.index(y * panels.lanes); };
  Type i32 = b.getI32Type();
  LogicalResult result = success();

  Value remains = b.loop(
      zero, b.index(stepRows), 1, ValueRange{b.i1(false)},
      [&](Value x, ValueRange carried) -> SmallVector<Value> {
        Value row = b.add(step.p, x), r = b.add(step.r, rowsBehind(x));
        SmallVector<Value> z, keep(vectors);
        for (int64_t y = 0; y < vectors; ++y)
          z.push_back(b.loadVector(scores, {x, column(y)}));
        if (hasRegion && failed(emitRegion(step, x, r, z, keep)))
          result = failure();

        // Lanes of the block that the row keeps, in 32 bits.
        Value lo = step.lo, hi = b.sub(step.hi, 1);
        if (keepLo) {
          lo = b.max(lo, b.sub(b.add(r, keepLo), step.n));
          hi = b.min(hi, b.sub(b.add(r, keepHi), step.n));
        }
        auto narrow = [&](Value x) {
          x = b.clamp(x, b.index(-1), b.index(block));
          return b.broadcast(arith::IndexCastOp::create(b, i32, x));
        };
        Value low = narrow(lo), high = narrow(hi);
        Value greatest;
        for (int64_t y = 0; y < vectors; ++y) {
          Value lane = b.iota(i32);
          if (y)
            lane = arith::AddIOp::create(
                b, lane, b.splat(b.getI32IntegerAttr(y * panels.lanes)));
          Value kept = b.both(b.lessEqual(low, lane), b.lessEqual(lane, high));
          kept = b.both(kept, keep[y]);
          kept = b.both(kept, emitKeepTerms(step, x, column(y)));
          z[y] = b.select(kept, z[y], b.splat(-infinity));
          greatest = y ? emitMax(b, greatest, z[y]) : z[y];
        }

        // The maximum is set once, where it was -inf and counted as 0.
        Value wasNegated = b.load(negatedM, {row});
        SmallVector<Value> found = b.choose(
            isUnknown, {b.getF32Type(), b.getI1Type()},
            [&]() -> SmallVector<Value> {
              Value maximum = b.load(m, {row});
              Value here = b.maxLane(greatest);
              Value first =
                  b.compare(arith::CmpFPredicate::OEQ, maximum, least);
              Value sets = b.either(first, maximaAlone);
              maximum = b.select(sets, emitMax(b, maximum, here), maximum);
              b.store(maximum, m, {row});
              Value none = b.compare(arith::CmpFPredicate::OEQ, maximum, least);
              Value isZero = b.either(none, maximaAlone);
              Value negated = b.select(isZero, b.f32(0.0f),
                                       arith::NegFOp::create(b, maximum));
              b.store(negated, negatedM, {row});
              return {negated, none};
            },
            [&]() -> SmallVector<Value> { return {wasNegated, b.i1(false)}; });

        b.when(b.isNot(maximaAlone), [&] {
          emitWeightsOfRow(step, x, zero, b.broadcast(found[0]), z);
        });
        return {b.either(carried[0], found[1])};
      })[0];
  b.store(b.either(remains, b.both(isUnknown, maximaAlone)), unknown, {step.p});
  return result;
}

LogicalResult SweepEmitter::emitRegion(const Step &step, Value x, Value r,
                                       MutableArrayRef<Value> scores,
                                       MutableArrayRef<Value> keep) {
  unsigned count = scores.size();
  RegionEmitter emitter(b, count);
  Block &body = op.getScore().front();
  auto argument = body.args_begin();
  emitter.map(*argument++, scores);
  emitter.map(*argument++, r);
  Value key = b.broadcast(step.n);
  Value lanes = b.iota(b.getIndexType());
  SmallVector<Value> keys;
  for (unsigned y = 0; y < count; ++y)
    keys.push_back(
        arith::AddIOp::create(b, arith::AddIOp::create(b, key, lanes),
                              b.splat(b.getIndexAttr(y * panels.lanes))));
  emitter.map(*argument++, keys);
  for (auto [number, term] : llvm::enumerate(terms)) {
    if (term.use != TermUse::Score)
      continue;
    SmallVector<Value> elements;
    for (unsigned y = 0; y < count; ++y)
      elements.push_back(
          loadTerm(term, number, step, x, b.index(y * panels.lanes)));
    emitter.map(*argument++, elements);
  }
  if (failed(emitter.emit(body)))
    return failure();
  auto yield = cast<tile::YieldOp>(body.getTerminator());
  llvm::copy(emitter.get(yield.getOperand(0)), scores.begin());
  llvm::copy(emitter.get(yield.getOperand(1)), keep.begin());
  for (int64_t i = 0; i < numScoreBuckets; ++i)
    for (auto [y, number] :
         llvm::enumerate(emitter.get(yield.getOperand(2 + i))))
      b.storeVector(number, bucketNumbers,
                    {b.add(x, i * stepRows), b.index(y * panels.lanes)});
  return success();
}
