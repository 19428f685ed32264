//===- Tiles.cpp - A tile of query rows: its sweep and its results ---===//
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
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// The softmax is relative to the maxima of the first block: a row takes it
/// from this many keys at least, where it has them.
static constexpr int64_t minFirstKeys = 16;

//===----------------------------------------------------------------------===//
// Score regions
//===----------------------------------------------------------------------===//

/// Whether computing the value takes ops that no vector unit has.
static bool readsTables(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<ScoreOpInterface>(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Finds what the score region gets from outside, on the way from `value` to
/// what the sweep accumulates.
void ScheduleBuilder::collectScoreArguments(Value value) {
  Operation *op = value.getDefiningOp();
  if (value == plan.accumulated || matchPattern(value, m_Constant()))
    return;
  ExtentKind kind = extents[value].getKind();
  if (kind == ExtentKind::Uniform) {
    bool isOfRow = foldsHeads && extents[value].head;
    (isOfRow ? scoreArguments : scoreUniforms).insert(value);
    return;
  }
  if (!op || !collectedOps.insert(op).second)
    return;
  Type type = value.getType();
  if (kind != ExtentKind::Score && (type.isF32() || type.isInteger(1)) &&
      readsTables(value)) {
    scoreArguments.insert(value);
    return;
  }
  for (Value operand : op->getOperands())
    if (!isa<ShapedType>(operand.getType()))
      collectScoreArguments(operand);
}

void ScheduleBuilder::planScoreRegion() {
  if (plan.isLinear)
    return;
  for (const LinearTerm &term : plan.nonlinear) {
    collectScoreArguments(term.atom);
    for (auto [factor, inverse] : term.coefficient.factors)
      collectScoreArguments(factor);
  }
  for (Value condition : plan.scoreConditions)
    collectScoreArguments(condition);
  for (Value row : op.getYield().getValueRows())
    if (extents[row].getKind() == ExtentKind::Score)
      collectScoreArguments(row);
  remark(plan.accumulated.getLoc(),
         "the score is not linear in the product: computed from it per pair");
}

/// The terms that are arguments of the score region: first the sums that are
/// added to the score, then the values that it is computed from.
void ScheduleBuilder::prepareScoreArguments() {
  addTerms(tile::TermUse::Score, plan.outer);
  for (Value argument : scoreArguments) {
    Element element = [=](SliceCloner &cloner) {
      Value value = cloner.clone(argument);
      return value.getType().isF32()
                 ? value
                 : arith::UIToFPOp::create(b, f32, value).getResult();
    };
    Scope scope = scopeOf(argument);
    switch (extents[argument].getKind()) {
    case ExtentKind::Uniform: // but different for the heads of a tile
    case ExtentKind::Row:
      addRow(tile::TermUse::Score, element);
      break;
    case ExtentKind::Key:
      addKeys(tile::TermUse::Score, scope, element);
      break;
    case ExtentKind::Lag:
      addLags(tile::TermUse::Score, scope, element);
      break;
    default:
      addPairs(tile::TermUse::Score, scope, element, argument.getLoc(),
               "value that the score needs");
    }
  }
}

/// z, keep and the value rows by score, in terms of the arguments y, r, j and
/// the terms of the score.
SmallVector<Value> ScheduleBuilder::emitScoreRegion(const Site &site,
                                                    ArrayRef<Value> uniforms,
                                                    ValueRange arguments) {
  SliceCloner cloner = clonerAt(site, Place::atPair(arguments.slice(1, 2)));
  cloner.map(plan.accumulated, arguments[0]);
  for (auto [value, scalar] : llvm::zip_equal(scoreUniforms, uniforms))
    cloner.map(value, scalar);
  ValueRange given = arguments.drop_front(3);
  unsigned numSums = given.size() - scoreArguments.size();
  for (auto [value, argument] :
       llvm::zip_equal(scoreArguments, given.drop_front(numSums))) {
    Value meant = argument;
    if (!value.getType().isF32()) {
      Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
      meant =
          arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, argument, zero);
    }
    cloner.map(value, meant);
  }
  Value score;
  auto addTo = [&](Value term) {
    score = score ? arith::AddFOp::create(b, score, term).getResult() : term;
  };
  for (const LinearTerm &term : plan.nonlinear)
    addTo(arith::MulFOp::create(b, cloner.clone(term.atom),
                                emitCoefficient(cloner, term.coefficient)));
  for (Value sum : given.take_front(numSums))
    addTo(sum);
  if (!score)
    score = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value keep = emitAll(cloner, plan.scoreConditions);
  if (!keep)
    keep = arith::ConstantIntOp::create(b, 1, 1);
  SmallVector<Value> results{score, keep};
  for (const ValueBuckets &bucket : buckets)
    if (bucket.kind == tile::BucketKind::Score)
      results.push_back(cloner.clone(bucket.row));
  return results;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A key of the block that is visited first: nearest the diagonal, where each
/// row of the tile keeps some keys.
Value ScheduleBuilder::emitFirstKey(const Site &site) {
  const BoundRange &lag = plan.hull.lag;
  Value key = add(site.rowLo, constant(options.rows / 2));
  if (lag.hi.getKind() != Bound::Kind::PositiveInfinity)
    key = sub(add(site.rowLo, emitBound(lag.hi, site)),
              constant(minFirstKeys - 1));
  if (lag.lo.getKind() != Bound::Kind::NegativeInfinity)
    key = greatest(key, add(add(site.rowHi, emitBound(lag.lo, site)),
                            constant(minFirstKeys - 2)));
  return clamp(key, tileKeyLo,
               greatest(tileKeyLo, sub(tileKeyHi, constant(1))));
}

void ScheduleBuilder::emitSweep(const Site &site, const Sums &sums) {
  SmallVector<Value> tables, offsets, factors, bucketOffsets, bucketTiles;
  SmallVector<Attribute> kinds, bucketKinds;
  MLIRContext *context = b.getContext();
  unsigned numScoreTerms = 0;
  for (const Term &term : terms) {
    tables.push_back(term.table(site));
    if (term.offset)
      offsets.push_back(term.offset(site));
    if (term.factor)
      factors.push_back(term.factor(site));
    kinds.push_back(
        tile::TermAttr::get(context, term.use, term.kind, bool(term.factor)));
    numScoreTerms += term.use == tile::TermUse::Score;
  }
  for (const ValueBuckets &bucket : buckets) {
    bucketKinds.push_back(tile::BucketAttr::get(context, bucket.kind));
    if (bucket.kind == tile::BucketKind::Lag)
      bucketOffsets.push_back(bucket.offset(site));
    if (bucket.kind == tile::BucketKind::Tile)
      bucketTiles.push_back(bucket.tile(site));
  }
  Value keepLo, keepHi, nearLo, nearHi;
  if (!plan.keep.lag.isAll()) {
    keepLo = emitBound(plan.keep.lag.lo, site);
    keepHi = emitBound(plan.keep.lag.hi, site);
  }
  if (hasNear) {
    nearLo = emitDistance(plan.near.lo, site);
    nearHi = clamp(emitBound(plan.near.hi, site), nearLo, keys);
  }
  auto inPlace = [&](Value all) {
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    return slice(all, {site.batch, site.keyHead, zero, zero},
                 {one, one, getAsOpFoldResult(keys), sizeOf(all, 3)}, {0u, 1u});
  };
  Value values = packedValues.whole ? view(packedValues, site) : inPlace(v);
  Value rowEnd = foldsHeads ? constant(options.rows) : site.rowHi;
  Value queryRow = foldsHeads ? site.rowLo : Value();
  Value columns = keysInPlace ? inPlace(k) : view(packedKeys, site);
  SmallVector<Value> uniforms;
  for (Value value : scoreUniforms)
    uniforms.push_back(emitScalar(value, site));

  Value scale = scaleOfHalves ? scaleOfHalves(site) : Value();
  auto sweep = tile::SweepOp::create(
      b, packedQueries, columns, values, scale, site.rowLo, rowEnd, queryRow,
      tileKeyLo, tileKeyHi, emitFirstKey(site), keepLo, keepHi, nearLo, nearHi,
      tables, offsets, factors, sums.weights, bucketOffsets, bucketTiles,
      sums.m, sums.l, sums.o, b.getArrayAttr(kinds),
      b.getArrayAttr(bucketKinds), options.block);
  if (!unionKeys.empty())
    emitRegion(sweep.getVisits(), index, [&](ValueRange n) {
      return SmallVector<Value>{emitVisits(n[0])};
    });
  if (!blockPreparations.empty())
    emitRegion(sweep.getEachBlock(), index, [&](ValueRange n) {
      for (auto &prepare : blockPreparations)
        prepare(site, n[0]);
      return SmallVector<Value>();
    });
  if (plan.isLinear)
    return;
  SmallVector<Type> types{f32, index, index};
  types.append(numScoreTerms, f32);
  emitRegion(sweep.getScore(), types, [&](ValueRange arguments) {
    return emitScoreRegion(site, uniforms, arguments);
  });
}

/// The keys [lo, hi) of the pairs in a box whose rows are those of the tile.
std::pair<Value, Value> ScheduleBuilder::emitKeys(const Box &box,
                                                  const Site &site) {
  Value lo = constant(0), hi = keys;
  if (box.key.lo.getKind() != Bound::Kind::NegativeInfinity)
    lo = greatest(lo, emitBound(box.key.lo, site));
  if (box.lag.lo.getKind() != Bound::Kind::NegativeInfinity)
    lo = greatest(lo, add(site.rowLo, emitBound(box.lag.lo, site)));
  if (box.key.hi.getKind() != Bound::Kind::PositiveInfinity)
    hi = least(hi, add(emitBound(box.key.hi, site), constant(1)));
  if (box.lag.hi.getKind() != Bound::Kind::PositiveInfinity)
    hi = least(hi, add(site.rowHi, emitBound(box.lag.hi, site)));
  return {lo, hi};
}

/// Whether the block from key n on has keys of a box of each union.
Value ScheduleBuilder::emitVisits(Value n) {
  Value end = add(n, constant(options.block)), all;
  auto compare = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
  };
  for (ArrayRef<std::pair<Value, Value>> intervals : unionKeys) {
    Value any;
    for (auto [lo, hi] : intervals) {
      Value overlaps =
          arith::AndIOp::create(b, compare(lo, end), compare(n, hi));
      any = any ? arith::OrIOp::create(b, any, overlaps).getResult() : overlaps;
    }
    all = all ? arith::AndIOp::create(b, all, any).getResult() : any;
  }
  return all;
}

/// The keys that any row of the tile keeps.
void ScheduleBuilder::emitTileKeys(const Site &site) {
  const Box &hull = plan.hull;
  std::tie(tileKeyLo, tileKeyHi) = emitKeys(hull, site);
  unionKeys.clear();
  for (ArrayRef<Box> boxes : plan.unions) {
    Value lo = keys, hi = constant(0);
    auto &intervals = unionKeys.emplace_back();
    for (const Box &box : boxes) {
      intervals.push_back(emitKeys(box, site));
      auto [boxLo, boxHi] = intervals.back();
      // What one box alone would leave empty must not widen the others.
      Value isEmpty = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                                    boxLo, boxHi);
      lo = least(lo, b.createOrFold<arith::SelectOp>(isEmpty, keys, boxLo));
      hi = greatest(
          hi, b.createOrFold<arith::SelectOp>(isEmpty, constant(0), boxHi));
    }
    tileKeyLo = greatest(tileKeyLo, lo);
    tileKeyHi = least(tileKeyHi, hi);
  }
  if (!hull.isAll() || !plan.unions.empty()) {
    tileKeyLo = least(tileKeyLo, keys);
    tileKeyHi = greatest(tileKeyHi, tileKeyLo);
  }

  if (site.part)
    restrictToPart(site);
}

