//===- TileAttention.cpp - Attention to a schedule ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEncTile/PosEncTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "posenc/Schedule/Schedule.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCTILEATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct PosEncTileAttentionPass
    : posenc::impl::PosEncTileAttentionPassBase<PosEncTileAttentionPass> {
  using PosEncTileAttentionPassBase::PosEncTileAttentionPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    for (auto *option : {&rows, &bf16Rows})
      if (*option < 1 || *option > 1024)
        return emitError(UnknownLoc::get(context))
               << "posenc-tile-attention: " << option->getArgStr()
               << " must be 1 to 1024, but is " << option->getValue();
    if (panel != 8 && panel != 16 && panel != 32 && panel != 64)
      return emitError(UnknownLoc::get(context))
             << "posenc-tile-attention: panel must be 8, 16, 32 or 64, but is "
             << panel.getValue();
    if (bf16Channels < 2 || bf16Channels > 64 || bf16Channels % 2)
      return emitError(UnknownLoc::get(context))
             << "posenc-tile-attention: bf16-channels must be an even number "
                "from 2 to 64, but is "
             << bf16Channels.getValue();
    if (keyParts < 0 || keyParts > 1024)
      return emitError(UnknownLoc::get(context))
             << "posenc-tile-attention: key-parts must be 0 to 1024, but is "
             << keyParts.getValue();
    return success();
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    getOperation()->walk([&](AttentionOp op) { attentions.push_back(op); });
    ScheduleOptions options;
    options.rows = rows;
    options.panel = panel;
    options.parts = keyParts;
    options.bf16Pairs = bf16Pairs;
    options.bf16Rows = bf16Rows;
    options.bf16Channels = bf16Channels;
    for (AttentionOp op : attentions) {
      if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>)) {
        op.emitOpError("has tensors: a schedule works on memrefs, so bufferize "
                       "first");
        return signalPassFailure();
      }
      auto isStrided = [](Type type) {
        auto memref = dyn_cast<MemRefType>(type);
        return !memref || memref.isStrided();
      };
      if (!llvm::all_of(op->getOperandTypes(), isStrided)) {
        op.emitOpError("has a memref whose layout is not one of strides");
        return signalPassFailure();
      }
      if (failed(scheduleAttention(op, options)))
        return signalPassFailure();
    }
  }
};
} // namespace
