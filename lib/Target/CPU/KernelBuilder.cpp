//===- KernelBuilder.cpp - Short words for loops and vectors --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "VectorMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;

std::optional<int64_t> cpu::getConstant(Value x) {
  APInt value;
  if (matchPattern(x, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

bool cpu::hasUnitStride(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() == 0 ||
         (succeeded(type.getStridesAndOffset(strides, offset)) &&
          strides.back() == 1);
}

bool cpu::hasAdjacentPairs(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() >= 2 && type.getShape().back() == 2 &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1 && strides[strides.size() - 2] == 2;
}

KernelBuilder::KernelBuilder(OpBuilder &builder, Location loc,
                             const CpuTarget &target, int64_t lanes)
    : ImplicitLocOpBuilder(loc, builder), target(target), lanes(lanes),
      vectorType(VectorType::get({lanes}, builder.getF32Type())) {
  anchor = arith::ConstantOp::create(*this, getIndexAttr(0));
  constants[getIndexAttr(0)] = anchor->getResult(0);
}

//===----------------------------------------------------------------------===//
// Constants and integers
//===----------------------------------------------------------------------===//

Value KernelBuilder::constant(TypedAttr attr) {
  Value &value = constants[attr];
  if (!value) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPoint(anchor);
    value = arith::ConstantOp::create(*this, attr);
  }
  return value;
}

Value KernelBuilder::splat(TypedAttr x) {
  return constant(
      DenseElementsAttr::get(VectorType::get({lanes}, x.getType()), x));
}

Value KernelBuilder::iota(Type element) {
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < lanes; ++i)
    values.push_back(getIntegerAttr(element, i));
  return constant(
      DenseElementsAttr::get(VectorType::get({lanes}, element), values));
}

Value KernelBuilder::add(Value x, Value y) {
  auto cx = getConstant(x), cy = getConstant(y);
  if (cx && cy)
    return index(*cx + *cy);
  if (cx == 0)
    return y;
  if (cy == 0)
    return x;
  return arith::AddIOp::create(*this, x, y);
}

Value KernelBuilder::sub(Value x, Value y) {
  if (auto cy = getConstant(y))
    return add(x, index(-*cy));
  return arith::SubIOp::create(*this, x, y);
}

Value KernelBuilder::mul(Value x, int64_t y) {
  if (auto cx = getConstant(x))
    return index(*cx * y);
  if (y == 1)
    return x;
  return arith::MulIOp::create(*this, x, index(y));
}

Value KernelBuilder::mul(Value x, Value y) {
  if (auto cy = getConstant(y))
    return mul(x, *cy);
  return arith::MulIOp::create(*this, x, y);
}

Value KernelBuilder::div(Value x, int64_t y) {
  if (auto cx = getConstant(x))
    return index(*cx / y);
  if (y == 1)
    return x;
  return arith::DivUIOp::create(*this, x, index(y));
}

Value KernelBuilder::rem(Value x, int64_t y) {
  if (auto cx = getConstant(x))
    return index(*cx % y);
  if (y == 1)
    return index(0);
  return arith::RemUIOp::create(*this, x, index(y));
}

Value KernelBuilder::min(Value x, Value y) {
  auto cx = getConstant(x), cy = getConstant(y);
  if (cx && cy)
    return index(std::min(*cx, *cy));
  return arith::MinSIOp::create(*this, x, y);
}

Value KernelBuilder::max(Value x, Value y) {
  auto cx = getConstant(x), cy = getConstant(y);
  if (cx && cy)
    return index(std::max(*cx, *cy));
  return arith::MaxSIOp::create(*this, x, y);
}

Value KernelBuilder::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(*this, predicate, x, y);
}

Value KernelBuilder::both(Value x, Value y) {
  return x && y ? arith::AndIOp::create(*this, x, y) : x ? x : y;
}

Value KernelBuilder::either(Value x, Value y) {
  return x && y ? arith::OrIOp::create(*this, x, y) : x ? x : y;
}

