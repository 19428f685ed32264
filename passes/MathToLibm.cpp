//===- MathToLibm.cpp - Ops of math to calls of libm -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCMATHTOLIBMPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Classes of floats that upstream does not lower, as comparisons of |x|:
/// infinite is equal to infinity, normal is from the least normal number up to
/// infinity.
template <typename OpTy> struct ExpandFloatClass : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a scalar");
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    auto compare = [&](arith::CmpFPredicate predicate, Value x,
                       const APFloat &bound) -> Value {
      return arith::CmpFOp::create(
          b, predicate, x,
          arith::ConstantOp::create(b, b.getFloatAttr(type, bound)));
    };
    Value magnitude = math::AbsFOp::create(b, op.getOperand());
    APFloat infinity = APFloat::getInf(semantics);
    if (isa<math::IsInfOp>(op)) {
      rewriter.replaceOp(
          op, compare(arith::CmpFPredicate::OEQ, magnitude, infinity));
      return success();
    }
    Value large = compare(arith::CmpFPredicate::OGE, magnitude,
                          APFloat::getSmallestNormalized(semantics));
    Value finite = compare(arith::CmpFPredicate::OLT, magnitude, infinity);
    rewriter.replaceOp(op, arith::AndIOp::create(b, large, finite));
    return success();
  }
};

struct PosEncMathToLibmPass
    : posenc::impl::PosEncMathToLibmPassBase<PosEncMathToLibmPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    patterns.add<ExpandFloatClass<math::IsInfOp>,
                 ExpandFloatClass<math::IsNormalOp>>(&getContext());
    // A score region holds no calls: its ops wait for its lowering.
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ScoreRegionOpInterface>(op))
        return WalkResult::skip();
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
        ops.push_back(op);
      return WalkResult::advance();
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
