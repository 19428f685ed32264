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

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// The position of a row: an index, or a float where positions are floats.
static Value emitPosition(ImplicitLocOpBuilder &b, const Rotation &rotation,
                          Value batch, Value row) {
  Value position = rotation.position;
  if (!position)
    return row;
  auto toIndex = [&](Value integer) -> Value {
    if (integer.getType().isIndex())
      return integer;
    return arith::IndexCastOp::create(b, b.getIndexType(), integer);
  };
  if (position.getType().isIndex())
    return arith::AddIOp::create(b, row, position);
  if (!rotation.hasPositionPerRow()) {
    Value offset = memref::LoadOp::create(b, position, batch);
    return arith::AddIOp::create(b, row, toIndex(offset));
  }
  // Positions of one batch serve all.
  Value last = arith::SubIOp::create(b, memref::DimOp::create(b, position, 0),
                                     arith::ConstantIndexOp::create(b, 1));
  Value own = arith::MinSIOp::create(b, batch, last);
  Value id = memref::LoadOp::create(b, position, ValueRange{own, row});
  return isa<FloatType>(id.getType()) ? id : toIndex(id);
}

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
             rotation.freqs, rotation.cos, rotation.sin);
         emitRegion(angles.getBody(), index,
                    [&](ImplicitLocOpBuilder &body, ValueRange row) {
                      return SmallVector<Value>{
                          emitPosition(body, rotation, site.batch, row[0])};
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

Buffer ScheduleBuilder::allocateColumns(Scope scope, OpFoldResult columns,
                                        int64_t numChannels) {
  Value panels = divideUp(toValue(columns), constant(options.panel));
  return allocate(scope,
                  {getAsOpFoldResult(panels), b.getIndexAttr(numChannels),
                   b.getIndexAttr(options.panel)},
                  f32);
}

void ScheduleBuilder::prepareKeys() {
  if (Rotation rotation = op.getQueryRotation())
    prepareAngles(rotation, rows, queryCos, querySin);
  Rotation rotation = op.getKeyRotation();
  if (rotation)
    prepareAngles(rotation, keys, keyCos, keySin);

  packedChannels = channels;
  Scope scope = Scope::Item;
  for (const ChannelTerm &term : plan.channels) {
    scope = join(scope, scopeOf(term.key.indices));
    packedChannels += getRowLength(term.key.table);
  }
  packedKeys = allocateColumns(scope, paddedKeys, packedChannels);
  preparations.push_back(
      {scope, [=](const Site &site) {
         Value dest = view(packedKeys, site), end = emitKeyEnd(site);
         PackOptions pack;
         if (rotation) {
           pack.rope = rotation.rope;
           pack.cos = view(keyCos, site);
           pack.sin = view(keySin, site);
         }
         emitPack(k, dest, constant(0), end, pack,
                  [&](ImplicitLocOpBuilder &, ValueRange key) {
                    return SmallVector<Value>{site.batch, site.keyHead, key[0]};
                  });
         int64_t channel = channels;
         for (const ChannelTerm &term : plan.channels) {
           PackOptions more;
           more.channel = channel;
           channel += getRowLength(term.key.table);
           emitPack(getTable(term.key), dest, constant(0), end, more,
                    [&](ImplicitLocOpBuilder &body, ValueRange key) {
                      Place place;
                      place.key = key[0];
                      SliceCloner cloner = clonerAt(body, site, place);
                      return cloneIndices(cloner, term.key);
                    });
         }
       }});
}

void ScheduleBuilder::packQueries(const Site &site, Value dest) {
  SmallVector<Value> sources{q};
  for (const DotSide &side : plan.added)
    sources.push_back(getTable(side));
  PackOptions pack;
  pack.scaled = true;
  if (Rotation rotation = op.getQueryRotation()) {
    pack.rope = rotation.rope;
    pack.cos = view(queryCos, site);
    pack.sin = view(querySin, site);
  }
  auto emit = [&](const PackOptions &packOptions, ValueRange tables,
                  const Coefficient &coefficient, bool isQuery,
                  ArrayRef<DotSide> sides) {
    emitPack(tables, dest, site.rowLo, site.rowHi, packOptions,
             [&](ImplicitLocOpBuilder &body, ValueRange row) {
               Place place;
               place.row = row[0];
               SliceCloner cloner = clonerAt(body, site, place);
               SmallVector<Value> results;
               if (isQuery)
                 results = {site.batch, site.head, row[0]};
               for (const DotSide &side : sides)
                 llvm::append_range(results, cloneIndices(cloner, side));
               results.push_back(emitCoefficient(body, cloner, coefficient));
               return results;
             });
  };
  emit(pack, sources, plan.scale, /*isQuery=*/true, plan.added);
  int64_t channel = channels;
  for (const ChannelTerm &term : plan.channels) {
    PackOptions more;
    more.scaled = true;
    more.channel = channel;
    channel += getRowLength(term.query.table);
    emit(more, getTable(term.query), term.coefficient,
         /*isQuery=*/false, term.query);
  }
}

void ScheduleBuilder::prepareValues() {
  if (cast<MemRefType>(v.getType()).getElementType().isF32() &&
      plan.keyConditions.empty())
    return; // read in place
  Scope scope = join(Scope::Item, scopeOf(plan.keyConditions));
  packedValues = allocate(
      scope, {getAsOpFoldResult(keys), b.getIndexAttr(valueChannels)}, f32);
  preparations.push_back(
      {scope, [=](const Site &site) {
         PackOptions pack;
         // The value of a key that no row sees may be NaN.
         pack.conditional = !plan.keyConditions.empty();
         emitPack(
             op.getV(), view(packedValues, site), constant(0), emitKeyEnd(site),
             pack, [&](ImplicitLocOpBuilder &body, ValueRange key) {
               SmallVector<Value> results{site.batch, site.keyHead, key[0]};
               Place place;
               place.key = key[0];
               SliceCloner cloner = clonerAt(body, site, place);
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
  Value lo = clamp(emitBound(plan.near.lo, site), sub(constant(0), rows), keys);
  return sub(lo, constant(pad));
}

Buffer ScheduleBuilder::prepareRowNumbers(Value index) {
  Scope scope = join(scopeOf(index), scopeOf(plan.near.lo));
  Buffer numbers = allocate(scope, nearSize, b.getIndexType());
  preparations.push_back(
      {scope, [=](const Site &site) {
         Value start = emitNearStart(site);
         emitFill(view(numbers, site), {{start, add(start, toValue(nearSize))}},
                  [&](ImplicitLocOpBuilder &body, ValueRange distance) {
                    Place place;
                    place.distance = distance[0];
                    SliceCloner cloner = clonerAt(body, site, place);
                    return SmallVector<Value>{cloner.clone(index)};
                  });
       }});
  return numbers;
}

/// All rows of a table in its one index that is not uniform, as columns or
/// rows of a packed matrix.
Buffer ScheduleBuilder::prepareTable(const DotSide &side, unsigned at,
                                     bool asColumns,
                                     const Coefficient &coefficient) {
  SmallVector<Value> others(side.indices);
  others.erase(others.begin() + at);
  Scope scope = join(scopeOf(others), scopeOf(LinearTerm{coefficient, {}}));
  Value table = getTable(side);
  OpFoldResult count = sizeOf(table, at);
  int64_t length = getRowLength(table);
  Buffer packed = asColumns
                      ? allocateColumns(scope, count, length)
                      : allocate(scope, {count, b.getIndexAttr(length)}, f32);
  preparations.push_back(
      {scope, [=](const Site &site) {
         PackOptions pack;
         pack.scaled = !asColumns;
         emitPack(table, view(packed, site), constant(0), toValue(count), pack,
                  [&](ImplicitLocOpBuilder &body, ValueRange row) {
                    SliceCloner cloner = clonerAt(body, site);
                    SmallVector<Value> results;
                    for (auto [i, index] : llvm::enumerate(side.indices))
                      results.push_back(i == at ? row[0] : cloner.clone(index));
                    if (pack.scaled)
                      results.push_back(
                          emitCoefficient(body, cloner, coefficient));
                    return results;
                  });
       }});
  return packed;
}

/// The rows of a table in the order of all distances, as columns or rows.
Buffer ScheduleBuilder::prepareLagTable(const DotSide &side, bool asColumns,
                                        const Coefficient &coefficient) {
  Scope scope =
      join(scopeOf(side.indices), scopeOf(LinearTerm{coefficient, {}}));
  Value table = getTable(side);
  int64_t length = getRowLength(table);
  OpFoldResult count = getAsOpFoldResult(lagSize);
  Buffer packed = asColumns
                      ? allocateColumns(scope, count, length)
                      : allocate(scope, {count, b.getIndexAttr(length)}, f32);
  preparations.push_back(
      {scope, [=](const Site &site) {
         PackOptions pack;
         pack.scaled = !asColumns;
         emitPack(table, view(packed, site), lagLo, add(lagLo, lagSize), pack,
                  [&](ImplicitLocOpBuilder &body, ValueRange distance) {
                    Place place;
                    place.distance = distance[0];
                    SliceCloner cloner = clonerAt(body, site, place);
                    SmallVector<Value> results = cloneIndices(cloner, side);
                    if (pack.scaled)
                      results.push_back(
                          emitCoefficient(body, cloner, coefficient));
                    return results;
                  });
       }});
  return packed;
}

/// The rows of a tile that a strip multiplies: those of the sweep if they are
/// the same.
ScheduleBuilder::AtSite
ScheduleBuilder::prepareStripRows(const StripTerm &strip) {
  if (plan.isQueryRow(strip.query) && strip.added.empty() &&
      plan.added.empty() && plan.channels.empty() && !op.getQRope() &&
      strip.coefficient == plan.scale)
    return [this](const Site &) { return packedQueries; };
  auto packed = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &site) {
    SmallVector<Value> sources{getTable(strip.query)};
    for (const DotSide &side : strip.added)
      sources.push_back(getTable(side));
    *packed = allocateLocal({b.getIndexAttr(options.rows),
                             b.getIndexAttr(getRowLength(strip.query.table))},
                            f32);
    PackOptions pack;
    pack.scaled = true;
    emitPack(sources, *packed, site.rowLo, site.rowHi, pack,
             [&](ImplicitLocOpBuilder &body, ValueRange row) {
               Place place;
               place.row = row[0];
               SliceCloner cloner = clonerAt(body, site, place);
               SmallVector<Value> results = cloneIndices(cloner, strip.query);
               for (const DotSide &side : strip.added)
                 llvm::append_range(results, cloneIndices(cloner, side));
               results.push_back(
                   emitCoefficient(body, cloner, strip.coefficient));
               return results;
             });
  });
  return [packed](const Site &) { return *packed; };
}

void ScheduleBuilder::prepareStrip(const StripTerm &strip) {
  std::optional<unsigned> at = findVaryingIndex(strip.table);
  AtSite tileRows = prepareStripRows(strip);
  if (!hasNear || !strip.table.varying.isFinite() || !at)
    return prepareFullStrip(strip, tileRows);
  Value table = getTable(strip.table);
  Buffer packed = prepareTable(strip.table, *at, /*asColumns=*/true, {});
  Buffer numbers = prepareRowNumbers(strip.table.indices[*at]);
  OpFoldResult count = sizeOf(table, *at);
  auto strips = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &site) {
    Value products = allocateLocal({b.getIndexAttr(options.rows), count}, f32);
    tile::ProductOp::create(b, tileRows(site), view(packed, site), products);
    *strips = allocateLocal({b.getIndexAttr(options.rows), nearSize}, f32);
    tile::StripOp::create(b, products, view(numbers, site), *strips);
  });
  addTerm(
      tile::TermUse::Near, tile::TermKind::Strip,
      [strips](const Site &) { return *strips; },
      [this](const Site &site) { return emitNearStart(site); });
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
  addTerm(tile::TermUse::Left, tile::TermKind::Row, column(false));
  addTerm(tile::TermUse::Right, tile::TermKind::Row, column(true));
  remark(strip.table.table.getLoc(),
         "product of the tile's rows and the table's, read along the distance");
}

void ScheduleBuilder::prepareFullStrip(const StripTerm &strip,
                                       AtSite tileRows) {
  Buffer packed = prepareLagTable(strip.table, /*asColumns=*/true, {});
  auto strips = std::make_shared<Value>();
  auto start = std::make_shared<Value>();
  int64_t panel = options.panel, length = getRowLength(strip.table.table);
  tilePreparations.push_back([=](const Site &site) {
    // The panels with the distances of the tile's rows and its whole blocks.
    Value lo = sub(roundDown(tileKeyLo, options.block),
                   add(site.rowLo, constant(options.rows - 1)));
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
    Value panels =
        slice(view(packed, site), {first, zero, zero},
              {count, b.getIndexAttr(length), b.getIndexAttr(panel)});
    tile::ProductOp::create(b, tileRows(site), panels, *strips);
    *start = add(lagLo, mul(first, constant(panel)));
  });
  addTerm(
      tile::TermUse::All, tile::TermKind::Strip,
      [strips](const Site &) { return *strips; },
      [start](const Site &) { return *start; });
  remark(strip.table.table.getLoc(),
         "product of the tile's rows and the table's in the order of the "
         "distance");
}
