//===- Pairs.cpp - What a tile computes for its pairs before its sweep ----===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Two things that a region computes for each pair are known for all pairs of a
// tile's rows before its sweep.
//
// An inner product of a query row and a table row, found by any function of
// the pair: one product of the tile's rows and the table has them all.
//
// A sum over later keys: a sweep visits blocks of keys in an order of its own,
// and such a sum needs them from the last to the first. So the tile computes
// all its scores, and from them the sums that the sweep reads: memory of a
// tile's rows times all keys, for each worker.
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// Tables with more rows are not multiplied whole.
static constexpr int64_t maxGatherRows = 1024;

//===----------------------------------------------------------------------===//
// Inner products
//===----------------------------------------------------------------------===//

/// Finds the inner products among what is computed for every pair.
void ScheduleBuilder::planGathers() {
  SetVector<Value> values;
  for (const TermsByExtent *terms : {&plan.terms, &plan.outer})
    for (const LinearTerm &term : terms->pair)
      values.insert(term.atom);
  values.insert(plan.pairConditions.begin(), plan.pairConditions.end());
  values.insert(scoreArguments.begin(), scoreArguments.end());
  for (Value row : op.getYield().getValueRows())
    values.insert(row);
  for (auto scan : op.getScore().front().getOps<RowScanOp>())
    values.insert(scan.getX());
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    auto dot = dyn_cast_or_null<DotOp>(op);
    if (!dot) {
      if (op && !isa<RowScanOp>(op))
        values.insert(op->operand_begin(), op->operand_end());
      continue;
    }
    if (!dot.getOutside().value_or(APFloat(0.0)).isZero() ||
        extents[dot.getProduct()].getKind() != ExtentKind::Pair ||
        isMatrixOfHead(scopeOf(dot.getProduct())))
      continue;
    DotSide query = plan.getSide(dot.getX(), dot.getXIndices());
    DotSide table = plan.getSide(dot.getY(), dot.getYIndices());
    if (query.kind != ExtentKind::Row)
      std::swap(query, table);
    std::optional<unsigned> at = findVaryingIndex(table);
    if (query.kind != ExtentKind::Row || !at)
      continue;
    int64_t rows = cast<ShapedType>(table.table.getType()).getDimSize(*at);
    if (ShapedType::isDynamic(rows) || rows > maxGatherRows)
      continue;
    auto isSame = [&](const Gather &gather) {
      auto others = [at](SmallVector<Value> indices) {
        indices.erase(indices.begin() + *at);
        return indices;
      };
      return gather.at == *at && gather.query.table == query.table &&
             gather.query.indices == query.indices &&
             gather.table.table == table.table &&
             others(gather.table.indices) == others(table.indices);
    };
    size_t number = llvm::find_if(gathers, isSame) - gathers.begin();
    if (number == gathers.size())
      gathers.push_back({query, table, *at, {}});
    gathered[dot] = {number, table.indices[*at]};
    remark(dot.getLoc(), "product of the tile's rows and the table's, read by "
                         "the row of each pair");
  }
}

void ScheduleBuilder::prepareGathers() {
  for (auto [number, gather] : llvm::enumerate(gathers)) {
    Buffer packed = prepareTable(gather.table, gather.at, /*asColumns=*/true,
                                 /*halves=*/false, {});
    OpFoldResult count = sizeOf(getTable(gather.table), gather.at);
    tileTables.push_back(count);
    tilePreparations.push_back([=, number = number](const Site &site) {
      Gather &gather = gathers[number];
      OpFoldResult numRows = b.getIndexAttr(options.rows);
      Value rows = allocateLocal(
          {numRows, b.getIndexAttr(getRowLength(gather.query.table))}, f32);
      packRows(site, rows, {}, gather.query, {});
      gather.products = allocateLocal({numRows, count}, f32);
      emitProduct(site, rows, packed, gather.products);
    });
  }
}

