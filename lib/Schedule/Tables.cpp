//===- Tables.cpp - Packed matrices and products of a schedule ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

void ScheduleBuilder::prepareAngles(const Rotation &rotation, Value numRows,
                                    Buffer &cos, Buffer &sin) {
  bool byBatch = rotation.position && !rotation.position.getType().isIndex();
  Scope scope = byBatch ? Scope::Batch : Scope::Once;
  int64_t pairs = rotation.rope.getRotatedWidth(channels) / 2;
  OpFoldResult sizes[] = {getAsOpFoldResult(numRows), b.getIndexAttr(pairs)};
  cos = allocate(scope, sizes, f32);
  sin = allocate(scope, sizes, f32);
  preparations.push_back(
      {scope, [=](const Site &site) {
         auto angles = tile::AnglesOp::create(
             b, view(cos, site), view(sin, site), rotation.rope, numRows,
             rotation.length, rotation.freqs, rotation.cos, rotation.sin);
         SmallVector<Type> integers(rotation.hasAxes() ? 2 : 1, index);
         emitRegion(angles.getBody(), integers, [&](ValueRange place) {
           Value axis = rotation.hasAxes() ? place[1] : Value();
           return SmallVector<Value>{reference::emitPosition(
               b, rotation, site.batch, place[0], axis)};
         });
       }});
}

//===----------------------------------------------------------------------===//
// Queries, keys and values
//===----------------------------------------------------------------------===//

/// The end of the keys that any row sees, as far as a site knows.
Value ScheduleBuilder::emitKeyEnd(const Site &site) {
  const Bound &last = plan.hull.key.hi;
  Scope scope = scopeOf(last);
  bool known = (scope != Scope::Head && scope != Scope::BatchHead) || site.head;
  if (!known || last.getKind() == Bound::Kind::PositiveInfinity)
    return keys;
  return clamp(add(emitBound(last, site), constant(1)), constant(0), keys);
}

static bool isBF16(Value memref) {
  return cast<ShapedType>(memref.getType()).getElementType().isBF16();
}

/// Decides whether products are of pairs: where all that is multiplied is bf16,
/// and the products are the sweep's alone.
void ScheduleBuilder::planHalves() {
  bool isAny = options.bf16Pairs && isBF16(op.getQ()) && isBF16(op.getK()) &&
               isBF16(op.getV());
  packsHalves = isAny && !keysInPlace && plan.channels.empty() &&
                op.getScore().front().getOps<RowScanOp>().empty();
  if (packsHalves && !isShort)
    options.rows = headRows = options.bf16Rows;
}

/// The same for a product of these rows.
bool ScheduleBuilder::areHalves(ArrayRef<DotSide> sides) {
  return packsHalves && llvm::all_of(sides, [](const DotSide &side) {
           return isBF16(side.table);
         });
}

/// How many channels of rows or columns are packed.
int64_t ScheduleBuilder::padChannels(int64_t numChannels, bool halves) {
  return halves ? llvm::alignTo(numChannels, options.bf16Channels)
                : numChannels;
}

SmallVector<OpFoldResult> ScheduleBuilder::rowsShape(OpFoldResult count,
                                                     int64_t numChannels,
                                                     bool halves) {
  return {count, b.getIndexAttr(padChannels(numChannels, halves))};
}

Buffer ScheduleBuilder::allocateColumns(Scope scope, OpFoldResult columns,
                                        int64_t numChannels, bool halves) {
  Value panels = divideUp(toValue(columns), constant(options.panel));
  int64_t height = padChannels(numChannels, halves) / (halves ? 2 : 1);
  SmallVector<OpFoldResult> shape{getAsOpFoldResult(panels),
                                  b.getIndexAttr(height),
                                  b.getIndexAttr(options.panel)};
  if (halves)
    shape.push_back(b.getIndexAttr(2));
  return allocate(scope, shape, factorType(halves));
}

