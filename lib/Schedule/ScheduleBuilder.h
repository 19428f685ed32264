//===- ScheduleBuilder.h - Attention as a schedule --------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Writes the schedule of one attention on memrefs:
//
//   preparations that no batch and no head changes
//   for all heads: preparations by head
//   for waves of items, which are pairs of batch and key head:
//     for all items of the wave: packed keys and values, and what else depends
//       on the batch
//     for all items, their query heads, and tiles of query rows:
//       packed queries, strips, sweep, finish
//
// A wave holds enough tiles to keep threads busy and as few packed keys as
// that allows; its size is a function of the shapes alone.
//
// Few query rows read keys and values where they lie, and are one tile; single
// rows of heads that share their keys are one, too. So that all threads have
// work, its keys are cut into parts, each swept by itself:
//
//     for all items, their query heads, and parts of the keys:
//       packed queries, strips, sweep
//     for all items and their query heads:
//       merge, finish
//
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SCHEDULE_SCHEDULEBUILDER_H
#define LIB_SCHEDULE_SCHEDULEBUILDER_H

#include "ScorePlan.h"
#include "SliceCloner.h"
#include "dialects/PosEncTile/PosEncTile.h"
#include "posenc/Reference/ScalarEmitter.h"
#include "posenc/Schedule/Schedule.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace mlir::posenc::schedule {

/// How often a preparation is made: once, per head, per batch, per item of a
/// wave, per batch and head of a wave.
enum class Scope { Once, Head, Batch, Item, BatchHead };

/// A place in the loops: batch and heads there, and which of a wave's buffers
/// are theirs. Null outside the loops that say so.
struct Site {
  Value batch, keyHead, head;
  Value itemSlot, headSlot;
  Value rowLo, rowHi; // query rows of the tile
  Value member;       // which head of the tile's; null for tiles of one head
  Value part;         // of its keys; null if they are one
};

/// A memref of the schedule, with a leading dimension of the heads, batches,
/// items, or batches and heads that it has a part for.
struct Buffer {
  Value whole;
  Scope scope = Scope::Once;
};

class ScheduleBuilder {
public:
  ScheduleBuilder(AttentionOp op, const ScheduleOptions &options);
  LogicalResult build();

private:
  //===--- Sizes, buffers and loops (ScheduleBuilder.cpp) ---===//
  void emitSizes();
  void emitOperands();
  Value makeInnerContiguous(Value memref, bool isResult);
  Buffer allocate(Scope scope, ArrayRef<OpFoldResult> shape, Type element);
  Value allocateLocal(ArrayRef<OpFoldResult> shape, Type element);
  Value view(const Buffer &buffer, const Site &site);
  /// Element `at` of the leading dimension, which may be dropped.
  Value sliceAt(Value memref, Value at, ArrayRef<unsigned> dropped = {});
  /// A part of a memref, without the dimensions of size 1 that are `dropped`.
  Value slice(Value memref, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> dropped = {});
  void emitPreparations(Scope scope, const Site &site);
  /// Loops over [0, ubs) that may run in any order.
  void emitParallel(ValueRange ubs, function_ref<void(ValueRange)> body);
  void emitWaves();

