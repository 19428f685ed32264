//===- Emitter.cpp - Attention as plain linalg on tensors -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Reference/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::reference;

static const double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

static Value castTo(ImplicitLocOpBuilder &b, Value value, FloatType type) {
  return emitFloatCast(b, b.getLoc(), value, type);
}

static Value isValue(ImplicitLocOpBuilder &b, Value x, double value) {
  return arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, x,
      emitConstant(b, cast<FloatType>(x.getType()), value));
}

SmallVector<OpFoldResult> Emitter::sizesOf(Value tensor) {
  return tensor::getMixedSizes(b, b.getLoc(), tensor);
}

Value Emitter::empty(ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, sizes, element);
}

Value Emitter::filled(ArrayRef<OpFoldResult> sizes, double value) {
  return linalg::FillOp::create(b, emitConstant(b, compute, value),
                                empty(sizes, compute))
      .getResult(0);
}

SmallVector<Value> Emitter::generic(ArrayRef<Operand> inputs,
                                    ArrayRef<Operand> outputs,
                                    unsigned numLoops, Body body) {
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::reduction);
  auto addMap = [&](const Operand &operand) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : operand.loops)
      exprs.push_back(b.getAffineDimExpr(loop));
    maps.push_back(AffineMap::get(numLoops, 0, exprs, b.getContext()));
  };
  for (const Operand &input : inputs) {
    ins.push_back(input.tensor);
    addMap(input);
  }
  for (const Operand &output : outputs) {
    outs.push_back(output.tensor);
    addMap(output);
    // Loops that index no output are reductions.
    for (unsigned loop : output.loops)
      iterators[loop] = utils::IteratorType::parallel;
  }
  auto op = linalg::GenericOp::create(
      b, TypeRange(ValueRange(outs)), ins, outs, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, body(inner, elements));
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

Value Emitter::convert(Value tensor, FloatType element, Value destination) {
  auto type = cast<RankedTensorType>(tensor.getType());
  bool inPlace =
      destination &&
      cast<ShapedType>(destination.getType()).getElementType() == element;
  if (type.getElementType() == element && !inPlace)
    return tensor;
  auto all = llvm::to_vector(llvm::seq<unsigned>(type.getRank()));
  Value init = inPlace ? destination : empty(sizesOf(tensor), element);
  return generic({{tensor, all}}, {{init, all}}, type.getRank(),
                 [&](ImplicitLocOpBuilder &body,
                     ValueRange elements) -> SmallVector<Value> {
                   return {castTo(body, elements[0], element)};
                 })[0];
}

Value Emitter::repeatHeads(Value k, Value heads) {
  auto type = cast<RankedTensorType>(k.getType());
  int64_t numHeads = cast<ShapedType>(heads.getType()).getDimSize(1);
  if (type.getDimSize(1) == numHeads && !type.isDynamicDim(1))
    return k;
  SmallVector<OpFoldResult> sizes = sizesOf(k);
  Value numKeyHeads = tensor::DimOp::create(b, k, 1);
  // Without key heads there is nothing to read: any divisor serves.
  Value divisor = arith::MaxUIOp::create(b, numKeyHeads,
                                         arith::ConstantIndexOp::create(b, 1));
  Value group =
      arith::DivUIOp::create(b, tensor::DimOp::create(b, heads, 1), divisor);
  sizes[1] = sizesOf(heads)[1];
  return generic(
      {}, {{empty(sizes, type.getElementType()), {0, 1, 2, 3}}}, 4,
      [&](ImplicitLocOpBuilder &body, ValueRange) -> SmallVector<Value> {
        SmallVector<Value> at;
        for (unsigned d = 0; d < 4; ++d)
          at.push_back(linalg::IndexOp::create(body, d));
        at[1] = arith::DivUIOp::create(body, at[1], group);
        return {tensor::ExtractOp::create(body, k, at)};
      })[0];
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Value Emitter::scores(Value q, Value k) {
  SmallVector<OpFoldResult> sizes = sizesOf(q);
  sizes[3] = sizesOf(k)[2];
  Value keys = repeatHeads(k, q);
  enum { B, H, N, M, D, numLoops };
  return generic(
      {{q, {B, H, N, D}}, {keys, {B, H, M, D}}},
      {{filled(sizes, 0.0), {B, H, N, M}}}, numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value product = arith::MulFOp::create(body, castTo(body, e[0], compute),
                                              castTo(body, e[1], compute));
        return {arith::AddFOp::create(body, e[2], product)};
      })[0];
}

