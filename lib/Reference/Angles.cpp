//===- Angles.cpp - Angles of rotations as scalar code -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Reference/ScalarEmitter.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::reference;

static Value realConstant(ImplicitLocOpBuilder &b, double value) {
  return emitConstant(b, b.getF64Type(), value);
}

/// A position as f64: index, or a float.
static Value toReal(ImplicitLocOpBuilder &b, Value position) {
  if (isa<FloatType>(position.getType()))
    return emitFloatCast(b, b.getLoc(), position, b.getF64Type());
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), position);
  return arith::SIToFPOp::create(b, b.getF64Type(), integer);
}

/// An element of a table as f64.
static Value read(ImplicitLocOpBuilder &b, Value table, ValueRange at) {
  return emitFloatCast(b, b.getLoc(), emitLoad(b, table, at), b.getF64Type());
}

/// An integer as index.
static Value toIndex(ImplicitLocOpBuilder &b, Value integer) {
  if (integer.getType().isIndex())
    return integer;
  return arith::IndexCastOp::create(b, b.getIndexType(), integer);
}

Value reference::emitPosition(ImplicitLocOpBuilder &b, const Rotation &rotation,
                              Value batch, Value row, Value axis) {
  Value position = rotation.position;
  if (!position)
    return row;
  if (position.getType().isIndex())
    return arith::AddIOp::create(b, row, position);
  if (!rotation.hasPositionPerRow()) {
    Value offset = emitLoad(b, position, batch);
    return arith::AddIOp::create(b, row, toIndex(b, offset));
  }
  // Positions of one batch serve all.
  int64_t batches = rotation.hasAxes() ? 1 : 0;
  Value size = isa<TensorType>(position.getType())
                   ? tensor::DimOp::create(b, position, batches).getResult()
                   : memref::DimOp::create(b, position, batches).getResult();
  Value last =
      arith::SubIOp::create(b, size, arith::ConstantIndexOp::create(b, 1));
  Value own = arith::MinUIOp::create(b, batch, last);
  SmallVector<Value> place{own, row};
  if (rotation.hasAxes())
    place.insert(place.begin(), axis);
  Value id = emitLoad(b, position, place);
  return isa<FloatType>(id.getType()) ? id : toIndex(b, id);
}

Value reference::emitFrequency(ImplicitLocOpBuilder &b, RopeAttr rope,
                               int64_t width, Value length, Value pair) {
  return rope.getScaling().emitFrequency(
      b, b.getLoc(), rope.getFrequencies(width), length, pair);
}

AngleEmitter::AngleEmitter(ImplicitLocOpBuilder &b, RopeAttr rope,
                           int64_t width, Value freqs, Value cos, Value sin)
    : rope(rope), freqs(freqs), cos(cos), sin(sin) {
  if (rope.getBase() && !freqs)
    this->freqs = emitConstants(b, rope.getFrequencies(width));
  if (!rope.getSections().empty()) {
    SmallVector<int64_t> numbers = rope.getAxes();
    auto type = RankedTensorType::get(numbers.size(), b.getI64Type());
    axes = arith::ConstantOp::create(b, type,
                                     DenseIntElementsAttr::get(type, numbers));
  }
  if (rope.getXpos()) {
    SmallVector<double> values;
    for (int64_t m = 0; m < width / 2; ++m)
      values.push_back((2.0 * m / width + 0.4) / 1.4);
    zetas = emitConstants(b, values);
  }
}

Value AngleEmitter::emitAxis(ImplicitLocOpBuilder &b, Value pair) const {
  return axes ? toIndex(b, emitLoad(b, axes, pair)) : Value();
}

std::pair<Value, Value> AngleEmitter::emit(ImplicitLocOpBuilder &b,
                                           Value position, Value pair) const {
  Value x, y;
  if (cos) {
    Value inside = arith::AndIOp::create(b, emitInside(b, cos, position),
                                         emitInside(b, sin, position));
    Value zero = realConstant(b, 0.0);
    SmallVector<Value> row = emitGuarded(
        b, inside, ValueRange{zero, zero}, [&]() -> SmallVector<Value> {
          return {read(b, cos, {position, pair}),
                  read(b, sin, {position, pair})};
        });
    x = row[0];
    y = row[1];
  } else {
    Value angle =
        arith::MulFOp::create(b, toReal(b, position), read(b, freqs, pair));
    x = math::CosOp::create(b, angle);
    y = math::SinOp::create(b, angle);
  }
  Value factor = realConstant(b, rope.getMagnitude());
  if (zetas) {
    Value exponent = arith::DivFOp::create(
        b, toReal(b, position), realConstant(b, rope.getXpos()->value));
    factor = arith::MulFOp::create(
        b, factor, math::PowFOp::create(b, read(b, zetas, pair), exponent));
  }
  return {arith::MulFOp::create(b, x, factor),
          arith::MulFOp::create(b, y, factor)};
}
