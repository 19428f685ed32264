//===- Parts.cpp - Few query rows, and parts of their keys ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// Query rows, of all heads with the same keys, that read keys in place.
/// Packing takes as long as the products of several tens of rows, more where
/// keys come from memory, and a product of packed keys is faster.
static constexpr int64_t maxRowsInPlace = 64;

/// A part has this many keys at least: some hundred kilobytes, so that what
/// comes with a part is little beside it.
static constexpr int64_t minPartKeys = 512;

/// Keys that a step of few rows takes: with their values they stay in the first
/// level of the cache.
static constexpr int64_t shortBlock = 32;

/// Heads that are rows of one tile, at most.
static constexpr int64_t maxFoldedHeads = 128;

/// Parts of all heads together: enough to keep some tens of threads busy.
static constexpr int64_t partsOfAll = 64;

/// Keys in place are read in vectors of channels.
static constexpr int64_t channelsInPlace = 16;

static bool isByHead(Scope scope) {
  return scope == Scope::Head || scope == Scope::BatchHead;
}

static bool hasScans(AttentionOp op) {
  return !op.getScore().front().getOps<RowScanOp>().empty();
}

void ScheduleBuilder::planShortQueries() {
  auto queries = cast<ShapedType>(op.getQ().getType());
  int64_t n = queries.getDimSize(2), numHeads = queries.getDimSize(1);
  int64_t numKeyHeads = cast<ShapedType>(op.getK().getType()).getDimSize(1);
  isShort = !ShapedType::isDynamic(n) && n <= options.rows;
  if (!isShort)
    return;
  options.rows = headRows = n;
  bool hasGroup = !ShapedType::isDynamic(numHeads) && numKeyHeads > 0;
  int64_t groupSize = hasGroup ? numHeads / numKeyHeads : 1;
  // Other keys than those in memory: rotated, with more channels, or for the
  // products of a scan.
  keysInPlace = !op.getKeyRotation() && plan.channels.empty() &&
                !hasScans(op) && queries.getDimSize(3) % channelsInPlace == 0 &&
                (n == 1 || n * groupSize <= maxRowsInPlace);
  if (!keysInPlace)
    return;
  options.block = shortBlock;
  options.panel = std::min(options.panel, shortBlock);
  foldsHeads =
      n == 1 && groupSize > 1 && groupSize <= maxFoldedHeads && mayFoldHeads();
  if (foldsHeads)
    options.rows = groupSize;
}

/// Whether the heads with the same keys can be rows of one tile: it has one
/// range of keys and one table per bucket matrix, and what its score region is
/// given for a row is a float or a condition.
bool ScheduleBuilder::mayFoldHeads() {
  SmallVector<BoundRange> ranges{plan.near};
  SmallVector<Box> boxes{plan.keep, plan.hull};
  for (ArrayRef<Box> all : plan.unions)
    llvm::append_range(boxes, all);
  for (const Box &box : boxes)
    ranges.append({box.lag, box.key});
  for (const BoundRange &range : ranges)
    if (isByHead(join(scopeOf(range.lo), scopeOf(range.hi))))
      return false;
  for (auto [table, row] :
       llvm::zip(op.getValueTables(), op.getYield().getValueRows()))
    if (cast<ShapedType>(table.getType()).getRank() == 3 ||
        isByHead(scopeOf(row)))
      return false;
  auto isGiven = [&](Value value) {
    if (isa<ShapedType>(value.getType()))
      return true;
    const Extent &extent = extents[value];
    return extent.getKind() != ExtentKind::Uniform || !extent.head ||
           value.getType().isF32() || value.getType().isInteger(1);
  };
  return plan.isLinear ||
         llvm::all_of(op.getScore().front(), [&](Operation &inner) {
           return inner.getNumResults() == 0 ||
                  extents[inner.getResult(0)].getKind() ==
                      ExtentKind::Uniform ||
                  llvm::all_of(inner.getOperands(), isGiven);
         });
}

bool ScheduleBuilder::differsInTile(const Buffer &buffer) const {
  return foldsHeads && isByHead(buffer.scope);
}

