//===- Decompose.cpp - Ops to plain linalg -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "posenc/Reference/Emitter.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCDECOMPOSEPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;
using reference::Emitter;

namespace {
//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

template <typename OpTy>
class DecomposePattern : public OpConversionPattern<OpTy> {
public:
  DecomposePattern(const TypeConverter &converter, MLIRContext *context,
                   FloatType compute)
      : OpConversionPattern<OpTy>(converter, context), compute(compute) {}

protected:
  /// A computed tensor as the result `original` of the op.
  Value finish(OpBuilder &builder, Emitter &emitter, Value computed,
               Value original, Value destination = {}) const {
    auto type = cast<RankedTensorType>(
        this->getTypeConverter()->convertType(original.getType()));
    Value value = emitter.convert(
        computed, cast<FloatType>(type.getElementType()), destination);
    if (value.getType() != type)
      value = tensor::CastOp::create(builder, original.getLoc(), type, value);
    return value;
  }

  FloatType compute;
};

struct DecomposeRotate : DecomposePattern<RotateOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(RotateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc(), compute);
    Rotation rotation{op.getRopeAttr(),    adaptor.getPosition(),
                      adaptor.getLength(), adaptor.getFreqs(),
                      adaptor.getCos(),    adaptor.getSin()};
    Value rotated = emitter.rotate(rotation, adaptor.getX());
    rewriter.replaceOp(op, finish(rewriter, emitter, rotated, op.getResult()));
    return success();
  }
};

struct DecomposeScores : DecomposePattern<ScoresOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(ScoresOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc(), compute);
    Value scores = emitter.scores(adaptor.getQ(), adaptor.getK());
    rewriter.replaceOp(op, finish(rewriter, emitter, scores, op.getS()));
    return success();
  }
};

struct DecomposeScoreMod : DecomposePattern<ScoreModOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(ScoreModOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc(), compute);
    FailureOr<Emitter::RegionResults> results = emitter.applyRegion(
        op.getScore(), adaptor.getCaptures(), adaptor.getS());
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    rewriter.replaceOp(
        op, finish(rewriter, emitter, results->scores, op.getResult()));
    return success();
  }
};

struct DecomposeSoftmax : DecomposePattern<SoftmaxOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(SoftmaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc(), compute);
    auto softmax = emitter.softmax(adaptor.getS(), adaptor.getSink());
    SmallVector<Value> results{
        finish(rewriter, emitter, softmax.weights, op.getP())};
    if (op.getLse())
      results.push_back(finish(rewriter, emitter, softmax.lse, op.getLse()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeValues : DecomposePattern<ValuesOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(ValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc(), compute);
    Value o = emitter.values(adaptor.getP(), adaptor.getV());
    rewriter.replaceOp(op, finish(rewriter, emitter, o, op.getO()));
    return success();
  }
};

struct DecomposeRelativeValues : DecomposePattern<RelativeValuesOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(RelativeValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc(), compute);
    Value rows = emitter.rowsByDistance(op.getMap(), op.getOf(),
                                        adaptor.getPosition(), adaptor.getP());
    if (!rows)
      return op.emitOpError("the map cannot be emitted");
    Value o = emitter.addTableRows(emitter.convert(adaptor.getO(), compute),
                                   adaptor.getP(), rows, adaptor.getTable());
    rewriter.replaceOp(op, finish(rewriter, emitter, o, op.getResult()));
    return success();
  }
};