Value Emitter::sumLaterKeys(Value x) {
  SmallVector<OpFoldResult> sizes = sizesOf(x);
  SmallVector<OpFoldResult> columnSizes = sizes;
  columnSizes[3] = b.getIndexAttr(1);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value keys = tensor::DimOp::create(b, x, 3);
  Value last = arith::SubIOp::create(b, keys, one);
  Value sum = filled(columnSizes, 0.0), sums = empty(sizes, compute);
  auto loop = scf::ForOp::create(b, zero, keys, one, ValueRange{sum, sums});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
  offsets[3] =
      arith::SubIOp::create(b, last, loop.getInductionVar()).getResult();
  Value column =
      tensor::ExtractSliceOp::create(b, x, offsets, columnSizes, strides);
  sum = generic(
      {{column, {0, 1, 2, 3}}}, {{loop.getRegionIterArg(0), {0, 1, 2, 3}}}, 4,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        return {arith::AddFOp::create(body, e[1], e[0])};
      })[0];
  sums = tensor::InsertSliceOp::create(b, sum, loop.getRegionIterArg(1),
                                       offsets, columnSizes, strides);
  scf::YieldOp::create(b, ValueRange{sum, sums});
  return loop.getResult(1);
}

FailureOr<Emitter::RegionResults>
Emitter::applyRegion(Region &region, ValueRange captures, Value scores) {
  Block &block = region.front();
  auto yield = cast<YieldOp>(block.getTerminator());
  SmallVector<OpFoldResult> sizes = sizesOf(scores);
  bool emitted = true;
  // The scores, and the sums over later keys that are known so far.
  SmallVector<Operand> inputs{{scores, {0, 1, 2, 3}}};
  SmallVector<Value> scans;
  auto forEachPair = [&](ArrayRef<Operand> outputs,
                         function_ref<FailureOr<SmallVector<Value>>(
                             ImplicitLocOpBuilder & body, ValueRange arguments,
                             KnownValues sums)>
                             emitPair) {
    return generic(
        inputs, outputs, 4,
        [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
          SmallVector<Value> arguments{castTo(body, e[0], compute)};
          for (unsigned d = 0; d < 4; ++d)
            arguments.push_back(linalg::IndexOp::create(body, d));
          llvm::append_range(arguments, captures);
          SmallVector<std::pair<Value, Value>> known;
          for (auto [scan, sum] : llvm::zip(scans, e.drop_front()))
            known.push_back({scan, sum});
          FailureOr<SmallVector<Value>> results =
              emitPair(body, arguments, known);
          emitted &= succeeded(results);
          return emitted ? *results
                         : SmallVector<Value>(e.drop_front(inputs.size()));
        });
  };

  for (auto scan : block.getOps<RowScanOp>()) {
    Value summed =
        forEachPair({{empty(sizes, compute), {0, 1, 2, 3}}},
                    [&](ImplicitLocOpBuilder &body, ValueRange arguments,
                        KnownValues known) -> FailureOr<SmallVector<Value>> {
                      ScalarEmitter emitter(body, block, compute);
                      emitter.map(block.getArguments(), arguments);
                      for (auto [value, given] : known)
                        emitter.map(value, given);
                      FailureOr<Value> x = emitter.emit(scan.getX());
                      if (failed(x))
                        return failure();
                      if (!yield.getKeep())
                        return SmallVector<Value>{*x};
                      FailureOr<Value> keep = emitter.emit(yield.getKeep());
                      if (failed(keep))
                        return failure();
                      Value zero = emitConstant(body, compute, 0);
                      return SmallVector<Value>{
                          arith::SelectOp::create(body, *keep, *x, zero)};
                    })[0];
    if (!emitted)
      return failure();
    inputs.push_back({sumLaterKeys(summed), {0, 1, 2, 3}});
    scans.push_back(scan.getSum());
  }

  SmallVector<Operand> outputs{{empty(sizes, compute), {0, 1, 2, 3}}};
  for (size_t i = 0; i < yield.getValueRows().size(); ++i)
    outputs.push_back({empty(sizes, b.getIndexType()), {0, 1, 2, 3}});
  SmallVector<Value> results = forEachPair(
      outputs,
      [&](ImplicitLocOpBuilder &body, ValueRange arguments,
          KnownValues known) -> FailureOr<SmallVector<Value>> {
        FailureOr<ScalarResults> scalar =
            emitScoreRegion(body, region, arguments, compute, known);
        if (failed(scalar))
          return failure();
        Value score = scalar->score;
        if (scalar->keep)
          score =
              arith::SelectOp::create(body, scalar->keep, score,
                                      emitConstant(body, compute, -infinity));
        SmallVector<Value> yielded{score};
        llvm::append_range(yielded, scalar->rows);
        return yielded;
      });
  if (!emitted)
    return failure();
  return RegionResults{results[0],
                       SmallVector<Value>(llvm::drop_begin(results))};
}