void ScheduleBuilder::forEachHead(const Site &site,
                                  function_ref<void(const Site &, PartOf)> body,
                                  bool apart) {
  if (!foldsHeads || !apart)
    return body(site, [](Value buffer) { return buffer; });
  auto loop =
      scf::ForOp::create(b, constant(0), constant(options.rows), constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Site head = site;
  head.member = loop.getInductionVar();
  head.head = add(site.head, head.member);
  head.headSlot = add(site.headSlot, head.member);
  body(head, [&](Value buffer) { return sliceAt(buffer, head.member); });
}

/// The products of a tile's rows and packed columns, or those of them that
/// `columnsOf` takes.
void ScheduleBuilder::emitProduct(const Site &site, Value rows,
                                  const Buffer &columns, Value dest,
                                  function_ref<Value(Value)> columnsOf) {
  auto emit = [&](const Site &site, PartOf partOf) {
    Value all = view(columns, site);
    tile::ProductOp::create(b, partOf(rows), columnsOf ? columnsOf(all) : all,
                            partOf(dest));
  };
  forEachHead(site, emit, differsInTile(columns));
}

Value ScheduleBuilder::emitNumParts() {
  Value one = constant(1);
  if (options.parts)
    return constant(options.parts);
  // What each part does with a table is no more than it does with keys.
  Value leastKeys = constant(minPartKeys);
  for (OpFoldResult size : tileTables)
    leastKeys = greatest(leastKeys, toValue(size));
  Value tiles = mul(batches, foldsHeads ? keyHeads : heads);
  return greatest(one,
                  least(divideUp(constant(partsOfAll), greatest(tiles, one)),
                        divideUp(keys, leastKeys)));
}

void ScheduleBuilder::allocateParts() {
  // A scan sums over all later keys.
  if (hasScans(op))
    return;
  Value parts = emitNumParts();
  if (getConstantIntValue(parts) == 1)
    return;
  numParts = parts;
  OpFoldResult count = getAsOpFoldResult(numParts);
  OpFoldResult numRows = b.getIndexAttr(options.rows);
  Scope scope = foldsHeads ? Scope::Item : Scope::BatchHead;
  partM = allocate(scope, {count, numRows}, f32);
  partL = allocate(scope, {count, numRows}, f32);
  partO = allocate(scope, {count, numRows, b.getIndexAttr(valueChannels)}, f32);
  for (const ValueBuckets &bucket : buckets)
    partWeights.push_back(allocate(scope, {count, numRows, bucket.size}, f32));
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

/// The tile of each head, or of each item's heads.
void ScheduleBuilder::emitShortQueries(
    Value count, function_ref<Site(Value, Value)> siteOfHead) {
  auto siteOf = [&](ValueRange place) {
    Site site = siteOfHead(place[0], place[1]);
    site.rowLo = constant(0);
    site.rowHi = rows;
    return site;
  };
  Value tiles = foldsHeads ? constant(1) : group;
  if (!numParts)
    return emitParallel({count, tiles},
                        [&](ValueRange place) { emitTile(siteOf(place)); });
  auto viewAll = [&](const Site &site) {
    Sums sums{view(partM, site), view(partL, site), view(partO, site), {}};
    for (const Buffer &weights : partWeights)
      sums.weights.push_back(view(weights, site));
    return sums;
  };
  emitParallel({count, tiles, numParts}, [&](ValueRange place) {
    Site site = siteOf(place);
    site.part = place[2];
    auto ofPart = [&](Value parts) { return sliceAt(parts, site.part, 0u); };
    Sums all = viewAll(site);
    Sums sums{ofPart(all.m), ofPart(all.l), ofPart(all.o), {}};
    for (Value weights : all.weights)
      sums.weights.push_back(ofPart(weights));
    prepareTile(site);
    emitSweep(site, sums);
    freeLocalBuffers();
  });
  emitParallel({count, tiles}, [&](ValueRange place) {
    Site site = siteOf(place);
    localBuffers.clear();
    Sums parts = viewAll(site), sums = allocateSums();
    tile::MergeOp::create(b, parts.m, parts.l, parts.o, parts.weights, sums.m,
                          sums.l, sums.o, sums.weights);
    emitResults(site, sums);
    freeLocalBuffers();
  });
}
