//===- TileToLoops.cpp - Schedules as plain loops -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEncTile/PosEncTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Passes.h"
#include "posenc/Target/Loops.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCTILETOLOOPSPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct PosEncTileToLoopsPass
    : posenc::impl::PosEncTileToLoopsPassBase<PosEncTileToLoopsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateTileToLoopsPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<tile::PosEncTileDialect>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
