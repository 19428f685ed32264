//===- Unit.cpp - What multiplies the matrices of a sweep -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unit.h"
#include "Tiles.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;
using namespace mlir::posenc::tile;

static int64_t getSize(Value memref, unsigned dimension) {
  return cast<MemRefType>(memref.getType()).getDimSize(dimension);
}

std::optional<StringRef> Unit::whyNot(Kind kind, SweepOp op,
                                      const CpuTarget &target) {
  Value k = op.getK(), v = op.getV();
  if (!hasUnitStride(k))
    return "the keys have no unit stride";
  switch (kind) {
  case Kind::Fma:
    break;
  case Kind::FmaInPlace:
    if (getSize(op.getQ(), 1) % dotChannels || op.getBlock() % target.lanes)
      return "the channels or the block are no whole vectors";
    break;
  case Kind::Pairs:
  case Kind::Tiles:
    if (!op.hasPackedValues() || getSize(v, 2) != 2 ||
        !cast<MemRefType>(v.getType()).getElementType().isBF16() ||
        getSize(v, 1) % 16)
      return "the values are no pairs of whole vectors";
    if (!hasAdjacentPairs(k) || !hasAdjacentPairs(v))
      return "pairs do not lie side by side";
    if (!hasUnitStride(op.getQ()))
      return "the queries have no unit stride";
    if (kind == Kind::Tiles &&
        (!target.hasTiles || getSize(op.getQ(), 1) % tileDepth ||
         op.getBlock() % tileDepth || getSize(k, 2) % tileSize))
      return "the channels or the block are no whole tiles";
    return std::nullopt;
  }
  if (op.hasPackedValues())
    return "the values are packed";
  return std::nullopt;
}

Panels Unit::getPanels(Kind kind, SweepOp op, const CpuTarget &target) {
  // Keys in place make a vector of scores at a time.
  if (kind == Kind::FmaInPlace)
    return {/*width=*/int64_t(op.getBlock()), target.lanes, /*vectors=*/1};
  return Panels::get(op.getK(), op.getBlock(), target);
}

std::unique_ptr<Unit> Unit::create(Kind kind, KernelBuilder &b, SweepOp op,
                                   const Panels &panels) {
  switch (kind) {
  case Kind::Fma:
    return createFmaUnit(b, op, panels);
  case Kind::FmaInPlace:
    return createInPlaceUnit(b, op, panels);
  case Kind::Pairs:
    return createPairUnit(b, op, panels);
  case Kind::Tiles:
    return createTileUnit(b, op, panels);
  }
  llvm_unreachable("unknown unit");
}

Unit::Unit(KernelBuilder &b, SweepOp op, const Panels &panels, int64_t stepRows,
           int64_t valueWidth, Type weightType)
    : stepRows(stepRows), valueWidth(valueWidth), weightType(weightType), b(b),
      op(op), panels(panels), block(op.getBlock()),
      channels(getSize(op.getQ(), 1)), valueChannels(getSize(op.getO(), 1)) {}

void Unit::forColumns(Value lo, Value hi,
                      function_ref<void(Value column)> emit) {
  int64_t width = panels.stepWidth();
  if (block == width)
    return emit(b.index(0));
  // Columns that no row keeps are left out.
  b.loop(b.roundDown(lo, width), hi, width, emit);
}

/// Vectors of channels that a product with values sums at a time, of `all`.
static int64_t getVectors(const CpuTarget &target, int64_t all,
                          int64_t stepRows) {
  int64_t most = target.vectorsPerRow() * CpuTarget::rowsPerStep / stepRows;
  if (all <= most)
    return all;
  // Without a rest, if that leaves enough sums to be independent.
  for (int64_t vectors = most; vectors > most / 2; --vectors)
    if (all % vectors == 0)
      return vectors;
  return most;
}

void Unit::forChannels(function_ref<void(Value d, int64_t vectors)> emit) {
  int64_t all = valueWidth / panels.lanes;
  int64_t vectors = getVectors(b.target, all, stepRows);
  int64_t width = vectors * panels.lanes, whole = all / vectors * width;
  if (whole == width)
    emit(b.index(0), vectors);
  else
    b.loop(b.index(0), b.index(whole), width,
           [&](Value d) { emit(d, vectors); });
  if (int64_t rest = all % vectors)
    emit(b.index(whole), rest);
}

void Unit::addToOutput(const Pending &pending, Value d, ArrayRef<Value> sums) {
  int64_t vectors = sums.size() / stepRows;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value at[] = {b.add(pending.p, i / vectors),
                  b.add(d, i % vectors * panels.lanes)};
    b.storeVector(b.addf(b.loadVector(buffers.o, at), sum), buffers.o, at);
  }
}
