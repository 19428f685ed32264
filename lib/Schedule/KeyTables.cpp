//===- KeyTables.cpp - Products of keys, and value tables ---===//
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

//===----------------------------------------------------------------------===//
// Inner products of keys and rows by distance
//===----------------------------------------------------------------------===//

/// The rows of a side that varies by key, in columns.
Buffer ScheduleBuilder::prepareKeySide(const DotSide &side, bool halves) {
  if (plan.readsPackedKeys(side) && plan.channels.empty() && !keysInPlace &&
      halves == packsHalves)
    return packedKeys;
  Scope scope = scopeOf(side.indices);
  Buffer packed =
      allocateColumns(scope, paddedKeys, getRowLength(side.table), halves);
  preparations.push_back(
      {scope, [=](const Site &site) {
         emitPack(getTable(side), view(packed, site), constant(0),
                  emitKeyEnd(site), {}, [&](ValueRange key) {
                    SliceCloner cloner = clonerAt(site, Place::atKey(key));
                    return cloneIndices(cloner, side);
                  });
       }});
  return packed;
}

void ScheduleBuilder::prepareSkew(const SkewTerm &skew) {
  bool halves = areHalves({skew.key, skew.table});
  AtSite factor = makeFactor(skew.coefficient, halves);
  Coefficient scale = factor ? Coefficient() : skew.coefficient;
  Buffer keySide = prepareKeySide(skew.key, halves);
  std::optional<unsigned> at = findVaryingIndex(skew.table);
  if (!hasNear || !at)
    return prepareFullSkew(skew, keySide, halves, scale, factor);

  // All rows of the table times all keys.
  Buffer tableRows =
      prepareTable(skew.table, *at, /*asColumns=*/false, halves, scale);
  Buffer numbers = prepareRowNumbers(skew.table.indices[*at]);
  Scope scope = join(keySide.scope, tableRows.scope);
  OpFoldResult count = sizeOf(getTable(skew.table), *at);
  OpFoldResult blocks =
      getAsOpFoldResult(divideUp(toValue(paddedKeys), constant(options.block)));
  OpFoldResult block = b.getIndexAttr(options.block);
  Buffer products = allocate(scope, {blocks, count, block}, f32);
  preparations.push_back({scope, [=](const Site &site) {
                            tile::ProductOp::create(b, view(tableRows, site),
                                                    view(keySide, site),
                                                    view(products, site));
                          }});

  auto tile = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &) {
    *tile = allocateLocal({b.getIndexAttr(options.rows), block}, f32);
  });
  blockPreparations.push_back([=](const Site &site, Value n) {
    Value ofBlock = b.createOrFold<arith::DivUIOp>(n, constant(options.block));
    Value from = sub(sub(n, site.rowLo), emitNearStart(site));
    forEachHead(site, [&](const Site &head, PartOf partOf) {
      Value part = slice(view(products, head),
                         {ofBlock, b.getIndexAttr(0), b.getIndexAttr(0)},
                         {b.getIndexAttr(1), count, block}, 0u);
      tile::SkewOp::create(b, part, view(numbers, head), from, partOf(*tile));
    });
  });
  addTerm(
      tile::TermUse::Near, tile::TermKind::Tile,
      [tile](const Site &) { return *tile; }, {}, factor);

  // Far away the row is one, and what is added depends on the key alone.
  for (bool last : {false, true}) {
    Scope farScope = join(scope, numbers.scope);
    Buffer vector = allocate(farScope, paddedKeys, f32);
    preparations.push_back(
        {farScope, [=](const Site &site) {
           Value rowNumbers = view(numbers, site), all = view(products, site);
           Value entry = constant(0), width = constant(options.block);
           if (last)
             entry = sub(toValue(nearSize), constant(1));
           emitFill(
               view(vector, site), {{constant(0), toValue(paddedKeys)}},
               [&](ValueRange key) {
                 Value row = LookupOp::create(b, rowNumbers, entry,
                                              /*outside=*/Attribute());
                 Value place[] = {arith::DivUIOp::create(b, key[0], width), row,
                                  arith::RemUIOp::create(b, key[0], width)};
                 return SmallVector<Value>{
                     LookupOp::create(b, all, place, b.getF64FloatAttr(0.0))};
               });
         }});
    addVectorTerm(
        last ? tile::TermUse::Right : tile::TermUse::Left, tile::TermKind::Key,
        vector, [this](const Site &) { return constant(0); }, factor);
  }
  remark(skew.table.table.getLoc(),
         "product of the table's rows and the keys, skewed per block");
}

