//===- LoopBuilder.h - Writes loops over memrefs ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_LOOPS_LOOPBUILDER_H
#define POSENC_LIB_TARGET_LOOPS_LOOPBUILDER_H

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::posenc {

/// A builder with the words that loops over memrefs of f32 and index are
/// written in. Bodies are functions that insert by the same builder.
class LoopBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using IntPredicate = arith::CmpIPredicate;
  using FloatPredicate = arith::CmpFPredicate;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(*this, value);
  }
  Value real(double value) {
    return arith::ConstantOp::create(*this, getF32FloatAttr(value));
  }
  Value size(Value memref, unsigned dimension) {
    int64_t extent = cast<MemRefType>(memref.getType()).getDimSize(dimension);
    if (!ShapedType::isDynamic(extent))
      return index(extent);
    return memref::DimOp::create(*this, memref, dimension);
  }

  Value add(Value x, Value y) {
    if (x.getType().isIndex())
      return arith::AddIOp::create(*this, x, y);
    return arith::AddFOp::create(*this, x, y);
  }
  Value sub(Value x, Value y) {
    if (x.getType().isIndex())
      return arith::SubIOp::create(*this, x, y);
    return arith::SubFOp::create(*this, x, y);
  }
  Value mul(Value x, Value y) {
    if (x.getType().isIndex())
      return arith::MulIOp::create(*this, x, y);
    return arith::MulFOp::create(*this, x, y);
  }
  Value div(Value x, Value y) { return arith::DivUIOp::create(*this, x, y); }
  Value rem(Value x, Value y) { return arith::RemUIOp::create(*this, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(*this, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(*this, x, y); }
  Value exp2(Value x) { return math::Exp2Op::create(*this, x); }

  Value compare(Value x, IntPredicate predicate, Value y) {
    return arith::CmpIOp::create(*this, predicate, x, y);
  }
  Value compare(Value x, FloatPredicate predicate, Value y) {
    return arith::CmpFOp::create(*this, predicate, x, y);
  }
  Value isZero(Value x) { return compare(x, FloatPredicate::OEQ, real(0)); }
  Value isNotZero(Value x) { return compare(x, FloatPredicate::UNE, real(0)); }
  /// x and y, either of which may be null: true.
  Value both(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return arith::AndIOp::create(*this, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(*this, condition, x, y);
  }

  /// An element, a float as f32.
  Value load(Value memref, ValueRange indices) {
    Value element = memref::LoadOp::create(*this, memref, indices);
    if (isa<FloatType>(element.getType()))
      return emitFloatCast(*this, getLoc(), element, getF32Type());
    return element;
  }
  /// Writes an element, an f32 as the float that the memref holds.
  void store(Value value, Value memref, ValueRange indices) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    if (auto type = dyn_cast<FloatType>(element))
      value = emitFloatCast(*this, getLoc(), value, type);
    memref::StoreOp::create(*this, value, memref, indices);
  }

  /// For i in [lo, hi).
  void forEach(Value lo, Value hi, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(*this, lo, hi, index(1));
    InsertionGuard guard(*this);
    setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  void forEach(Value hi, function_ref<void(Value)> body) {
    forEach(index(0), hi, body);
  }
  /// The value that starts as `init` and is `body(i, value)` after each i in
  /// [0, hi).
  Value accumulate(Value hi, Value init,
                   function_ref<Value(Value, Value)> body) {
    auto loop = scf::ForOp::create(*this, index(0), hi, index(1), init);
    InsertionGuard guard(*this);
    setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        *this, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }
  /// Executes `body` where the condition holds; null: always.
  void ifThen(Value condition, function_ref<void()> body) {
    if (!condition)
      return body();
    auto branch = scf::IfOp::create(*this, condition);
    InsertionGuard guard(*this);
    setInsertionPointToStart(branch.thenBlock());
    body();
  }
  /// `body()` where the condition holds, else `otherwise`.
  Value ifElse(Value condition, Value otherwise, function_ref<Value()> body) {
    return emitGuarded(*this, condition, otherwise,
                       [&]() -> SmallVector<Value> { return {body()}; })[0];
  }
  /// An element of `memref`, or `outside`, f32 or index, where there is none.
  Value loadOr(Value outside, Value memref, ValueRange indices) {
    return ifElse(emitInside(*this, memref, indices), outside,
                  [&] { return load(memref, indices); });
  }
};

/// A matrix as rows [rows][C], as columns [panels][C][W] or as columns of pairs
/// [panels][C / 2][W][2]: one vector of C channels per row or column.
struct Packed {
  explicit Packed(Value memref)
      : memref(memref), type(cast<MemRefType>(memref.getType())) {}

  bool hasPanels() const { return type.getRank() > 2; }
  bool hasPairs() const { return type.getRank() == 4; }
  /// How many rows or columns there are.
  Value getCount(LoopBuilder &b) const {
    Value count = b.size(memref, 0);
    return hasPanels() ? b.mul(count, b.size(memref, 2)) : count;
  }
  SmallVector<Value> at(LoopBuilder &b, Value vector, Value channel) const {
    if (!hasPanels())
      return {vector, channel};
    Value width = b.size(memref, 2);
    Value panel = b.div(vector, width), column = b.rem(vector, width);
    if (!hasPairs())
      return {panel, channel, column};
    Value two = b.index(2);
    return {panel, b.div(channel, two), column, b.rem(channel, two)};
  }

  Value memref;
  MemRefType type;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_TARGET_LOOPS_LOOPBUILDER_H
