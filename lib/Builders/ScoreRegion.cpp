//===- ScoreRegion.cpp - Captures of score regions ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "posenc/Builders.h"

using namespace mlir;
using namespace mlir::posenc;

static MutableOperandRange capturesOf(Operation *op) {
  if (auto mod = dyn_cast<ScoreModOp>(op))
    return mod.getCapturesMutable();
  return cast<AttentionOp>(op).getCapturesMutable();
}

static Block *addScoreBlock(Region &region, Location loc) {
  Builder b(loc.getContext());
  Type index = b.getIndexType();
  Block &block = region.emplaceBlock();
  block.addArguments({b.getF32Type(), index, index, index, index},
                     SmallVector<Location>(numScoreArguments, loc));
  return &block;
}

ScoreRegion::ScoreRegion(Operation *op)
    : op(op), block(&op->getRegion(0).front()) {
  for (auto [i, outer] : llvm::enumerate(getCaptures()))
    captures.try_emplace(outer, block->getArgument(numScoreArguments + i));
}

ScoreRegion::ScoreRegion(Region &region, Location loc)
    : block(addScoreBlock(region, loc)) {}

ScoreRegion ScoreRegion::createScoreMod(OpBuilder &builder, Location loc,
                                        Value s) {
  OperationState state(loc, ScoreModOp::getOperationName());
  state.addOperands(s);
  state.addTypes(s.getType());
  addScoreBlock(*state.addRegion(), loc);
  return ScoreRegion(builder.create(state));
}

Value ScoreRegion::capture(Value outer) {
  auto [entry, isNew] = captures.try_emplace(outer);
  if (isNew) {
    if (op)
      capturesOf(op).append(outer);
    else
      pending.push_back(outer);
    entry->second = block->addArgument(outer.getType(), outer.getLoc());
  }
  return entry->second;
}

void ScoreRegion::captureAll() {
  Region *region = block->getParent();
  region->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Region *home = operand.get().getParentRegion();
      if (!home || !region->isAncestor(home))
        operand.set(capture(operand.get()));
    }
  });
}

SmallVector<Value> ScoreRegion::getCaptures() {
  if (!op)
    return pending;
  return llvm::to_vector_of<Value>(OperandRange(capturesOf(op)));
}

void ScoreRegion::setCaptures(ArrayRef<Value> values) {
  if (op)
    capturesOf(op).assign(values);
  else
    pending.assign(values.begin(), values.end());
}

void ScoreRegion::simplify() {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&inner))
      inner.erase();
  llvm::BitVector dropped(block->getNumArguments());
  SmallVector<Value> kept;
  for (auto [i, outer] : llvm::enumerate(getCaptures())) {
    BlockArgument argument = block->getArgument(numScoreArguments + i);
    if (argument.use_empty()) {
      dropped.set(argument.getArgNumber());
      captures.erase(outer);
    } else {
      kept.push_back(outer);
    }
  }
  if (dropped.none())
    return;
  setCaptures(kept);
  block->eraseArguments(dropped);
}
