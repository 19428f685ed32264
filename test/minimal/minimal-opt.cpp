//===- minimal-opt.cpp - A host that registers next to nothing -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each pass must name the dialects it creates ops of, and registerPosEnc all
// that the pipelines need: tools that register everything cannot show a gap.
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Pipelines.h"
#include "posenc/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
#ifdef REGISTER_POSENC
  mlir::posenc::registerPosEnc(registry);
#else
  registry.insert<mlir::func::FuncDialect, mlir::posenc::PosEncDialect>();
#endif
  mlir::posenc::registerPosEncPasses();
  mlir::posenc::registerPosEncPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "A minimal host\n", registry));
}