void ScheduleBuilder::prepareFullSkew(const SkewTerm &skew, Buffer keySide,
                                      bool halves, const Coefficient &scale,
                                      AtSite factor) {
  Buffer table =
      prepareLagTable(skew.table, /*asColumns=*/false, halves, scale);
  // Entry e of a block's distances is row e of their products.
  int64_t numDistances = headRows - 1 + options.block;
  OpFoldResult count = b.getIndexAttr(numDistances);
  Buffer numbers = allocate(Scope::Once, count, index);
  preparations.push_back(
      {Scope::Once, [=](const Site &site) {
         emitFill(numbers.whole, {{constant(0), constant(numDistances)}},
                  [&](ValueRange entry) { return SmallVector<Value>(entry); });
       }});
  OpFoldResult block = b.getIndexAttr(options.block);
  auto products = std::make_shared<Value>(), tile = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &) {
    *products = allocateLocal({count, block}, f32);
    *tile = allocateLocal({b.getIndexAttr(options.rows), block}, f32);
  });
  blockPreparations.push_back([=](const Site &site, Value n) {
    Value first = sub(sub(n, add(site.rowLo, constant(headRows - 1))), lagLo);
    forEachHead(site, [&](const Site &head, PartOf partOf) {
      Value all = view(table, head);
      Value tableRows =
          slice(all, {first, b.getIndexAttr(0)}, {count, sizeOf(all, 1)});
      Value panel = b.createOrFold<arith::DivUIOp>(n, constant(options.panel));
      Value columns =
          slicePanels(view(keySide, head), panel,
                      b.getIndexAttr(options.block / options.panel));
      tile::ProductOp::create(b, tableRows, columns, *products);
      tile::SkewOp::create(b, *products, numbers.whole, constant(headRows - 1),
                           partOf(*tile));
    });
  });
  addTerm(
      tile::TermUse::All, tile::TermKind::Tile,
      [tile](const Site &) { return *tile; }, {}, factor);
  remark(skew.table.table.getLoc(),
         "product of the table's rows and each block of keys, skewed");
}

//===----------------------------------------------------------------------===//
// Value tables
//===----------------------------------------------------------------------===//

void ScheduleBuilder::prepareValueTable(unsigned number, Value row) {
  Value table = valueTables[number];
  auto type = cast<MemRefType>(table.getType());
  bool byHead = type.getRank() == 3;
  Scope scope = byHead ? Scope::Head : Scope::Once;
  const Extent &extent = extents[row];
  ValueBuckets bucket;
  bucket.row = row;
  AtSite start = [this](const Site &) { return constant(0); };
  if (extent.lag && extent.varying.isFinite()) {
    bucket.kind = tile::BucketKind::Lag;
    bucket.size =
        getAsOpFoldResult(add(emitLength(extent.varying), constant(1)));
    Bound lo = extent.varying.lo;
    start = [this, lo](const Site &site) { return emitDistance(lo, site); };
    scope = join(scope, join(scopeOf(row), scopeOf(lo)));
    remark(row.getLoc(), "value rows: sums of weights in the order of the "
                         "distance, and one product at the end");
  } else {
    bucket.kind = extent.getKind() == ExtentKind::Score
                      ? tile::BucketKind::Score
                      : tile::BucketKind::Tile;
    bucket.size = sizeOf(table, byHead);
    remark(row.getLoc(), "value rows: a sum of weights per row of the table, "
                         "found for every pair");
  }
  bucket.offset = start;
  bucket.table =
      allocate(scope, {bucket.size, b.getIndexAttr(valueChannels)}, f32);
  preparations.push_back(
      {scope, [=](const Site &site) {
         Value lo = start(site);
         emitPack(table, view(bucket.table, site), lo,
                  add(lo, toValue(bucket.size)), {}, [&](ValueRange x) {
                    SmallVector<Value> results;
                    if (byHead)
                      results.push_back(site.head);
                    if (bucket.kind != tile::BucketKind::Lag) {
                      results.push_back(x[0]);
                      return results;
                    }
                    SliceCloner cloner = clonerAt(site, Place::atDistance(x));
                    results.push_back(cloner.clone(row));
                    return results;
                  });
       }});
  if (bucket.kind == tile::BucketKind::Tile) {
    auto numbers = std::make_shared<Value>();
    bucket.tile = [numbers](const Site &) { return *numbers; };
    tilePreparations.push_back([=](const Site &) {
      *numbers = allocateLocal(
          {b.getIndexAttr(options.rows), b.getIndexAttr(options.block)}, index);
    });
    blockPreparations.push_back([=](const Site &site, Value n) {
      forEachHead(site, [&](const Site &head, PartOf partOf) {
        emitFill(
            partOf(*numbers),
            {{head.rowLo, head.rowHi}, {n, add(n, constant(options.block))}},
            head, Place::atPair,
            [=](SliceCloner &cloner) { return cloner.clone(row); });
      });
    });
  }
  tileTables.push_back(bucket.size);
  buckets.push_back(bucket);
}
