//===- TensorReader.cpp - Elements of tensors as region code --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

TensorReader::TensorReader(ScoreRegion &region, ImplicitLocOpBuilder &b,
                           Follow follow)
    : region(region), b(b), follow(follow) {
  Operation *op = region.getOp();
  SmallVector<int64_t> sizes(4, ShapedType::kDynamic);
  if (auto mod = dyn_cast<ScoreModOp>(op)) {
    sizes = llvm::to_vector(cast<ShapedType>(mod.getType()).getShape());
  } else {
    auto attention = cast<AttentionOp>(op);
    auto q = cast<ShapedType>(attention.getQ().getType()).getShape();
    auto k = cast<ShapedType>(attention.getK().getType()).getShape();
    sizes = {q[0], q[1], q[2], k[2]};
  }
  for (auto [i, size] : llvm::enumerate(sizes))
    pair.push_back(atoms.addIndex(region.getBlock()->getArgument(1 + i), size));
}

//===----------------------------------------------------------------------===//
// What is followed
//===----------------------------------------------------------------------===//

/// Whether posenc.lookup reads elements of a tensor without loss: f64 would
/// come as f32.
static bool isLookupTensor(RankedTensorType type) {
  return isCaptureType(type) && !type.getElementType().isF64();
}

/// Whether a value from outside can stand in a region.
static bool canCapture(Value scalar) {
  return isCaptureType(scalar.getType()) ||
         (scalar.getDefiningOp<arith::ConstantOp>() &&
          isRegionScalar(scalar.getType()));
}

static bool isElementwiseOp(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isScoreRegionKind(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isa<RankedTensorType>(operand.getType()) ||
                  canCapture(operand);
         });
}

/// A linalg op whose result this is, all of its loops parallel.
static linalg::LinalgOp getParallelLinalg(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isPermutation())
    return {};
  return op;
}

/// The tensors that the body of a linalg op reads elements of.
static SmallVector<Value> getTensorsRead(linalg::LinalgOp op) {
  SmallVector<Value> tensors;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !op.getMatchingBlockArgument(&operand).use_empty())
      tensors.push_back(operand.get());
  for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>())
    tensors.push_back(extract.getTensor());
  return tensors;
}

SmallVector<Value> TensorReader::getSources(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto mod = dyn_cast<ScoreModOp>(op))
    return {mod.getS()};
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getTensorsRead(linalgOp);
  SmallVector<Value> tensors;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      tensors.push_back(operand);
  return tensors;
}

bool TensorReader::canRead(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && (isLookupTensor(type) || canFollow(tensor));
}

bool TensorReader::canFollow(Value tensor) {
  if (stops.contains(tensor))
    return false;
  auto [entry, isNew] = followable.try_emplace(tensor, false);
  if (isNew) {
    // The recursion may move the entry.
    bool can = canFollowImpl(tensor);
    followable[tensor] = can;
    return can;
  }
  return entry->second;
}

