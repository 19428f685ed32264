//===- ScalarEmitter.h - Score regions as scalar code -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What one pair, one row or one distance computes, by ops of arith and math.
// The reference and the lowerings of a schedule share it.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_REFERENCE_SCALAREMITTER_H
#define POSENC_REFERENCE_SCALAREMITTER_H

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::posenc::reference {

/// Emits values of a block of scalar ops at the builder's insertion point, each
/// once. Values of other blocks stand for themselves. With f64 as the compute
/// type all floats are f64. What is emitted has a value for all operands: see
/// makeTotal and dropAssumptions.
class ScalarEmitter {
public:
  ScalarEmitter(OpBuilder &builder, Block &block, FloatType compute)
      : builder(builder), block(block), compute(compute) {}

  /// Lets `value` stand for an argument, or another value, of the block.
  void map(Value original, Value value);
  void map(ValueRange originals, ValueRange values);

  /// The value, with what it needs of the block and was not emitted before. An
  /// argument of the block stands for itself unless it is mapped. Fails after a
  /// diagnostic if an op cannot be emitted.
  FailureOr<Value> emit(Value value);
  /// Emits the op, whose operands have been emitted.
  LogicalResult emit(Operation &op);

  /// Whether something stands for the value already.
  bool hasEmitted(Value value) const { return values.contains(value); }

  /// The type that stands for a type of the block.
  Type getType(Type type) const {
    return compute.isF64() && isa<FloatType>(type) ? Type(compute) : type;
  }

private:
  Value lookup(Value value);
  Value toType(Location loc, Value value, Type type);

  OpBuilder &builder;
  Block &block;
  FloatType compute;
  IRMapping values;
};

/// Values of a block, and what stands for them.
using KnownValues = ArrayRef<std::pair<Value, Value>>;
/// Emits all ops of a block but those of `known` values, with `arguments` for
/// those of the block, and returns what stands for the operands of its
/// terminator.
FailureOr<SmallVector<Value>> emitScalarBlock(OpBuilder &builder, Block &block,
                                              ValueRange arguments,
                                              FloatType compute,
                                              KnownValues known = {});

struct ScalarResults {
  Value score, keep; // keep is null where every pair is kept
  SmallVector<Value> rows;
};
/// Emits a score region for one pair. `arguments` stand for those of the
/// region; with f64 as the compute type all its floats are f64.
FailureOr<ScalarResults> emitScoreRegion(OpBuilder &builder, Region &region,
                                         ValueRange arguments,
                                         FloatType compute,
                                         KnownValues known = {});

/// Changes operands for which an op is undefined: what a removed pair
/// computes has no effect, so it must have a value. Divisors of 0, and of -1
/// below the least integer, become 1; shift amounts of the width and more
/// become 0; floats that do not fit an integer become 0.
void makeTotal(OpBuilder &builder, Operation &op,
               MutableArrayRef<Value> operands);

/// Drops what an op promises of its operands: a removed pair may break it,
/// and its value would be poison.
void dropAssumptions(Operation *op);

/// Emits the position of a row, for which the rotation's positions are a tensor
/// or a memref: an index, or a float where positions are floats. Of a rope with
/// sections, its position on an axis.
Value emitPosition(ImplicitLocOpBuilder &b, const Rotation &rotation,
                   Value batch, Value row, Value axis = {});

/// Emits the frequency of a channel pair, for a rope that needs the length.
Value emitFrequency(ImplicitLocOpBuilder &b, RopeAttr rope, int64_t width,
                    Value length, Value pair);

/// Emits the angles of a rotation, one at a time.
class AngleEmitter {
public:
  /// Emits what all angles share. `freqs`, `cos` and `sin` are tensors or
  /// memrefs, null where the rotation has none; `freqs` are also those that
  /// depend on the length.
  AngleEmitter(ImplicitLocOpBuilder &b, RopeAttr rope, int64_t width,
               Value freqs, Value cos, Value sin);

  /// The axis on which channel pair `pair` reads its position; null if there is
  /// but one.
  Value emitAxis(ImplicitLocOpBuilder &b, Value pair) const;

  /// cos and sin in f64, times the rotation's factors, of channel pair `pair`
  /// at `position`, an index or a float. A position outside given tables gives
  /// zeros.
  std::pair<Value, Value> emit(ImplicitLocOpBuilder &b, Value position,
                               Value pair) const;

private:
  RopeAttr rope;
  Value freqs, cos, sin, zetas, axes;
};

} // namespace mlir::posenc::reference

#endif // POSENC_REFERENCE_SCALAREMITTER_H
