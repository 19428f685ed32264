//===- Scalars.cpp - Sizes and bounds of a schedule ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "posenc/Reference/ScalarEmitter.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// Positions, offsets and lengths are far below; a bound beyond is infinite.
static constexpr int64_t farAway = int64_t(1) << 59;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScheduleBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}
Value ScheduleBuilder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}
Value ScheduleBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y);
}
Value ScheduleBuilder::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(x, y);
}
Value ScheduleBuilder::least(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(x, y);
}
Value ScheduleBuilder::greatest(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(x, y);
}
Value ScheduleBuilder::clamp(Value x, Value lo, Value hi) {
  return greatest(lo, least(x, hi));
}
Value ScheduleBuilder::roundDown(Value x, int64_t multiple) {
  return mul(b.createOrFold<arith::FloorDivSIOp>(x, constant(multiple)),
             constant(multiple));
}
Value ScheduleBuilder::roundUp(Value x, int64_t multiple) {
  return roundDown(add(x, constant(multiple - 1)), multiple);
}
Value ScheduleBuilder::divideUp(Value x, Value y) {
  return b.createOrFold<arith::CeilDivSIOp>(x, y);
}

OpFoldResult ScheduleBuilder::sizeOf(Value memref, unsigned dimension) {
  int64_t size = cast<ShapedType>(memref.getType()).getDimSize(dimension);
  if (!ShapedType::isDynamic(size))
    return b.getIndexAttr(size);
  return memref::DimOp::create(b, memref, dimension).getResult();
}

Value ScheduleBuilder::toValue(OpFoldResult size) {
  if (auto attr = dyn_cast<Attribute>(size))
    return constant(cast<IntegerAttr>(attr).getInt());
  return cast<Value>(size);
}

//===----------------------------------------------------------------------===//
// Values of the region
//===----------------------------------------------------------------------===//

Value ScheduleBuilder::getOperand(Value captured) {
  auto argument = cast<BlockArgument>(captured);
  return op.getCaptures()[argument.getArgNumber() - numScoreArguments];
}

/// Whether the value is computed from the row, the key or the score.
bool ScheduleBuilder::readsPair(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() == 0 || argument.getArgNumber() == 3 ||
           argument.getArgNumber() == 4;
  Operation *op = value.getDefiningOp();
  if (auto known = pairReaders.find(op); known != pairReaders.end())
    return known->second;
  bool reads = llvm::any_of(op->getOperands(),
                            [&](Value operand) { return readsPair(operand); });
  pairReaders[op] = reads;
  return reads;
}

/// What stands for a value that is computed from rows and keys which cancel;
/// null for other values.
Value ScheduleBuilder::emitCancelled(Value value, const Site &site) {
  auto cancels = [](const std::optional<AffineForm> &affine) {
    return affine && affine->row == 0 && affine->key == 0;
  };
  const std::optional<AffineForm> &affine = extents[value].affine;
  if (cancels(affine) && !(affine->offset == LinearForm::of(value))) {
    Value sum = emitForm(affine->offset, site);
    if (!value.getType().isIndex())
      sum = arith::IndexCastOp::create(b, value.getType(), sum);
    return sum;
  }
  // Unsigned comparisons of what does not cancel on each side are not uniform.
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  const std::optional<AffineForm> &lhs = extents[compare.getLhs()].affine;
  const std::optional<AffineForm> &rhs = extents[compare.getRhs()].affine;
  if (!lhs || !rhs || cancels(lhs) || lhs->row != rhs->row ||
      lhs->key != rhs->key)
    return {};
  Value difference = emitForm(lhs->offset - rhs->offset, site);
  return arith::CmpIOp::create(b, compare.getPredicate(), difference,
                               constant(0));
}

/// Gives the emitter what stands for values, on the way to this one, that are
/// computed from rows and keys which cancel.
void ScheduleBuilder::mapCancelled(reference::ScalarEmitter &emitter,
                                   Value value, const Site &site) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !readsPair(next) || !seen.insert(op).second)
      continue;
    if (Value cancelled = emitCancelled(next, site))
      emitter.map(next, cancelled);
    else
      llvm::append_range(work, op->getOperands());
  }
}

