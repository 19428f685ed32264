//===- ScoreRegion.cpp - Score regions as scalar code -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "posenc/Reference/ScalarEmitter.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::reference;

static bool isScalar(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64;
  return isa<IndexType, FloatType>(type);
}

/// Whether an op can be changed as its operands' and results' types are.
/// Others, such as a load from a memref in a schedule, are taken as they are.
static bool isScalarOp(Operation &op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
             op.getDialect()) &&
         op.getNumRegions() == 0 &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

static FloatAttr convert(FloatAttr attr, FloatType type) {
  APFloat value = attr.getValue();
  bool inexact;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &inexact);
  return FloatAttr::get(type, value);
}

/// Casts between float types, and between index and i64; other types are the
/// same on both sides.
Value ScalarEmitter::toType(Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (auto real = dyn_cast<FloatType>(type))
    return emitFloatCast(builder, loc, value, real);
  return arith::IndexCastOp::create(builder, loc, type, value);
}

void ScalarEmitter::map(Value original, Value value) {
  if (isa<FloatType>(value.getType()))
    value = toType(original.getLoc(), value, getType(original.getType()));
  values.map(original, value);
}

void ScalarEmitter::map(ValueRange originals, ValueRange values) {
  for (auto [original, value] : llvm::zip_equal(originals, values))
    map(original, value);
}

Value ScalarEmitter::lookup(Value value) {
  if (Value emitted = values.lookupOrNull(value))
    return emitted;
  return toType(value.getLoc(), value, getType(value.getType()));
}

FailureOr<Value> ScalarEmitter::emit(Value value) {
  // The ops that the value needs, in the order of the block.
  llvm::SetVector<Operation *> needed;
  auto need = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == &block && !values.contains(operand))
      needed.insert(op);
  };
  need(value);
  for (size_t i = 0; i < needed.size(); ++i)
    needed[i]->walk(
        [&](Operation *op) { llvm::for_each(op->getOperands(), need); });
  SmallVector<Operation *> ops = needed.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops)
    if (failed(emit(*op)))
      return failure();
  return lookup(value);
}

LogicalResult ScalarEmitter::emit(Operation &op) {
  Location loc = op.getLoc();
  auto score = dyn_cast<ScoreOpInterface>(op);
  if (!score && !isScalarOp(op)) {
    builder.clone(op, values);
    return success();
  }
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(lookup(operand));
  if (score) {
    Value result = score.emitScalar(builder, loc, operands, compute);
    if (!result)
      return failure();
    values.map(op.getResult(0), result);
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto real = dyn_cast<FloatAttr>(constant.getValue());
    TypedAttr value =
        real ? convert(real, cast<FloatType>(getType(constant.getType())))
             : constant.getValue();
    values.map(op.getResult(0),
               arith::ConstantOp::create(builder, loc, value).getResult());
    return success();
  }
  if (isa<ub::PoisonOp>(op)) {
    Type type = getType(op.getResult(0).getType());
    values.map(op.getResult(0),
               arith::ConstantOp::create(
                   builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)))
                   .getResult());
    return success();
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    values.map(op.getResult(0),
               toType(loc, operands[0], getType(op.getResult(0).getType())));
    return success();
  }
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(getType(type));
  if (isa<arith::BitcastOp>(op)) {
    // A bit pattern is that of the type as written.
    types = llvm::to_vector(op.getResultTypes());
    operands[0] = toType(loc, operands[0], op.getOperand(0).getType());
  } else if (isa<math::MathDialect>(op.getDialect())) {
    // Upstream lowers no `math` op on index, which has 64 bits here.
    Type i64 = builder.getI64Type();
    for (Value &operand : operands)
      if (operand.getType().isIndex())
        operand = toType(loc, operand, i64);
    for (Type &type : types)
      if (type.isIndex())
        type = i64;
  }
  makeTotal(builder, op, operands);
  Operation *clone = Operation::create(
      loc, op.getName(), types, operands, op.getDiscardableAttrDictionary(),
      op.getPropertiesStorage(), /*successors=*/BlockRange(), /*numRegions=*/0);
  builder.insert(clone);
  dropAssumptions(clone);
  for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults()))
    values.map(from, toType(loc, to, getType(from.getType())));
  return success();
}

FailureOr<SmallVector<Value>> reference::emitScalarBlock(OpBuilder &builder,
                                                         Block &block,
                                                         ValueRange arguments,
                                                         FloatType compute,
                                                         KnownValues known) {
  ScalarEmitter emitter(builder, block, compute);
  emitter.map(block.getArguments(), arguments);
  for (auto [value, given] : known)
    emitter.map(value, given);
  for (Operation &op : block.without_terminator()) {
    bool isKnown = op.getNumResults() && emitter.hasEmitted(op.getResult(0));
    if (!isKnown && failed(emitter.emit(op)))
      return failure();
  }
  SmallVector<Value> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(*emitter.emit(operand));
  return results;
}

FailureOr<ScalarResults> reference::emitScoreRegion(OpBuilder &builder,
                                                    Region &region,
                                                    ValueRange arguments,
                                                    FloatType compute,
                                                    KnownValues known) {
  FailureOr<SmallVector<Value>> values =
      emitScalarBlock(builder, region.front(), arguments, compute, known);
  if (failed(values))
    return failure();
  // The operands of posenc.yield: score, keep if given, value rows.
  auto yield = cast<YieldOp>(region.front().getTerminator());
  ArrayRef<Value> rest = ArrayRef<Value>(*values).drop_front();
  ScalarResults results;
  results.score = values->front();
  if (yield.getKeep()) {
    results.keep = rest.front();
    rest = rest.drop_front();
  }
  results.rows = SmallVector<Value>(rest);
  return results;
}
