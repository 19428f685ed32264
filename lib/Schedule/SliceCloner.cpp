//===- SliceCloner.cpp - Values of a score region elsewhere ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceCloner.h"
#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

SliceCloner::SliceCloner(ImplicitLocOpBuilder &builder, AttentionOp op,
                         const ExtentAnalysis &extents, const Place &place)
    : builder(builder), extents(extents), distance(place.distance) {
  Block &block = op.getScore().front();
  Value places[] = {Value(), place.batch, place.head, place.row, place.key};
  for (auto [argument, value] : llvm::zip_first(
           places, block.getArguments().take_front(numScoreArguments)))
    if (argument)
      mapping.map(value, argument);
  for (auto [argument, capture] :
       llvm::zip_equal(block.getArguments().drop_front(numScoreArguments),
                       op.getCaptures()))
    mapping.map(argument, capture);
}

Value SliceCloner::emitForm(const LinearForm &form) {
  Value sum;
  if (form.constant || form.isConstant())
    sum = arith::ConstantIndexOp::create(builder, form.constant);
  for (auto [value, factor] : form.terms) {
    Value term = clone(value);
    if (!term.getType().isIndex())
      term = arith::IndexCastOp::create(builder, builder.getIndexType(), term);
    if (factor != 1)
      term = arith::MulIOp::create(
          builder, term, arith::ConstantIndexOp::create(builder, factor));
    sum = sum ? arith::AddIOp::create(builder, sum, term).getResult() : term;
  }
  return sum;
}

/// A value that depends on row and key through their distance, although its
/// operands do not.
Value SliceCloner::cloneByDistance(Value value) {
  if (auto affine = extents[value].affine;
      affine && affine->key && affine->row == -affine->key) {
    Value scaled = distance;
    if (affine->key != 1)
      scaled = arith::MulIOp::create(
          builder, scaled,
          arith::ConstantIndexOp::create(builder, affine->key));
    if (!(affine->offset == LinearForm(0)))
      scaled = arith::AddIOp::create(builder, scaled, emitForm(affine->offset));
    if (!value.getType().isIndex())
      scaled = arith::IndexCastOp::create(builder, value.getType(), scaled);
    return scaled;
  }
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare || extents[compare.getLhs()].lag)
    return {};
  auto lhs = extents[compare.getLhs()].affine;
  auto rhs = extents[compare.getRhs()].affine;
  if (!lhs || !rhs)
    return {};
  // x < y where x - y = key d + offset.
  int64_t factor = lhs->key - rhs->key;
  Value left = distance;
  if (factor != 1)
    left = arith::MulIOp::create(
        builder, left, arith::ConstantIndexOp::create(builder, factor));
  Value right = emitForm(rhs->offset - lhs->offset);
  return arith::CmpIOp::create(builder, compare.getPredicate(), left, right);
}

Value SliceCloner::clone(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Value result;
  if (distance && extents[value].getKind() == ExtentKind::Lag)
    result = cloneByDistance(value);
  if (!result) {
    Operation *op = value.getDefiningOp();
    assert(op && "an argument of the region that has no meaning here");
    for (Value operand : op->getOperands())
      clone(operand);
    Operation *copy = builder.clone(*op, mapping);
    result = copy->getResult(cast<OpResult>(value).getResultNumber());
  }
  mapping.map(value, result);
  return result;
}
