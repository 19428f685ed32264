//===- ScoreBuilder.cpp - Writing the ops of score regions ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Builders.h"

using namespace mlir;
using namespace mlir::posenc;

ScoreBuilder::ScoreBuilder(ScoreRegion &region, Location loc)
    : ImplicitLocOpBuilder(loc, loc.getContext()), region(&region) {
  setInsertionPointToEnd(region.getBlock());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Value ScoreBuilder::position(Value from) {
  if (!from)
    return row();
  if (isa<ShapedType>(from.getType()))
    from = lookup(from, batch());
  return arith::AddIOp::create(*this, row(), from);
}

Value ScoreBuilder::delta(Value from) {
  return arith::SubIOp::create(*this, key(), position(from));
}

Value ScoreBuilder::lag(Value from) {
  return arith::SubIOp::create(*this, position(from), key());
}

//===----------------------------------------------------------------------===//
// Score ops
//===----------------------------------------------------------------------===//

Value ScoreBuilder::tableRow(RowMapAttr map, ValueRange x) {
  return RowOp::create(*this, getIndexType(), map, x);
}

Value ScoreBuilder::lookup(Value table, ValueRange indices,
                           Attribute otherwise) {
  // No type can be inferred of what is no table; the verifier says so.
  if (!isa<ShapedType>(table.getType()))
    return LookupOp::create(*this, getF32Type(), table, indices, otherwise);
  return LookupOp::create(*this, table, indices, otherwise);
}

Value ScoreBuilder::dot(Value x, ValueRange xIndices, Value y,
                        ValueRange yIndices, FloatAttr otherwise) {
  return DotOp::create(*this, getF32Type(), x, xIndices, y, yIndices,
                       otherwise);
}

Value ScoreBuilder::mlp(Activation activation, ValueRange x, Value output,
                        ArrayRef<MlpOp::Layer> layers) {
  SmallVector<Value> weights, biases;
  SmallVector<bool> hasBias;
  for (const MlpOp::Layer &layer : layers) {
    weights.push_back(layer.weights);
    hasBias.push_back(bool(layer.bias));
    if (layer.bias)
      biases.push_back(layer.bias);
  }
  return MlpOp::create(*this, getF32Type(), activation, x, output, weights,
                       biases, hasBias);
}

Value ScoreBuilder::rowScan(Value x) {
  return RowScanOp::create(*this, getF32Type(), x);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScoreBuilder::add(Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::AddFOp::create(*this, x, y);
  return arith::AddIOp::create(*this, x, y);
}

Value ScoreBuilder::sub(Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::SubFOp::create(*this, x, y);
  return arith::SubIOp::create(*this, x, y);
}

Value ScoreBuilder::mul(Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::MulFOp::create(*this, x, y);
  return arith::MulIOp::create(*this, x, y);
}

Value ScoreBuilder::constant(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value ScoreBuilder::constantIndex(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
