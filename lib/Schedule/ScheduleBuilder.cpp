//===- ScheduleBuilder.cpp - Sizes, buffers and loops of a schedule ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// Query rows of a wave, at least: enough tiles to keep some tens of threads
/// busy.
static constexpr int64_t waveRows = 4096;

/// Rows that a lowering takes as a step, at most. It reads what terms have for
/// all of them.
static constexpr int64_t maxStepRows = 32;

ScheduleBuilder::ScheduleBuilder(AttentionOp op, const ScheduleOptions &options)
    : op(op), options(options), b(op.getLoc(), op), extents(op.getScore()),
      plan(op, extents), f32(b.getF32Type()), index(b.getIndexType()) {
  headRows = this->options.rows;
  planShortQueries();
  planHalves();
  pad = std::max(this->options.rows, maxStepRows) + this->options.block;
  channels = cast<ShapedType>(op.getQ().getType()).getDimSize(3);
  valueChannels = cast<ShapedType>(op.getV().getType()).getDimSize(3);
}

void ScheduleBuilder::remark(Location loc, const Twine &text) {
  remark::passed(loc, remark::RemarkOpts::name("schedule").category("posenc"))
      << text.str();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void ScheduleBuilder::emitSizes() {
  batches = toValue(sizeOf(op.getQ(), 0));
  heads = toValue(sizeOf(op.getQ(), 1));
  rows = toValue(sizeOf(op.getQ(), 2));
  keyHeads = toValue(sizeOf(op.getK(), 1));
  keys = toValue(sizeOf(op.getK(), 2));
  Value one = constant(1);
  // Without key heads there are no heads either.
  group = b.createOrFold<arith::DivUIOp>(heads, greatest(keyHeads, one));
  Value rowsOfItem = greatest(mul(rows, group), one);
  wave = clamp(divideUp(constant(waveRows), rowsOfItem), one,
               greatest(mul(batches, keyHeads), one));
  lagLo = sub(constant(1 - pad), rows);
  lagSize = add(add(rows, keys), constant(2 * pad));
  paddedKeys = getAsOpFoldResult(roundUp(keys, options.block));

  if (hasNear)
    nearSize =
        getAsOpFoldResult(add(emitLength(plan.near), constant(2 * pad + 1)));
}

static memref::AllocOp allocate(ImplicitLocOpBuilder &b,
                                ArrayRef<OpFoldResult> shape, Type element) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(shape, dynamic, sizes);
  // A cache line, and the widest vectors.
  return memref::AllocOp::create(b, MemRefType::get(sizes, element), dynamic,
                                 b.getI64IntegerAttr(64));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The memref if the elements of its rows lie side by side, else a copy in
/// which they do: known when the program runs, unless the type says so. A
/// result is copied back after the schedule.
Value ScheduleBuilder::makeInnerContiguous(Value memref, bool isResult) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (strides.back() == 1)
    return memref;
  int64_t dynamic = ShapedType::kDynamic, rank = type.getRank();
  SmallVector<int64_t> anyStrides(rank, dynamic);
  anyStrides.back() = 1;
  auto wanted = MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), dynamic, anyStrides));
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value isContiguous = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, metadata.getStrides().back(), constant(1));
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(sizeOf(memref, d));
  auto choice = scf::IfOp::create(b, TypeRange{wanted}, isContiguous,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  SmallVector<OpFoldResult> given =
      getAsOpFoldResult(ValueRange(metadata.getStrides()).drop_back());
  given.push_back(b.getIndexAttr(1));
  Value same = memref::ReinterpretCastOp::create(
      b, wanted, metadata.getBaseBuffer(),
      getAsOpFoldResult(metadata.getOffset()), sizes, given);
  scf::YieldOp::create(b, same);
  b.setInsertionPointToStart(choice.elseBlock());
  Value copy = ::allocate(b, sizes, type.getElementType());
  if (!isResult)
    memref::CopyOp::create(b, memref, copy);
  scf::YieldOp::create(b, memref::CastOp::create(b, wanted, copy).getResult());

  b.setInsertionPointAfter(op);
  auto after = scf::IfOp::create(b, isContiguous, /*withElseRegion=*/true);
  b.setInsertionPointToStart(after.elseBlock());
  if (isResult)
    memref::CopyOp::create(b, choice.getResult(0), memref);
  memref::DeallocOp::create(b, choice.getResult(0));
  return choice.getResult(0);
}

