//===- KernelBuilder.h - Short words for loops and vectors ------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_KERNELBUILDER_H
#define POSENC_LIB_TARGET_CPU_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "posenc/Target/CPU.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::posenc::cpu {

/// A builder of the loops and vector ops of one kernel. Integers are values of
/// type index and fold where they are known; constants are made once, before
/// all else of the kernel.
class KernelBuilder : public ImplicitLocOpBuilder {
public:
  KernelBuilder(OpBuilder &builder, Location loc, const CpuTarget &target,
                int64_t lanes);

  const CpuTarget &target;
  /// Lanes of the vectors: the target's, or fewer where widths ask for it.
  const int64_t lanes;
  const VectorType vectorType;

  // Constants.
  Value constant(TypedAttr attr);
  Value index(int64_t x) { return constant(getIndexAttr(x)); }
  Value f32(float x) { return constant(getF32FloatAttr(x)); }
  Value splat(float x) { return splat(getF32FloatAttr(x)); }
  Value splat(TypedAttr x);
  Value i1(bool x) { return constant(getBoolAttr(x)); }
  /// 0, 1, .. of an integer type or index.
  Value iota(Type element);

  // Integers.
  Value add(Value x, Value y);
  Value add(Value x, int64_t y) { return add(x, index(y)); }
  Value sub(Value x, Value y);
  Value sub(Value x, int64_t y) { return add(x, index(-y)); }
  Value mul(Value x, int64_t y);
  Value mul(Value x, Value y);
  /// x / y and x % y of x >= 0.
  Value div(Value x, int64_t y);
  Value rem(Value x, int64_t y);
  /// The multiple of y at or below, or at or above, x >= 0.
  Value roundDown(Value x, int64_t y) { return mul(div(x, y), y); }
  Value roundUp(Value x, int64_t y) { return roundDown(add(x, y - 1), y); }
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  Value clamp(Value x, Value lo, Value hi) { return min(max(x, lo), hi); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y);
  Value less(Value x, Value y) {
    return compare(arith::CmpIPredicate::slt, x, y);
  }
  Value lessEqual(Value x, Value y) {
    return compare(arith::CmpIPredicate::sle, x, y);
  }
  Value equal(Value x, Value y) {
    return compare(arith::CmpIPredicate::eq, x, y);
  }
  Value both(Value x, Value y);
  Value either(Value x, Value y);
  Value isNot(Value x);
  Value select(Value condition, Value x, Value y);

  // Floats, scalars or vectors.
  Value addf(Value x, Value y) { return arith::AddFOp::create(*this, x, y); }
  Value subf(Value x, Value y) { return arith::SubFOp::create(*this, x, y); }
  Value mulf(Value x, Value y) { return arith::MulFOp::create(*this, x, y); }
  Value fma(Value x, Value y, Value z) {
    return vector::FMAOp::create(*this, x, y, z);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(*this, predicate, x, y);
  }
  Value broadcast(Value scalar);
  /// x * y + sum; of pairs, which are i32, both products.
  Value multiplyAdd(Value x, Value y, Value sum);
  /// The lanes of x, then those of y, as bf16.
  Value roundPairs(Value x, Value y);
  /// The first and the second bf16 of each pair, as f32.
  std::pair<Value, Value> widenPairs(Value pairs);
  /// The sum of the lanes, in any order.
  Value sumLanes(Value vector);
  /// The greatest lane.
  Value maxLane(Value vector);
  Value callIntrinsic(StringRef name, Type result, ValueRange operands);
  /// bf16 two by two as i32, and the other way round.
  Value asPairs(Value halves);
  Value asHalves(Value pairs);
  /// Whether one instruction adds the products of a vector of pairs.
  bool canDotPairs() const { return target.hasPairDots && lanes == 16; }
  /// Whether one instruction takes lanes of a vector in any order.
  bool canPermute() const { return target.hasPermute && lanes == target.lanes; }
  /// Lane p[i] of a vector in lane i, for a vector p of i32.
  Value permute(Value vector, Value places);

  // Memory. Addresses are in memrefs with a unit innermost stride.
  Value load(Value memref, ValueRange indices) {
    return memref::LoadOp::create(*this, memref, indices);
  }
  void store(Value x, Value memref, ValueRange indices) {
    memref::StoreOp::create(*this, x, memref, indices);
  }
  Value loadVector(Value memref, ValueRange indices);
  void storeVector(Value x, Value memref, ValueRange indices) {
    vector::StoreOp::create(*this, x, memref, indices);
  }
  /// Vectors side by side, rounded to what the memref holds. Gives the sum of
  /// what is there then, lane by lane, in some order of the lanes.
  Value storeVectors(ArrayRef<Value> vectors, Value memref, Value row,
                     Value column);
  /// Two bf16 in an i32, the first in the low half, and a vector of such pairs.
  Value loadPair(Value memref, ValueRange indices);
  Value loadPairs(Value memref, ValueRange indices);
  /// The same of a vector or of one float, as f32.
  Value loadPart(Value memref, ValueRange indices, bool isVector) {
    return isVector ? loadVector(memref, indices)
                    : toF32(load(memref, indices));
  }
  /// Rounded to what the memref holds.
  void storePart(Value x, Value memref, ValueRange indices);
  Value zeroPart(bool isVector) { return isVector ? splat(0.0f) : f32(0.0f); }
  /// A float as f32.
  Value toF32(Value x);
  /// The size of a dimension.
  Value dim(Value memref, int64_t dimension);
  /// A buffer that is aligned to cache lines, freed at the end of the kernel
  /// by `freeScratch`.
  Value scratch(Type element, ArrayRef<OpFoldResult> sizes);
  Value scratch(ArrayRef<OpFoldResult> sizes) {
    return scratch(getF32Type(), sizes);
  }
  void freeScratch();

  // Control.
  using LoopBody = function_ref<SmallVector<Value>(Value, ValueRange)>;
  /// A loop with values that it carries.
  SmallVector<Value> loop(Value lo, Value hi, int64_t step, ValueRange inits,
                          LoopBody body);
  /// A loop with none. `simple` ones are not worth LLVM's unrolling.
  void loop(Value lo, Value hi, int64_t step, function_ref<void(Value)> body);
  void when(Value condition, function_ref<void()> then,
            function_ref<void()> otherwise = nullptr);
  using Values = function_ref<SmallVector<Value>()>;
  SmallVector<Value> choose(Value condition, TypeRange types, Values then,
                            Values otherwise);

private:
  llvm::MapVector<Attribute, Value> constants;
  Operation *anchor = nullptr; // what constants stand before
  SmallVector<Value> buffers;
};

/// The constant that an index is, if it is one.
std::optional<int64_t> getConstant(Value x);

/// Whether the innermost dimension is known to have stride 1.
bool hasUnitStride(Value memref);
/// Whether the pairs that the innermost dimension has are known to lie side by
/// side.
bool hasAdjacentPairs(Value memref);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_KERNELBUILDER_H
