//===- Region.h - Score regions on vectors ----------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_REGION_H
#define POSENC_LIB_TARGET_CPU_REGION_H

#include "KernelBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::posenc::cpu {

/// Emits a score region for several vectors of pairs at once. What is the same
/// for all pairs is computed once, as a scalar; ops of `arith` and those of
/// `math` that have a vector form run on vectors; all others run lane by lane,
/// in a loop.
class RegionEmitter {
public:
  RegionEmitter(KernelBuilder &b, unsigned count) : b(b), count(count) {}

  /// What a value of the region is: one scalar, or a vector for each `count`.
  void map(Value inner, ArrayRef<Value> vectors);
  void map(Value inner, Value scalar) { map(inner, ArrayRef<Value>(scalar)); }
  /// The vectors of a value.
  SmallVector<Value> get(Value inner);

  LogicalResult emit(Block &body);

private:
  LogicalResult emit(Operation &op);
  bool isScalar(Value inner);
  Value getScalar(Value inner);
  LogicalResult emitByLane(Operation &op);
  SmallVector<Value> emitScalar(Operation &op, ValueRange operands);
  Value emitVector(Operation &op, ArrayRef<Value> operands);

  KernelBuilder &b;
  unsigned count;
  DenseMap<Value, SmallVector<Value>> values;
};

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_REGION_H
