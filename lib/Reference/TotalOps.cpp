//===- TotalOps.cpp - Ops that have a value everywhere -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Reference/ScalarEmitter.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

void reference::makeTotal(OpBuilder &builder, Operation &op,
                          MutableArrayRef<Value> operands) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  using Predicate = arith::CmpIPredicate;
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  auto compare = [&](Predicate predicate, Value x, int64_t y) -> Value {
    return arith::CmpIOp::create(b, predicate, x, constant(x.getType(), y));
  };
  auto replaceIf = [&](Value undefined, Value &operand, Value by) {
    operand = arith::SelectOp::create(b, undefined, by, operand);
  };
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                      arith::FloorDivSIOp>(op);
  if (isSigned || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op)) {
    Type type = operands[1].getType();
    Value undefined = compare(Predicate::eq, operands[1], 0);
    if (isSigned) {
      unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
      Value overflow = arith::AndIOp::create(
          b, compare(Predicate::eq, operands[1], -1),
          compare(Predicate::eq, operands[0],
                  APInt::getSignedMinValue(width).getSExtValue()));
      undefined = arith::OrIOp::create(b, undefined, overflow);
    }
    replaceIf(undefined, operands[1], constant(type, 1));
  } else if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    Type type = operands[1].getType();
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    // An i1 cannot hold its width; any amount but 0 is too far.
    Value tooFar =
        width == 1 ? operands[1] : compare(Predicate::uge, operands[1], width);
    replaceIf(tooFar, operands[1], constant(type, 0));
  } else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    auto type = cast<FloatType>(operands[0].getType());
    unsigned width = op.getResult(0).getType().getIntOrFloatBitWidth();
    bool toSigned = isa<arith::FPToSIOp>(op);
    // The conversion truncates: what lies between -1 and hi, or from -hi to
    // hi if signed, fits.
    double hi = std::ldexp(1.0, toSigned ? width - 1 : width);
    auto compareWith = [&](arith::CmpFPredicate predicate,
                           double value) -> Value {
      Value bound = arith::ConstantOp::create(b, b.getFloatAttr(type, value));
      return arith::CmpFOp::create(b, predicate, operands[0], bound);
    };
    // -hi fits, unless it is infinite in a narrow type.
    bool hasLeast =
        toSigned && !b.getFloatAttr(type, hi).getValue().isInfinity();
    Value above = compareWith(hasLeast ? arith::CmpFPredicate::OGE
                                       : arith::CmpFPredicate::OGT,
                              toSigned ? -hi : -1.0);
    Value below = compareWith(arith::CmpFPredicate::OLT, hi);
    Value fits = arith::AndIOp::create(b, above, below);
    Value zero = arith::ConstantOp::create(b, b.getFloatAttr(type, 0.0));
    operands[0] = arith::SelectOp::create(b, fits, operands[0], zero);
  }
}

void reference::dropAssumptions(Operation *op) {
  MLIRContext *context = op->getContext();
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    op->setAttr(
        fast.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::none));
  if (auto wraps = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(wraps.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(
                    context, arith::IntegerOverflowFlags::none));
  for (StringRef promise : {"isExact", "nonNeg"})
    if (op->getName().isRegistered() &&
        llvm::is_contained(op->getName().getAttributeNames(), promise))
      op->removeAttr(promise);
}