struct DecomposeAttention : DecomposePattern<AttentionOp> {
  using DecomposePattern::DecomposePattern;
  LogicalResult
  matchAndRewrite(AttentionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Emitter emitter(rewriter, loc, compute);
    // Memrefs are read as tensors. The destination is written at the end, when
    // everything has been read.
    auto asTensor = [&](Value value) -> Value {
      auto type = value ? dyn_cast<MemRefType>(value.getType()) : MemRefType();
      if (!type)
        return value;
      return bufferization::ToTensorOp::create(
          rewriter, loc, memref::getTensorTypeFromMemRefType(type), value,
          /*restrict=*/true);
    };
    Rotation query{
        op.getQRopeAttr(),           asTensor(adaptor.getQPosition()),
        adaptor.getQLength(),        asTensor(adaptor.getQFreqs()),
        asTensor(adaptor.getQCos()), asTensor(adaptor.getQSin())};
    Rotation key{op.getKRopeAttr(),           asTensor(adaptor.getKPosition()),
                 adaptor.getKLength(),        asTensor(adaptor.getKFreqs()),
                 asTensor(adaptor.getKCos()), asTensor(adaptor.getKSin())};
    SmallVector<Value> captures;
    for (Value capture : adaptor.getCaptures())
      captures.push_back(asTensor(capture));

    Value q = asTensor(adaptor.getQ()), k = asTensor(adaptor.getK());
    if (query)
      q = emitter.rotate(query, q);
    if (key)
      k = emitter.rotate(key, k);
    FailureOr<Emitter::RegionResults> region =
        emitter.applyRegion(op.getScore(), captures, emitter.scores(q, k));
    if (failed(region))
      return rewriter.notifyMatchFailure(op, "an op cannot be emitted");
    auto softmax = emitter.softmax(region->scores, asTensor(adaptor.getSink()));
    Value out = emitter.values(softmax.weights, asTensor(adaptor.getV()));
    for (auto [table, rows] : llvm::zip(adaptor.getValueTables(), region->rows))
      out = emitter.addTableRows(out, softmax.weights, rows, asTensor(table));

    if (op.getNumResults() == 0) {
      auto write = [&](Value tensor, Value destination) {
        auto type = cast<MemRefType>(destination.getType());
        Value value =
            emitter.convert(tensor, cast<FloatType>(type.getElementType()));
        bufferization::MaterializeInDestinationOp::create(
            rewriter, loc, /*result=*/Type(), value, destination,
            /*restrict=*/true, /*writable=*/true);
      };
      write(out, adaptor.getOut());
      if (op.getLse())
        write(softmax.lse, adaptor.getLse());
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<Value> results{
        finish(rewriter, emitter, out, op.getResult(), adaptor.getOut())};
    if (op.getLseResult())
      results.push_back(finish(rewriter, emitter, softmax.lse,
                               op.getLseResult(), adaptor.getLse()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// With f64 as the compute type, every tensor of floats that passes between
/// ops of the dialect is one of f64.
struct ComputeTypeConverter : TypeConverter {
  explicit ComputeTypeConverter(FloatType compute) {
    addConversion([](Type type) { return type; });
    if (!compute.isF64())
      return;
    addConversion([compute](RankedTensorType type) -> std::optional<Type> {
      if (!isa<FloatType>(type.getElementType()))
        return std::nullopt;
      return type.clone(compute);
    });
    auto convert = [](OpBuilder &builder, RankedTensorType type,
                      ValueRange inputs, Location loc) -> Value {
      auto element = cast<FloatType>(type.getElementType());
      return Emitter(builder, loc, element).convert(inputs[0], element);
    };
    addSourceMaterialization(convert);
    addTargetMaterialization(convert);
  }
};

struct PosEncDecomposePass
    : posenc::impl::PosEncDecomposePassBase<PosEncDecomposePass> {
  using PosEncDecomposePassBase::PosEncDecomposePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    reportOps();
    RewritePatternSet sugar(context);
    populateExpandRelativeBiasPatterns(sugar);
    populateExpandRelativeLogitsPatterns(sugar);
    walkAndApplyPatterns(getOperation(), std::move(sugar));

    FloatType compute = Float32Type::get(context);
    if (computeType == ComputeType::F64)
      compute = Float64Type::get(context);
    ComputeTypeConverter converter(compute);
    RewritePatternSet patterns(context);
    populateDecomposePatterns(patterns, converter, compute);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    // Those that a score_mod or an attention does not hold are of a schedule.
    target.addDynamicallyLegalDialect<PosEncDialect>([](Operation *op) {
      return isa<ScoreOpInterface>(op) &&
             !isa<AttentionOp, ScoreModOp>(op->getParentOp());
    });
    if (keepAttention) {
      target.addLegalOp<AttentionOp>();
      target.markOpRecursivelyLegal<AttentionOp>();
    }
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }

private:
  /// Remarks each op that becomes linalg. Those of a score region go with it.
  void reportOps() {
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa_and_nonnull<PosEncDialect>(op->getDialect()))
        return WalkResult::advance();
      if (keepAttention && isa<AttentionOp>(op))
        return WalkResult::skip();
      std::string text =
          ("wrote " + op->getName().getStringRef() + " as plain linalg").str();
      if (isa<AttentionOp>(op))
        text += ", with all N x M scores in memory";
      remark::passed(op->getLoc(),
                     remark::RemarkOpts::name("decompose").category("posenc"))
          << text;
      return WalkResult::skip();
    });
  }
};
} // namespace

void posenc::populateDecomposePatterns(RewritePatternSet &patterns,
                                       const TypeConverter &converter,
                                       FloatType compute) {
  patterns.add<DecomposeAttention, DecomposeRelativeValues, DecomposeRotate,
               DecomposeScoreMod, DecomposeScores, DecomposeSoftmax,
               DecomposeValues>(converter, patterns.getContext(), compute);
}
