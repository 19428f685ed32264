//===- UnfusedOps.cpp - The steps of attention as ops on tensors -*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Whether the extents at these places may agree.
static bool agree(ShapedType a, int i, ShapedType b, int j) {
  return mayAgree(a.getDimSize(i), b.getDimSize(j));
}

/// Whether the last dimension is static and at least 1.
static bool hasStaticRows(ShapedType type) {
  return !type.isDynamicDim(type.getRank() - 1) && type.getShape().back() > 0;
}

/// Whether the type is [B,H,N,M] of f32.
static bool isScores(ShapedType type) {
  return type.getRank() == 4 && type.getElementType().isF32();
}

//===----------------------------------------------------------------------===//
// posenc.rotate
//===----------------------------------------------------------------------===//

Rotation RotateOp::getRotation() {
  return {getRopeAttr(), getPosition(), getLength(),
          getFreqs(),    getCos(),      getSin()};
}

ParseResult RotateOp::parse(OpAsmParser &parser, OperationState &state) {
  RotationClause rotation;
  Clause x;
  if (rotation.parse(parser) || parser.parseKeyword("x") || x.parse(parser) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (x.size() != 1)
    return parser.emitError(x.loc, "'x' takes one operand");
  if (rotation.resolve(parser, state) || x.resolve(parser, state))
    return failure();
  SmallVector<int32_t> segments;
  rotation.appendSegments(segments);
  segments.push_back(1);
  auto &properties = state.getOrAddProperties<Properties>();
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.rope = rotation.rope;
  state.addTypes(x.types);
  return success();
}

void RotateOp::print(OpAsmPrinter &printer) {
  printRotation(printer, getRotation());
  printClause(printer, " x", getX());
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
}

LogicalResult RotateOp::verify() {
  if (failed(verifyRequired(*this, {5})))
    return failure();
  auto x = cast<ShapedType>(getX().getType());
  if (x != getType())
    return emitOpError("rotate_c2: the result must have the type of x");
  if (x.getRank() != 4 || !hasStaticRows(x))
    return emitOpError("rotate_c3: expected x [B,H,L,D] with D static, but "
                       "got ")
           << x;
  return verifyRotation(*this, getRotation(), x);
}

//===----------------------------------------------------------------------===//
// posenc.scores, posenc.softmax, posenc.values
//===----------------------------------------------------------------------===//

LogicalResult ScoresOp::verify() {
  auto q = cast<ShapedType>(getQ().getType());
  auto k = cast<ShapedType>(getK().getType());
  auto s = cast<ShapedType>(getS().getType());
  if (q.getRank() != 4 || k.getRank() != 4 || !isScores(s) ||
      !hasStaticRows(q) || q.getDimSize(3) != k.getDimSize(3) ||
      !agree(q, 0, k, 0) || !agree(q, 0, s, 0) || !agree(q, 1, s, 1) ||
      !agree(q, 2, s, 2) || !agree(k, 2, s, 3) ||
      !mayGroup(q.getDimSize(1), k.getDimSize(1)))
    return emitOpError("scores_c1: expected q [B,H,N,D], k [B,Hkv,M,D] and s "
                       "[B,H,N,M] of f32, H a multiple of Hkv, D static, but "
                       "got ")
           << q << ", " << k << " and " << s;
  return success();
}

LogicalResult SoftmaxOp::verify() {
  auto s = cast<ShapedType>(getS().getType());
  if (!isScores(s))
    return emitOpError("softmax_c1: expected scores [B,H,N,M] of f32, but got ")
           << s;
  if (getSink()) {
    auto sink = cast<ShapedType>(getSink().getType());
    if (sink.getRank() != 1 || !agree(sink, 0, s, 1))
      return emitOpError("softmax_c1: expected a sink [H], but got ") << sink;
  }
  if (getLse()) {
    auto lse = cast<ShapedType>(getLse().getType());
    if (lse.getRank() != 3 || !lse.getElementType().isF32() ||
        !agree(lse, 0, s, 0) || !agree(lse, 1, s, 1) || !agree(lse, 2, s, 2))
      return emitOpError("softmax_c1: expected a log-sum-exp [B,H,N] of f32, "
                         "but got ")
             << lse;
  }
  return success();
}

LogicalResult ValuesOp::verify() {
  auto p = cast<ShapedType>(getP().getType());
  auto v = cast<ShapedType>(getV().getType());
  auto o = cast<ShapedType>(getO().getType());
  if (!isScores(p) || v.getRank() != 4 || o.getRank() != 4 ||
      !hasStaticRows(v) || v.getDimSize(3) != o.getDimSize(3) ||
      !agree(p, 0, v, 0) || !agree(p, 0, o, 0) || !agree(p, 1, o, 1) ||
      !agree(p, 2, o, 2) || !agree(p, 3, v, 2) ||
      !mayGroup(p.getDimSize(1), v.getDimSize(1)))
    return emitOpError("values_c1: expected p [B,H,N,M] of f32, v [B,Hkv,M,Dv] "
                       "and o [B,H,N,Dv], H a multiple of Hkv, Dv static, but "
                       "got ")
           << p << ", " << v << " and " << o;
  return success();
}

//===----------------------------------------------------------------------===//
// posenc.score_mod
//===----------------------------------------------------------------------===//

ParseResult ScoreModOp::parse(OpAsmParser &parser, OperationState &state) {
  Clause s, captures;
  Region *region = state.addRegion();
  if (parser.parseKeyword("s") || s.parse(parser) ||
      parseCapturesAndRegion(parser, "with", captures, *region) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (s.size() != 1)
    return parser.emitError(s.loc, "'s' takes one operand");
  state.addTypes(s.types);
  return failure(s.resolve(parser, state) || captures.resolve(parser, state));
}

void ScoreModOp::print(OpAsmPrinter &printer) {
  printClause(printer, " s", getS());
  printCapturesAndRegion(printer, getCaptures(), getScore());
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
}

void ScoreModOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  nameScoreArguments(region, setName);
}

YieldOp ScoreModOp::getYield() {
  return cast<YieldOp>(getScore().front().getTerminator());
}

LogicalResult ScoreModOp::verify() {
  auto s = cast<ShapedType>(getS().getType());
  if (!isScores(s))
    return emitOpError(
               "score_mod_c1: expected scores [B,H,N,M] of f32, but got ")
           << s;
  return success();
}

LogicalResult ScoreModOp::verifyRegions() {
  return verifyScoreRegion(*this, "score_mod", getScore(), getCaptures(),
                           /*numValueTables=*/0);
}

namespace {
/// A region that yields the score it gets changes nothing.
struct DropIdentityScoreMod : OpRewritePattern<ScoreModOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScoreModOp op,
                                PatternRewriter &rewriter) const override {
    YieldOp yield = op.getYield();
    if (yield.getScore() != op.getScore().getArgument(0) || yield.getKeep())
      return rewriter.notifyMatchFailure(op, "the region changes the scores");
    rewriter.replaceOp(op, op.getS());
    return success();
  }
};
} // namespace

void ScoreModOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  populateScoreRegionCanonicalization<ScoreModOp>(patterns);
  patterns.add<DropIdentityScoreMod>(context);
}

//===----------------------------------------------------------------------===//
// posenc.relative_bias, posenc.relative_logits, posenc.relative_values
//===----------------------------------------------------------------------===//

/// relative_c1: the map takes one integer.
static LogicalResult verifyMap(Operation *op, RowMapAttr map) {
  if (map.getNumInputs() != 1)
    return op->emitOpError("relative_c1: expected a map of one integer, but "
                           "this one takes ")
           << map.getNumInputs();
  return success();
}

/// Whether `from` is absent, an index, or integers [B].
static bool isOffset(Value position, int64_t batch) {
  if (!position || isa<IndexType>(position.getType()))
    return true;
  auto type = dyn_cast<ShapedType>(position.getType());
  return type && type.getRank() == 1 && mayAgree(type.getDimSize(0), batch) &&
         type.getElementType().isIntOrIndex() &&
         !type.getElementType().isInteger(1);
}

/// Whether the table is [C,D] or [H,C,D].
static bool isRowTable(ShapedType table, int64_t heads, int64_t channels) {
  return (table.getRank() == 2 || table.getRank() == 3) &&
         table.getShape().back() == channels &&
         (table.getRank() == 2 || mayAgree(table.getDimSize(0), heads));
}

LogicalResult RelativeBiasOp::verify() {
  auto s = cast<ShapedType>(getS().getType());
  auto table = cast<ShapedType>(getTable().getType());
  if (failed(verifyMap(*this, getMap())))
    return failure();
  if (!isScores(s) || table.getRank() != 2 || !agree(table, 1, s, 1) ||
      !isOffset(getPosition(), s.getDimSize(0)))
    return emitOpError("relative_c2: expected s [B,H,N,M] of f32, a table "
                       "[C,H], and from an index or integers [B], but got ")
           << s << " and " << table;
  return success();
}

LogicalResult RelativeLogitsOp::verify() {
  auto s = cast<ShapedType>(getS().getType());
  auto x = cast<ShapedType>(getX().getType());
  auto table = cast<ShapedType>(getTable().getType());
  if (failed(verifyMap(*this, getMap())))
    return failure();
  bool query = getSide() == RowsOf::Query;
  if (!isScores(s) || x.getRank() != 4 || !hasStaticRows(x) ||
      !agree(x, 0, s, 0) || !agree(x, 2, s, query ? 2 : 3) ||
      !(query ? agree(x, 1, s, 1)
              : mayGroup(s.getDimSize(1), x.getDimSize(1))) ||
      !isRowTable(table, s.getDimSize(1), x.getDimSize(3)) ||
      !isOffset(getPosition(), s.getDimSize(0)))
    return emitOpError("relative_c3: expected s [B,H,N,M] of f32, q [B,H,N,D] "
                       "or k [B,Hkv,M,D], a table [C,D] or [H,C,D], and from "
                       "an index or integers [B], but got ")
           << s << ", " << x << " and " << table;
  return success();
}

LogicalResult RelativeValuesOp::verify() {
  auto o = cast<ShapedType>(getO().getType());
  auto p = cast<ShapedType>(getP().getType());
  auto table = cast<ShapedType>(getTable().getType());
  if (failed(verifyMap(*this, getMap())))
    return failure();
  if (!isScores(p) || o.getRank() != 4 || !hasStaticRows(o) ||
      !agree(o, 0, p, 0) || !agree(o, 1, p, 1) || !agree(o, 2, p, 2) ||
      !isRowTable(table, p.getDimSize(1), o.getDimSize(3)) ||
      !isOffset(getPosition(), p.getDimSize(0)))
    return emitOpError("relative_c4: expected o [B,H,N,Dv], p [B,H,N,M] of "
                       "f32, a table [C,Dv] or [H,C,Dv], and from an index or "
                       "integers [B], but got ")
           << o << ", " << p << " and " << table;
  return success();
}