bool TensorReader::canFollowImpl(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!op || !type || !isRegionScalar(type.getElementType()))
    return false;
  if (auto mod = dyn_cast<ScoreModOp>(op))
    return follow.scans || !hasRowScan(mod.getScore().front());
  if (!follow.elementwise && !follow.gathers)
    return false;
  auto canReadSources = [&] {
    return llvm::all_of(getSources(tensor),
                        [&](Value source) { return canRead(source); });
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return canCapture(splat.getInput());
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType()) &&
           canReadSources();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return llvm::all_of(expand.getReassociationIndices(),
                        [&](const auto &group) {
                          return canMerge(type.getShape().slice(group.front(),
                                                                group.size()));
                        }) &&
           canReadSources();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return llvm::all_of(collapse.getReassociationIndices(),
                        [&](const auto &group) {
                          return canMerge(
                              collapse.getSrcType().getShape().slice(
                                  group.front(), group.size()));
                        }) &&
           canReadSources();
  if (follow.gathers) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return !llvm::is_contained(slice.getStaticOffsets(),
                                 ShapedType::kDynamic) &&
             !llvm::is_contained(slice.getStaticStrides(),
                                 ShapedType::kDynamic) &&
             canReadSources();
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      auto isNegative = [](int64_t width) {
        return width < 0 && !ShapedType::isDynamic(width);
      };
      return pad.getConstantPaddingValue() &&
             canCapture(pad.getConstantPaddingValue()) &&
             !ShapedType::isDynamicShape(pad.getSourceType().getShape()) &&
             !llvm::is_contained(pad.getStaticLow(), ShapedType::kDynamic) &&
             llvm::none_of(pad.getStaticLow(), isNegative) &&
             llvm::none_of(pad.getStaticHigh(), isNegative) && canReadSources();
    }
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return llvm::all_of(concat.getInputs(),
                          [&](Value input) {
                            return !cast<RankedTensorType>(input.getType())
                                        .isDynamicDim(concat.getDim());
                          }) &&
             canReadSources();
  }
  if (isElementwiseOp(op))
    return canReadSources();

  linalg::LinalgOp linalgOp = getParallelLinalg(tensor);
  if (!linalgOp || !canReadSources())
    return false;
  for (AffineMap map : linalgOp.getIndexingMapsArray()) {
    SmallVector<Index> loops(map.getNumDims());
    for (AffineExpr expr : map.getResults())
      if (failed(evaluate(expr, loops)))
        return false;
  }
  // A result's tensor may be a mere shape, but not a value that is read.
  for (OpOperand &init : linalgOp.getDpsInitsMutable())
    if (linalgOp.payloadUsesValueFromOperand(&init) &&
        init.get().getDefiningOp<tensor::EmptyOp>())
      return false;
  Block *body = linalgOp.getBlock();
  for (OpOperand &operand : linalgOp->getOpOperands())
    if (linalgOp.payloadUsesValueFromOperand(&operand) &&
        !isa<RankedTensorType>(operand.get().getType()) &&
        !canCapture(operand.get()))
      return false;
  for (Operation &inner : *body) {
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != body &&
          !isa<RankedTensorType>(operand.getType()) && !canCapture(operand))
        return false;
    if (isa<linalg::YieldOp, linalg::IndexOp>(inner))
      continue;
    if (!isa<tensor::ExtractOp>(inner) && !isScoreRegionOp(&inner))
      return false;
    if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Values of the region
//===----------------------------------------------------------------------===//

Value TensorReader::emit(const Index &index) {
  for (auto &[known, value] : emitted)
    if (known == index)
      return value;
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? arith::AddIOp::create(b, sum, term).getResult() : term;
  };
  auto scaled = [&](unsigned atom, int64_t factor) -> Value {
    Value value = atoms.value(atom);
    if (const Atoms::Division *division = atoms.division(atom)) {
      Value dividend = emit(division->dividend);
      Value divisor = arith::ConstantIndexOp::create(b, division->divisor);
      value = division->remainder
                  ? arith::RemUIOp::create(b, dividend, divisor).getResult()
                  : arith::DivUIOp::create(b, dividend, divisor);
    }
    if (factor == 1)
      return value;
    return arith::MulIOp::create(b, value,
                                 arith::ConstantIndexOp::create(b, factor));
  };
  for (auto [atom, factor] : index.terms)
    if (factor > 0)
      add(scaled(atom, factor));
  if (index.constant != 0 || !sum)
    add(arith::ConstantIndexOp::create(b, index.constant));
  for (auto [atom, factor] : index.terms)
    if (factor < 0)
      sum = arith::SubIOp::create(b, sum, scaled(atom, -factor));
  emitted.push_back({index, sum});
  return sum;
}

Value TensorReader::captureScalar(Value outer) {
  if (auto constant = outer.getDefiningOp<arith::ConstantOp>())
    return b.clone(*constant)->getResult(0);
  return region.capture(outer);
}

