//===- FuseRelativeGather.cpp - Reads of relative tables to regions -------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "posenc/Fusion/Fusion.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCFUSERELATIVEGATHERPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Whether one of a region's values depends on one of its arguments.
static bool dependOn(ValueRange values, Value argument) {
  SmallVector<Value> work(values);
  llvm::SmallPtrSet<Value, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == argument)
      return true;
    if (Operation *op = value.getDefiningOp(); op && seen.insert(value).second)
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Whether one of the tensors that this one is made of is read by computed
/// indices, padded, sliced, or a product; or is a score_mod that nothing but
/// `user` reads.
static bool hasGather(TensorReader &reader, Value tensor, Operation *user) {
  if (tensor.getDefiningOp<ScoreModOp>() && reader.canFollow(tensor) &&
      llvm::all_of(tensor.getUsers(),
                   [&](Operation *other) { return other == user; }))
    return true;
  SmallVector<Value> work{tensor};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
    if (linalgOp && linalg::isaContractionOpInterface(linalgOp))
      return true;
    if (isa_and_nonnull<tensor::PadOp, tensor::ConcatOp, tensor::ExtractSliceOp,
                        ScoresOp>(op))
      return true;
    if (!reader.canFollow(next))
      continue;
    if (linalgOp && !linalgOp.getBlock()->getOps<tensor::ExtractOp>().empty())
      return true;
    llvm::append_range(work, reader.getSources(next));
  }
  return false;
}

/// Writes lookups of tensors that gathers made as reads of what those read.
static void fuseLookups(Operation *op, Follow follow) {
  ScoreRegion region(op);
  Block *block = region.getBlock();
  MutableOperandRange captures =
      isa<ScoreModOp>(op) ? cast<ScoreModOp>(op).getCapturesMutable()
                          : cast<AttentionOp>(op).getCapturesMutable();
  unsigned numScoreArguments =
      block->getNumArguments() - unsigned(captures.size());
  unsigned fused = 0;
  llvm::SmallPtrSet<Value, 4> remarked;
  follow.elementwise = follow.gathers = true;
  for (LookupOp lookup :
       llvm::make_early_inc_range(block->getOps<LookupOp>())) {
    auto argument = dyn_cast<BlockArgument>(lookup.getTable());
    if (!argument || lookup.getOutsideAttr())
      continue;
    auto outer = captures[argument.getArgNumber() - numScoreArguments].get();
    // What does not vary over rows and keys is small, and made once.
    if (!isa<RankedTensorType>(outer.getType()) ||
        !dependOn(lookup.getIndices(), region.row()) ||
        !dependOn(lookup.getIndices(), region.key()))
      continue;
    ImplicitLocOpBuilder b(lookup.getLoc(), lookup);
    TensorReader reader(region, b, follow);
    auto remarkStays = [&] {
      Operation *maker = outer.getDefiningOp();
      if (maker && remarked.insert(outer).second)
        remarkNotFused(outer.getLoc(), "fuse-relative-gather",
                       "a tensor of all rows and keys stays in memory: " +
                           describe(maker) +
                           " is not a read, a padding or a product of rows "
                           "that a score region can say");
    };
    if (!hasGather(reader, outer, op)) {
      remarkStays();
      continue;
    }
    Value element = reader.read(outer, lookup.getIndices());
    assert(element && "what a lookup reads can be read");
    if (!reader.canFollow(outer) && !element.getDefiningOp<DotOp>()) {
      remarkStays(); // it became a lookup once more
      continue;
    }
    if (isa<FloatType>(element.getType()))
      element = emitFloatCast(b, b.getLoc(), element, b.getF32Type());
    else if (!element.getType().isIndex() && !element.getType().isInteger(1))
      element = arith::IndexCastOp::create(b, b.getIndexType(), element);
    lookup.getResult().replaceAllUsesWith(element);
    lookup.erase();
    remarkFused(outer.getLoc(), "fuse-relative-gather",
                "wrote " + outer.getDefiningOp()->getName().getStringRef() +
                    " of all rows and keys as a read of the score region");
    ++fused;
  }
  if (fused == 0)
    return region.simplify();
  // A row_scan sums over what its region keeps: that stays as it is.
  if (hasRowScan(*block))
    return region.simplify();
  auto yield = cast<YieldOp>(block->getTerminator());
  ImplicitLocOpBuilder b(yield.getLoc(), yield);
  MaskedScore masked = splitMask(b, yield.getScore(), follow.maskValue);
  if (masked.keep) {
    if (Value keep = yield.getKeep())
      masked.keep = arith::AndIOp::create(b, masked.keep, keep);
    yield.getScoreMutable().assign(masked.score);
    yield.getKeepMutable().assign(masked.keep);
  }
  region.simplify();
}

namespace {
struct PosEncFuseRelativeGatherPass
    : posenc::impl::PosEncFuseRelativeGatherPassBase<
          PosEncFuseRelativeGatherPass> {
  using PosEncFuseRelativeGatherPassBase::PosEncFuseRelativeGatherPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    Follow follow;
    if (failed(setMaskValue(root, maskValue, follow)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    simplifyUses(root, rewriter);
    root->walk([&](RelativeLogitsOp op) {
      remarkFused(op.getLoc(), "fuse-relative-gather",
                  "wrote posenc.relative_logits as a dot of a score_mod");
    });
    RewritePatternSet patterns(&getContext());
    populateExpandRelativeLogitsPatterns(patterns);
    walkAndApplyPatterns(root, std::move(patterns));
    fuseScoreMods(root, follow, rewriter, "fuse-relative-gather");
    SmallVector<Operation *> ops;
    root->walk([&](Operation *op) {
      if (isInOrder(op) && (isa<ScoreModOp>(op) ||
                            (isa<AttentionOp>(op) && op->getNumResults() > 0)))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      fuseLookups(op, follow);
    simplifyUses(root, rewriter);
  }
};
} // namespace
