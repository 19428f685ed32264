//===- PosEncDialect.cpp - The attention dialect -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

#include "dialects/PosEnc/PosEncAttrInterfaces.cpp.inc"
#include "dialects/PosEnc/PosEncDialect.cpp.inc"
#include "dialects/PosEnc/PosEncEnums.cpp.inc"
#include "dialects/PosEnc/PosEncOpInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/PosEnc/PosEncAttrs.cpp.inc"

void PosEncDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/PosEnc/PosEncAttrs.cpp.inc"
      >();
}

void PosEncDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/PosEnc/PosEncOps.cpp.inc"
      >();
}

/// Folded rows become constants of `arith`.
Operation *PosEncDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