Value TensorReader::lookup(Value tensor, ArrayRef<Index> at) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  if (!isLookupTensor(type))
    return {};
  SmallVector<Value> indices;
  for (const Index &index : at)
    indices.push_back(emit(index));
  Value value =
      LookupOp::create(b, region.capture(tensor), indices, Attribute());
  if (element.isF16() || element.isBF16())
    return arith::TruncFOp::create(b, element, value);
  if (element.isIntOrIndex() && !element.isIndex() && !element.isInteger(1))
    return arith::IndexCastOp::create(b, element, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Index TensorReader::asIndex(Value value) {
  auto [entry, isNew] = indices.try_emplace(value);
  if (!isNew)
    return entry->second;
  Index index = asIndexImpl(value);
  indices[value] = index; // the recursion may have moved the entry
  return index;
}

Index TensorReader::asIndexImpl(Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp>(op))
    return asIndex(op->getOperand(0)) + asIndex(op->getOperand(1));
  if (isa_and_nonnull<arith::SubIOp>(op))
    return asIndex(op->getOperand(0)) + asIndex(op->getOperand(1)) * -1;
  if (isa_and_nonnull<arith::MulIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return asIndex(op->getOperand(0)) * constant.getSExtValue();
  return Index::ofAtom(atoms.of(value));
}

Value TensorReader::read(Value tensor, ValueRange at) {
  SmallVector<Index> indices;
  for (Value value : at) {
    indices.push_back(asIndex(value));
    // Written once more, it is the same value.
    if (llvm::none_of(emitted, [&](const auto &entry) {
          return entry.first == indices.back();
        }))
      emitted.push_back({indices.back(), value});
  }
  // An index in a dimension of size 1 is 0.
  for (auto [i, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
    if (size == 1)
      indices[i] = 0;
  return read(tensor, indices);
}

Value TensorReader::read(Value tensor, ArrayRef<Index> at) {
  for (const Known &element : known[tensor])
    if (element.at == at)
      return element.element;
  Value value = readImpl(tensor, at);
  known[tensor].push_back({llvm::to_vector(at), value});
  return value;
}

bool TensorReader::hasReadAtPair(Value tensor) const {
  auto found = known.find(tensor);
  return found != known.end() &&
         llvm::any_of(found->second,
                      [&](const Known &known) { return known.at == pair; });
}

void TensorReader::setBase(Value newBase, ArrayRef<BaseFactor> factors) {
  base = newBase;
  baseFactors.assign(factors.begin(), factors.end());
}

Value TensorReader::scaleBase(Value score) {
  for (auto [factor, divides] : baseFactors)
    score = divides ? arith::DivFOp::create(b, score, factor).getResult()
                    : arith::MulFOp::create(b, score, factor);
  return score;
}

Value TensorReader::readImpl(Value tensor, ArrayRef<Index> at) {
  Operation *op = tensor.getDefiningOp();
  if (tensor == base && at == ArrayRef(pair))
    return scaleBase(region.score());
  if (!canFollow(tensor)) {
    auto scores = dyn_cast_or_null<ScoresOp>(op);
    if (scores && !stops.contains(tensor)) {
      Value product = readScores(scores, at);
      return tensor == base ? scaleBase(product) : product;
    }
    if (follow.gathers && op && !stops.contains(tensor))
      if (Value product = readProduct(tensor, at))
        return product;
    return lookup(tensor, at);
  }
  if (auto mod = dyn_cast<ScoreModOp>(op))
    return readScoreMod(mod, at);

  Value source = tensor;
  SmallVector<Index> sourceAt(at);
  if (stepThroughView(source, sourceAt, atoms))
    return read(source, sourceAt);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(b, splat.getSplatValue<TypedAttr>());
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return captureScalar(splat.getInput());
  if (isa<tensor::PadOp, tensor::ConcatOp>(op))
    return readPadded(tensor, at);
  if (isa<linalg::LinalgOp>(op))
    return readLinalg(cast<OpResult>(tensor), at);

  // An elementwise op.
  OperationState state(b.getLoc(), op->getName());
  for (Value operand : op->getOperands()) {
    Value scalar = isa<RankedTensorType>(operand.getType())
                       ? read(operand, at)
                       : captureScalar(operand);
    if (!scalar)
      return {};
    state.addOperands(scalar);
  }
  state.addTypes(getElementTypeOrSelf(tensor.getType()));
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

Value TensorReader::readLinalg(OpResult tensor, ArrayRef<Index> at) {
  auto op = cast<linalg::LinalgOp>(tensor.getOwner());
  AffineMap map = op.getIndexingMapMatchingResult(tensor);
  SmallVector<Index> loops(at.size());
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;

  IRMapping mapping;
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    Value scalar;
    if (isa<RankedTensorType>(operand.get().getType())) {
      SmallVector<Index> operandAt;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
        operandAt.push_back(*evaluate(expr, loops));
      scalar = read(operand.get(), operandAt);
    } else {
      scalar = captureScalar(operand.get());
    }
    if (!scalar)
      return {};
    mapping.map(argument, scalar);
  }
  auto inner = [&](Value value) {
    if (!mapping.contains(value))
      mapping.map(value, captureScalar(value));
    return mapping.lookup(value);
  };
  for (Operation &bodyOp : body->without_terminator()) {
    Value result;
    if (auto index = dyn_cast<linalg::IndexOp>(bodyOp)) {
      result = emit(loops[index.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(bodyOp)) {
      SmallVector<Value> indices;
      for (Value value : extract.getIndices())
        indices.push_back(inner(value));
      result = read(extract.getTensor(), indices);
      if (!result)
        return {};
    } else {
      for (Value operand : bodyOp.getOperands())
        inner(operand);
      b.clone(bodyOp, mapping);
      continue;
    }
    mapping.map(bodyOp.getResult(0), result);
  }
  return inner(body->getTerminator()->getOperand(tensor.getResultNumber()));
}

Value TensorReader::readScoreMod(ScoreModOp op, ArrayRef<Index> at) {
  Value score = read(op.getS(), at);
  if (!score)
    return {};
  Block &block = op.getScore().front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), score);
  for (auto [i, index] : llvm::enumerate(at))
    if (!block.getArgument(1 + i).use_empty())
      mapping.map(block.getArgument(1 + i), emit(index));
  for (auto [i, outer] : llvm::enumerate(op.getCaptures()))
    mapping.map(block.getArgument(numScoreArguments + i),
                region.capture(outer));
  for (Operation &inner : block.without_terminator())
    b.clone(inner, mapping);
  YieldOp yield = op.getYield();
  Value result = mapping.lookup(yield.getScore());
  if (!yield.getKeep())
    return result;
  if (hasRowScan(block)) {
    scanKeep = mapping.lookup(yield.getKeep());
    return result;
  }
  Value infinity = arith::ConstantOp::create(
      b, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  return arith::SelectOp::create(b, mapping.lookup(yield.getKeep()), result,
                                 infinity);
}

Value TensorReader::readScores(ScoresOp op, ArrayRef<Index> at) {
  Value head = emit(at[1]);
  Value group;
  {
    ImplicitLocOpBuilder outside(b.getLoc(), region.getOp());
    group = emitHeadsPerKeyHead(outside, op.getS(), op.getK());
  }
  Value q = region.capture(op.getQ()), k = region.capture(op.getK());
  Value keyHead = head;
  if (group)
    keyHead = arith::DivUIOp::create(b, head, captureScalar(group));
  Value batch = emit(at[0]);
  return DotOp::create(b, b.getF32Type(), q,
                       ValueRange{batch, head, emit(at[2])}, k,
                       ValueRange{batch, keyHead, emit(at[3])}, FloatAttr());
}
