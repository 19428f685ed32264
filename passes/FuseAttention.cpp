//===- FuseAttention.cpp - The steps of attention to one op ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Passes.h"
#include "posenc/Fusion/Fusion.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCFUSEATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

static constexpr StringLiteral pass = "fuse-attention";

namespace {
/// The ops that become one attention.
struct Steps {
  ScoresOp scores;
  ScoreModOp mod; // or null
  SoftmaxOp softmax;
  ValuesOp values;
  SmallVector<RelativeValuesOp> tables;
  /// What the attention gives: the output, perhaps rounded.
  Value output;
};
} // namespace

/// A user of a tensor other than these ops and what leads to nothing but them.
static Operation *getOtherUser(Value tensor, ArrayRef<Operation *> ops) {
  return findOtherUser(tensor, ops.front()->getBlock(), [&](OpOperand &use) {
    return llvm::is_contained(ops, use.getOwner());
  });
}

static SoftmaxOp findSoftmax(Value weights) {
  auto isWeights = [](Value value) {
    auto softmax = value.getDefiningOp<SoftmaxOp>();
    return softmax && softmax.getP() == value;
  };
  Value found = findThroughViews(weights, isWeights, /*narrowed=*/true);
  return found ? found.getDefiningOp<SoftmaxOp>() : SoftmaxOp();
}

/// What an op adds to a tensor, element by element; null if it does not.
static Value getOtherTerm(Operation *op, Value tensor) {
  Operation *sum = op;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!linalgOp.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        linalgOp.getNumDpsInputs() != 2 ||
        linalgOp.getNumLoops() != linalgOp.getNumParallelLoops() ||
        !llvm::all_equal(linalgOp.getIndexingMapsArray()))
      return {};
    Block *body = linalgOp.getBlock();
    sum = body->getTerminator()->getOperand(0).getDefiningOp();
    Value x = body->getArgument(0), y = body->getArgument(1);
    auto areInputs = [&](Value lhs, Value rhs) { return lhs == x && rhs == y; };
    if (!sum || sum->getNumOperands() != 2 ||
        !(areInputs(sum->getOperand(0), sum->getOperand(1)) ||
          areInputs(sum->getOperand(1), sum->getOperand(0))))
      return {};
  }
  if (!isa_and_nonnull<arith::AddFOp>(sum))
    return {};
  for (unsigned i : {0, 1}) // not as the shape of the sum
    if (op->getOperand(i) == tensor)
      return op->getOperand(1 - i);
  return {};
}

/// Collects the value tables whose rows, weighed, are what a tensor is the sum
/// of. Fails, without any, where there is more in it.
static LogicalResult collectTables(Value sum, SoftmaxOp softmax,
                                   SmallVectorImpl<RelativeValuesOp> &tables) {
  SmallVector<RelativeValuesOp> found;
  while (!isZeros(sum)) {
    auto table = sum.getDefiningOp<RelativeValuesOp>();
    if (!table || !sum.hasOneUse() || findSoftmax(table.getP()) != softmax)
      return failure();
    found.push_back(table);
    sum = table.getO();
  }
  tables.append(found.rbegin(), found.rend());
  return success(!found.empty());
}

/// The steps that end in these values; null, after a remark, where they are not
/// all there, or something else uses what is between them.
static std::optional<Steps> matchSteps(ValuesOp values) {
  auto miss = [&](const Twine &reason) {
    remarkNotFused(values.getLoc(), pass, reason);
    return std::nullopt;
  };
  auto makerOf = [](Value value) {
    Operation *op = value.getDefiningOp();
    return op ? describe(op) : std::string("an argument of the block");
  };
  Steps steps;
  steps.values = values;
  steps.softmax = findSoftmax(values.getP());
  if (!steps.softmax)
    return miss("the weights come from " + makerOf(values.getP()) +
                ", not from posenc.softmax, after which nothing may change "
                "them");
  Value s = steps.softmax.getS();
  steps.mod = s.getDefiningOp<ScoreModOp>();
  Value base =
      findThroughViews(steps.mod ? steps.mod.getS() : s, [](Value value) {
        return value.getDefiningOp<ScoresOp>();
      });
  if (!base) {
    Value below = steps.mod ? steps.mod.getS() : s;
    if (auto inner = below.getDefiningOp<ScoreModOp>())
      return miss("the scores go through " + describe(inner) + " and " +
                  describe(steps.mod) +
                  ", which could not become one: another remark says why");
    return miss("the scores come from " + makerOf(below) +
                ", not from posenc.scores and posenc.score_mod alone: "
                "posenc-fuse-bias takes ops on elements to a score_mod");
  }
  steps.scores = base.getDefiningOp<ScoresOp>();

  steps.output = values.getO();
  while (steps.output.hasOneUse()) {
    Operation *user = *steps.output.user_begin();
    auto table = dyn_cast<RelativeValuesOp>(user);
    if (table && table.getO() == steps.output &&
        findSoftmax(table.getP()) == steps.softmax)
      steps.tables.push_back(table);
    else if (Value term = getOtherTerm(user, steps.output);
             !term || failed(collectTables(term, steps.softmax, steps.tables)))
      break;
    steps.output = user->getResult(0);
  }
  if (steps.output.hasOneUse()) {
    Operation *user = *steps.output.user_begin();
    if (user->getNumResults() == 1 && user->getBlock() == values->getBlock() &&
        getNarrowed(user->getResult(0)) == steps.output &&
        (getElementTypeOrSelf(user->getResult(0)).isF16() ||
         getElementTypeOrSelf(user->getResult(0)).isBF16()))
      steps.output = user->getResult(0);
  }

  if (!canHaveEqualHeads(steps.scores.getK(), values.getV()))
    return miss("the keys of " + describe(steps.scores) +
                " and these values are not known to have as many heads: "
                "repeat those of which there are fewer");

  SmallVector<Operation *> readers{values};
  llvm::append_range(readers, steps.tables);
  for (Operation *op :
       {steps.scores.getOperation(), steps.softmax.getOperation(),
        steps.output.getDefiningOp()})
    if (op->getBlock() != values->getBlock())
      return miss(describe(op) +
                  " stands in another block than these values: move them into "
                  "one");
  if (Operation *other = getOtherUser(steps.softmax.getP(), readers)) {
    if (isa<RelativeValuesOp>(other))
      return miss("the weights stay in memory: " + describe(other) +
                  " uses them too; to fuse, add its sum to this output, or "
                  "begin it with this output, before anything else is added");
    return miss("the weights stay in memory: " + describeOtherUser(other));
  }
  Operation *first = steps.softmax;
  if (steps.mod) {
    if (steps.mod->getBlock() != values->getBlock())
      return miss(describe(steps.mod) +
                  " stands in another block than these values: move them into "
                  "one");
    for (Value outer : steps.mod.getCaptures())
      if (outer == steps.mod.getS())
        return miss("the scores stay in memory: " + describe(steps.mod) +
                    " captures them, too");
    if (Operation *other = getOtherUser(s, {steps.softmax}))
      return miss("the scores stay in memory: " + describeOtherUser(other));
    first = steps.mod;
  }
  if (Operation *other = getOtherUser(base, {first}))
    return miss("the scores stay in memory: " + describeOtherUser(other));
  return steps;
}

