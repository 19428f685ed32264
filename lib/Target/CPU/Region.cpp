//===- Region.cpp - Score regions on vectors ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Region.h"
#include "VectorMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "posenc/Reference/ScalarEmitter.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;

void RegionEmitter::map(Value inner, ArrayRef<Value> vectors) {
  values[inner].assign(vectors.begin(), vectors.end());
}

bool RegionEmitter::isScalar(Value inner) {
  auto found = values.find(inner);
  return found == values.end() ||
         !isa<VectorType>(found->second.front().getType());
}

Value RegionEmitter::getScalar(Value inner) {
  // What the region captures stands for itself.
  auto found = values.find(inner);
  return found == values.end() ? inner : found->second.front();
}

SmallVector<Value> RegionEmitter::get(Value inner) {
  if (isScalar(inner))
    return SmallVector<Value>(count, b.broadcast(getScalar(inner)));
  return values[inner];
}

LogicalResult RegionEmitter::emit(Block &body) {
  for (Operation &op : body.without_terminator())
    if (failed(emit(op)))
      return failure();
  return success();
}

/// Whether an op means the same lane by lane on vectors, whatever the lanes.
static bool hasVectorForm(Operation &op) {
  auto isVectorElement = [](Type type) {
    return type.isF32() || type.isF64() || type.isIndex() ||
           (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
  };
  if (op.getNumResults() != 1 || op.getNumRegions() != 0 ||
      !llvm::all_of(op.getOperandTypes(), isVectorElement) ||
      !llvm::all_of(op.getResultTypes(), isVectorElement))
    return false;
  if (isa<math::ExpOp, math::Exp2Op, math::TanhOp>(op))
    return op.getResult(0).getType().isF32();
  if (isa<math::SqrtOp, math::AbsFOp, math::FloorOp, math::CeilOp, math::FmaOp,
          math::CopySignOp>(op))
    return true;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    std::optional<int64_t> divisor = getConstant(op.getOperand(1));
    return divisor && *divisor > 0;
  }
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    std::optional<int64_t> amount = getConstant(op.getOperand(1));
    return amount && *amount >= 0 && *amount < 8;
  }
  // Others are undefined for some operands, or are no ops on elements.
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::CmpIOp,
             arith::SelectOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::IndexCastOp,
             arith::IndexCastUIOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
}

LogicalResult RegionEmitter::emit(Operation &op) {
  if (llvm::all_of(op.getOperands(),
                   [&](Value operand) { return isScalar(operand); })) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(getScalar(operand));
    SmallVector<Value> results = emitScalar(op, operands);
    if (results.size() != op.getNumResults())
      return failure();
    for (auto [inner, result] : llvm::zip(op.getResults(), results))
      map(inner, result);
    return success();
  }
  if (!hasVectorForm(op))
    return emitByLane(op);
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op.getOperands())
    operands.push_back(get(operand));
  SmallVector<Value> results;
  for (unsigned y = 0; y < count; ++y) {
    SmallVector<Value> here;
    for (ArrayRef<Value> operand : operands)
      here.push_back(operand[y]);
    results.push_back(emitVector(op, here));
  }
  map(op.getResult(0), results);
  return success();
}

SmallVector<Value> RegionEmitter::emitScalar(Operation &op,
                                             ValueRange operands) {
  reference::ScalarEmitter scalar(b, *op.getBlock(), b.getF32Type());
  scalar.map(op.getOperands(), operands);
  SmallVector<Value> results;
  if (failed(scalar.emit(op)))
    return results;
  for (Value inner : op.getResults())
    results.push_back(*scalar.emit(inner));
  return results;
}

Value RegionEmitter::emitVector(Operation &op, ArrayRef<Value> operands) {
  if (isa<math::ExpOp>(op))
    return emitExp(b, operands[0]);
  if (isa<math::Exp2Op>(op))
    return emitExp2(b, operands[0]);
  if (isa<math::TanhOp>(op))
    return emitTanh(b, operands[0]);
  Type type = VectorType::get({b.lanes}, op.getResult(0).getType());
  Operation *clone = Operation::create(
      op.getLoc(), op.getName(), type, operands,
      op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
      /*successors=*/BlockRange(), /*numRegions=*/0);
  b.insert(clone);
  reference::dropAssumptions(clone);
  return clone->getResult(0);
}

/// The op for one pair after the other, through memory.
LogicalResult RegionEmitter::emitByLane(Operation &op) {
  // A bit of memory is a byte.
  auto getStored = [&](Type type) -> Type {
    return type.isInteger(1) ? b.getI8Type() : type;
  };
  auto makeBuffer = [&](Value inner) {
    return b.scratch(getStored(inner.getType()),
                     {b.getIndexAttr(count * b.lanes)});
  };
  auto castTo = [&](Type type, Value x) -> Value {
    if (x.getType() == type)
      return x;
    if (getElementTypeOrSelf(type).isInteger(1))
      return arith::TruncIOp::create(b, type, x);
    return arith::ExtUIOp::create(b, type, x);
  };
  SmallVector<Value> buffers;
  for (Value operand : op.getOperands()) {
    if (isScalar(operand)) {
      buffers.push_back({});
      continue;
    }
    Value buffer = makeBuffer(operand);
    auto stored = VectorType::get({b.lanes}, getStored(operand.getType()));
    for (auto [y, vector] : llvm::enumerate(values[operand]))
      b.storeVector(castTo(stored, vector), buffer, {b.index(y * b.lanes)});
    buffers.push_back(buffer);
  }
  SmallVector<Value> results;
  for (Value result : op.getResults())
    results.push_back(makeBuffer(result));

  LogicalResult status = success();
  b.loop(b.index(0), b.index(count * b.lanes), 1, [&](Value lane) {
    SmallVector<Value> operands;
    for (auto [operand, buffer] : llvm::zip(op.getOperands(), buffers))
      operands.push_back(buffer
                             ? castTo(operand.getType(), b.load(buffer, {lane}))
                             : getScalar(operand));
    SmallVector<Value> scalars = emitScalar(op, operands);
    if (scalars.size() != results.size()) {
      status = failure();
      return;
    }
    for (auto [scalar, buffer] : llvm::zip(scalars, results))
      b.store(castTo(getStored(scalar.getType()), scalar), buffer, {lane});
  });
  for (auto [inner, buffer] : llvm::zip(op.getResults(), results)) {
    SmallVector<Value> vectors;
    auto stored = VectorType::get({b.lanes}, getStored(inner.getType()));
    auto type = VectorType::get({b.lanes}, inner.getType());
    for (unsigned y = 0; y < count; ++y)
      vectors.push_back(
          castTo(type, vector::LoadOp::create(b, stored, buffer,
                                              b.index(y * b.lanes))));
    map(inner, vectors);
  }
  return status;
}