/// `count` panels of packed columns.
Value ScheduleBuilder::slicePanels(Value columns, Value first,
                                   OpFoldResult count) {
  auto type = cast<MemRefType>(columns.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes{count};
  offsets[0] = first;
  for (unsigned d = 1; d < type.getRank(); ++d)
    sizes.push_back(sizeOf(columns, d));
  return slice(columns, offsets, sizes);
}

void ScheduleBuilder::prepareKeys() {
  if (Rotation rotation = op.getQueryRotation())
    prepareAngles(rotation, rows, queryCos, querySin);
  Rotation rotation = op.getKeyRotation();
  if (rotation)
    prepareAngles(rotation, keys, keyCos, keySin);

  packedChannels = channels;
  if (keysInPlace)
    return;
  Scope scope = Scope::Item;
  for (const ChannelTerm &term : plan.channels) {
    scope = join(scope, scopeOf(term.key.indices));
    packedChannels += getRowLength(term.key.table);
  }
  packedKeys = allocateColumns(scope, paddedKeys, packedChannels, packsHalves);
  if (packsHalves) {
    scaleOfHalves = makeFactor(plan.scale, /*halves=*/true);
    remark(op.getLoc(), "products of pairs of bf16");
  }
  preparations.push_back(
      {scope, [=](const Site &site) {
         Value dest = view(packedKeys, site), end = emitKeyEnd(site);
         PackOptions pack = rotate(rotation, keyCos, keySin, site);
         emitPack(k, dest, constant(0), end, pack, [&](ValueRange key) {
           return SmallVector<Value>{site.batch, site.keyHead, key[0]};
         });
         int64_t channel = channels;
         for (const ChannelTerm &term : plan.channels) {
           PackOptions more;
           more.channel = channel;
           channel += getRowLength(term.key.table);
           emitPack(getTable(term.key), dest, constant(0), end, more,
                    [&](ValueRange key) {
                      SliceCloner cloner = clonerAt(site, Place::atKey(key));
                      return cloneIndices(cloner, term.key);
                    });
         }
       }});
}

/// Packs the tile's rows of `sides`, scaled if they are f32. With `query`, its
/// own rows come before them.
void ScheduleBuilder::packRows(const Site &site, Value dest,
                               PackOptions packOptions, ArrayRef<DotSide> sides,
                               const Coefficient &coefficient, Value query) {
  SmallVector<Value> sources;
  if (query)
    sources.push_back(query);
  for (const DotSide &side : sides)
    sources.push_back(getTable(side));
  packOptions.scaled = !isBF16(dest);
  forEachHead(site, [&](const Site &head, PartOf partOf) {
    emitPack(sources, partOf(dest), head.rowLo, head.rowHi, packOptions,
             [&](ValueRange row) {
               SliceCloner cloner = clonerAt(head, Place::atRow(row));
               SmallVector<Value> results;
               if (query)
                 results = {head.batch, head.head, row[0]};
               for (const DotSide &side : sides)
                 llvm::append_range(results, cloneIndices(cloner, side));
               if (packOptions.scaled)
                 results.push_back(emitCoefficient(cloner, coefficient));
               return results;
             });
  });
}

/// How rows are rotated, if they are.
ScheduleBuilder::PackOptions ScheduleBuilder::rotate(const Rotation &rotation,
                                                     const Buffer &cos,
                                                     const Buffer &sin,
                                                     const Site &site) {
  PackOptions pack;
  if (rotation) {
    pack.rope = rotation.rope;
    pack.cos = view(cos, site);
    pack.sin = view(sin, site);
  }
  return pack;
}

ScheduleBuilder::PackOptions ScheduleBuilder::rotateQueries(const Site &site) {
  return rotate(op.getQueryRotation(), queryCos, querySin, site);
}

void ScheduleBuilder::packQueries(const Site &site, Value dest) {
  packRows(site, dest, rotateQueries(site), plan.added, plan.scale, q);
  int64_t channel = channels;
  for (const ChannelTerm &term : plan.channels) {
    PackOptions more;
    more.channel = channel;
    channel += getRowLength(term.query.table);
    packRows(site, dest, more, term.query, term.coefficient);
  }
}

void ScheduleBuilder::prepareValues() {
  // The value of a key that no row sees may be NaN. A sweep takes that, but
  // more than once over a tile; for one row that is still less than to pack.
  bool isF32 = cast<MemRefType>(v.getType()).getElementType().isF32();
  bool mayPack = !plan.keyConditions.empty() && headRows > 1;
  if (keysInPlace ? !mayPack : isF32 && plan.keyConditions.empty())
    return; // read in place
  Scope scope = join(Scope::Item, scopeOf(plan.keyConditions));
  if (packsHalves) {
    // Two keys side by side, and channels in whole vectors.
    Value panels = divideUp(toValue(paddedKeys), constant(2));
    int64_t all = llvm::alignTo(valueChannels, 16);
    packedValues = allocate(
        scope,
        {getAsOpFoldResult(panels), b.getIndexAttr(all), b.getIndexAttr(2)},
        factorType(true));
  } else {
    packedValues = allocate(
        scope, {getAsOpFoldResult(keys), b.getIndexAttr(valueChannels)}, f32);
  }
  preparations.push_back(
      {scope, [=](const Site &site) {
         PackOptions pack;
         pack.conditional = !plan.keyConditions.empty();
         emitPack(v, view(packedValues, site), constant(0), emitKeyEnd(site),
                  pack, [&](ValueRange key) {
                    SmallVector<Value> results{site.batch, site.keyHead,
                                               key[0]};
                    SliceCloner cloner = clonerAt(site, Place::atKey(key));
                    if (pack.conditional)
                      results.push_back(emitAll(cloner, plan.keyConditions));
                    return results;
                  });
       }});
}

//===----------------------------------------------------------------------===//
// Inner products of the tile's rows and rows by distance
//===----------------------------------------------------------------------===//

/// The one index of a side that is no uniform value, or nullopt if there are
/// more.
std::optional<unsigned>
ScheduleBuilder::findVaryingIndex(const DotSide &side) const {
  std::optional<unsigned> found;
  for (auto [at, index] : llvm::enumerate(side.indices))
    if (extents[index].getKind() != ExtentKind::Uniform) {
      if (found)
        return std::nullopt;
      found = at;
    }
  return found;
}

int64_t ScheduleBuilder::getRowLength(Value table) {
  return cast<ShapedType>(table.getType()).getShape().back();
}

/// Where the prepared near distances begin.
Value ScheduleBuilder::emitNearStart(const Site &site) {
  return sub(emitDistance(plan.near.lo, site), constant(pad));
}

Buffer ScheduleBuilder::prepareRowNumbers(Value index) {
  Scope scope = join(scopeOf(index), scopeOf(plan.near.lo));
  Buffer numbers = allocate(scope, nearSize, b.getIndexType());
  preparations.push_back(
      {scope, [=](const Site &site) {
         Value start = emitNearStart(site);
         emitFill(view(numbers, site), {{start, add(start, toValue(nearSize))}},
                  site, Place::atDistance,
                  [=](SliceCloner &cloner) { return cloner.clone(index); });
       }});
  return numbers;
}

/// The rows rowOf(lo), rowOf(lo + 1).. of a side's table, as columns or rows of
/// a packed matrix; rows are scaled if they are f32.
Buffer ScheduleBuilder::packTable(
    const DotSide &side, Scope scope, Value lo, OpFoldResult count,
    bool asColumns, bool halves, const Coefficient &coefficient,
    std::function<SmallVector<Value>(SliceCloner &, Value)> rowOf,
    Place (*placeOf)(ValueRange)) {
  scope = join(scope, scopeOf(LinearTerm{coefficient, {}}));
  Value table = getTable(side);
  int64_t length = getRowLength(table);
  Buffer packed = asColumns ? allocateColumns(scope, count, length, halves)
                            : allocate(scope, rowsShape(count, length, halves),
                                       factorType(halves));
  preparations.push_back(
      {scope, [=](const Site &site) {
         PackOptions pack;
         pack.scaled = !asColumns && !halves;
         emitPack(table, view(packed, site), lo, add(lo, toValue(count)), pack,
                  [&](ValueRange x) {
                    SliceCloner cloner = clonerAt(site, placeOf(x));
                    SmallVector<Value> results = rowOf(cloner, x[0]);
                    if (pack.scaled)
                      results.push_back(emitCoefficient(cloner, coefficient));
                    return results;
                  });
       }});
  return packed;
}

/// All rows of a table in its one index that is not uniform.
Buffer ScheduleBuilder::prepareTable(const DotSide &side, unsigned at,
                                     bool asColumns, bool halves,
                                     const Coefficient &coefficient) {
  SmallVector<Value> others(side.indices);
  others.erase(others.begin() + at);
  return packTable(
      side, scopeOf(others), constant(0), sizeOf(getTable(side), at), asColumns,
      halves, coefficient,
      [=](SliceCloner &cloner, Value row) {
        SmallVector<Value> indices;
        for (auto [i, index] : llvm::enumerate(side.indices))
          indices.push_back(i == at ? row : cloner.clone(index));
        return indices;
      },
      [](ValueRange) { return Place(); });
}

/// The rows of a table in the order of all distances.
Buffer ScheduleBuilder::prepareLagTable(const DotSide &side, bool asColumns,
                                        bool halves,
                                        const Coefficient &coefficient) {
  return packTable(
      side, scopeOf(side.indices), lagLo, getAsOpFoldResult(lagSize), asColumns,
      halves, coefficient,
      [=](SliceCloner &cloner, Value) { return cloneIndices(cloner, side); },
      Place::atDistance);
}

/// The rows of a tile that a strip multiplies: those of the sweep if they are
/// the same.
ScheduleBuilder::AtSite
ScheduleBuilder::prepareStripRows(const StripTerm &strip, bool halves) {
  bool hasScale = halves || strip.coefficient == plan.scale;
  if (plan.isQueryRow(strip.query) && strip.added.empty() &&
      plan.added.empty() && plan.channels.empty() && !op.getQRope() &&
      halves == packsHalves && hasScale)
    return [this](const Site &) { return packedQueries; };
  auto packed = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &site) {
    *packed = allocateLocal(rowsShape(b.getIndexAttr(options.rows),
                                      getRowLength(strip.query.table), halves),
                            factorType(halves));
    SmallVector<DotSide, 2> sides{strip.query};
    llvm::append_range(sides, strip.added);
    packRows(site, *packed, {}, sides, strip.coefficient);
  });
  return [packed](const Site &) { return *packed; };
}

