//===- SweepStep.cpp - A step of a sweep, and its values ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"
#include "VectorMath.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

//===----------------------------------------------------------------------===//
// Scores and weights
//===----------------------------------------------------------------------===//

LogicalResult SweepEmitter::emitStep(const Step &step) {
  copyPairs(step);
  emitScores(step);
  LogicalResult result = success();
  if (alwaysCareful)
    result = emitCareful(step);
  else
    b.when(step.raw, [&] { result = emitCareful(step); });
  addToBuckets(step);
  return result;
}

/// The scores of a step into their buffer on the careful path, and their
/// weights on the plain one.
void SweepEmitter::emitScores(const Step &step) {
  auto use = [&](Value x, Value column, Accumulators &products) {
    // Without terms the scale is for each of the branches, where one
    // instruction multiplies with it and subtracts the maximum.
    if (!terms.empty()) {
      scaleProducts(step, x, products);
      addTerms(step, x, column, products);
    }
    auto getScores = [&] {
      Accumulators here = products;
      if (terms.empty())
        scaleProducts(step, x, here);
      return here;
    };
    auto storeScores = [&] {
      for (auto [i, score] : llvm::enumerate(getScores()))
        b.storeVector(score, scores,
                      {b.add(x, i / panels.vectors),
                       b.add(column, i % panels.vectors * panels.lanes)});
    };
    if (alwaysCareful)
      storeScores();
    else
      b.when(step.raw, storeScores,
             [&] { emitWeights(step, x, column, getScores()); });
  };
  unit->emitScores(step.p, step.n, step.lo, step.hi, use);
}

void SweepEmitter::scaleProducts(const Step &step, Value x,
                                 Accumulators &scores) {
  if (!op.getScale())
    return;
  for (auto [i, score] : llvm::enumerate(scores)) {
    Value row = b.add(b.add(step.p, x), i / panels.vectors);
    Value scale = b.load(op.getScale(), {rowOf(op.getScale(), row)});
    score = arith::MulFOp::create(b, score, b.broadcast(scale),
                                  arith::FastMathFlags::contract);
  }
}

/// score + x: with a product that was scaled, one instruction.
Value SweepEmitter::addToScore(Value score, Value x) {
  auto flags = op.getScale() ? arith::FastMathFlags::contract
                             : arith::FastMathFlags::none;
  return arith::AddFOp::create(b, score, x, flags);
}

void SweepEmitter::emitWeights(const Step &step, Value x, Value column,
                               ArrayRef<Value> scores) {
  for (int64_t i = 0; !scores.empty(); ++i) {
    Value row = b.add(x, i);
    Value shift = b.broadcast(b.load(negatedM, {b.add(step.p, row)}));
    emitWeightsOfRow(step, row, column, shift,
                     scores.take_front(panels.vectors));
    scores = scores.drop_front(panels.vectors);
  }
}

/// The weights of row x, and their sum.
void SweepEmitter::emitWeightsOfRow(const Step &step, Value x, Value column,
                                    Value shift, ArrayRef<Value> scores) {
  SmallVector<Value> list;
  for (Value score : scores)
    list.push_back(emitExp2(b, addToScore(score, shift)));
  // The sum is that of the weights as the values are multiplied with them: what
  // rounding does to all of them alike then makes no difference.
  Value sum = b.storeVectors(list, weights, b.add(step.weights, x), column);
  for (auto [sums, row] : getSums(step)) {
    Value at[] = {b.add(row, x), b.index(0)};
    b.storeVector(b.addf(b.loadVector(sums, at), sum), sums, at);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// o += weights of a step x rows of v, for the keys that a row of it keeps.
void SweepEmitter::emitValues(Value mode, const Pending &pending) {
  // The step's weights are in the half that is not being written.
  Value row = b.mul(b.sub(b.index(1), pending.parity), stepRows);
  Unit::Pending values{pending.p, row, pending.row, pending.lo, pending.hi};
  b.when(b.less(pending.lo, pending.hi), [&] {
    b.when(
        b.equal(mode, b.index(SelectedValues)),
        [&] { emitSelectedValues(values); }, [&] { unit->emitValues(values); });
  });
}

/// The same for values that may be infinite or NaN: those of weight 0 add
/// nothing.
void SweepEmitter::emitSelectedValues(const Unit::Pending &pending) {
  Value zero = b.index(0);
  b.loop(zero, b.index(stepRows), 1, [&](Value x) {
    b.loop(pending.lo, pending.hi, 1, [&](Value key) {
      Value weight = b.toF32(b.load(weights, {b.add(pending.weights, x), key}));
      Value row = b.add(pending.p, x);
      b.when(b.compare(arith::CmpFPredicate::UNE, weight, b.f32(0.0f)), [&] {
        b.loop(zero, b.index(unit->valueWidth), panels.lanes, [&](Value d) {
          Value value = unit->loadValues(b.add(pending.row, key), d);
          Value sum = b.loadVector(o, {row, d});
          b.storeVector(b.fma(b.broadcast(weight), value, sum), o, {row, d});
        });
      });
    });
  });
}
