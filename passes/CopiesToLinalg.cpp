//===- CopiesToLinalg.cpp - Copies with strides to linalg -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCCOPIESTOLINALGPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct PosEncCopiesToLinalgPass
    : posenc::impl::PosEncCopiesToLinalgPassBase<PosEncCopiesToLinalgPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp copy) {
      Value source = copy.getSource(), target = copy.getTarget();
      // A result that was computed in its place.
      if (source == target)
        return rewriter.eraseOp(copy);
      auto from = dyn_cast<MemRefType>(source.getType());
      auto to = dyn_cast<MemRefType>(target.getType());
      if (!from || !to ||
          (from.getLayout().isIdentity() && to.getLayout().isIdentity()))
        return;
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), source, target);
      rewriter.eraseOp(copy);
    });
  }
};
} // namespace