Value Emitter::rowsByDistance(RowMapAttr map, Relation of, Value from,
                              Value scores) {
  bool emitted = true;
  Value rows = generic(
      {}, {{empty(sizesOf(scores), b.getIndexType()), {0, 1, 2, 3}}}, 4,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value batch = linalg::IndexOp::create(body, 0);
        Value row = linalg::IndexOp::create(body, 2);
        Value key = linalg::IndexOp::create(body, 3);
        Rotation offset;
        offset.position = from;
        Value query = emitPosition(body, offset, batch, row);
        Value distance = of == Relation::Lag
                             ? arith::SubIOp::create(body, query, key)
                             : arith::SubIOp::create(body, key, query);
        Value mapped = map.emit(body, body.getLoc(), distance);
        emitted = bool(mapped);
        return {emitted ? mapped : e[0]};
      })[0];
  return emitted ? rows : Value();
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Emitter::Softmax Emitter::softmax(Value scores, Value sink) {
  enum { B, H, N, M, numLoops };
  SmallVector<OpFoldResult> sizes = sizesOf(scores);
  SmallVector<OpFoldResult> rowSizes(sizes.begin(), sizes.end() - 1);
  Value maximum = generic(
      {{scores, {B, H, N, M}}}, {{filled(rowSizes, -infinity), {B, H, N}}},
      numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        return {
            arith::MaximumFOp::create(body, e[1], castTo(body, e[0], compute))};
      })[0];
  // exp(s - max); 0 in a row of -inf, where the difference would be a NaN.
  Value exponentials = generic(
      {{scores, {B, H, N, M}}, {maximum, {B, H, N}}},
      {{empty(sizes, compute), {B, H, N, M}}}, numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value difference =
            arith::SubFOp::create(body, castTo(body, e[0], compute), e[1]);
        Value exponential = math::ExpOp::create(body, difference);
        return {arith::SelectOp::create(body, isValue(body, e[1], -infinity),
                                        emitConstant(body, compute, 0.0),
                                        exponential)};
      })[0];
  Value sum = generic(
      {{exponentials, {B, H, N, M}}}, {{filled(rowSizes, 0.0), {B, H, N}}},
      numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        return {arith::AddFOp::create(body, e[1], e[0])};
      })[0];
  Value denominator = sum;
  if (sink)
    denominator = generic(
        {{sum, {B, H, N}}, {maximum, {B, H, N}}, {sink, {H}}},
        {{empty(rowSizes, compute), {B, H, N}}}, 3,
        [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
          Value difference =
              arith::SubFOp::create(body, castTo(body, e[2], compute), e[1]);
          return {arith::AddFOp::create(body, e[0],
                                        math::ExpOp::create(body, difference))};
        })[0];
  // 0 stays 0, whatever the denominator of a row without a pair is.
  Value weights = generic(
      {{exponentials, {B, H, N, M}}, {denominator, {B, H, N}}},
      {{empty(sizes, compute), {B, H, N, M}}}, numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        return {
            arith::SelectOp::create(body, isValue(body, e[0], 0.0), e[0],
                                    arith::DivFOp::create(body, e[0], e[1]))};
      })[0];
  Value lse = generic(
      {{sum, {B, H, N}}, {maximum, {B, H, N}}},
      {{empty(rowSizes, compute), {B, H, N}}}, 3,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        // An infinite score has an infinite sum, not that of inf - inf.
        Value sum =
            arith::AddFOp::create(body, e[1], math::LogOp::create(body, e[0]));
        return {arith::SelectOp::create(body, isValue(body, e[1], infinity),
                                        e[1], sum)};
      })[0];
  return {weights, lse};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Emitter::values(Value weights, Value v) {
  SmallVector<OpFoldResult> sizes = sizesOf(weights);
  sizes[3] = sizesOf(v)[3];
  Value rows = repeatHeads(v, weights);
  enum { B, H, N, D, M, numLoops };
  return generic(
      {{weights, {B, H, N, M}}, {rows, {B, H, M, D}}},
      {{filled(sizes, 0.0), {B, H, N, D}}}, numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value weight = castTo(body, e[0], compute);
        Value product =
            arith::MulFOp::create(body, weight, castTo(body, e[1], compute));
        Value sum = arith::AddFOp::create(body, e[2], product);
        return {arith::SelectOp::create(body, isValue(body, weight, 0.0), e[2],
                                        sum)};
      })[0];
}