void ScheduleBuilder::emitOperands() {
  q = makeInnerContiguous(op.getQ(), /*isResult=*/false);
  k = makeInnerContiguous(op.getK(), false);
  v = makeInnerContiguous(op.getV(), false);
  out = makeInnerContiguous(op.getOut(), true);
  for (Value table : op.getValueTables())
    valueTables.push_back(makeInnerContiguous(table, false));
  // Of the captures, those whose rows are packed.
  SetVector<Value> packed;
  auto add = [&](const DotSide &side) {
    packed.insert(getOperand(side.table));
  };
  llvm::for_each(plan.added, add);
  for (const ChannelTerm &term : plan.channels) {
    add(term.query);
    add(term.key);
  }
  for (const StripTerm &strip : plan.strips) {
    add(strip.query);
    add(strip.table);
    llvm::for_each(strip.added, add);
  }
  for (const SkewTerm &skew : plan.skews) {
    add(skew.key);
    add(skew.table);
  }
  for (const Gather &gather : gathers) {
    add(gather.query);
    add(gather.table);
  }
  for (Value table : packed) {
    Value same = table == op.getQ()   ? q
                 : table == op.getK() ? k
                 : table == op.getV() ? v
                                      : makeInnerContiguous(table, false);
    packedOperands[table] = same;
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Buffer ScheduleBuilder::allocate(Scope scope, ArrayRef<OpFoldResult> shape,
                                 Type element) {
  SmallVector<OpFoldResult> sizes;
  if (scope == Scope::Head)
    sizes.push_back(getAsOpFoldResult(heads));
  else if (scope == Scope::Batch)
    sizes.push_back(getAsOpFoldResult(batches));
  else if (scope == Scope::Item)
    sizes.push_back(getAsOpFoldResult(wave));
  else if (scope == Scope::BatchHead)
    sizes.push_back(getAsOpFoldResult(mul(wave, group)));
  llvm::append_range(sizes, shape);
  auto alloc = ::allocate(b, sizes, element);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(op);
  memref::DeallocOp::create(b, alloc);
  return {alloc, scope};
}

Value ScheduleBuilder::allocateLocal(ArrayRef<OpFoldResult> shape,
                                     Type element) {
  return localBuffers.emplace_back(::allocate(b, shape, element));
}

Value ScheduleBuilder::slice(Value memref, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<unsigned> dropped) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> all;
  dispatchIndexOpFoldResults(sizes, dynamic, all);
  for (auto [d, size] : llvm::enumerate(all))
    if (!llvm::is_contained(dropped, d))
      shape.push_back(size);
  MemRefType result = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, result, memref, offsets, sizes, strides);
}

Value ScheduleBuilder::sliceAt(Value memref, Value at,
                               ArrayRef<unsigned> dropped) {
  unsigned rank = cast<MemRefType>(memref.getType()).getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes;
  offsets[0] = at;
  sizes.push_back(b.getIndexAttr(1));
  for (unsigned d = 1; d < rank; ++d)
    sizes.push_back(sizeOf(memref, d));
  return slice(memref, offsets, sizes, dropped);
}

Value ScheduleBuilder::view(const Buffer &buffer, const Site &site) {
  if (buffer.scope == Scope::Once)
    return buffer.whole;
  Value part = buffer.scope == Scope::Head    ? site.head
               : buffer.scope == Scope::Batch ? site.batch
               : buffer.scope == Scope::Item  ? site.itemSlot
                                              : site.headSlot;
  return sliceAt(buffer.whole, part, 0u);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ScheduleBuilder::emitPreparations(Scope scope, const Site &site) {
  for (const Preparation &preparation : preparations)
    if (preparation.scope == scope)
      preparation.emit(site);
}

void ScheduleBuilder::emitParallel(ValueRange ubs,
                                   function_ref<void(ValueRange)> body) {
  SmallVector<Value> zeros(ubs.size(), constant(0)),
      ones(ubs.size(), constant(1));
  auto loop = scf::ParallelOp::create(b, zeros, ubs, ones);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars());
}

