//===- Schedule.h - Attention as a schedule ---------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_SCHEDULE_SCHEDULE_H
#define POSENC_SCHEDULE_SCHEDULE_H

#include "dialects/PosEnc/PosEnc.h"

namespace mlir::posenc {

/// The sizes of tiles.
struct ScheduleOptions {
  int64_t rows = 48;  // query rows of a tile
  int64_t block = 64; // keys that a step takes
  int64_t panel = 64; // keys of a panel of packed columns, divides block
  /// Whether queries, keys and values of bf16 are packed in pairs, for units
  /// that multiply those.
  bool bf16Pairs = false;
  int64_t bf16Rows = 48;    // query rows of a tile of these
  int64_t bf16Channels = 2; // their channels are padded to a multiple of this
  /// Parts of the keys that few query rows visit apart; 0: by the sizes.
  int64_t parts = 0;
};

/// Rewrites an attention on memrefs as its schedule: loops of `scf` around ops
/// of `posenc_tile`. Fails after a diagnostic.
LogicalResult scheduleAttention(AttentionOp op, const ScheduleOptions &options);

} // namespace mlir::posenc

#endif // POSENC_SCHEDULE_SCHEDULE_H