Value ScheduleBuilder::emitScalar(Value value, const Site &site) {
  Block &block = op.getScore().front();
  reference::ScalarEmitter emitter(b, block, b.getF32Type());
  if (site.batch)
    emitter.map(block.getArgument(1), site.batch);
  if (site.head)
    emitter.map(block.getArgument(2), site.head);
  for (Value captured : block.getArguments().drop_front(numScoreArguments))
    emitter.map(captured, getOperand(captured));
  mapCancelled(emitter, value, site);
  FailureOr<Value> scalar = emitter.emit(value);
  if (succeeded(scalar))
    return *scalar;
  hasFailed = true;
  return arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
}

/// A linear form at a site, as index.
Value ScheduleBuilder::emitForm(const LinearForm &form, const Site &site) {
  // A length or window that means "no limit" may be any large number.
  Value sum = constant(form.constant);
  Value lo = constant(-farAway), hi = constant(farAway);
  for (auto [value, factor] : form.terms) {
    Value term = emitScalar(value, site);
    if (!term.getType().isIndex())
      term = b.createOrFold<arith::IndexCastOp>(index, term);
    term = clamp(term, lo, hi);
    sum = factor == -1 ? sub(sum, term) : add(sum, mul(term, constant(factor)));
  }
  return form.isConstant() ? sum : clamp(sum, lo, hi);
}

Value ScheduleBuilder::emitBound(const Bound &bound, const Site &site) {
  switch (bound.getKind()) {
  case Bound::Kind::NegativeInfinity:
    return constant(-farAway);
  case Bound::Kind::PositiveInfinity:
    return constant(farAway);
  case Bound::Kind::Min:
  case Bound::Kind::Max: {
    auto [x, y] = bound.getOperands();
    Value left = emitBound(x, site), right = emitBound(y, site);
    return bound.getKind() == Bound::Kind::Min ? least(left, right)
                                               : greatest(left, right);
  }
  case Bound::Kind::Linear:
    break;
  }
  return emitForm(bound.getForm(), site);
}

Value ScheduleBuilder::emitDistance(const Bound &bound, const Site &site) {
  return clamp(emitBound(bound, site), sub(constant(0), rows), keys);
}

Value ScheduleBuilder::emitLength(const BoundRange &range) {
  // No more than all distances.
  Value length = add(rows, keys);
  if (range.hi.getKind() == Bound::Kind::Linear &&
      range.lo.getKind() == Bound::Kind::Linear) {
    LinearForm known = range.hi.getForm() - range.lo.getForm();
    if (known.isConstant())
      length = least(length, constant(std::max<int64_t>(known.constant, 0)));
  }
  return length;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

Scope ScheduleBuilder::scopeOf(bool batch, bool head) const {
  return batch  ? head ? Scope::BatchHead : Scope::Batch
         : head ? Scope::Head
                : Scope::Once;
}

Scope ScheduleBuilder::join(Scope x, Scope y) const {
  auto has = [&](Scope scope) { return x == scope || y == scope; };
  bool both = has(Scope::BatchHead);
  if (has(Scope::Item) && !both && !has(Scope::Head))
    return Scope::Item;
  return scopeOf(both || has(Scope::Batch) || has(Scope::Item),
                 both || has(Scope::Head));
}

Scope ScheduleBuilder::scopeOf(ArrayRef<Value> values) const {
  Scope scope = Scope::Once;
  for (Value value : values)
    scope = join(scope, scopeOf(extents[value].batch, extents[value].head));
  return scope;
}

Scope ScheduleBuilder::scopeOf(ArrayRef<LinearTerm> terms) const {
  Scope scope = Scope::Once;
  for (const LinearTerm &term : terms) {
    if (term.atom)
      scope = join(scope, scopeOf(term.atom));
    for (auto [factor, inverse] : term.coefficient.factors)
      scope = join(scope, scopeOf(factor));
  }
  return scope;
}

Scope ScheduleBuilder::scopeOf(const Bound &bound) const {
  switch (bound.getKind()) {
  case Bound::Kind::NegativeInfinity:
  case Bound::Kind::PositiveInfinity:
    return Scope::Once;
  case Bound::Kind::Min:
  case Bound::Kind::Max: {
    auto [x, y] = bound.getOperands();
    return join(scopeOf(x), scopeOf(y));
  }
  case Bound::Kind::Linear:
    break;
  }
  Scope scope = Scope::Once;
  for (auto [value, factor] : bound.getForm().terms)
    scope = join(scope, scopeOf(value));
  return scope;
}
