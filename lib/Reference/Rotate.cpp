//===- Rotate.cpp - Rotary position embedding as plain linalg -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Reference/Emitter.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::reference;

std::pair<Value, Value> Emitter::angles(const Rotation &rotation, Value x) {
  RopeAttr rope = rotation.rope;
  int64_t width =
      rope.getRotatedWidth(cast<ShapedType>(x.getType()).getDimSize(3));
  SmallVector<OpFoldResult> sizes = sizesOf(x);
  SmallVector<OpFoldResult> angleSizes{sizes[0], sizes[2],
                                       b.getIndexAttr(width / 2)};
  FloatType f64 = b.getF64Type();
  Value freqs = rotation.freqs;
  if (rope.needsLength())
    freqs = generic(
        {}, {{empty({b.getIndexAttr(width / 2)}, f64), {0}}}, 1,
        [&](ImplicitLocOpBuilder &body, ValueRange) -> SmallVector<Value> {
          Value pair = linalg::IndexOp::create(body, 0);
          return {emitFrequency(body, rope, width, rotation.length, pair)};
        })[0];
  AngleEmitter emitter(b, rope, width, freqs, rotation.cos, rotation.sin);
  SmallVector<Value> cosSin = generic(
      {},
      {{empty(angleSizes, f64), {0, 1, 2}},
       {empty(angleSizes, f64), {0, 1, 2}}},
      3, [&](ImplicitLocOpBuilder &body, ValueRange) -> SmallVector<Value> {
        Value pair = linalg::IndexOp::create(body, 2);
        Value place = emitPosition(
            body, rotation, linalg::IndexOp::create(body, 0),
            linalg::IndexOp::create(body, 1), emitter.emitAxis(body, pair));
        auto [cos, sin] = emitter.emit(body, place, pair);
        return {cos, sin};
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
