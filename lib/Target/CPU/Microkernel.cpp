//===- Microkernel.cpp - Products in registers ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel.h"
#include "llvm/ADT/Sequence.h"
#include <numeric>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;

Accumulators cpu::emitProduct(KernelBuilder &b, Value lo, Value hi,
                              int64_t vectors, Accumulators sums,
                              function_ref<Value(Value, int64_t)> row,
                              function_ref<Value(Value, int64_t)> column) {
  int64_t rows = sums.size() / vectors;
  auto step = [&](Value d, MutableArrayRef<Value> sums) {
    SmallVector<Value> columns;
    for (int64_t y = 0; y < vectors; ++y)
      columns.push_back(column(d, y));
    for (int64_t x = 0; x < rows; ++x) {
      Value factor = b.broadcast(row(d, x));
      for (int64_t y = 0; y < vectors; ++y) {
        Value &sum = sums[x * vectors + y];
        sum = b.multiplyAdd(factor, columns[y], sum);
      }
    }
  };
  auto loop = [&](Value lo, Value hi, int64_t unroll) {
    sums = b.loop(lo, hi, unroll, sums, [&](Value d, ValueRange values) {
      Accumulators next(values);
      for (int64_t u = 0; u < unroll; ++u)
        step(b.add(d, u), next);
      return next;
    });
  };
  // Two at a time: the loop's own instructions are then a twentieth.
  std::optional<int64_t> from = getConstant(lo), to = getConstant(hi);
  if (from && to) {
    int64_t even = *from + (*to - *from) / 2 * 2;
    if (even > *from)
      loop(lo, b.index(even), 2);
    if (even < *to)
      step(b.index(even), sums);
    return sums;
  }
  Value even = b.sub(hi, b.rem(b.sub(hi, lo), 2));
  loop(lo, even, 2);
  loop(even, hi, 1);
  return sums;
}

Accumulators cpu::emitChannels(KernelBuilder &b, int64_t channels,
                               int64_t vectors,
                               function_ref<Value(Value, int64_t)> row,
                               function_ref<Value(Value, int64_t)> column) {
  constexpr int64_t chain = 32;
  Accumulators zeros(numRows * vectors, b.splat(0.0f));
  if (channels <= chain)
    return emitProduct(b, b.index(0), b.index(channels), vectors, zeros, row,
                       column);
  auto addChain = [&](Value first, int64_t count, ValueRange sums) {
    Accumulators part = emitProduct(
        b, b.index(0), b.index(count), vectors, zeros,
        [&](Value d, int64_t x) { return row(b.add(first, d), x); },
        [&](Value d, int64_t y) { return column(b.add(first, d), y); });
    for (auto [x, sum] : llvm::zip_equal(part, sums))
      x = b.addf(sum, x);
    return part;
  };
  int64_t whole = channels / chain * chain;
  Accumulators sums = b.loop(
      b.index(0), b.index(whole), chain, zeros,
      [&](Value d, ValueRange sums) { return addChain(d, chain, sums); });
  if (whole < channels)
    sums = addChain(b.index(whole), channels - whole, sums);
  return sums;
}

Panels Panels::get(Value columns, int64_t block, const CpuTarget &target) {
  auto type = cast<MemRefType>(columns.getType());
  int64_t width = type.getDimSize(2), count = type.getDimSize(0);
  Panels panels{width, std::gcd(width, target.lanes), target.vectorsPerRow()};
  auto fits = [&] {
    int64_t step = panels.stepWidth();
    if (block % step)
      return false;
    // A step of several panels must find them all.
    return width % step == 0 ||
           (step % width == 0 && !ShapedType::isDynamic(count) &&
            count * width % step == 0);
  };
  while (!fits())
    --panels.vectors;
  return panels;
}

Value Panels::load(KernelBuilder &b, Value columns, Value column, Value t,
                   int64_t y) const {
  Value panel = b.add(b.div(column, width), y * lanes / width);
  Value lane = b.add(b.rem(column, width), y * lanes % width);
  if (cast<MemRefType>(columns.getType()).getElementType().isBF16())
    return b.loadPairs(columns, {panel, t, b.mul(lane, 2)});
  return b.loadVector(columns, {panel, t, lane});
}

Value cpu::emitPaddedRows(KernelBuilder &b, Value rows, Value count,
                          Value padded, OpFoldResult capacity,
                          int64_t channels) {
  Type element = cast<MemRefType>(rows.getType()).getElementType();
  Value copy = b.scratch(element, {capacity, b.getIndexAttr(channels)});
  b.loop(b.index(0), padded, 1, [&](Value row) {
    Value from = b.min(row, b.sub(count, 1));
    b.loop(b.index(0), b.index(channels), 1,
           [&](Value d) { b.store(b.load(rows, {from, d}), copy, {row, d}); });
  });
  return copy;
}

