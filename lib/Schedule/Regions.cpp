//===- Regions.cpp - Regions of the ops of a schedule ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

void ScheduleBuilder::emitRegion(Region &region, TypeRange arguments,
                                 Body body) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locs(arguments.size(), b.getLoc());
  Block *block = b.createBlock(&region, region.end(), arguments, locs);
  SmallVector<Value> results = body(block->getArguments());
  tile::YieldOp::create(b, results);
}

void ScheduleBuilder::emitFill(Value dest, Ranges ranges, Body body) {
  SmallVector<Value> lbs, ubs;
  for (auto [lo, hi] : ranges) {
    lbs.push_back(lo);
    ubs.push_back(hi);
  }
  auto fill = tile::FillOp::create(b, lbs, ubs, dest);
  emitRegion(fill.getBody(), SmallVector<Type>(lbs.size(), index), body);
}

void ScheduleBuilder::emitFill(Value dest, Ranges ranges, const Site &site,
                               Place (*placeOf)(ValueRange),
                               const Element &element) {
  emitFill(dest, ranges, [&](ValueRange integers) {
    SliceCloner cloner = clonerAt(site, placeOf(integers));
    return SmallVector<Value>{element(cloner)};
  });
}

void ScheduleBuilder::emitPack(ValueRange sources, Value dest, Value lo,
                               Value hi, const PackOptions &packOptions,
                               Body body) {
  auto pack = tile::PackOp::create(b, sources, dest, lo, hi, packOptions.cos,
                                   packOptions.sin, packOptions.rope,
                                   packOptions.channel, packOptions.scaled,
                                   packOptions.conditional);
  emitRegion(pack.getBody(), index, body);
}

SliceCloner ScheduleBuilder::clonerAt(const Site &site, Place place) {
  place.batch = site.batch;
  place.head = site.head;
  SliceCloner cloner(b, op, extents, place);
  if (site.rowLo && place.row && place.key)
    cloner.readTile = [this, site](Operation *op, SliceCloner &cloner) {
      return readTile(op, cloner, site);
    };
  return cloner;
}

SmallVector<Value> ScheduleBuilder::cloneIndices(SliceCloner &cloner,
                                                 const DotSide &side) {
  return llvm::map_to_vector(side.indices,
                             [&](Value at) { return cloner.clone(at); });
}

/// x scaled by more than 1, so that finite numbers stay finite: a mask of the
/// least float must not become -inf, which no pair of the row would survive.
static Value scaleFinite(ImplicitLocOpBuilder &b, Value x, double scale) {
  Value factor = arith::ConstantOp::create(b, b.getF32FloatAttr(scale));
  Value product = arith::MulFOp::create(b, x, factor);
  if (std::abs(scale) <= 1 || matchPattern(x, m_Constant()))
    return product;
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  float largest = std::numeric_limits<float>::max();
  Value saturated = arith::MinNumFOp::create(
      b, arith::MaxNumFOp::create(b, product, constant(-largest)),
      constant(largest));
  Value finite =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLE,
                            math::AbsFOp::create(b, x), constant(largest));
  return arith::SelectOp::create(b, finite, saturated, product);
}

/// x by the factors of a coefficient, without its constant.
Value ScheduleBuilder::multiply(Value x, SliceCloner &cloner,
                                const Coefficient &by) {
  for (auto [factor, inverse] : by.factors) {
    Value value = cloner.clone(factor);
    x = inverse ? arith::DivFOp::create(b, x, value).getResult()
                : arith::MulFOp::create(b, x, value).getResult();
  }
  return x;
}

Value ScheduleBuilder::emitCoefficient(SliceCloner &cloner,
                                       const Coefficient &coefficient) {
  Value constant =
      arith::ConstantOp::create(b, b.getF32FloatAttr(coefficient.constant));
  return multiply(constant, cloner, coefficient);
}

Value ScheduleBuilder::sumTerms(SliceCloner &cloner,
                                ArrayRef<LinearTerm> terms) {
  Value sum;
  for (const LinearTerm &term : terms) {
    Value value = multiply(cloner.clone(term.atom), cloner, term.coefficient);
    if (term.coefficient.constant != 1)
      value = scaleFinite(b, value, term.coefficient.constant);
    sum = sum ? arith::AddFOp::create(b, sum, value).getResult() : value;
  }
  return sum;
}

Value ScheduleBuilder::emitAll(SliceCloner &cloner,
                               ArrayRef<Value> conditions) {
  Value all;
  for (Value condition : conditions) {
    Value one = cloner.clone(condition);
    all = all ? arith::AndIOp::create(b, all, one).getResult() : one;
  }
  return all;
}
