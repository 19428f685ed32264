//===- PairUnit.h - Sweeps by products of pairs of bf16 ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_PAIRUNIT_H
#define POSENC_LIB_TARGET_CPU_PAIRUNIT_H

#include "Unit.h"

namespace mlir::posenc::cpu {

/// Six rows and a panel of pairs of keys are a step, with twice the products of
/// an fma in one instruction. Weights are rounded to bf16, and are in pairs of
/// keys as they come; so are the values.
class PairUnit : public Unit {
public:
  PairUnit(KernelBuilder &b, tile::SweepOp op, const Panels &panels,
           int64_t stepRows = numRows);

  void prepare(const Buffers &buffers) override;
  void emitScores(Value p, Value n, Value lo, Value hi, UseScores use) override;
  void emitValues(const Pending &pending) override;
  Value loadValues(Value row, Value d) override;

protected:
  Value keys;   // [panels, C / 2, 2 W]
  Value values; // [keys / 2, 2 valueWidth]
};

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_PAIRUNIT_H
