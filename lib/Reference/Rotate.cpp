//===- Rotate.cpp - Rotary position embedding as plain linalg -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Reference/Emitter.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::reference;

/// An integer of a tensor as index.
static Value toIndex(ImplicitLocOpBuilder &b, Value integer) {
  if (integer.getType().isIndex())
    return integer;
  return arith::IndexCastOp::create(b, b.getIndexType(), integer);
}

/// The position of a row: an index, or a float where positions are floats.
Value Emitter::position(ImplicitLocOpBuilder &body, const Rotation &rotation,
                        Value batch, Value row) {
  Value position = rotation.position;
  if (!position)
    return row;
  if (position.getType().isIndex())
    return arith::AddIOp::create(body, row, position);
  if (!rotation.hasPositionPerRow()) {
    Value offset = tensor::ExtractOp::create(body, position, batch);
    return arith::AddIOp::create(body, row, toIndex(body, offset));
  }
  // Positions of one batch serve all.
  Value last =
      arith::SubIOp::create(body, tensor::DimOp::create(body, position, 0),
                            arith::ConstantIndexOp::create(body, 1));
  Value own = arith::MinUIOp::create(body, batch, last);
  Value id = tensor::ExtractOp::create(body, position, ValueRange{own, row});
  return isa<FloatType>(id.getType()) ? id : toIndex(body, id);
}

/// A position as f64: index, or a float.
static Value toReal(ImplicitLocOpBuilder &b, Value position) {
  if (isa<FloatType>(position.getType()))
    return emitFloatCast(b, b.getLoc(), position, b.getF64Type());
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), position);
  return arith::SIToFPOp::create(b, b.getF64Type(), integer);
}

static Value vectorConstant(ImplicitLocOpBuilder &b, ArrayRef<double> values) {
  auto type = RankedTensorType::get(values.size(), b.getF64Type());
  return arith::ConstantOp::create(b, type,
                                   DenseElementsAttr::get(type, values));
}

std::pair<Value, Value> Emitter::angles(const Rotation &rotation, Value x) {
  RopeAttr rope = rotation.rope;
  int64_t width =
      rope.getRotatedWidth(cast<ShapedType>(x.getType()).getDimSize(3));
  SmallVector<OpFoldResult> sizes = sizesOf(x);
  SmallVector<OpFoldResult> angleSizes{sizes[0], sizes[2],
                                       b.getIndexAttr(width / 2)};
  FloatType f64 = b.getF64Type();
  double magnitude = 1;
  Value frequencies = rotation.freqs;
  if (rope.getBase()) {
    frequencies = vectorConstant(b, rope.getFrequencies(width));
    if (rope.getScaling())
      magnitude = rope.getScaling().getMagnitude();
  }
  Value zetas;
  if (rope.getXpos()) {
    SmallVector<double> values;
    for (int64_t m = 0; m < width / 2; ++m)
      values.push_back((2.0 * m / width + 0.4) / 1.4);
    zetas = vectorConstant(b, values);
  }

  SmallVector<Value> cosSin = generic(
      {},
      {{empty(angleSizes, f64), {0, 1, 2}},
       {empty(angleSizes, f64), {0, 1, 2}}},
      3, [&](ImplicitLocOpBuilder &body, ValueRange) -> SmallVector<Value> {
        Value pair = linalg::IndexOp::create(body, 2);
        Value place = position(body, rotation, linalg::IndexOp::create(body, 0),
                               linalg::IndexOp::create(body, 1));
        auto read = [&](Value table, ValueRange at) {
          Value element = tensor::ExtractOp::create(body, table, at);
          return emitFloatCast(body, body.getLoc(), element, f64);
        };
        auto constant = [&](double value) -> Value {
          return arith::ConstantOp::create(body, body.getF64FloatAttr(value));
        };
        Value cos, sin;
        if (rotation.cos) {
          Value inside = arith::AndIOp::create(
              body,
              arith::CmpIOp::create(
                  body, arith::CmpIPredicate::ult, place,
                  tensor::DimOp::create(body, rotation.cos, 0)),
              arith::CmpIOp::create(
                  body, arith::CmpIPredicate::ult, place,
                  tensor::DimOp::create(body, rotation.sin, 0)));
          auto row = scf::IfOp::create(body, TypeRange{f64, f64}, inside,
                                       /*addElseRegion=*/true);
          OpBuilder::InsertionGuard guard(body);
          body.setInsertionPointToStart(row.thenBlock());
          scf::YieldOp::create(body,
                               ValueRange{read(rotation.cos, {place, pair}),
                                          read(rotation.sin, {place, pair})});
          body.setInsertionPointToStart(row.elseBlock());
          Value zero = constant(0.0);
          scf::YieldOp::create(body, ValueRange{zero, zero});
          cos = row.getResult(0);
          sin = row.getResult(1);
        } else {
          Value angle = arith::MulFOp::create(body, toReal(body, place),
                                              read(frequencies, pair));
          cos = math::CosOp::create(body, angle);
          sin = math::SinOp::create(body, angle);
        }
        Value factor = constant(magnitude);
        if (zetas) {
          Value exponent = arith::DivFOp::create(
              body, toReal(body, place), constant(rope.getXpos()->value));
          factor = arith::MulFOp::create(
              body, factor,
              math::PowFOp::create(body, read(zetas, pair), exponent));
        }
        return {arith::MulFOp::create(body, cos, factor),
                arith::MulFOp::create(body, sin, factor)};
      });
  return {cosSin[0], cosSin[1]};
}

Value Emitter::rotate(const Rotation &rotation, Value x) {
  RopeAttr rope = rotation.rope;
  int64_t width =
      rope.getRotatedWidth(cast<ShapedType>(x.getType()).getDimSize(3));
  auto [cos, sin] = angles(rotation, x);

  // The first and the second channels of all pairs, as two slices.
  bool half = rope.getLayout() == RopeLayout::Half;
  SmallVector<OpFoldResult> sizes = sizesOf(x);
  sizes[3] = b.getIndexAttr(width / 2);
  SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
  strides[3] = b.getIndexAttr(half ? 1 : 2);
  SmallVector<OpFoldResult> first(4, b.getIndexAttr(0)), second = first;
  first[3] = b.getIndexAttr(rope.getStart());
  second[3] = b.getIndexAttr(rope.getStart() + (half ? width / 2 : 1));

  Value wide = convert(x, compute);
  Value firsts = tensor::ExtractSliceOp::create(b, wide, first, sizes, strides);
  Value seconds =
      tensor::ExtractSliceOp::create(b, wide, second, sizes, strides);
  enum { B, H, L, D, numLoops };
  SmallVector<Value> turned = generic(
      {{firsts, {B, H, L, D}},
       {seconds, {B, H, L, D}},
       {cos, {B, L, D}},
       {sin, {B, L, D}}},
      {{empty(sizes, compute), {B, H, L, D}},
       {empty(sizes, compute), {B, H, L, D}}},
      numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value c = emitFloatCast(body, body.getLoc(), e[2], compute);
        Value s = emitFloatCast(body, body.getLoc(), e[3], compute);
        auto mul = [&](Value x, Value y) -> Value {
          return arith::MulFOp::create(body, x, y);
        };
        return {arith::SubFOp::create(body, mul(e[0], c), mul(e[1], s)),
                arith::AddFOp::create(body, mul(e[1], c), mul(e[0], s))};
      });
  Value rotated =
      tensor::InsertSliceOp::create(b, turned[0], wide, first, sizes, strides);
  return tensor::InsertSliceOp::create(b, turned[1], rotated, second, sizes,
                                       strides);
}
