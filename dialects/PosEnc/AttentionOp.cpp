//===- AttentionOp.cpp - posenc.attention -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// q(..) (rotate ..)? k(..) (rotate ..)? v(..) (value_tables(..))? (sink(..))?
//     (into(..))? (with(..))? score(..) {..} attr-dict (-> types)?
ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &state) {
  Clause q, k, v, into, tables, sink, captures;
  RotationClause queryRotation, keyRotation;
  auto parseRotated = [&](StringRef keyword, Clause &rows,
                          RotationClause &rotation) -> ParseResult {
    if (parser.parseKeyword(keyword) || rows.parse(parser))
      return failure();
    return succeeded(parser.parseOptionalKeyword("rotate"))
               ? rotation.parse(parser)
               : success();
  };
  Region *region = state.addRegion();
  if (parseRotated("q", q, queryRotation) ||
      parseRotated("k", k, keyRotation) || parser.parseKeyword("v") ||
      v.parse(parser) || tables.parseOptional(parser, "value_tables") ||
      sink.parseOptional(parser, "sink") ||
      into.parseOptional(parser, "into") ||
      parseCapturesAndRegion(parser, "value_tables, sink, into and with",
                             captures, *region) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();

  auto expectCount = [&](StringRef name, const Clause &clause, int32_t least,
                         int32_t most) -> ParseResult {
    if (clause.size() >= least && clause.size() <= most)
      return success();
    return parser.emitError(clause.loc)
           << "'" << name << "' takes "
           << (least == most ? "one" : "one or two")
           << (most > 1 ? " operands" : " operand");
  };
  if (expectCount("q", q, 1, 1) || expectCount("k", k, 1, 1) ||
      expectCount("v", v, 1, 1) ||
      (sink.loc.isValid() && expectCount("sink", sink, 1, 1)) ||
      (into.loc.isValid() && expectCount("into", into, 1, 2)))
    return failure();

  SmallVector<Type> results;
  SMLoc loc = parser.getCurrentLocation();
  if (into.size() == 0 ? parser.parseArrowTypeList(results)
                       : parser.parseOptionalArrowTypeList(results))
    return failure();
  if (into.size() == 0 && (results.empty() || results.size() > 2))
    return parser.emitError(loc, "expected the type of the output, or of the "
                                 "output and its log-sum-exp");
  // Destinations have the types of the results, which need not be repeated.
  if (into.size() != 0 && results.empty())
    for (Type type : into.types)
      if (isa<RankedTensorType>(type))
        results.push_back(type);
  state.addTypes(results);

  if (q.resolve(parser, state) || k.resolve(parser, state) ||
      v.resolve(parser, state) || into.resolve(parser, state) ||
      queryRotation.resolve(parser, state) ||
      keyRotation.resolve(parser, state) || tables.resolve(parser, state) ||
      sink.resolve(parser, state) || captures.resolve(parser, state))
    return failure();
  SmallVector<int32_t> segments{1, 1, 1, into.size() > 0, into.size() > 1};
  queryRotation.appendSegments(segments);
  keyRotation.appendSegments(segments);
  segments.append({tables.size(), sink.size(), captures.size()});
  auto &properties = state.getOrAddProperties<Properties>();
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.resultSegmentSizes = {results.size() > 0, results.size() > 1};
  properties.qRope = queryRotation.rope;
  properties.kRope = keyRotation.rope;
  return success();
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printClause(printer, " q", getQ());
  if (Rotation rotation = getQueryRotation()) {
    printer << " rotate";
    printRotation(printer, rotation);
  }
  printClause(printer, " k", getK());
  if (Rotation rotation = getKeyRotation()) {
    printer << " rotate";
    printRotation(printer, rotation);
  }
  printClause(printer, " v", getV());
  auto printLine = [&](StringRef keyword, ValueRange operands) {
    if (operands.empty())
      return;
    printer.printNewline();
    printClause(printer, ("    " + keyword).str(), operands);
  };
  printLine("value_tables", getValueTables());
  if (getSink())
    printLine("sink", getSink());
  SmallVector<Value> into;
  if (getOut())
    into.push_back(getOut());
  if (getLse())
    into.push_back(getLse());
  printLine("into", into);
  printCapturesAndRegion(printer, getCaptures(), getScore());
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  if (into.empty())
    printer.printArrowTypeList((*this)->getResultTypes());
}

void AttentionOp::getAsmBlockArgumentNames(Region &region,
                                           OpAsmSetValueNameFn setName) {
  nameScoreArguments(region, setName);
}

Rotation AttentionOp::getQueryRotation() {
  return {getQRopeAttr(), getQPosition(), getQLength(),
          getQFreqs(),    getQCos(),      getQSin()};
}
Rotation AttentionOp::getKeyRotation() {
  return {getKRopeAttr(), getKPosition(), getKLength(),
          getKFreqs(),    getKCos(),      getKSin()};
}

static void assignOptional(MutableOperandRange range, Value value) {
  value ? range.assign(value) : range.clear();
}
void AttentionOp::setQueryRotation(const Rotation &rotation) {
  setQRopeAttr(rotation.rope);
  assignOptional(getQPositionMutable(), rotation.position);
  assignOptional(getQLengthMutable(), rotation.length);
  assignOptional(getQFreqsMutable(), rotation.freqs);
  assignOptional(getQCosMutable(), rotation.cos);
  assignOptional(getQSinMutable(), rotation.sin);
}
void AttentionOp::setKeyRotation(const Rotation &rotation) {
  setKRopeAttr(rotation.rope);
  assignOptional(getKPositionMutable(), rotation.position);
  assignOptional(getKLengthMutable(), rotation.length);
  assignOptional(getKFreqsMutable(), rotation.freqs);
  assignOptional(getKCosMutable(), rotation.cos);
  assignOptional(getKSinMutable(), rotation.sin);
}

YieldOp AttentionOp::getYield() {
  return cast<YieldOp>(getScore().front().getTerminator());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyRequired(*this, {0, 1, 2})))
    return failure();
  auto q = cast<ShapedType>(getQ().getType());
  auto k = cast<ShapedType>(getK().getType());
  auto v = cast<ShapedType>(getV().getType());
  // attention_c12, attention_c13: what stands where.
  bool onTensors = isTensor(getQ());
  for (Value operand : {getK(), getV(), getOut(), getLse()})
    if (operand && isTensor(operand) != onTensors)
      return emitOpError("attention_c12: q, k, v and into must be all tensors "
                         "or all memrefs");
  if (getLse() && !getOut())
    return emitOpError("attention_c13: a log-sum-exp's destination comes "
                       "beside that of the output");
  if (getLseResult() && !getResult())
    return emitOpError("attention_c13: a log-sum-exp comes beside an output");
  if (!onTensors && (!getOut() || getNumResults() != 0))
    return emitOpError("attention_c13: on memrefs the op takes its "
                       "destination by 'into' and has no results");
  if (onTensors && !getResult())
    return emitOpError("attention_c13: on tensors the op has a result");
  if (onTensors && getOut() &&
      (getOut().getType() != getResult().getType() ||
       !getLse() != !getLseResult() ||
       (getLse() && getLse().getType() != getLseResult().getType())))
    return emitOpError("attention_c13: the results must have the types of "
                       "their destinations");

  auto out = cast<ShapedType>((getOut() ? getOut() : getResult()).getType());
  for (ShapedType type : {q, k, v, out})
    if (type.getRank() != 4)
      return emitOpError("attention_c1: q, k, v and out must have four "
                         "dimensions, but one is ")
             << type;
  auto agree = [](ShapedType a, int i, ShapedType b, int j) {
    return mayAgree(a.getDimSize(i), b.getDimSize(j));
  };
  // Pairwise: what is dynamic in one may be static in two others.
  if (!agree(q, 0, k, 0) || !agree(q, 0, v, 0) || !agree(q, 0, out, 0) ||
      !agree(k, 0, v, 0) || !agree(k, 0, out, 0) || !agree(v, 0, out, 0) ||
      !agree(k, 1, v, 1) || !agree(q, 1, out, 1) || !agree(q, 2, out, 2) ||
      !agree(k, 2, v, 2))
    return emitOpError("attention_c2: expected q [B,H,N,D], k [B,Hkv,M,D], v "
                       "[B,Hkv,M,Dv] and out [B,H,N,Dv], but got ")
           << q << ", " << k << ", " << v << " and " << out;
  for (auto [name, a, b] : {std::tuple("D of q and k", q, k),
                            std::tuple("Dv of v and out", v, out)})
    if (a.isDynamicDim(3) || a.getDimSize(3) != b.getDimSize(3) ||
        a.getDimSize(3) == 0)
      return emitOpError("attention_c3: ")
             << name << " must be static, agree and be at least 1";
  for (ShapedType queries : {q, out})
    for (ShapedType keys : {k, v})
      if (!mayGroup(queries.getDimSize(1), keys.getDimSize(1)))
        return emitOpError("attention_c4: H = ")
               << queries.getDimSize(1)
               << " must be a multiple of Hkv = " << keys.getDimSize(1);

  for (Value table : getValueTables()) {
    auto type = cast<ShapedType>(table.getType());
    if (type.getRank() < 2 || type.getRank() > 3 ||
        type.getShape().back() != v.getDimSize(3) ||
        (type.getRank() == 3 && !agree(type, 0, q, 1)))
      return emitOpError("attention_c5: expected a value table [C,Dv] or "
                         "[H,C,Dv], but got ")
             << type;
  }
  if (getSink()) {
    auto type = cast<ShapedType>(getSink().getType());
    if (type.getRank() != 1 || !agree(type, 0, q, 1))
      return emitOpError("attention_c6: expected a sink [H], but got ") << type;
  }
  if (Value lse = getLse() ? getLse() : getLseResult()) {
    auto type = cast<ShapedType>(lse.getType());
    if (type.getRank() != 3 || !type.getElementType().isF32() ||
        !agree(type, 0, q, 0) || !agree(type, 1, q, 1) ||
        !agree(type, 2, q, 2) || !agree(type, 0, out, 0) ||
        !agree(type, 1, out, 1) || !agree(type, 2, out, 2))
      return emitOpError("attention_c7: expected a log-sum-exp [B,H,N] of f32, "
                         "but got ")
             << type;
  }

  for (auto [rotation, rows] :
       {std::pair(getQueryRotation(), q), std::pair(getKeyRotation(), k)}) {
    if (rotation && failed(verifyRotation(*this, rotation, rows)))
      return failure();
    if (!rotation && (rotation.position || rotation.length || rotation.freqs ||
                      rotation.cos || rotation.sin))
      return emitOpError("rotate_c1: operands of a rotation without its rope");
  }
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  return verifyScoreRegion(*this, "attention", getScore(), getCaptures(),
                           getValueTables().size());
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  llvm::SmallPtrSet<OpOperand *, 2> written;
  for (OpOperand &operand : getOutMutable())
    written.insert(&operand);
  for (OpOperand &operand : getLseMutable())
    written.insert(&operand);
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (written.contains(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  populateScoreRegionCanonicalization<AttentionOp>(patterns);
}