ScheduleBuilder::Sums ScheduleBuilder::allocateSums() {
  OpFoldResult numRows = b.getIndexAttr(options.rows);
  Sums sums{allocateLocal(numRows, f32),
            allocateLocal(numRows, f32),
            allocateLocal({numRows, b.getIndexAttr(valueChannels)}, f32),
            {}};
  for (const ValueBuckets &bucket : buckets)
    sums.weights.push_back(allocateLocal({numRows, bucket.size}, f32));
  return sums;
}

void ScheduleBuilder::freeLocalBuffers() {
  for (Value buffer : llvm::reverse(localBuffers))
    memref::DeallocOp::create(b, buffer);
  localBuffers.clear();
}

/// All that a sweep reads of a tile.
void ScheduleBuilder::prepareTile(const Site &site) {
  localBuffers.clear();
  emitTileKeys(site);
  packedQueries = allocateLocal(
      rowsShape(b.getIndexAttr(options.rows), packedChannels, packsHalves),
      factorType(packsHalves));
  packQueries(site, packedQueries);
  for (auto &prepare : tilePreparations)
    prepare(site);
}

void ScheduleBuilder::emitResults(const Site &site, const Sums &sums) {
  OpFoldResult numRows = b.getIndexAttr(options.rows);
  SmallVector<Value> tables;
  for (const ValueBuckets &bucket : buckets)
    tables.push_back(view(bucket.table, site));
  Value keep;
  if (!plan.rowConditions.empty()) {
    keep = allocateLocal(numRows, b.getI1Type());
    forEachHead(site, [&](const Site &head, PartOf partOf) {
      emitFill(partOf(keep), {{head.rowLo, head.rowHi}}, head, Place::atRow,
               [=](SliceCloner &cloner) {
                 return emitAll(cloner, plan.rowConditions);
               });
    });
  }
  OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
  OpFoldResult width = b.getIndexAttr(valueChannels);
  // Each head has its own sink.
  bool apart = bool(op.getSink());
  auto finish = [&](const Site &site, PartOf partOf) {
    // One row of several heads, or the rows of one.
    bool isGroup = foldsHeads && !apart;
    OpFoldResult numHeads = isGroup ? numRows : one;
    OpFoldResult count = getAsOpFoldResult(sub(site.rowHi, site.rowLo));
    unsigned dropped[] = {0, isGroup ? 2u : 1u};
    Value sink, lse;
    if (op.getSink()) {
      sink = memref::LoadOp::create(b, op.getSink(), site.head);
      sink = emitFloatCast(b, b.getLoc(), sink, b.getF32Type());
    }
    Value results = slice(out, {site.batch, site.head, site.rowLo, zero},
                          {one, numHeads, count, width}, dropped);
    if (op.getLse())
      lse = slice(op.getLse(), {site.batch, site.head, site.rowLo},
                  {one, numHeads, count}, dropped);
    auto weights = llvm::map_to_vector(sums.weights, partOf);
    tile::FinishOp::create(b, partOf(sums.m), partOf(sums.l), partOf(sums.o),
                           weights, tables, sink, keep ? partOf(keep) : keep,
                           results, lse);
  };
  forEachHead(site, finish, apart);
}

void ScheduleBuilder::emitTile(const Site &site) {
  prepareTile(site);
  Sums sums = allocateSums();
  emitSweep(site, sums);
  emitResults(site, sums);
  freeLocalBuffers();
}
