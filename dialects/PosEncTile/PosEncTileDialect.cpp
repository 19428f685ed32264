//===- PosEncTileDialect.cpp - The schedule dialect -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEncTile/PosEncTile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::tile;

#include "dialects/PosEncTile/PosEncTileDialect.cpp.inc"
#include "dialects/PosEncTile/PosEncTileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/PosEncTile/PosEncTileAttrs.cpp.inc"

void PosEncTileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/PosEncTile/PosEncTileAttrs.cpp.inc"
      >();
}

void PosEncTileDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/PosEncTile/PosEncTileOps.cpp.inc"
      >();
}