/// Where the attention can stand: at the end, or, if something needs the
/// log-sum-exp before, where the softmax stands. Null, after a remark, if it
/// can stand at neither.
static Operation *findPlace(const Steps &steps) {
  Operation *end = steps.output.getDefiningOp();
  Value lse = SoftmaxOp(steps.softmax).getLse();
  if (!lse)
    return end;
  DominanceInfo dominance;
  Operation *early = nullptr;
  for (Operation *user : lse.getUsers())
    if (!dominance.properlyDominates(end, user))
      early = user;
  if (!early)
    return end;
  SmallVector<Value> needed{ValuesOp(steps.values).getV()};
  for (RelativeValuesOp table : steps.tables) {
    needed.push_back(table.getTable());
    if (table.getPosition())
      needed.push_back(table.getPosition());
  }
  Operation *softmax = SoftmaxOp(steps.softmax);
  for (Value value : needed)
    if (!dominance.properlyDominates(value, softmax)) {
      remarkNotFused(end->getLoc(), pass,
                     "the log-sum-exp is used by " + describe(early) +
                         " before the values are known: compute them before "
                         "posenc.softmax");
      return nullptr;
    }
  return softmax;
}

/// Writes what a score_mod computes in the region of an attention.
static MaskedScore cloneScore(ScoreModOp mod, ScoreBuilder &score) {
  Block &block = mod.getScore().front();
  SmallVector<Value> arguments{score.score(), score.batch(), score.head(),
                               score.row(), score.key()};
  for (Value outer : mod.getCaptures())
    arguments.push_back(score.capture(outer));
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    score.clone(op, mapping);
  YieldOp yield = mod.getYield();
  return {mapping.lookup(yield.getScore()),
          yield.getKeep() ? mapping.lookup(yield.getKeep()) : Value()};
}

static void fuse(Steps steps, IRRewriter &rewriter) {
  Operation *place = findPlace(steps);
  if (!place)
    return;
  Location loc = steps.values.getLoc();
  rewriter.setInsertionPoint(place);
  // Widened elements are what they were before.
  auto asWritten = [](Value value) {
    Value narrow = getWidened(value);
    return narrow && isRowsType(narrow.getType()) ? narrow : value;
  };
  Value lse = steps.softmax.getLse();
  AttentionBuilder builder(rewriter, loc, asWritten(steps.scores.getQ()),
                           asWritten(steps.scores.getK()),
                           asWritten(steps.values.getV()));
  builder.resultTypes(steps.output.getType(), lse ? lse.getType() : Type())
      .sink(steps.softmax.getSink());
  ScoreBuilder &score = builder.score();
  MaskedScore z{score.score(), {}};
  if (steps.mod)
    z = cloneScore(steps.mod, score);
  for (RelativeValuesOp table : steps.tables) {
    Value distance = score.distance(table.getOf(), table.getPosition());
    builder.valueTable(table.getTable(),
                       score.tableRow(table.getMap(), distance));
  }
  AttentionOp attention = builder.create(z.score, z.keep);
  shareKeyHeads(attention, rewriter, pass);
  rewriter.replaceAllUsesWith(steps.output, attention.getResult());
  if (lse)
    rewriter.replaceAllUsesWith(lse, attention.getLseResult());
  remarkFused(loc, pass,
              "wrote " + describe(steps.scores) +
                  " and what follows as "
                  "posenc.attention");
}

namespace {
struct PosEncFuseAttentionPass
    : posenc::impl::PosEncFuseAttentionPassBase<PosEncFuseAttentionPass> {
  using PosEncFuseAttentionPassBase::PosEncFuseAttentionPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    IRRewriter rewriter(&getContext());
    simplifyUses(root, rewriter);
    fuseScoreMods(root, Follow(), rewriter, pass);
    SmallVector<ValuesOp> all;
    root->walk([&](ValuesOp op) {
      if (isInOrder(op))
        all.push_back(op);
    });
    for (ValuesOp values : all)
      if (std::optional<Steps> steps = matchSteps(values))
        fuse(*steps, rewriter);
    simplifyUses(root, rewriter);
  }
};
} // namespace