void ScheduleBuilder::prepareStrip(const StripTerm &strip) {
  std::optional<unsigned> at = findVaryingIndex(strip.table);
  std::vector<DotSide> sides(strip.added);
  sides.insert(sides.end(), {strip.query, strip.table});
  bool halves = areHalves(sides);
  AtSite tileRows = prepareStripRows(strip, halves), factor;
  if (halves)
    factor = makeFactor(strip.coefficient, halves);
  if (!hasNear || !strip.table.varying.isFinite() || !at)
    return prepareFullStrip(strip, tileRows, halves, factor);
  Value table = getTable(strip.table);
  Buffer packed =
      prepareTable(strip.table, *at, /*asColumns=*/true, halves, {});
  Buffer numbers = prepareRowNumbers(strip.table.indices[*at]);
  OpFoldResult count = sizeOf(table, *at);
  tileTables.push_back(count);
  auto strips = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &site) {
    Value products = allocateLocal({b.getIndexAttr(options.rows), count}, f32);
    emitProduct(site, tileRows(site), packed, products);
    *strips = allocateLocal({b.getIndexAttr(options.rows), nearSize}, f32);
    auto emitStrip = [&](const Site &site, PartOf partOf) {
      tile::StripOp::create(b, partOf(products), view(numbers, site),
                            partOf(*strips));
    };
    forEachHead(site, emitStrip, differsInTile(numbers));
  });
  addTerm(
      tile::TermUse::Near, tile::TermKind::Strip,
      [strips](const Site &) { return *strips; },
      [this](const Site &site) { return emitNearStart(site); }, factor);
  // The ends of the strip lie among the far distances.
  auto column = [=](bool last) -> AtSite {
    return [=](const Site &) {
      OpFoldResult at = b.getIndexAttr(0);
      if (last)
        at = getAsOpFoldResult(sub(toValue(nearSize), constant(1)));
      return slice(*strips, {b.getIndexAttr(0), at},
                   {b.getIndexAttr(options.rows), b.getIndexAttr(1)}, 1u);
    };
  };
  for (bool last : {false, true})
    addTerm(last ? tile::TermUse::Right : tile::TermUse::Left,
            tile::TermKind::Row, column(last), {}, factor);
  remark(strip.table.table.getLoc(),
         "product of the tile's rows and the table's, read along the distance");
}

