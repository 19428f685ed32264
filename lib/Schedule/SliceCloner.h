//===- SliceCloner.h - Values of a score region elsewhere -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SCHEDULE_SLICECLONER_H
#define LIB_SCHEDULE_SLICECLONER_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "posenc/Analysis/Extents.h"
#include <functional>

namespace mlir::posenc::schedule {

/// What stands for the arguments of a score region at some place of a
/// schedule; null where the place has no such thing. A value that depends on
/// what a place lacks, but through terms that cancel, is written without them.
struct Place {
  // As what the integers of a preparation's op stand.
  static Place atRow(ValueRange x) { return {{}, {}, x[0], {}, {}}; }
  static Place atKey(ValueRange x) { return {{}, {}, {}, x[0], {}}; }
  static Place atDistance(ValueRange x) { return {{}, {}, {}, {}, x[0]}; }
  static Place atPair(ValueRange x) { return {{}, {}, x[0], x[1], {}}; }

  Value batch, head, row, key;
  Value distance; // j - r, where row and key are not known
};

/// Clones values of the score region of an attention, with what they are
/// computed from, to the place of a builder. Every value is cloned once.
class SliceCloner {
public:
  SliceCloner(ImplicitLocOpBuilder &builder, AttentionOp op,
              const ExtentAnalysis &extents, const Place &place);

  Value clone(Value value);
  /// A value of the region stands for another one from now on.
  void map(Value from, Value to) { mapping.map(from, to); }

  /// Emits what stands for an op whose values have been computed for a tile;
  /// null for other ops.
  using ReadTile = std::function<Value(Operation *op, SliceCloner &cloner)>;
  ReadTile readTile;
  const Place &getPlace() const { return place; }

private:
  bool isWithinReach(Value value);
  Value emitForm(const LinearForm &form);
  Value emitAffine(const AffineForm &affine);
  Value cloneByForm(Value value);

  ImplicitLocOpBuilder &builder;
  const ExtentAnalysis &extents;
  Place place;
  IRMapping mapping;
};

} // namespace mlir::posenc::schedule

#endif // LIB_SCHEDULE_SLICECLONER_H
