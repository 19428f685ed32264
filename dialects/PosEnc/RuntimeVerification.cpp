//===- RuntimeVerification.cpp - Checks of dynamic extents -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the verifiers check of static extents, checked at run time of dynamic
// ones. Upstream's `generate-runtime-verification` pass emits these checks.
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
using MessageFn = function_ref<std::string(Operation *, StringRef)>;

/// Emits the assertions of one op.
class ExtentChecks {
public:
  ExtentChecks(Operation *op, OpBuilder &builder, Location loc,
               MessageFn message)
      : op(op), b(loc, builder), message(message) {}

  /// Asserts that two extents are equal.
  void equal(Value x, int64_t i, Value y, int64_t j, StringRef text) {
    if (!x || !y || !(isDynamic(x, i) || isDynamic(y, j)))
      return;
    assertThat(compare(arith::CmpIPredicate::eq, extent(x, i), extent(y, j)),
               text);
  }
  /// Asserts that an operand's extent is what a result's type says of it.
  void known(Value x, int64_t i, Value result, int64_t j, StringRef text) {
    if (!result || !isDynamic(x, i) || isDynamic(result, j))
      return;
    assertThat(compare(arith::CmpIPredicate::eq, extent(x, i),
                       constant(extentOf(result, j))),
               text);
  }
  /// Asserts that an extent is a multiple of another, which is at least 1.
  void multiple(Value x, int64_t i, Value y, int64_t j, StringRef text) {
    if (!isDynamic(x, i) && !isDynamic(y, j))
      return;
    Value zero = constant(0), count = extent(x, i), unit = extent(y, j);
    // A divisor of 0 is replaced, so that the assertion itself is defined.
    Value divisor = arith::MaxSIOp::create(b, unit, constant(1));
    Value rest = arith::RemUIOp::create(b, count, divisor);
    Value positive = compare(arith::CmpIPredicate::ne, unit, zero);
    Value even = compare(arith::CmpIPredicate::eq, rest, zero);
    assertThat(arith::AndIOp::create(b, positive, even), text);
  }
  /// Asserts what the positions of rows [B,H,L,D] must be.
  void positions(const Rotation &rotation, Value rows) {
    Value position = rotation.position;
    if (!rotation || !position || !isa<ShapedType>(position.getType()))
      return;
    if (!rotation.hasPositionPerRow())
      return equal(position, 0, rows, 0,
                   "rotate_c1: expected one offset per batch");
    int64_t batch = 0;
    if (rotation.hasAxes()) {
      batch = 1;
      if (isDynamic(position, 0))
        assertThat(compare(arith::CmpIPredicate::eq, extent(position, 0),
                           constant(rotation.rope.getSections().size())),
                   "rotate_c1: expected positions on each axis");
    }
    equal(position, batch + 1, rows, 2,
          "rotate_c1: expected one position per row");
    if (!isDynamic(position, batch) && extentOf(position, batch) == 1)
      return;
    if (!isDynamic(position, batch) && !isDynamic(rows, 0))
      return;
    Value batches = extent(position, batch);
    Value same = compare(arith::CmpIPredicate::eq, batches, extent(rows, 0));
    Value shared = compare(arith::CmpIPredicate::eq, batches, constant(1));
    assertThat(arith::OrIOp::create(b, same, shared),
               "rotate_c1: expected positions of each batch, or of one");
  }
  /// Asserts the key heads, keys and batches that queries meet.
  void keys(Value q, Value k, StringRef text) {
    equal(q, 0, k, 0, text);
    multiple(q, 1, k, 1, text);
  }

private:
  static int64_t extentOf(Value x, int64_t i) {
    return cast<ShapedType>(x.getType()).getDimSize(i);
  }
  static bool isDynamic(Value x, int64_t i) {
    return ShapedType::isDynamic(extentOf(x, i));
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value extent(Value x, int64_t i) {
    if (isa<TensorType>(x.getType()))
      return tensor::DimOp::create(b, x, i);
    return memref::DimOp::create(b, x, i);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  void assertThat(Value condition, StringRef text) {
    cf::AssertOp::create(b, condition, message(op, text));
  }

  Operation *op;
  ImplicitLocOpBuilder b;
  MessageFn message;
};
} // namespace

void AttentionOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                              MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  StringRef shapes = "attention_c2: expected q [B,H,N,D], k [B,Hkv,M,D], v "
                     "[B,Hkv,M,Dv] and out [B,H,N,Dv]";
  check.equal(getQ(), 0, getK(), 0, shapes);
  check.equal(getK(), 0, getV(), 0, shapes);
  check.equal(getK(), 1, getV(), 1, shapes);
  check.equal(getK(), 2, getV(), 2, shapes);
  // A destination has the type of its result.
  for (int64_t d : {0, 1, 2}) {
    check.equal(getQ(), d, getOut(), d, shapes);
    if (!getOut())
      check.known(getQ(), d, getResult(), d, shapes);
  }
  check.multiple(getQ(), 1, getK(), 1,
                 "attention_c4: expected H to be a multiple of Hkv");
  for (Value table : getValueTables())
    if (cast<ShapedType>(table.getType()).getRank() == 3)
      check.equal(table, 0, getQ(), 1,
                  "attention_c5: expected a value table per head");
  check.equal(getSink(), 0, getQ(), 1,
              "attention_c6: expected a sink per head");
  StringRef lse = "attention_c7: expected a log-sum-exp [B,H,N]";
  for (int64_t d : {0, 1, 2}) {
    check.equal(getLse(), d, getQ(), d, lse);
    if (!getLse())
      check.known(getQ(), d, getLseResult(), d, lse);
  }
  check.positions(getQueryRotation(), getQ());
  check.positions(getKeyRotation(), getK());
}

void RotateOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                           MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  check.positions(getRotation(), getX());
}

void ScoresOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                           MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  StringRef text = "scores_c1: expected q [B,H,N,D], k [B,Hkv,M,D] and s "
                   "[B,H,N,M], H a multiple of Hkv";
  check.keys(getQ(), getK(), text);
  for (int64_t d : {0, 1, 2})
    check.known(getQ(), d, getS(), d, text);
  check.known(getK(), 2, getS(), 3, text);
}

void SoftmaxOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                            MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  check.equal(getSink(), 0, getS(), 1, "softmax_c1: expected a sink per head");
  for (int64_t d : {0, 1, 2})
    check.known(getS(), d, getLse(), d,
                "softmax_c1: expected a log-sum-exp [B,H,N]");
}

void ValuesOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                           MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  StringRef text = "values_c1: expected p [B,H,N,M], v [B,Hkv,M,Dv] and o "
                   "[B,H,N,Dv], H a multiple of Hkv";
  check.keys(getP(), getV(), text);
  for (int64_t d : {0, 1, 2})
    check.known(getP(), d, getO(), d, text);
  check.equal(getP(), 3, getV(), 2, text);
}

/// Asserts that a `from` with an offset per batch has one for each of `x`'s.
static void checkOffsets(ExtentChecks &check, Value position, Value x) {
  if (position && isa<ShapedType>(position.getType()))
    check.equal(position, 0, x, 0,
                "relative_c2: expected one offset per batch");
}

void RelativeBiasOp::generateRuntimeVerification(OpBuilder &builder,
                                                 Location loc,
                                                 MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  checkOffsets(check, getPosition(), getS());
  check.equal(getTable(), 1, getS(), 1, "relative_c2: expected a table [C,H]");
}

void RelativeLogitsOp::generateRuntimeVerification(OpBuilder &builder,
                                                   Location loc,
                                                   MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  StringRef text = "relative_c3: expected s [B,H,N,M], q [B,H,N,D] or k "
                   "[B,Hkv,M,D], and a table [C,D] or [H,C,D]";
  checkOffsets(check, getPosition(), getS());
  if (getSide() == RowsOf::Query) {
    for (int64_t d : {0, 1, 2})
      check.equal(getX(), d, getS(), d, text);
  } else {
    check.keys(getS(), getX(), text);
    check.equal(getS(), 3, getX(), 2, text);
  }
  if (cast<ShapedType>(getTable().getType()).getRank() == 3)
    check.equal(getTable(), 0, getS(), 1, text);
}

void RelativeValuesOp::generateRuntimeVerification(OpBuilder &builder,
                                                   Location loc,
                                                   MessageFn message) {
  ExtentChecks check(*this, builder, loc, message);
  StringRef text = "relative_c4: expected o [B,H,N,Dv], p [B,H,N,M], and a "
                   "table [C,Dv] or [H,C,Dv]";
  checkOffsets(check, getPosition(), getP());
  for (int64_t d : {0, 1, 2})
    check.equal(getO(), d, getP(), d, text);
  if (cast<ShapedType>(getTable().getType()).getRank() == 3)
    check.equal(getTable(), 0, getP(), 1, text);
}
