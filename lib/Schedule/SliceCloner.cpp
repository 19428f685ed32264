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
    : builder(builder), extents(extents), place(place) {
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

/// A linear form in row and key, by what the place knows of them; null if that
/// is not enough.
Value SliceCloner::emitAffine(const AffineForm &affine) {
  Value sum;
  auto addTo = [&](Value term, int64_t factor) {
    if (factor != 1)
      term = arith::MulIOp::create(
          builder, term, arith::ConstantIndexOp::create(builder, factor));
    sum = sum ? arith::AddIOp::create(builder, sum, term).getResult() : term;
  };
  bool byDistance = place.distance && affine.row == -affine.key;
  if ((affine.row && !place.row && !byDistance) ||
      (affine.key && !place.key && !byDistance))
    return {};
  if (byDistance && affine.key) {
    addTo(place.distance, affine.key);
  } else {
    if (affine.row)
      addTo(place.row, affine.row);
    if (affine.key)
      addTo(place.key, affine.key);
  }
  if (!sum || !(affine.offset == LinearForm(0)))
    addTo(emitForm(affine.offset), 1);
  return sum;
}

/// Whether the value can be cloned with what it is computed from.
bool SliceCloner::isWithinReach(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (mapping.contains(next))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op)
      return false;
    if (seen.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// A value whose operands the place does not have, but their linear form, or
/// that of the difference of what is compared.
Value SliceCloner::cloneByForm(Value value) {
  if (auto affine = extents[value].affine;
      affine && !(affine->row == 0 && affine->key == 0 &&
                  affine->offset == LinearForm::of(value))) {
    Value result = emitAffine(*affine);
    if (result && !value.getType().isIndex())
      result = arith::IndexCastOp::create(builder, value.getType(), result);
    return result;
  }
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  // Unsigned, it is no function of the difference.
  if (!compare || isUnsigned(compare.getPredicate()))
    return {};
  auto lhs = extents[compare.getLhs()].affine;
  auto rhs = extents[compare.getRhs()].affine;
  if (!lhs || !rhs)
    return {};
  // x < y where row r + key j < offset.
  Value left = emitAffine({lhs->row - rhs->row, lhs->key - rhs->key, {}});
  if (!left)
    return {};
  Value right = emitForm(rhs->offset - lhs->offset);
  return arith::CmpIOp::create(builder, compare.getPredicate(), left, right);
}

Value SliceCloner::clone(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Value result;
  if (readTile && value.getDefiningOp())
    result = readTile(value.getDefiningOp(), *this);
  if (!result && !isWithinReach(value))
    result = cloneByForm(value);
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