//===----------------------------------------------------------------------===//
// Sums over later keys
//===----------------------------------------------------------------------===//

/// The products of the tile's queries and keys, unscaled: [rows, keys].
Value ScheduleBuilder::emitTileScores(const Site &site) {
  OpFoldResult numRows = b.getIndexAttr(options.rows);
  OpFoldResult zero = b.getIndexAttr(0);
  Value panel = constant(options.panel);
  Value queries = allocateLocal({numRows, b.getIndexAttr(packedChannels)}, f32);
  packRows(site, queries, rotateQueries(site), {}, {}, q);
  Value columns = mul(divideUp(toValue(paddedKeys), panel), panel);
  Value scores = allocateLocal({numRows, getAsOpFoldResult(columns)}, f32);
  // The panels with the keys that a row of the tile keeps.
  Value first = b.createOrFold<arith::DivUIOp>(tileKeyLo, panel);
  Value count = sub(divideUp(tileKeyHi, panel), first);
  Value panels =
      slicePanels(view(packedKeys, site), first, getAsOpFoldResult(count));
  Value part = slice(scores, {zero, getAsOpFoldResult(mul(first, panel))},
                     {numRows, getAsOpFoldResult(mul(count, panel))});
  tile::ProductOp::create(b, queries, panels, part);
  return scores;
}

void ScheduleBuilder::prepareScans() {
  Block &block = op.getScore().front();
  auto scans = llvm::to_vector(block.getOps<RowScanOp>());
  if (scans.empty())
    return;
  tilePreparations.push_back([=, &block](const Site &site) {
    Value scores = emitTileScores(site);
    OpFoldResult numRows = b.getIndexAttr(options.rows);
    for (RowScanOp scan : scans) {
      Value sums = allocateLocal({numRows, paddedKeys}, f32);
      Value part =
          slice(sums, {b.getIndexAttr(0), getAsOpFoldResult(tileKeyLo)},
                {numRows, getAsOpFoldResult(sub(tileKeyHi, tileKeyLo))});
      auto summed =
          tile::ScanOp::create(b, ValueRange{site.rowLo, tileKeyLo},
                               ValueRange{site.rowHi, tileKeyHi}, part);
      emitRegion(summed.getBody(), {index, index}, [&](ValueRange pair) {
        SliceCloner cloner = clonerAt(site, Place::atPair(pair));
        Value score = memref::LoadOp::create(
            b, scores, ValueRange{sub(pair[0], site.rowLo), pair[1]});
        cloner.map(block.getArgument(0), score);
        Value x = cloner.clone(scan.getX());
        Value keep = op.getYield().getKeep();
        keep = keep ? cloner.clone(keep)
                    : arith::ConstantIntOp::create(b, 1, 1).getResult();
        return SmallVector<Value>{x, keep};
      });
      rowSums[scan] = sums;
    }
  });
  for (RowScanOp scan : scans)
    remark(scan.getLoc(), "sum over later keys: computed before the sweep from "
                          "all scores of a tile's rows");
}

//===----------------------------------------------------------------------===//
// Reading them
//===----------------------------------------------------------------------===//

Value ScheduleBuilder::readTile(Operation *op, SliceCloner &cloner,
                                const Site &site) {
  auto emitRow = [&] {
    return site.member ? site.member : sub(cloner.getPlace().row, site.rowLo);
  };
  if (Value sums = rowSums.lookup(op))
    return memref::LoadOp::create(b, sums,
                                  ValueRange{emitRow(), cloner.getPlace().key});
  auto found = gathered.find(op);
  if (found == gathered.end())
    return {};
  auto [number, index] = found->second;
  Value row = cloner.clone(index);
  // A row outside the table adds nothing, as the product itself says.
  return LookupOp::create(b, gathers[number].products,
                          ValueRange{emitRow(), row}, b.getF64FloatAttr(0.0));
}