Value KernelBuilder::isNot(Value x) {
  return arith::XOrIOp::create(*this, x, i1(true));
}

Value KernelBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(*this, condition, x, y);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value KernelBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(
      *this, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value KernelBuilder::callIntrinsic(StringRef name, Type result,
                                   ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(*this, result, getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value KernelBuilder::asPairs(Value halves) {
  int64_t count = cast<VectorType>(halves.getType()).getNumElements() / 2;
  return vector::BitCastOp::create(
      *this, VectorType::get({count}, getI32Type()), halves);
}

Value KernelBuilder::asHalves(Value pairs) {
  int64_t count = cast<VectorType>(pairs.getType()).getNumElements() * 2;
  return vector::BitCastOp::create(
      *this, VectorType::get({count}, getBF16Type()), pairs);
}

std::pair<Value, Value> KernelBuilder::widenPairs(Value pairs) {
  auto widen = [&](Value bits) -> Value {
    return arith::BitcastOp::create(*this, vectorType, bits);
  };
  Value first =
      arith::ShLIOp::create(*this, pairs, splat(getI32IntegerAttr(16)));
  Value second =
      arith::AndIOp::create(*this, pairs, splat(getI32IntegerAttr(-0x10000)));
  return {widen(first), widen(second)};
}

Value KernelBuilder::multiplyAdd(Value x, Value y, Value sum) {
  if (!getElementTypeOrSelf(x.getType()).isInteger(32))
    return fma(x, y, sum);
  if (canDotPairs())
    return callIntrinsic("llvm.x86.avx512bf16.dpbf16ps.512", vectorType,
                         {sum, asHalves(x), asHalves(y)});
  auto [x0, x1] = widenPairs(x);
  auto [y0, y1] = widenPairs(y);
  return fma(x1, y1, fma(x0, y0, sum));
}

Value KernelBuilder::sumLanes(Value vector) {
  // Without reassoc the reduction is a chain of scalar adds.
  return vector::ReductionOp::create(*this, vector::CombiningKind::ADD, vector,
                                     arith::FastMathFlags::reassoc);
}

Value KernelBuilder::maxLane(Value vector) {
  int64_t width = lanes;
  while (width > 1 && width % 2 == 0) {
    width /= 2;
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < width; ++i) {
      low.push_back(i);
      high.push_back(width + i);
    }
    vector =
        emitMax(*this, vector::ShuffleOp::create(*this, vector, vector, low),
                vector::ShuffleOp::create(*this, vector, vector, high));
  }
  Value greatest = vector::ExtractOp::create(*this, vector, int64_t(0));
  for (int64_t i = 1; i < width; ++i)
    greatest =
        emitMax(*this, greatest, vector::ExtractOp::create(*this, vector, i));
  return greatest;
}

Value KernelBuilder::permute(Value vector, Value places) {
  assert(canPermute() && "asked first");
  StringRef name =
      lanes == 16 ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps";
  return callIntrinsic(name, vectorType, {vector, places});
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::loadVector(Value memref, ValueRange indices) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return toF32(vector::LoadOp::create(*this, VectorType::get({lanes}, element),
                                      memref, indices));
}

Value KernelBuilder::roundPairs(Value x, Value y) {
  auto both = VectorType::get({2 * lanes}, getBF16Type());
  if (canDotPairs())
    return callIntrinsic("llvm.x86.avx512bf16.cvtne2ps2bf16.512", both, {y, x});
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
  return arith::TruncFOp::create(*this, both,
                                 vector::ShuffleOp::create(*this, x, y, order));
}

Value KernelBuilder::storeVectors(ArrayRef<Value> vectors, Value memref,
                                  Value row, Value column) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value sum;
  auto addToSum = [&](Value x) { sum = sum ? addf(sum, x) : x; };
  for (size_t y = 0; y < vectors.size(); ++y) {
    Value x = vectors[y];
    Value at[] = {row, add(column, y * lanes)};
    if (element.isBF16() && y + 1 < vectors.size()) {
      x = roundPairs(x, vectors[++y]);
      auto [first, second] = widenPairs(asPairs(x));
      addToSum(addf(first, second));
    } else {
      if (!element.isF32())
        x = arith::TruncFOp::create(*this, VectorType::get({lanes}, element),
                                    x);
      addToSum(toF32(x));
    }
    storeVector(x, memref, at);
  }
  return sum;
}

/// So many pairs from an address on.
static Value loadAsPairs(KernelBuilder &b, Value memref, ValueRange indices,
                         int64_t count) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return b.asPairs(vector::LoadOp::create(
      b, VectorType::get({2 * count}, element), memref, indices));
}