Value Emitter::addTableRows(Value o, Value weights, Value rows, Value table) {
  auto type = cast<ShapedType>(table.getType());
  int64_t rowDim = type.getRank() - 2;
  Value numRows = tensor::DimOp::create(b, table, rowDim);
  enum { B, H, N, D, M, numLoops };
  return generic(
      {{weights, {B, H, N, M}}, {rows, {B, H, N, M}}}, {{o, {B, H, N, D}}},
      numLoops,
      [&](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value weight = castTo(body, e[0], compute);
        SmallVector<Value> at{e[1], linalg::IndexOp::create(body, D)};
        if (rowDim == 1)
          at.insert(at.begin(), linalg::IndexOp::create(body, H));
        // Unsigned, one comparison tests both ends.
        Value inside = arith::CmpIOp::create(body, arith::CmpIPredicate::ult,
                                             e[1], numRows);
        auto added = scf::IfOp::create(body, TypeRange{compute}, inside,
                                       /*addElseRegion=*/true);
        OpBuilder::InsertionGuard guard(body);
        body.setInsertionPointToStart(added.elseBlock());
        scf::YieldOp::create(body, e[2]);
        body.setInsertionPointToStart(added.thenBlock());
        Value element = tensor::ExtractOp::create(body, table, at);
        Value product =
            arith::MulFOp::create(body, weight, castTo(body, element, compute));
        Value sum = arith::AddFOp::create(body, e[2], product);
        scf::YieldOp::create(
            body,
            arith::SelectOp::create(body, isValue(body, weight, 0.0), e[2], sum)
                .getResult());
        return {added.getResult(0)};
      })[0];
}