  //===--- Scalars (Scalars.cpp) ---===//
  Value constant(int64_t value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value least(Value x, Value y);
  Value greatest(Value x, Value y);
  Value clamp(Value x, Value lo, Value hi);
  Value roundDown(Value x, int64_t multiple);
  Value roundUp(Value x, int64_t multiple);
  Value divideUp(Value x, Value y);
  /// An extent of a memref, static if it is.
  OpFoldResult sizeOf(Value memref, unsigned dimension);
  Value toValue(OpFoldResult size);
  /// A uniform value of the region, as it is at a site.
  Value emitScalar(Value value, const Site &site);
  bool readsPair(Value value);
  Value emitCancelled(Value value, const Site &site);
  void mapCancelled(reference::ScalarEmitter &emitter, Value value,
                    const Site &site);
  Value emitForm(const LinearForm &form, const Site &site);
  /// An end of an interval at a site; infinite ends are beyond all distances.
  Value emitBound(const Bound &bound, const Site &site);
  /// The same, but no further than all distances.
  Value emitDistance(const Bound &bound, const Site &site);
  /// A bound of how far the ends of a range of distances are apart.
  Value emitLength(const BoundRange &range);
  Scope scopeOf(bool batch, bool head) const;
  Scope scopeOf(ArrayRef<Value> values) const;
  Scope scopeOf(ArrayRef<LinearTerm> terms) const;
  Scope scopeOf(const Bound &bound) const;
  Scope join(Scope x, Scope y) const;

  //===--- Regions of the schedule's ops (Regions.cpp) ---===//
  using Body = function_ref<SmallVector<Value>(ValueRange arguments)>;
  using Element = std::function<Value(SliceCloner &)>;
  using Ranges = ArrayRef<std::pair<Value, Value>>;
  void emitFill(Value dest, Ranges ranges, Body body);
  /// Fills with `element`, whose integers stand for what `placeOf` says.
  void emitFill(Value dest, Ranges ranges, const Site &site,
                Place (*placeOf)(ValueRange), const Element &element);
  struct PackOptions {
    int64_t channel = 0;
    RopeAttr rope = {};
    Value cos = {}, sin = {};
    bool scaled = false, conditional = false;
  };
  void emitPack(ValueRange sources, Value dest, Value lo, Value hi,
                const PackOptions &options, Body body);
  /// Runs `body` at the start of a new block of `region`.
  void emitRegion(Region &region, TypeRange arguments, Body body);
  Value multiply(Value x, SliceCloner &cloner, const Coefficient &by);
  Value sumTerms(SliceCloner &cloner, ArrayRef<LinearTerm> terms);
  Value emitCoefficient(SliceCloner &cloner, const Coefficient &coefficient);
  Value emitAll(SliceCloner &cloner, ArrayRef<Value> conditions);
  SliceCloner clonerAt(const Site &site, Place place = {});
  SmallVector<Value> cloneIndices(SliceCloner &cloner, const DotSide &side);
  /// The operand that a captured table is, and its form that is packed.
  Value getOperand(Value captured);
  Value getTable(const DotSide &side) {
    return packedOperands.at(getOperand(side.table));
  }

  //===--- Vectors and tiles (Preparations.cpp) ---===//
  using AtSite = std::function<Value(const Site &)>;
  void addTerm(tile::TermUse use, tile::TermKind kind, AtSite table,
               AtSite offset = {}, AtSite factor = {});
  void addVectorTerm(tile::TermUse use, tile::TermKind kind,
                     const Buffer &vector, AtSite offset, AtSite factor);
  AtSite makeRow(Element element);
  void addRow(tile::TermUse use, Element element);
  void addVector(tile::TermUse use, tile::TermKind kind, Scope scope, Value lo,
                 Value size, Place (*placeOf)(ValueRange), Element element,
                 AtSite factor);
  void addKeys(tile::TermUse use, Scope scope, Element element,
               AtSite factor = {});
  void addLags(tile::TermUse use, Scope scope, Element element,
               AtSite factor = {});
  bool isMatrixOfHead(Scope scope);
  void addPairs(tile::TermUse use, Scope scope, Element element, Location loc,
                StringRef what);
  void addTerms(tile::TermUse use, const TermsByExtent &terms);
  AtSite makeFactor(const Coefficient &coefficient, bool halves);
  void prepareMasks();

  //===--- Queries, keys and strips (Tables.cpp) ---===//
  void prepareAngles(const Rotation &rotation, Value rows, Buffer &cos,
                     Buffer &sin);
  Value emitKeyEnd(const Site &site);
  void planHalves();
  bool areHalves(ArrayRef<DotSide> sides);
  int64_t padChannels(int64_t numChannels, bool halves);
  Buffer allocateColumns(Scope scope, OpFoldResult columns, int64_t numChannels,
                         bool halves);
  SmallVector<OpFoldResult> rowsShape(OpFoldResult count, int64_t numChannels,
                                      bool halves);
  Type factorType(bool halves) { return halves ? b.getBF16Type() : f32; }
  Value slicePanels(Value columns, Value first, OpFoldResult count);
  void prepareKeys();
  void packRows(const Site &site, Value dest, PackOptions options,
                ArrayRef<DotSide> sides, const Coefficient &coefficient,
                Value query = {});
  void packQueries(const Site &site, Value dest);
  PackOptions rotate(const Rotation &rotation, const Buffer &cos,
                     const Buffer &sin, const Site &site);
  PackOptions rotateQueries(const Site &site);
  void prepareValues();
  static int64_t getRowLength(Value table);
  std::optional<unsigned> findVaryingIndex(const DotSide &side) const;
  Value emitNearStart(const Site &site);
  Buffer prepareRowNumbers(Value index);
  Buffer
  packTable(const DotSide &side, Scope scope, Value lo, OpFoldResult count,
            bool asColumns, bool halves, const Coefficient &coefficient,
            std::function<SmallVector<Value>(SliceCloner &, Value)> rowOf,
            Place (*placeOf)(ValueRange));
  Buffer prepareTable(const DotSide &side, unsigned at, bool asColumns,
                      bool halves, const Coefficient &coefficient);
  Buffer prepareLagTable(const DotSide &side, bool asColumns, bool halves,
                         const Coefficient &coefficient);
  AtSite prepareStripRows(const StripTerm &strip, bool halves);
  void prepareStrip(const StripTerm &strip);
  void prepareFullStrip(const StripTerm &strip, AtSite tileRows, bool halves,
                        AtSite factor);

  //===--- Products of keys, and value tables (KeyTables.cpp) ---===//
  Buffer prepareKeySide(const DotSide &side, bool halves);
  void prepareSkew(const SkewTerm &skew);
  void prepareFullSkew(const SkewTerm &skew, Buffer keySide, bool halves,
                       const Coefficient &scale, AtSite factor);
  void prepareValueTable(unsigned number, Value row);

  //===--- Of all pairs of a tile's rows, before its sweep (Pairs.cpp) ---===//
  void planGathers();
  void prepareGathers();
  Value emitTileScores(const Site &site);
  void prepareScans();
  Value readTile(Operation *op, SliceCloner &cloner, const Site &site);

  /// What a sweep sums, and the weights of each bucket matrix.
  struct Sums {
    Value m, l, o;
    SmallVector<Value> weights;
  };

  //===--- Few query rows, and parts of their keys (Parts.cpp) ---===//
  void planShortQueries();
  bool mayFoldHeads();
  /// Runs `body` for each head of a tile, with what gives the head's rows of a
  /// buffer of the tile; for all of them at once if they need not be apart.
  using PartOf = function_ref<Value(Value)>;
  void forEachHead(const Site &site,
                   function_ref<void(const Site &, PartOf)> body,
                   bool apart = true);
  /// Whether heads of one tile have parts of their own in a buffer.
  bool differsInTile(const Buffer &buffer) const;
  void emitProduct(const Site &site, Value rows, const Buffer &columns,
                   Value dest, function_ref<Value(Value)> columnsOf = {});
  Value emitNumParts();
  void allocateParts();
  void restrictToPart(const Site &site);
  void emitShortQueries(Value count, function_ref<Site(Value, Value)> siteOf);

  //===--- Score regions and tiles (Tiles.cpp) ---===//
  void planScoreRegion();
  void collectScoreArguments(Value value);
  void prepareScoreArguments();
  SmallVector<Value> emitScoreRegion(const Site &site, ArrayRef<Value> uniforms,
                                     ValueRange arguments);
  void emitTile(const Site &site);
  void emitTileKeys(const Site &site);
  Sums allocateSums();
  void prepareTile(const Site &site);
  void emitSweep(const Site &site, const Sums &sums);
  void emitResults(const Site &site, const Sums &sums);
  void freeLocalBuffers();
  Value emitFirstKey(const Site &site);
  std::pair<Value, Value> emitKeys(const Box &box, const Site &site);
  Value emitVisits(Value n);
  void remark(Location loc, const Twine &text);

  AttentionOp op;
  ScheduleOptions options;
  ImplicitLocOpBuilder b;
  ExtentAnalysis extents;
  ScorePlan plan;
  Type f32, index;
  bool hasFailed = false;                  // after a diagnostic
  DenseMap<Operation *, bool> pairReaders; // see readsPair

  // The operands, with elements of a row side by side.
  Value q, k, v, out;
  SmallVector<Value> valueTables;
  DenseMap<Value, Value> packedOperands; // of captures

  // Sizes. Distances of a tile and a block that holds one of its pairs, and
  // `pad` more on either side, lie in [lagLo, lagLo + lagSize).
  Value batches, heads, keyHeads, group, rows, keys;
  Value wave, lagLo, lagSize;
  int64_t pad;
  int64_t channels, valueChannels;
  OpFoldResult paddedKeys; // keys, as many as whole blocks have

  // The near distances, from nearLo - pad on nearSize of them.
  bool hasNear = false;
  OpFoldResult nearSize;

  struct Preparation {
    Scope scope;
    std::function<void(const Site &)> emit;
  };
  struct Term {
    tile::TermUse use;
    tile::TermKind kind;
    AtSite table, offset, factor;
  };
  struct ValueBuckets {
    tile::BucketKind kind;
    OpFoldResult size;
    Buffer table;
    AtSite offset, tile;
    Value row;
  };
  /// Inner products of a row of the tile and a row of a small table, of which
  /// an index varies by pair: from a product of the tile's rows and the table.
  struct Gather {
    DotSide query, table;
    unsigned at;    // the index that varies
    Value products; // of the tile that is emitted
  };
  std::vector<Gather> gathers;
  DenseMap<Operation *, std::pair<size_t, Value>> gathered; // which, the index
  std::vector<Preparation> preparations;
  /// Made for each tile before its sweep, and for each block [n, n + block).
  std::vector<std::function<void(const Site &)>> tilePreparations;
  std::vector<std::function<void(const Site &, Value n)>> blockPreparations;
  std::vector<Term> terms;
  std::vector<ValueBuckets> buckets;
  /// What the score region needs of the region of the attention: values that
  /// come as arguments, and uniform ones.
  SetVector<Value> scoreArguments, scoreUniforms;
  llvm::SmallPtrSet<Operation *, 16> collectedOps; // on the way to those

  /// Queries, keys and values are packed as bf16, and what the products are
  /// multiplied with is in `scaleOfHalves`.
  bool packsHalves = false;
  AtSite scaleOfHalves;

  /// Few query rows: one tile, which reads the keys where they lie if it can.
  bool isShort = false, keysInPlace = false;
  bool foldsHeads = false; // all heads with the same keys are rows of one tile
  int64_t headRows;        // of a tile's rows, those of one head
  Value numParts;          // null if keys are one part
  /// Rows of the tables that a tile multiplies with or has buckets of.
  SmallVector<OpFoldResult> tileTables;
  Buffer partM, partL, partO;
  SmallVector<Buffer> partWeights;

  // Of the tile that is emitted.
  SmallVector<Value> localBuffers;
  Value packedQueries, tileKeyLo, tileKeyHi;
  std::vector<SmallVector<std::pair<Value, Value>>> unionKeys;
  /// The sums of each posenc.row_scan, [rows, keys].
  DenseMap<Operation *, Value> rowSums;

  Buffer queryCos, querySin, keyCos, keySin;
  Buffer packedKeys, packedValues; // values: null if they are read in place
  int64_t packedChannels;
};

} // namespace mlir::posenc::schedule

#endif // LIB_SCHEDULE_SCHEDULEBUILDER_H
