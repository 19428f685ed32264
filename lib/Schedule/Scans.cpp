//===- Scans.cpp - Sums over the later keys of a tile's rows --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sweep visits blocks of keys in an order of its own, and a sum over later
// keys needs them from the last to the first. So a tile first computes all its
// scores, and from them the sums that its sweep reads: memory of a tile's rows
// times all keys, for each worker.
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

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
  Value panels = slice(
      view(packedKeys, site), {first, zero, zero},
      {count, b.getIndexAttr(packedChannels), b.getIndexAttr(options.panel)});
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
      rowSums[scan.getSum()] = sums;
    }
  });
  for (RowScanOp scan : scans)
    remark(scan.getLoc(), "sum over later keys: computed before the sweep from "
                          "all scores of a tile's rows");
}