Value cpu::emitPairsInRows(KernelBuilder &b, Value memref) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d + 1 < rank; ++d)
    groups.push_back({d});
  groups.back().push_back(rank - 1);
  return memref::CollapseShapeOp::create(b, memref, groups);
}

SmallVector<Value> cpu::emitTransposeOfUnits(KernelBuilder &b,
                                             SmallVector<Value> rows,
                                             int64_t unit) {
  int64_t count = rows.size();
  auto pick = [&](Value x, Value y, bool odd) -> Value {
    SmallVector<int64_t> mask;
    for (int64_t source = 0; source < 2; ++source)
      for (int64_t at = odd; at < count; at += 2)
        for (int64_t i = 0; i < unit; ++i)
          mask.push_back((source * count + at) * unit + i);
    return vector::ShuffleOp::create(b, x, y, mask);
  };
  SmallVector<Value> next(count);
  for (int64_t distance = 1; distance < count; distance *= 2) {
    for (int64_t i = 0; i < count; ++i) {
      if (i & distance)
        continue;
      // Even units of the pair go to the row with the bit clear.
      next[i] = pick(rows[i], rows[i + distance], false);
      next[i + distance] = pick(rows[i], rows[i + distance], true);
    }
    rows = next;
  }
  return rows;
}

SmallVector<Value> cpu::emitTranspose(KernelBuilder &b,
                                      SmallVector<Value> rows) {
  int64_t lanes = rows.size();
  auto shuffle = [&](Value x, Value y, ArrayRef<int64_t> mask) -> Value {
    return vector::ShuffleOp::create(b, x, y, mask);
  };
  // Groups of `size` lanes interleave: the low, or high, half of each unit of
  // 2 * size * halves.. as x86 does within 128 bits.
  auto unpack = [&](Value x, Value y, int64_t size, bool high) {
    SmallVector<int64_t> mask;
    for (int64_t unit = 0; unit < lanes; unit += 4)
      for (int64_t half = 0; half < 4; half += 2 * size)
        for (Value source : {x, y})
          for (int64_t i = 0; i < size; ++i)
            mask.push_back((source == x ? 0 : lanes) + unit + (high ? 2 : 0) +
                           half / 2 + i);
    return shuffle(x, y, mask);
  };
  if (lanes % 4)
    // Few lanes: one by one.
    return llvm::map_to_vector(llvm::seq<int64_t>(0, lanes), [&](int64_t i) {
      Value column = rows[0];
      for (int64_t j = 0; j < lanes; ++j)
        column = vector::InsertOp::create(
            b, vector::ExtractOp::create(b, rows[j], i), column, j);
      return column;
    });
  SmallVector<Value> next(lanes);
  for (int64_t i = 0; i < lanes; i += 2) {
    next[i] = unpack(rows[i], rows[i + 1], 1, false);
    next[i + 1] = unpack(rows[i], rows[i + 1], 1, true);
  }
  for (int64_t i = 0; i < lanes; i += 4) {
    rows[i] = unpack(next[i], next[i + 2], 2, false);
    rows[i + 1] = unpack(next[i], next[i + 2], 2, true);
    rows[i + 2] = unpack(next[i + 1], next[i + 3], 2, false);
    rows[i + 3] = unpack(next[i + 1], next[i + 3], 2, true);
  }
  // Now row 4 i + k holds, in its unit u, the elements 4 i .. 4 i + 3 of column
  // 4 u + k: a transpose of units is left.
  for (int64_t k = 0; k < 4; ++k) {
    SmallVector<Value> units;
    for (int64_t i = k; i < lanes; i += 4)
      units.push_back(rows[i]);
    units = emitTransposeOfUnits(b, units, 4);
    for (auto [i, unit] : llvm::enumerate(units))
      rows[4 * i + k] = unit;
  }
  return rows;
}

Value cpu::emitIsUnitStride(KernelBuilder &b, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (succeeded(type.getStridesAndOffset(strides, offset)) &&
      !ShapedType::isDynamic(strides.back()))
    return {};
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  return b.equal(metadata.getStrides().back(), b.index(1));
}

Value cpu::emitUnitStride(KernelBuilder &b, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t rank = type.getRank();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  SmallVector<OpFoldResult> sizes(metadata.getSizes()),
      steps(metadata.getStrides().drop_back());
  steps.push_back(b.getIndexAttr(1));
  return memref::ReinterpretCastOp::create(
      b, MemRefType::get(shape, type.getElementType(), layout),
      metadata.getBaseBuffer(), OpFoldResult(metadata.getOffset()), sizes,
      steps);
}
