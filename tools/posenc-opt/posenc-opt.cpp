//===- posenc-opt.cpp - Runs passes on IR files -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Pipelines.h"
#include "posenc/Register.h"

static constexpr llvm::StringLiteral overview = R"(
posenc-opt: attention with position encodings, from IR to IR.

Holds the posenc dialect, passes and pipelines (--posenc-*) beside all of
upstream's. What the passes did, and what they left alone and why, are remarks:
--remarks-filter=posenc --remark-format=emitRemark prints them.

)";

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::posenc::registerPosEnc(registry);
  mlir::registerAllPasses();
  mlir::posenc::registerPosEncPasses();
  mlir::posenc::registerPosEncPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, overview, registry));
}
