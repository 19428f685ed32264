//===- Bufferization.cpp - posenc.attention on memrefs -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is the one op of the dialect that bufferizes: the unfused ops are
// decomposed on tensors, and schedules begin on memrefs. The op stays what it
// is; its operands become memrefs of any layout, and so do the captures that
// its region sees, with which the score ops work as they do with tensors.
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::posenc;

namespace {
/// The destinations are written, and not read before; everything else is read.
/// A region's arguments are no aliases of the captures, of which the op as a
/// whole is the reader.
struct AttentionBufferization
    : BufferizableOpInterface::ExternalModel<AttentionBufferization,
                                             AttentionOp> {
  bool bufferizesToAllocation(Operation *op, Value value) const {
    return !cast<AttentionOp>(op).getOut();
  }

  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !isDestination(op, operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return isDestination(op, operand);
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (!isDestination(op, operand))
      return {};
    OpResult result = op->getResult(operand.getOperandNumber() - numSources);
    return {{result, BufferRelation::Equivalent}};
  }

  FailureOr<BufferLikeType>
  getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                const BufferizationState &state,
                SmallVector<Value> &invocationStack) const {
    auto attention = cast<AttentionOp>(op);
    // An argument of the region, or a result with a destination, is what the
    // operand is.
    Value operand;
    if (auto argument = dyn_cast<BlockArgument>(value))
      operand =
          attention.getCaptures()[argument.getArgNumber() - numScoreArguments];
    else if (attention.getOut())
      operand =
          op->getOperand(numSources + cast<OpResult>(value).getResultNumber());
    if (operand) {
      if (isa<MemRefType>(operand.getType()))
        return cast<BufferLikeType>(operand.getType());
      return bufferization::getBufferType(operand, options, state,
                                          invocationStack);
    }
    auto type = cast<TensorType>(value.getType());
    std::optional<Attribute> space = options.defaultMemorySpaceFn(type);
    if (!space)
      return op->emitError("could not infer memory space");
    return cast<BufferLikeType>(
        getMemRefTypeWithStaticIdentityLayout(type, *space));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto attention = cast<AttentionOp>(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (isa<TensorType>(operand.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
        if (failed(buffer))
          return failure();
        operand = *buffer;
      }
      operands.push_back(operand);
    }

    // Results without a destination get new memory: [B,H,N,Dv] and [B,H,N].
    AttentionOp::Properties properties = attention.getProperties();
    properties.resultSegmentSizes = {0, 0};
    if (!attention.getOut()) {
      for (auto [i, result] : llvm::enumerate(op->getResults())) {
        FailureOr<Value> buffer =
            allocate(rewriter, operands.front(), result, options, state);
        if (failed(buffer))
          return failure();
        operands.insert(operands.begin() + numSources + i, *buffer);
        properties.operandSegmentSizes[numSources + i] = 1;
      }
    }
    OperationState newState(op->getLoc(), op->getName());
    newState.addOperands(operands);
    newState.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    newState.getOrAddProperties<AttentionOp::Properties>() = properties;
    newState.addRegion();
    auto newOp = cast<AttentionOp>(rewriter.create(newState));
    rewriter.inlineRegionBefore(attention.getScore(), newOp.getScore(),
                                newOp.getScore().end());
    rewriter.modifyOpInPlace(newOp, [&] {
      Region &region = newOp.getScore();
      for (auto [i, capture] : llvm::enumerate(newOp.getCaptures()))
        region.getArgument(numScoreArguments + i).setType(capture.getType());
    });

    SmallVector<Value> results;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      results.push_back(operands[numSources + i]);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }

private:
  /// q, k and v; the destinations are the operands after them.
  static constexpr unsigned numSources = 3;

  static bool isDestination(Operation *op, OpOperand &operand) {
    auto attention = cast<AttentionOp>(op);
    auto holds = [&](MutableOperandRange range) {
      return llvm::any_of(range, [&](OpOperand &x) { return &x == &operand; });
    };
    return holds(attention.getOutMutable()) || holds(attention.getLseMutable());
  }

  /// Memory for a result whose first dimensions are those of the queries; what
  /// comes after them is static.
  static FailureOr<Value> allocate(RewriterBase &rewriter, Value q,
                                   OpResult result,
                                   const BufferizationOptions &options,
                                   const BufferizationState &state) {
    FailureOr<BufferLikeType> type =
        bufferization::getBufferType(result, options, state);
    if (failed(type))
      return failure();
    Location loc = result.getLoc();
    auto memref = cast<MemRefType>(*type);
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < memref.getRank(); ++d)
      if (memref.isDynamicDim(d))
        sizes.push_back(rewriter.createOrFold<memref::DimOp>(loc, q, d));
    return options.createAlloc(rewriter, loc, memref, sizes);
  }
};

/// Upstream's deallocation hands every block with memref arguments the
/// ownership of each as a further argument. A score region frees nothing, and
/// has the arguments that the op says.
struct AttentionDeallocation
    : BufferDeallocationOpInterface::ExternalModel<AttentionDeallocation,
                                                   AttentionOp> {
  FailureOr<Operation *> process(Operation *op, DeallocationState &,
                                 const DeallocationOptions &) const {
    auto attention = cast<AttentionOp>(op);
    Block &block = attention.getScore().front();
    unsigned expected = numScoreArguments + attention.getCaptures().size();
    block.eraseArguments(expected, block.getNumArguments() - expected);
    return op;
  }
};
} // namespace

void posenc::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PosEncDialect *) {
    AttentionOp::attachInterface<AttentionBufferization, AttentionDeallocation>(
        *context);
  });
}
