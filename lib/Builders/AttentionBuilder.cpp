//===- AttentionBuilder.cpp - Building posenc.attention -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Builders.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// RotationBuilder
//===----------------------------------------------------------------------===//

RotationBuilder::RotationBuilder(MLIRContext *context, RopeLayout layout,
                                 double base, RopeScalingAttr scaling) {
  rotation.rope =
      RopeAttr::get(context, layout, /*start=*/0, /*width=*/0, Real(base),
                    scaling, /*sections=*/{}, /*cyclic=*/false,
                    /*restart=*/false, /*xpos=*/std::nullopt);
}

RotationBuilder &RotationBuilder::from(Value position) {
  rotation.position = position;
  return *this;
}

RotationBuilder &RotationBuilder::length(Value length) {
  rotation.length = length;
  return *this;
}

RotationBuilder &RotationBuilder::freqs(Value freqs) {
  rotation.freqs = freqs;
  return *this;
}

RotationBuilder &RotationBuilder::cosSin(Value cos, Value sin) {
  rotation.cos = cos;
  rotation.sin = sin;
  return *this;
}

//===----------------------------------------------------------------------===//
// AttentionBuilder
//===----------------------------------------------------------------------===//

/// The output's type. Operands that cannot be those of attention give any type:
/// the verifier says what is wrong with them.
static Type inferOutput(Value q, Value v) {
  auto queries = dyn_cast<RankedTensorType>(q.getType());
  auto values = dyn_cast<RankedTensorType>(v.getType());
  if (!queries || !values || queries.getRank() != 4 || values.getRank() != 4)
    return v.getType();
  SmallVector<int64_t> shape(queries.getShape());
  shape[3] = values.getDimSize(3);
  return RankedTensorType::get(shape, values.getElementType());
}

/// The log-sum-exp's, in the same way.
static Type inferLse(Value q) {
  auto queries = dyn_cast<RankedTensorType>(q.getType());
  Type f32 = Float32Type::get(q.getContext());
  if (!queries || queries.getRank() != 4)
    return f32;
  return RankedTensorType::get(queries.getShape().drop_back(), f32);
}

AttentionBuilder::AttentionBuilder(OpBuilder &builder, Location loc, Value q,
                                   Value k, Value v)
    : builder(builder), loc(loc), q(q), k(k), v(v), region(body, loc),
      scoreBuilder(region, loc) {
  // On memrefs there is no result.
  if (!isa<MemRefType>(q.getType()))
    outputType = inferOutput(q, v);
}

AttentionBuilder &AttentionBuilder::rotateQueries(const Rotation &rotation) {
  queryRotation = rotation;
  return *this;
}

AttentionBuilder &AttentionBuilder::rotateKeys(const Rotation &rotation) {
  keyRotation = rotation;
  return *this;
}

AttentionBuilder &AttentionBuilder::valueTable(Value table, Value row) {
  tables.push_back(table);
  tableRows.push_back(row);
  return *this;
}

AttentionBuilder &AttentionBuilder::sink(Value sink) {
  sinkValue = sink;
  return *this;
}

AttentionBuilder &AttentionBuilder::into(Value outValue, Value lseValue) {
  out = outValue;
  lseOut = lseValue;
  auto resultType = [](Value value) {
    return value && isa<TensorType>(value.getType()) ? value.getType() : Type();
  };
  return resultTypes(resultType(out), resultType(lseOut));
}

AttentionBuilder &AttentionBuilder::lse() {
  lseType = inferLse(q);
  return *this;
}

AttentionBuilder &AttentionBuilder::resultTypes(Type output, Type lse) {
  outputType = output;
  lseType = lse;
  return *this;
}

AttentionOp AttentionBuilder::create(Value score, Value keep) {
  assert(!body.empty() && "create is to be called once");
  YieldOp::create(scoreBuilder, score, keep, tableRows);
  region.captureAll();
  auto op = AttentionOp::create(
      builder, loc, outputType, lseType, q, k, v, out, lseOut,
      queryRotation.rope, queryRotation.position, queryRotation.length,
      queryRotation.freqs, queryRotation.cos, queryRotation.sin,
      keyRotation.rope, keyRotation.position, keyRotation.length,
      keyRotation.freqs, keyRotation.cos, keyRotation.sin, tables, sinkValue,
      region.getCaptures());
  op.getScore().takeBody(body);
  // The region's ops were not inserted by this builder.
  if (OpBuilder::Listener *listener = builder.getListener()) {
    listener->notifyBlockInserted(&op.getScore().front(), /*previous=*/nullptr,
                                  /*previousIt=*/{});
    for (Operation &inner : op.getScore().front())
      listener->notifyOperationInserted(&inner, /*previous=*/{});
  }
  return op;
}
