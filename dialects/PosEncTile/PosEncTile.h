//===- PosEncTile.h - The schedule dialect ----------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_POSENCTILE_POSENCTILE_H
#define DIALECTS_POSENCTILE_POSENCTILE_H

#include "dialects/PosEnc/PosEnc.h"

#include "dialects/PosEncTile/PosEncTileDialect.h.inc"
#include "dialects/PosEncTile/PosEncTileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/PosEncTile/PosEncTileAttrs.h.inc"

namespace mlir::posenc::tile {
/// Whether terms of the kind begin at an offset.
inline bool hasOffset(TermKind kind) {
  return kind == TermKind::Key || kind == TermKind::Lag ||
         kind == TermKind::Strip;
}
/// The channels of a packed matrix: rows, columns or columns of pairs.
inline int64_t getPackedChannels(Value packed) {
  auto type = cast<MemRefType>(packed.getType());
  bool hasPairs = type.getRank() == 4 && !type.isDynamicDim(1);
  return type.getDimSize(1) * (hasPairs ? 2 : 1);
}
} // namespace mlir::posenc::tile

#define GET_OP_CLASSES
#include "dialects/PosEncTile/PosEncTileOps.h.inc"

#endif // DIALECTS_POSENCTILE_POSENCTILE_H
