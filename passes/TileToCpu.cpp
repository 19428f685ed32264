//===- TileToCpu.cpp - Schedules to vector code of a CPU -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEncTile/PosEncTile.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "posenc/Target/CPU.h"
#include "posenc/Target/Loops.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCTILETOCPUPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct PosEncTileToCpuPass
    : posenc::impl::PosEncTileToCpuPassBase<PosEncTileToCpuPass> {
  using PosEncTileToCpuPassBase::PosEncTileToCpuPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto emitError = [&](const Twine &reason) {
      mlir::emitError(UnknownLoc::get(context), "posenc-tile-to-cpu: ")
          << reason;
    };
    FailureOr<CpuTarget> found =
        CpuTarget::get(triple, cpu, features, emitError);
    if (failed(found))
      return failure();
    target = std::make_shared<CpuTarget>(*found);
    RewritePatternSet set(context);
    populateTileToLoopsPatterns(set);
    populateTileToCpuPatterns(set, *target);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // Outer ops first: the regions of a sweep move into its loops.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      signalPassFailure();
  }

  // Copies of the pass share what its patterns refer to.
  std::shared_ptr<const CpuTarget> target;
  FrozenRewritePatternSet patterns;
};
} // namespace
