//===- Builders.h - Attention from C++ --------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// How a program writes an attention: T5's encoder, for example, is
//
//   AttentionBuilder attention(b, loc, q, k, v);
//   ScoreBuilder &score = attention.score();
//   auto buckets = T5Attr::get(b.getContext(), 32, 128,
//                              BucketDirection::Bidirectional);
//   Value row = score.tableRow(buckets, score.delta());
//   Value bias = score.lookup(table, {row, score.head()});
//   Value o = attention.create(score.add(score.score(), bias)).getResult();
//
// A score region is straight-line code, and a ScoreBuilder is a builder: what
// it has no method for is written by the ops of arith and math themselves, such
// as
//
//   Value keep = arith::CmpIOp::create(score, arith::CmpIPredicate::sle,
//                                      score.key(), score.position(past));
//
// Values of the surrounding program, `table` and `past` above, are used as if
// they stood in the region; the op gets them as captures. Whatever is written,
// the op that comes out is one for the verifier, which says what is wrong:
// types and shapes are not asked for here. Only null stands for no value, and
// only where that is said.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_BUILDERS_H
#define POSENC_BUILDERS_H

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::posenc {

//===----------------------------------------------------------------------===//
// Score regions
//===----------------------------------------------------------------------===//

/// A score region, and what stands in it for values of the program around it.
class ScoreRegion {
public:
  /// That of a posenc.score_mod or posenc.attention.
  explicit ScoreRegion(Operation *op);
  /// An empty one of an op that comes later. `region` has no block yet.
  ScoreRegion(Region &region, Location loc);
  /// Of a new score_mod with an empty region that has no terminator.
  static ScoreRegion createScoreMod(OpBuilder &builder, Location loc, Value s);

  /// Null if the op comes later.
  Operation *getOp() { return op; }
  Block *getBlock() { return block; }
  Value score() { return block->getArgument(0); }
  Value batch() { return block->getArgument(1); }
  Value head() { return block->getArgument(2); }
  Value row() { return block->getArgument(3); }
  Value key() { return block->getArgument(4); }
  /// What stands for an outer value inside the region.
  Value capture(Value outer);
  /// Captures all outer values that ops of the region use.
  void captureAll();
  /// The outer values, in the order of the region's arguments.
  SmallVector<Value> getCaptures();
  /// Drops ops and captures that nothing uses.
  void simplify();

private:
  void setCaptures(ArrayRef<Value> values);

  Operation *op = nullptr;
  Block *block;
  SmallVector<Value> pending; // the captures of an op that comes later
  DenseMap<Value, Value> captures;
};

/// Writes ops of a score region, which it must not outlive.
class ScoreBuilder : public ImplicitLocOpBuilder {
public:
  /// One at the end of the region, whose ops no listener hears of.
  ScoreBuilder(ScoreRegion &region, Location loc);
  /// One that stands where another builder does, with its listener.
  ScoreBuilder(ScoreRegion &region, const ImplicitLocOpBuilder &b)
      : ImplicitLocOpBuilder(b), region(&region) {}

  // The pair: the unscaled product of its rows, f32, and its place, index.
  Value score() { return region->score(); }
  Value batch() { return region->batch(); }
  Value head() { return region->head(); }
  Value row() { return region->row(); }
  Value key() { return region->key(); }

  /// What stands for an outer value. To use the value itself is enough; this
  /// says which captures come first.
  Value capture(Value outer) { return region->capture(outer); }

  /// Where the query row stands: row + from. `from` is the position of row 0,
  /// an index or a table [B] of integers; null: 0.
  Value position(Value from = {});
  /// Key minus position.
  Value delta(Value from = {});
  /// Position minus key.
  Value lag(Value from = {});
  /// The one or the other.
  Value distance(Relation of, Value from = {}) {
    return of == Relation::Lag ? lag(from) : delta(from);
  }

  /// posenc.row.
  Value tableRow(RowMapAttr map, ValueRange x);
  /// posenc.lookup. `otherwise` is its `else`: a FloatAttr of f64, an
  /// IntegerAttr of i64 or a BoolAttr, as the table asks for; null: none.
  Value lookup(Value table, ValueRange indices, Attribute otherwise = {});
  /// posenc.dot. `otherwise` is its `else`, of f64; null: none.
  Value dot(Value x, ValueRange xIndices, Value y, ValueRange yIndices,
            FloatAttr otherwise = {});
  /// posenc.mlp. The bias of a layer may be null.
  Value mlp(Activation activation, ValueRange x, Value output,
            ArrayRef<MlpOp::Layer> layers);
  /// posenc.row_scan.
  Value rowScan(Value x);

  // Of floats or of integers, as `x` is.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// An f32.
  Value constant(double value);
  Value constantIndex(int64_t value);

private:
  ScoreRegion *region;
};

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// A rotation clause, word for word: RotationBuilder(rope).from(past).
class RotationBuilder {
public:
  explicit RotationBuilder(RopeAttr rope) { rotation.rope = rope; }
  /// Of all channels, with frequencies base^(-2m/D), scaled unless `scaling` is
  /// null. The base is above 1: RopeAttr::getChecked is for what may not be.
  RotationBuilder(MLIRContext *context, RopeLayout layout, double base,
                  RopeScalingAttr scaling = {});

  /// Row r stands at position + r: an index, or [B], one per batch.
  RotationBuilder &from(Value position);
  /// Each row has its own position: [B, L], [1, L], or with sections
  /// [axes, B, L]. What has one dimension is a `from`.
  RotationBuilder &at(Value positions) { return from(positions); }
  RotationBuilder &length(Value length);
  RotationBuilder &freqs(Value freqs);
  RotationBuilder &cosSin(Value cos, Value sin);

  operator Rotation() const { return rotation; }

private:
  Rotation rotation;
};

/// Builds one posenc.attention. The op is created where the builder stands when
/// `create` is called; until then nothing changes but the region, which belongs
/// to this. Methods are named as the clauses of the op.
class AttentionBuilder {
public:
  /// q [B,H,N,D], k [B,Hkv,M,D], v [B,Hkv,M,Dv]: tensors or memrefs.
  AttentionBuilder(OpBuilder &builder, Location loc, Value q, Value k, Value v);
  AttentionBuilder(const AttentionBuilder &) = delete;

  /// What writes the score region.
  ScoreBuilder &score() { return scoreBuilder; }

  AttentionBuilder &rotateQueries(const Rotation &rotation);
  AttentionBuilder &rotateKeys(const Rotation &rotation);
  /// Adds a value table, and the row of it that the pair takes.
  AttentionBuilder &valueTable(Value table, Value row);
  /// Null: none, as without the call.
  AttentionBuilder &sink(Value sink);
  /// Where the output goes, and the log-sum-exp unless it is null. Memrefs need
  /// it; tensors then have results of these types.
  AttentionBuilder &into(Value out, Value lse = {});
  /// Asks for the log-sum-exp as a result.
  AttentionBuilder &lse();
  /// The types of the results on tensors; `lse` null: no log-sum-exp. By
  /// default the output is [B,H,N,Dv] of the values' elements.
  AttentionBuilder &resultTypes(Type output, Type lse = {});

  /// Creates the op, whose region yields these; `keep` null: every pair is
  /// kept. The builder's listener hears of the op and of those in its region.
  /// To be called once.
  AttentionOp create(Value score, Value keep = {});

private:
  OpBuilder &builder;
  Location loc;
  Value q, k, v, out, lseOut, sinkValue;
  Type outputType, lseType;
  Rotation queryRotation, keyRotation;
  SmallVector<Value> tables, tableRows;
  Region body;
  ScoreRegion region;
  ScoreBuilder scoreBuilder;
};

} // namespace mlir::posenc

#endif // POSENC_BUILDERS_H
