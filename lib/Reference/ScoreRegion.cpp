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
    reference::makeTotal(builder, op, operands);
    Operation *clone = Operation::create(
        op.getLoc(), op.getName(), types, operands,
        op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
        /*successors=*/BlockRange(), /*numRegions=*/0);
    builder.insert(clone);
    reference::dropAssumptions(clone);
    for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults()))
      values.map(from, toType(op.getLoc(), to, map(from.getType())));
    return success();
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
