//===- Unfuse.cpp - Attention to its steps --------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "posenc/Fusion/Fusion.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCUNFUSEPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

static constexpr StringLiteral pass = "unfuse";

namespace {
/// A value row as posenc.relative_values says it.
struct ValueRow {
  RowMapAttr map;
  Relation of;
  Value from; // outside the region, or null
};
} // namespace

/// What a region's argument stands for outside; null for what is no capture.
static Value getOuter(AttentionOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned first =
      op.getScore().getNumArguments() - unsigned(op.getCaptures().size());
  if (!argument || argument.getArgNumber() < first)
    return {};
  return op.getCaptures()[argument.getArgNumber() - first];
}

/// A row that a map gives for the distance of a key from the query row plus an
/// offset: an index, or integers [B].
static std::optional<ValueRow> matchValueRow(AttentionOp op, Value value) {
  Block &block = op.getScore().front();
  Value batch = block.getArgument(1), query = block.getArgument(3),
        key = block.getArgument(4);
  auto row = value.getDefiningOp<RowOp>();
  auto distance = row && row.getX().size() == 1
                      ? row.getX()[0].getDefiningOp<arith::SubIOp>()
                      : arith::SubIOp();
  if (!distance)
    return std::nullopt;
  ValueRow found{row.getMap(), Relation::Delta, {}};
  Value position = distance.getRhs();
  if (distance.getLhs() != key) {
    if (distance.getRhs() != key)
      return std::nullopt;
    found.of = Relation::Lag;
    position = distance.getLhs();
  }
  if (position == query)
    return found;
  auto sum = position.getDefiningOp<arith::AddIOp>();
  if (!sum || (sum.getLhs() != query && sum.getRhs() != query))
    return std::nullopt;
  Value offset = sum.getLhs() == query ? sum.getRhs() : sum.getLhs();
  if (auto lookup = offset.getDefiningOp<LookupOp>()) {
    if (lookup.getIndices().size() != 1 || lookup.getIndices()[0] != batch ||
        lookup.getOutsideAttr())
      return std::nullopt;
    found.from = getOuter(op, lookup.getTable());
    // The table may have more entries than there are batches.
    auto table = dyn_cast_if_present<ShapedType>(
        found.from ? found.from.getType() : Type());
    auto output = cast<ShapedType>(op.getResult().getType());
    if (!table || table.getDimSize(0) != output.getDimSize(0))
      return std::nullopt;
  } else if (offset.getType().isIndex()) {
    found.from = getOuter(op, offset);
  }
  if (!found.from)
    return std::nullopt;
  return found;
}

/// The rows as a rotation says, or as they are.
static Value rotated(OpBuilder &b, Location loc, const Rotation &rotation,
                     Value rows) {
  if (!rotation)
    return rows;
  return RotateOp::create(b, loc, rows.getType(), rotation.rope,
                          rotation.position, rotation.length, rotation.freqs,
                          rotation.cos, rotation.sin, rows);
}

static void unfuse(AttentionOp op, IRRewriter &rewriter) {
  auto miss = [&](const Twine &reason) {
    remarkNotFused(op.getLoc(), pass, reason);
  };
  if (op->getNumResults() == 0)
    return miss("left posenc.attention on memrefs: the unfused ops take "
                "tensors");
  if (op.getOut())
    return miss("left posenc.attention: the unfused ops have no destination");
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      return miss("left posenc.attention: it reads a memref, and the unfused "
                  "ops take tensors");
  YieldOp yield = op.getYield();
  SmallVector<ValueRow> rows;
  for (Value row : yield.getValueRows()) {
    std::optional<ValueRow> found = matchValueRow(op, row);
    if (!found)
      return miss("left posenc.attention: a value row is no map of the "
                  "distance, which is what posenc.relative_values takes");
    rows.push_back(*found);
  }

  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value q = rotated(rewriter, loc, op.getQueryRotation(), op.getQ());
  Value k = rotated(rewriter, loc, op.getKeyRotation(), op.getK());
  auto queries = cast<RankedTensorType>(q.getType());
  auto keys = cast<RankedTensorType>(k.getType());
  auto type =
      RankedTensorType::get({queries.getDimSize(0), queries.getDimSize(1),
                             queries.getDimSize(2), keys.getDimSize(2)},
                            rewriter.getF32Type());
  Value s = ScoresOp::create(rewriter, loc, type, q, k);
  if (yield.getScore() != op.getScore().getArgument(0) || yield.getKeep()) {
    OperationState state(loc, ScoreModOp::getOperationName());
    state.addOperands(s);
    state.addOperands(op.getCaptures());
    state.addTypes(type);
    Region *region = state.addRegion();
    IRMapping mapping;
    op.getScore().cloneInto(region, mapping);
    auto mod = cast<ScoreModOp>(rewriter.create(state));
    mod.getYield().getValueRowsMutable().clear();
    ScoreRegion(mod).simplify();
    s = mod.getResult();
  }
  Type lse = op.getLseResult() ? op.getLseResult().getType() : Type();
  auto softmax = SoftmaxOp::create(rewriter, loc, type, lse, s, op.getSink());
  Value o = ValuesOp::create(rewriter, loc, op.getResult().getType(),
                             softmax.getP(), op.getV());
  for (auto [row, table] : llvm::zip(rows, op.getValueTables()))
    o = RelativeValuesOp::create(rewriter, loc, o.getType(), o, softmax.getP(),
                                 table, row.map, row.of, row.from);
  SmallVector<Value> results{o};
  if (lse)
    results.push_back(softmax.getLse());
  rewriter.replaceOp(op, results);
  remarkFused(loc, pass, "wrote posenc.attention as its steps");
}

namespace {
struct PosEncUnfusePass : posenc::impl::PosEncUnfusePassBase<PosEncUnfusePass> {
  using PosEncUnfusePassBase::PosEncUnfusePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<AttentionOp> attentions;
    getOperation()->walk([&](AttentionOp op) { attentions.push_back(op); });
    for (AttentionOp op : attentions)
      unfuse(op, rewriter);
  }
};
} // namespace
