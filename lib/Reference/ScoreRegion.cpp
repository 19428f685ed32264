//===- ScoreRegion.cpp - A score region as scalar code -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Reference/Emitter.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Emits the ops of a region one by one.
class RegionEmitter {
public:
  RegionEmitter(OpBuilder &builder, FloatType compute)
      : builder(builder), compute(compute) {}

  /// The type that stands for a type of the region.
  Type map(Type type) const {
    return compute.isF64() && isa<FloatType>(type) ? Type(compute) : type;
  }

  LogicalResult emit(Operation &op) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (auto score = dyn_cast<ScoreOpInterface>(op)) {
      Value result = score.emitScalar(builder, op.getLoc(), operands, compute);
      if (!result)
        return failure();
      values.map(op.getResult(0), result);
      return success();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto real = dyn_cast<FloatAttr>(constant.getValue());
      Type type = map(constant.getType());
      TypedAttr value =
          real ? convert(real, cast<FloatType>(type)) : constant.getValue();
      values.map(
          op.getResult(0),
          arith::ConstantOp::create(builder, op.getLoc(), value).getResult());
      return success();
    }
    if (isa<ub::PoisonOp>(op)) {
      Type type = map(op.getResult(0).getType());
      values.map(
          op.getResult(0),
          arith::ConstantOp::create(builder, op.getLoc(),
                                    cast<TypedAttr>(builder.getZeroAttr(type)))
              .getResult());
      return success();
    }
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      values.map(op.getResult(0), toType(op.getLoc(), operands[0],
                                         map(op.getResult(0).getType())));
      return success();
    }
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(map(type));
    if (isa<arith::BitcastOp>(op)) {
      // A bit pattern is that of the type as written.
      types = llvm::to_vector(op.getResultTypes());
      operands[0] =
          toType(op.getLoc(), operands[0], op.getOperand(0).getType());
    } else if (isa<math::MathDialect>(op.getDialect())) {
      // Upstream lowers no `math` op on index, which has 64 bits here.
      Type i64 = builder.getI64Type();
      for (Value &operand : operands)
        if (operand.getType().isIndex())
          operand = toType(op.getLoc(), operand, i64);
      for (Type &type : types)
        if (type.isIndex())
          type = i64;
    }
    makeTotal(op, operands);
    Operation *clone = Operation::create(
        op.getLoc(), op.getName(), types, operands,
        op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
        /*successors=*/BlockRange(), /*numRegions=*/0);
    builder.insert(clone);
    dropAssumptions(clone);
    for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults()))
      values.map(from, toType(op.getLoc(), to, map(from.getType())));
    return success();
  }

  /// Changes operands for which an op is undefined: what a removed pair
  /// computes has no effect, so it must have a value. Divisors of 0, and of -1
  /// below the least integer, become 1; shift amounts of the width and more
  /// become 0; floats that do not fit an integer become 0.
  void makeTotal(Operation &op, MutableArrayRef<Value> operands) {
    ImplicitLocOpBuilder b(op.getLoc(), builder);
    using Predicate = arith::CmpIPredicate;
    auto constant = [&](Type type, int64_t value) -> Value {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    auto compare = [&](Predicate predicate, Value x, int64_t y) -> Value {
      return arith::CmpIOp::create(b, predicate, x, constant(x.getType(), y));
    };
    auto replaceIf = [&](Value undefined, Value &operand, Value by) {
      operand = arith::SelectOp::create(b, undefined, by, operand);
    };
    bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                        arith::FloorDivSIOp>(op);
    if (isSigned ||
        isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op)) {
      Type type = operands[1].getType();
      Value undefined = compare(Predicate::eq, operands[1], 0);
      if (isSigned) {
        unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
        Value overflow = arith::AndIOp::create(
            b, compare(Predicate::eq, operands[1], -1),
            compare(Predicate::eq, operands[0],
                    APInt::getSignedMinValue(width).getSExtValue()));
        undefined = arith::OrIOp::create(b, undefined, overflow);
      }
      replaceIf(undefined, operands[1], constant(type, 1));
    } else if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
      Type type = operands[1].getType();
      unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
      // An i1 cannot hold its width; any amount but 0 is too far.
      Value tooFar = width == 1 ? operands[1]
                                : compare(Predicate::uge, operands[1], width);
      replaceIf(tooFar, operands[1], constant(type, 0));
    } else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
      auto type = cast<FloatType>(operands[0].getType());
      unsigned width = op.getResult(0).getType().getIntOrFloatBitWidth();
      bool toSigned = isa<arith::FPToSIOp>(op);
      // The conversion truncates: what lies between -1 and hi, or from -hi to
      // hi if signed, fits.
      double hi = std::ldexp(1.0, toSigned ? width - 1 : width);
      auto compareWith = [&](arith::CmpFPredicate predicate,
                             double value) -> Value {
        Value bound = arith::ConstantOp::create(b, b.getFloatAttr(type, value));
        return arith::CmpFOp::create(b, predicate, operands[0], bound);
      };
      // -hi fits, unless it is infinite in a narrow type.
      bool hasLeast =
          toSigned && !b.getFloatAttr(type, hi).getValue().isInfinity();
      Value above = compareWith(hasLeast ? arith::CmpFPredicate::OGE
                                         : arith::CmpFPredicate::OGT,
                                toSigned ? -hi : -1.0);
      Value below = compareWith(arith::CmpFPredicate::OLT, hi);
      Value fits = arith::AndIOp::create(b, above, below);
      Value zero = arith::ConstantOp::create(b, b.getFloatAttr(type, 0.0));
      operands[0] = arith::SelectOp::create(b, fits, operands[0], zero);
    }
  }

  /// Drops what an op promises of its operands: a removed pair may break it,
  /// and its value would be poison.
  static void dropAssumptions(Operation *op) {
    MLIRContext *context = op->getContext();
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(
          fast.getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::none));
    if (auto wraps = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
      op->setAttr(wraps.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(
                      context, arith::IntegerOverflowFlags::none));
    for (StringRef promise : {"isExact", "nonNeg"})
      if (op->getName().isRegistered() &&
          llvm::is_contained(op->getName().getAttributeNames(), promise))
        op->removeAttr(promise);
  }

  /// Casts between float types, and between index and i64; other types are
  /// the same on both sides.
  Value toType(Location loc, Value value, Type type) {
    if (value.getType() == type)
      return value;
    if (auto real = dyn_cast<FloatType>(type))
      return emitFloatCast(builder, loc, value, real);
    return arith::IndexCastOp::create(builder, loc, type, value);
  }

  IRMapping values;

private:
  static FloatAttr convert(FloatAttr attr, FloatType type) {
    APFloat value = attr.getValue();
    bool inexact;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &inexact);
    return FloatAttr::get(type, value);
  }

  OpBuilder &builder;
  FloatType compute;
};
} // namespace

FailureOr<reference::ScalarResults>
reference::emitScoreRegion(OpBuilder &builder, Region &region,
                           ValueRange arguments, FloatType compute) {
  RegionEmitter emitter(builder, compute);
  Block &block = region.front();
  for (auto [inner, outer] : llvm::zip_equal(block.getArguments(), arguments))
    emitter.values.map(inner, isa<FloatType>(outer.getType())
                                  ? emitter.toType(inner.getLoc(), outer,
                                                   emitter.map(inner.getType()))
                                  : outer);
  for (Operation &op : block.without_terminator())
    if (failed(emitter.emit(op)))
      return failure();
  auto yield = cast<YieldOp>(block.getTerminator());
  ScalarResults results;
  results.score = emitter.values.lookup(yield.getScore());
  if (yield.getKeep())
    results.keep = emitter.values.lookup(yield.getKeep());
  for (Value row : yield.getValueRows())
    results.rows.push_back(emitter.values.lookup(row));
  return results;
}
