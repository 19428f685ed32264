//===- Unit.h - What multiplies the matrices of a sweep ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sweep has two products: of query rows and keys, and of weights and values.
// A unit says which instructions compute them, in which layout their factors
// are, and how many rows are a step. All else of a sweep, which is the terms,
// the masks, the softmax and its sums, is the same for every unit.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_UNIT_H
#define POSENC_LIB_TARGET_CPU_UNIT_H

#include "Microkernel.h"
#include "dialects/PosEncTile/PosEncTile.h"
#include <memory>

namespace mlir::posenc::cpu {

class Unit {
public:
  /// The units there are: sums of single products, with keys packed or in
  /// place; sums of products of pairs of bf16; the same in tile registers.
  enum class Kind { Fma, FmaInPlace, Pairs, Tiles };

  /// What multiplies the factors of a sweep as they are laid out; tiles only
  /// where the caller says so.
  static Kind getKind(tile::SweepOp op) {
    return op.hasKeysInPlace()   ? Kind::FmaInPlace
           : op.hasPairsOfKeys() ? Kind::Pairs
                                 : Kind::Fma;
  }
  /// Why a unit cannot run a sweep, if it cannot.
  static std::optional<StringRef> whyNot(Kind kind, tile::SweepOp op,
                                         const CpuTarget &target);
  /// Vectors that scores come in.
  static Panels getPanels(Kind kind, tile::SweepOp op, const CpuTarget &target);
  static std::unique_ptr<Unit> create(Kind kind, KernelBuilder &b,
                                      tile::SweepOp op, const Panels &panels);
  virtual ~Unit() = default;

  /// Query rows of a step.
  const int64_t stepRows;
  /// Channels of the sums of values, those of o in whole vectors.
  const int64_t valueWidth;
  /// The element type of weights.
  const Type weightType;

  /// The buffers of a sweep. Rows are as many as whole steps have.
  struct Buffers {
    Value q;       // the queries, [rows, C]
    Value scores;  // of a step, [stepRows, block], if they go through memory
    Value weights; // of two steps, [2 * stepRows, block]
    Value o;       // the sums of values, [rows, valueWidth]
  };
  /// Emits what comes before all blocks.
  virtual void prepare(const Buffers &buffers) { this->buffers = buffers; }

  /// The keys [lo, hi) of the block from key n on, which all steps share.
  struct Block {
    Value n, lo, hi;
  };
  /// Emits what comes before the steps of a block; `round` counts blocks. Gives
  /// the row that `emitValues` finds the block's values at.
  virtual Value prepareBlock(const Block &block, Value round) {
    return block.n;
  }

  /// Emits the products of rows p, p + 1.. of the tile with the keys from n on,
  /// [lo, hi) of them at least. `use` is called with some rows, the step's from
  /// x on, and the columns from `column` on.
  using UseScores =
      function_ref<void(Value x, Value column, Accumulators &scores)>;
  virtual void emitScores(Value p, Value n, Value lo, Value hi,
                          UseScores use) = 0;

  /// The weights of a step, from row `weights` of their buffer on, times the
  /// values `row` + [lo, hi), are added to rows p, p + 1.. of o.
  struct Pending {
    Value p, weights, row, lo, hi;
  };
  virtual void emitValues(const Pending &pending) = 0;
  /// The channels from d on of one value.
  virtual Value loadValues(Value row, Value d) = 0;

protected:
  Unit(KernelBuilder &b, tile::SweepOp op, const Panels &panels,
       int64_t stepRows, int64_t valueWidth, Type weightType);

  /// Runs `emit` for all columns of a step that hold keys [lo, hi).
  void forColumns(Value lo, Value hi, function_ref<void(Value column)> emit);
  /// The value channels of o, as chunks of as many vectors as `emit` takes.
  void forChannels(function_ref<void(Value d, int64_t vectors)> emit);
  /// Sums of a chunk that are in registers are added to o.
  void addToOutput(const Pending &pending, Value d, ArrayRef<Value> sums);

  KernelBuilder &b;
  tile::SweepOp op;
  const Panels &panels;
  const int64_t block, channels, valueChannels;
  Buffers buffers;
};

/// Where each unit is defined.
std::unique_ptr<Unit> createFmaUnit(KernelBuilder &b, tile::SweepOp op,
                                    const Panels &panels);
std::unique_ptr<Unit> createInPlaceUnit(KernelBuilder &b, tile::SweepOp op,
                                        const Panels &panels);
std::unique_ptr<Unit> createPairUnit(KernelBuilder &b, tile::SweepOp op,
                                     const Panels &panels);
std::unique_ptr<Unit> createTileUnit(KernelBuilder &b, tile::SweepOp op,
                                     const Panels &panels);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_UNIT_H
