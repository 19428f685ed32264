//===- Parts.cpp - Few query rows, and parts of their keys ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// Rows that read keys in place. Packing costs as much as the products of about
/// ten rows do, and a product of packed keys is faster.
static constexpr int64_t maxShortRows = 16;

/// A part has this many keys at least: some hundred kilobytes, so that what
/// comes with a part is little beside it.
static constexpr int64_t minPartKeys = 512;

/// Parts of all heads together: enough to keep some tens of threads busy.
static constexpr int64_t partsOfAll = 64;

/// Keys in place are read in vectors of channels.
static constexpr int64_t channelsInPlace = 16;

void ScheduleBuilder::planShortQueries() {
  auto queries = cast<ShapedType>(op.getQ().getType());
  int64_t n = queries.getDimSize(2);
  isShort = !ShapedType::isDynamic(n) && n <= maxShortRows;
  if (!isShort)
    return;
  options.rows = n;
  // Other keys than those in memory: rotated, with more channels, or for the
  // products of a scan.
  keysInPlace = !op.getKeyRotation() && plan.channels.empty() &&
                op.getScore().front().getOps<RowScanOp>().empty() &&
                queries.getDimSize(3) % channelsInPlace == 0;
}

void ScheduleBuilder::emitNumParts() {
  // A scan sums over all later keys.
  if (!op.getScore().front().getOps<RowScanOp>().empty())
    return;
  Value one = constant(1), parts = constant(options.parts);
  if (!options.parts)
    parts = least(
        divideUp(constant(partsOfAll), greatest(mul(batches, heads), one)),
        divideUp(keys, constant(minPartKeys)));
  parts = greatest(parts, one);
  if (getConstantIntValue(parts) != 1)
    numParts = parts;
}

void ScheduleBuilder::allocateParts() {
  OpFoldResult count = getAsOpFoldResult(numParts);
  OpFoldResult numRows = b.getIndexAttr(options.rows);
  partM = allocate(Scope::BatchHead, {count, numRows}, f32);
  partL = allocate(Scope::BatchHead, {count, numRows}, f32);
  partO = allocate(Scope::BatchHead,
                   {count, numRows, b.getIndexAttr(valueChannels)}, f32);
  for (const ValueBuckets &bucket : buckets)
    partWeights.push_back(
        allocate(Scope::BatchHead, {count, numRows, bucket.size}, f32));
  remark(op.getLoc(), "few query rows: parts of the keys, merged");
}

/// The keys of the tile that are a site's part.
void ScheduleBuilder::restrictToPart(const Site &site) {
  Value lo = roundDown(tileKeyLo, options.block);
  Value length = roundUp(divideUp(sub(tileKeyHi, lo), numParts), options.block);
  Value partLo = add(lo, mul(site.part, length));
  Value keyLo = least(greatest(tileKeyLo, partLo), tileKeyHi);
  tileKeyHi = least(tileKeyHi, add(partLo, length));
  tileKeyHi = greatest(tileKeyHi, keyLo);
  tileKeyLo = keyLo;
}

/// The tile of each head, of items and their query heads.
void ScheduleBuilder::emitShortQueries(
    Value count, function_ref<Site(Value, Value)> siteOfHead) {
  auto siteOf = [&](ValueRange place) {
    Site site = siteOfHead(place[0], place[1]);
    site.rowLo = constant(0);
    site.rowHi = rows;
    return site;
  };
  if (!numParts)
    return emitParallel({count, group},
                        [&](ValueRange place) { emitTile(siteOf(place)); });
  auto viewAll = [&](const Site &site) {
    Sums sums{view(partM, site), view(partL, site), view(partO, site), {}};
    for (const Buffer &weights : partWeights)
      sums.weights.push_back(view(weights, site));
    return sums;
  };
  emitParallel({count, group, numParts}, [&](ValueRange place) {
    Site site = siteOf(place);
    site.part = place[2];
    auto ofPart = [&](Value parts) {
      int64_t rank = cast<ShapedType>(parts.getType()).getRank();
      SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes;
      offsets[0] = site.part;
      sizes.push_back(b.getIndexAttr(1));
      for (int64_t d = 1; d < rank; ++d)
        sizes.push_back(sizeOf(parts, d));
      return slice(parts, offsets, sizes, 0u);
    };
    Sums all = viewAll(site);
    Sums sums{ofPart(all.m), ofPart(all.l), ofPart(all.o), {}};
    for (Value weights : all.weights)
      sums.weights.push_back(ofPart(weights));
    localBuffers.clear();
    emitSums(site, sums);
    freeLocalBuffers();
  });
  emitParallel({count, group}, [&](ValueRange place) {
    Site site = siteOf(place);
    localBuffers.clear();
    Sums parts = viewAll(site), sums = allocateSums();
    tile::MergeOp::create(b, parts.m, parts.l, parts.o, parts.weights, sums.m,
                          sums.l, sums.o, sums.weights);
    emitResults(site, sums);
    freeLocalBuffers();
  });
}