void ScheduleBuilder::prepareFullStrip(const StripTerm &strip, AtSite tileRows,
                                       bool halves, AtSite factor) {
  Buffer packed = prepareLagTable(strip.table, /*asColumns=*/true, halves, {});
  auto strips = std::make_shared<Value>();
  auto start = std::make_shared<Value>();
  int64_t panel = options.panel;
  tilePreparations.push_back([=](const Site &site) {
    // The panels with the distances of the tile's rows and its whole blocks.
    Value lo = sub(roundDown(tileKeyLo, options.block),
                   add(site.rowLo, constant(headRows - 1)));
    Value hi = sub(roundUp(tileKeyHi, options.block), site.rowLo);
    Value first =
        b.createOrFold<arith::FloorDivSIOp>(sub(lo, lagLo), constant(panel));
    Value count = greatest(
        sub(divideUp(sub(hi, lagLo), constant(panel)), first), constant(0));
    // Allocated for all keys, so that each worker has one for all its tiles.
    Value most = divideUp(add(toValue(paddedKeys), constant(options.rows)),
                          constant(panel));
    most = mul(add(most, constant(1)), constant(panel));
    OpFoldResult zero = b.getIndexAttr(0), all = b.getIndexAttr(options.rows);
    Value longest = allocateLocal({all, getAsOpFoldResult(most)}, f32);
    *strips = slice(longest, {zero, zero},
                    {all, getAsOpFoldResult(mul(count, constant(panel)))});
    emitProduct(site, tileRows(site), packed, *strips, [&](Value columns) {
      return slicePanels(columns, first, getAsOpFoldResult(count));
    });
    *start = add(lagLo, mul(first, constant(panel)));
  });
  addTerm(
      tile::TermUse::All, tile::TermKind::Strip,
      [strips](const Site &) { return *strips; },
      [start](const Site &) { return *start; }, factor);
  remark(strip.table.table.getLoc(),
         "product of the tile's rows and the table's in the order of the "
         "distance");
}