Value KernelBuilder::loadPair(Value memref, ValueRange indices) {
  return vector::ExtractOp::create(
      *this, loadAsPairs(*this, memref, indices, 1), int64_t(0));
}

Value KernelBuilder::loadPairs(Value memref, ValueRange indices) {
  return loadAsPairs(*this, memref, indices, lanes);
}

void KernelBuilder::storePart(Value x, Value memref, ValueRange indices) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!element.isF32())
    x = arith::TruncFOp::create(*this, vector ? vector.clone(element) : element,
                                x);
  if (vector)
    storeVector(x, memref, indices);
  else
    store(x, memref, indices);
}

Value KernelBuilder::toF32(Value x) {
  auto type = getElementTypeOrSelf(x.getType());
  if (type.isF32())
    return x;
  Type to = getF32Type();
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    to = vector.clone(to);
  if (type.getIntOrFloatBitWidth() > 32)
    return arith::TruncFOp::create(*this, to, x);
  return arith::ExtFOp::create(*this, to, x);
}

Value KernelBuilder::dim(Value memref, int64_t dimension) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dimension))
    return index(type.getDimSize(dimension));
  return memref::DimOp::create(*this, memref, dimension);
}

Value KernelBuilder::scratch(Type element, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known ? *known : ShapedType::kDynamic);
    if (!known)
      dynamic.push_back(cast<Value>(size));
  }
  // Of a known size, it stands before all loops, wherever it is asked for.
  OpBuilder::InsertionGuard guard(*this);
  if (dynamic.empty())
    setInsertionPoint(anchor);
  Value buffer = memref::AllocOp::create(*this, MemRefType::get(shape, element),
                                         dynamic, getI64IntegerAttr(64));
  buffers.push_back(buffer);
  return buffer;
}

void KernelBuilder::freeScratch() {
  for (Value buffer : buffers)
    memref::DeallocOp::create(*this, buffer);
  buffers.clear();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelBuilder::loop(Value lo, Value hi, int64_t step,
                                       ValueRange inits, LoopBody body) {
  auto loop = scf::ForOp::create(
      *this, lo, hi, index(step), inits,
      [&](OpBuilder &inner, Location, Value i, ValueRange values) {
        OpBuilder::InsertionGuard guard(*this);
        restoreInsertionPoint(inner.saveInsertionPoint());
        scf::YieldOp::create(*this, body(i, values));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void KernelBuilder::loop(Value lo, Value hi, int64_t step,
                         function_ref<void(Value)> body) {
  loop(lo, hi, step, ValueRange(), [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

void KernelBuilder::when(Value condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  choose(
      condition, TypeRange(),
      [&] {
        then();
        return SmallVector<Value>();
      },
      otherwise ? Values([&] {
        otherwise();
        return SmallVector<Value>();
      })
                : Values());
}

SmallVector<Value> KernelBuilder::choose(Value condition, TypeRange types,
                                         Values then, Values otherwise) {
  auto branch = scf::IfOp::create(*this, types, condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(*this);
  auto fill = [&](Block &block, Values values) {
    setInsertionPointToEnd(&block);
    SmallVector<Value> results = values();
    if (block.mightHaveTerminator())
      return;
    scf::YieldOp::create(*this, results);
  };
  fill(branch.getThenRegion().front(), then);
  if (otherwise)
    fill(branch.getElseRegion().front(), otherwise);
  return llvm::to_vector_of<Value>(branch.getResults());
}
