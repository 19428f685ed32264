//===- Patterns.cpp - Less attention --------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reduction tree leaves out whole ops. What an attention is made of, it
// does not know: these changes do without a part of one, each by itself, and
// stay if the tester still finds what it looks for.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "posenc/Builders.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Changes: each returns whether there was something to leave out
//===----------------------------------------------------------------------===//

using Change = function_ref<bool(AttentionOp)>;

static bool dropSink(AttentionOp op) {
  if (!op.getSink())
    return false;
  op.getSinkMutable().clear();
  return true;
}

static bool dropKeep(AttentionOp op) {
  if (!op.getYield().getKeep())
    return false;
  op.getYield().getKeepMutable().clear();
  return true;
}

static bool dropQueryRotation(AttentionOp op) {
  if (!op.getQueryRotation())
    return false;
  op.setQueryRotation({});
  return true;
}

static bool dropKeyRotation(AttentionOp op) {
  if (!op.getKeyRotation())
    return false;
  op.setKeyRotation({});
  return true;
}

static bool dropLastValueTable(AttentionOp op) {
  if (op.getValueTables().empty())
    return false;
  unsigned last = op.getValueTables().size() - 1;
  op.getValueTablesMutable().erase(last);
  op.getYield().getValueRowsMutable().erase(last);
  return true;
}

static bool yieldPlainScore(AttentionOp op) {
  Value plain = op.getScore().getArgument(0);
  if (op.getYield().getScore() == plain)
    return false;
  op.getYield().getScoreMutable().assign(plain);
  return true;
}

/// Lets an operand stand for what the n-th op of the region computes of it.
static bool forwardOperand(AttentionOp op, unsigned number) {
  Operation &inner = *std::next(op.getScore().front().begin(), number);
  if (inner.getNumResults() != 1)
    return false;
  for (Value operand : inner.getOperands())
    if (operand.getType() == inner.getResult(0).getType()) {
      inner.getResult(0).replaceAllUsesWith(operand);
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {
struct ReduceAttention : OpRewritePattern<AttentionOp> {
  ReduceAttention(MLIRContext *context, Tester &tester)
      : OpRewritePattern(context), tester(tester) {}

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (Change change : {dropSink, dropKeep, dropQueryRotation,
                          dropKeyRotation, dropLastValueTable, yieldPlainScore})
      changed |= attempt(op, change, rewriter);
    // From the end: what an op needs goes after it.
    for (unsigned n = op.getScore().front().getOperations().size(); n-- > 0;)
      if (n < op.getScore().front().getOperations().size())
        changed |= attempt(
            op, [&](AttentionOp op) { return forwardOperand(op, n); },
            rewriter);
    return success(changed);
  }

private:
  /// Makes the change if a copy of the program with it is interesting.
  bool attempt(AttentionOp op, Change change, PatternRewriter &rewriter) const {
    IRMapping mapping;
    OwningOpRef<ModuleOp> copy =
        cast<ModuleOp>(op->getParentOfType<ModuleOp>()->clone(mapping));
    if (!change(cast<AttentionOp>(mapping.lookup(op.getOperation()))) ||
        tester.isInteresting(*copy).first != Tester::Interestingness::True)
      return false;
    rewriter.modifyOpInPlace(op, [&] {
      change(op);
      ScoreRegion(op).simplify();
    });
    return true;
  }

  Tester &tester;
};

struct AttentionReduction : DialectReductionPatternInterface {
  explicit AttentionReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<ReduceAttention>(patterns.getContext(), tester);
  }
};
} // namespace

void posenc::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, PosEncDialect *dialect) {
    dialect->addInterface<AttentionReduction>();
  });
}
