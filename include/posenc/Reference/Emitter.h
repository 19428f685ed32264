//===- Emitter.h - Attention as plain linalg on tensors -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The definition of what the ops mean, step by step. Everything else is tested
// against this, so it is written to be read: no tiling, no fusion, tensors of
// N x M scores.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_REFERENCE_EMITTER_H
#define POSENC_REFERENCE_EMITTER_H

#include "posenc/Reference/ScalarEmitter.h"

namespace mlir::posenc::reference {

/// Emits the steps of attention. Operands are tensors of any float type, which
/// are converted as they are read; results are tensors of the compute type.
/// Notation: q [B,H,N,D], k [B,Hkv,M,D], v [B,Hkv,M,Dv], scores and weights
/// [B,H,N,M].
class Emitter {
public:
  /// Computes in `compute`: f32, or f64 for a reference of twice the digits.
  /// Positions and angles are always f64.
  Emitter(OpBuilder &builder, Location loc, FloatType compute)
      : b(loc, builder), compute(compute) {}

  /// The rows of x [B,H,L,D], rotated by their positions.
  Value rotate(const Rotation &rotation, Value x);

  /// q[b,h,r] . k[b,h/(H/Hkv),j], unscaled.
  Value scores(Value q, Value k);

  struct RegionResults {
    Value scores;            // -inf where a pair is not kept
    SmallVector<Value> rows; // index [B,H,N,M], one per value table
  };
  /// The results of a score region for every pair.
  FailureOr<RegionResults> applyRegion(Region &region, ValueRange captures,
                                       Value scores);

  struct Softmax {
    Value weights, lse;
  };
  /// Softmax over the keys with the sink [H] (or null) in the denominator, and
  /// the log-sum-exp [B,H,N] without it. A row of -inf gives zeros.
  Softmax softmax(Value scores, Value sink);

  /// sum_j p[b,h,r,j] v[b,h/(H/Hkv),j]. A pair of weight 0 adds nothing,
  /// whatever its value row holds.
  Value values(Value weights, Value v);

  /// o[b,h,r] + sum_j p[b,h,r,j] table[(h,) rows[b,h,r,j]], for a table [C,Dv]
  /// or [H,C,Dv]; a row outside the table adds nothing.
  Value addTableRows(Value o, Value weights, Value rows, Value table);

  /// map(lag or delta of position `from` + r and key j), for every pair of
  /// `scores`: index [B,H,N,M], or null if the map cannot be emitted.
  Value rowsByDistance(RowMapAttr map, Relation of, Value from, Value scores);

  /// The tensor with floats as `element`, written to `destination` if that is
  /// not null and has the type.
  Value convert(Value tensor, FloatType element, Value destination = {});

private:
  using Body = function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                               ValueRange elements)>;
  /// A tensor and the loops that index it, by their numbers.
  struct Operand {
    Value tensor;
    SmallVector<unsigned> loops;
  };
  /// One linalg.generic: the body gets an element of each input and output.
  SmallVector<Value> generic(ArrayRef<Operand> inputs,
                             ArrayRef<Operand> outputs, unsigned numLoops,
                             Body body);
  Value empty(ArrayRef<OpFoldResult> sizes, Type element);
  Value filled(ArrayRef<OpFoldResult> sizes, double value);
  SmallVector<OpFoldResult> sizesOf(Value tensor);
  /// k or v with every key head repeated for the query heads that read it.
  Value repeatHeads(Value k, Value heads);
  /// The sums of x [B,H,N,M] from each key to the last.
  Value sumLaterKeys(Value x);
  /// cos and sin, f64 [B, L, width / 2], of the angles of rows x.
  std::pair<Value, Value> angles(const Rotation &rotation, Value x);

  ImplicitLocOpBuilder b;
  FloatType compute;
};

} // namespace mlir::posenc::reference

#endif // POSENC_REFERENCE_EMITTER_H