void ScheduleBuilder::emitWaves() {
  auto has = [&](Scope scope) {
    return llvm::any_of(preparations, [&](const Preparation &preparation) {
      return preparation.scope == scope;
    });
  };
  emitPreparations(Scope::Once, {});
  if (has(Scope::Head))
    emitParallel(heads, [&](ValueRange head) {
      Site site;
      site.head = head[0];
      emitPreparations(Scope::Head, site);
    });
  if (has(Scope::Batch))
    emitParallel(batches, [&](ValueRange batch) {
      Site site;
      site.batch = batch[0];
      emitPreparations(Scope::Batch, site);
    });

  Value items = mul(batches, keyHeads);
  auto waves = scf::ForOp::create(b, constant(0), items, wave);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(waves.getBody());
  Value first = waves.getInductionVar();
  Value count = least(wave, sub(items, first));
  auto siteOf = [&](Value slot) {
    Site site;
    Value item = add(first, slot);
    site.batch = b.createOrFold<arith::DivUIOp>(item, keyHeads);
    site.keyHead = b.createOrFold<arith::RemUIOp>(item, keyHeads);
    site.itemSlot = slot;
    return site;
  };
  auto enterHead = [&](Site &site, Value member) {
    site.head = add(mul(site.keyHead, group), member);
    site.headSlot = add(mul(site.itemSlot, group), member);
  };
  emitParallel(count, [&](ValueRange slot) {
    Site site = siteOf(slot[0]);
    emitPreparations(Scope::Item, site);
    if (!has(Scope::BatchHead))
      return;
    auto members = scf::ForOp::create(b, constant(0), group, constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(members.getBody());
    enterHead(site, members.getInductionVar());
    emitPreparations(Scope::BatchHead, site);
  });
  auto siteOfHead = [&](Value slot, Value member) {
    Site site = siteOf(slot);
    enterHead(site, member);
    return site;
  };
  if (isShort)
    return emitShortQueries(count, siteOfHead);
  Value tiles = divideUp(rows, constant(options.rows));
  emitParallel({count, group, tiles}, [&](ValueRange place) {
    Site site = siteOfHead(place[0], place[1]);
    site.rowLo = mul(place[2], constant(options.rows));
    site.rowHi = least(add(site.rowLo, constant(options.rows)), rows);
    emitTile(site);
  });
}

LogicalResult ScheduleBuilder::build() {
  bool byPair = !plan.terms.pair.empty() || !plan.outer.pair.empty() ||
                !plan.pairConditions.empty();
  posenc::YieldOp yield = op.getYield();
  planScoreRegion();
  for (ArrayRef<Box> boxes : plan.unions)
    remark(op.getYield().getKeep().getLoc(),
           "a condition on " + Twine(boxes.size()) +
               " ranges: blocks of keys outside all of them are passed over");
  for (Value argument : scoreArguments)
    byPair |= extents[argument].getKind() == ExtentKind::Pair;
  for (const SkewTerm &skew : plan.skews)
    byPair |= !findVaryingIndex(skew.table);
  for (Value row : yield.getValueRows())
    byPair |= extents[row].getKind() != ExtentKind::Score &&
              !(extents[row].lag && extents[row].varying.isFinite());
  // What each block needs anew, it needs among far pairs too.
  hasNear = !byPair && !plan.near.isNone() && plan.near.isFinite();

  planGathers();
  emitSizes();
  emitOperands();
  prepareKeys();
  prepareValues();
  prepareGathers();
  prepareScans();
  addTerms(tile::TermUse::All, plan.terms);
  for (const StripTerm &strip : plan.strips)
    prepareStrip(strip);
  for (const SkewTerm &skew : plan.skews)
    prepareSkew(skew);
  prepareMasks();
  for (auto [number, row] : llvm::enumerate(yield.getValueRows()))
    prepareValueTable(number, row);
  prepareScoreArguments();
  if (isShort)
    allocateParts();
  emitWaves();
  op.erase();
  return success(!hasFailed);
}

/// What is left where no row sees a key: zeros, and a log-sum-exp of -inf.
static void emitEmptyResults(AttentionOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto fill = [&](Value results, double value) {
    Type element = cast<MemRefType>(results.getType()).getElementType();
    Value number = arith::ConstantOp::create(b, b.getFloatAttr(element, value));
    linalg::FillOp::create(b, number, results);
  };
  fill(op.getOut(), 0);
  if (op.getLse())
    fill(op.getLse(), -std::numeric_limits<double>::infinity());
  op.erase();
}

LogicalResult posenc::scheduleAttention(AttentionOp op,
                                        const ScheduleOptions &options) {
  // Memrefs without elements have no parts either.
  auto isEmpty = [](Value operand) {
    return llvm::is_contained(cast<ShapedType>(operand.getType()).getShape(),
                              0);
  };
  if (isEmpty(op.getQ()) || isEmpty(op.getK()) || isEmpty(op.getV())) {
    emitEmptyResults(op);
    return success();
  }
  return ScheduleBuilder(op, options).build();
}
