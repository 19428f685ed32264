//===- SweepOp.cpp - The sweep of a tile over its keys -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "dialects/PosEncTile/PosEncTile.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::tile;

//===----------------------------------------------------------------------===//
// Terms and buckets
//===----------------------------------------------------------------------===//

SmallVector<SweepOp::Term> SweepOp::getTermList() {
  SmallVector<Term> list;
  auto offsets = getTermOffsets().begin();
  auto factors = getTermFactors().begin();
  for (auto [attr, table] : llvm::zip(getTermKinds(), getTerms())) {
    auto term = cast<TermAttr>(attr);
    list.push_back({term.getUse(), term.getKind(), table,
                    hasOffset(term.getKind()) ? *offsets++ : Value(),
                    term.getFactor() ? *factors++ : Value()});
  }
  return list;
}

SmallVector<SweepOp::Bucket> SweepOp::getBucketList() {
  SmallVector<Bucket> list;
  auto offsets = getBucketOffsets().begin();
  auto tiles = getBucketTiles().begin();
  for (auto [attr, weights] : llvm::zip(getBucketKinds(), getBuckets())) {
    BucketKind kind = cast<BucketAttr>(attr).getKind();
    list.push_back({kind, weights,
                    kind == BucketKind::Lag ? *offsets++ : Value(),
                    kind == BucketKind::Tile ? *tiles++ : Value()});
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
using Operand = OpAsmParser::UnresolvedOperand;

/// Operands with their types, in the order of the op's.
struct TypedOperands {
  SmallVector<Operand> names;
  SmallVector<Type> types;

  /// `%x : type`
  ParseResult parse(OpAsmParser &parser) {
    return failure(parser.parseOperand(names.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  }
  /// `keyword(%x : type)`
  ParseResult parseClause(OpAsmParser &parser, StringRef keyword) {
    return failure(parser.parseKeyword(keyword) || parser.parseLParen() ||
                   parse(parser) || parser.parseRParen());
  }
  ParseResult resolve(OpAsmParser &parser, OperationState &state) {
    return parser.resolveOperands(names, types, parser.getCurrentLocation(),
                                  state.operands);
  }
};
} // namespace

template <typename Enum>
static ParseResult parseWord(OpAsmParser &parser, Enum &value,
                             std::optional<Enum> (*symbolize)(StringRef)) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> found = symbolize(word);
  if (!found)
    return parser.emitError(loc, "unknown word '") << word << "'";
  value = *found;
  return success();
}

ParseResult SweepOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &b = parser.getBuilder();
  Type index = b.getIndexType();
  TypedOperands matrices, scale, terms, factors, buckets, bucketTiles, sums;
  SmallVector<Operand> rows, queryRow, keys, keep, near, termOffsets,
      bucketOffsets;
  SmallVector<Attribute> termKinds, bucketKinds;

  auto parseRange = [&](SmallVector<Operand> &ends) -> ParseResult {
    return failure(parser.parseOperand(ends.emplace_back()) ||
                   parser.parseKeyword("to") ||
                   parser.parseOperand(ends.emplace_back()));
  };
  auto parseOffset = [&](SmallVector<Operand> &offsets) -> ParseResult {
    return failure(parser.parseLSquare() ||
                   parser.parseOperand(offsets.emplace_back()) ||
                   parser.parseRSquare());
  };
  auto parseTerm = [&]() -> ParseResult {
    TermUse use = TermUse::All;
    TermKind kind = TermKind::Row;
    if (parseWord(parser, use, symbolizeTermUse) ||
        parseWord(parser, kind, symbolizeTermKind) ||
        parser.parseOperand(terms.names.emplace_back()) ||
        (hasOffset(kind) && parseOffset(termOffsets)))
      return failure();
    bool factor = succeeded(parser.parseOptionalStar());
    if (factor && parser.parseOperand(factors.names.emplace_back()))
      return failure();
    if (parser.parseColonType(terms.types.emplace_back()) ||
        (factor && (parser.parseComma() ||
                    parser.parseType(factors.types.emplace_back()))))
      return failure();
    termKinds.push_back(TermAttr::get(b.getContext(), use, kind, factor));
    return success();
  };
  auto parseBucket = [&]() -> ParseResult {
    BucketKind kind = BucketKind::Lag;
    if (parseWord(parser, kind, symbolizeBucketKind) ||
        parser.parseOperand(buckets.names.emplace_back()) ||
        (kind == BucketKind::Lag && parseOffset(bucketOffsets)) ||
        parser.parseColonType(buckets.types.emplace_back()) ||
        (kind == BucketKind::Tile &&
         (parser.parseKeyword("by") || bucketTiles.parse(parser))))
      return failure();
    bucketKinds.push_back(BucketAttr::get(b.getContext(), kind));
    return success();
  };
  auto parseList = [&](StringRef keyword, auto parseElement) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                          parseElement);
  };

  int64_t block;
  if (matrices.parseClause(parser, "q") || matrices.parseClause(parser, "k") ||
      matrices.parseClause(parser, "v") ||
      (succeeded(parser.parseOptionalKeyword("scale")) &&
       (parser.parseLParen() || scale.parse(parser) || parser.parseRParen())) ||
      parser.parseKeyword("rows") || parser.parseLParen() || parseRange(rows) ||
      (succeeded(parser.parseOptionalKeyword("all")) &&
       parser.parseOperand(queryRow.emplace_back())) ||
      parser.parseRParen() || parser.parseKeyword("keys") ||
      parser.parseLParen() || parseRange(keys) ||
      parser.parseKeyword("first") ||
      parser.parseOperand(keys.emplace_back()) || parser.parseRParen() ||
      parser.parseKeyword("block") || parser.parseLParen() ||
      parser.parseInteger(block) || parser.parseRParen())
    return failure();
  for (auto [keyword, ends] : {std::pair("keep", &keep), {"near", &near}})
    if (succeeded(parser.parseOptionalKeyword(keyword)))
      if (parser.parseLParen() || parseRange(*ends) || parser.parseRParen())
        return failure();
  if (parseList("terms", parseTerm) || parseList("buckets", parseBucket) ||
      parser.parseKeyword("into") || parser.parseLParen() ||
      sums.parse(parser) || parser.parseComma() || sums.parse(parser) ||
      parser.parseComma() || sums.parse(parser) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();

  // The types of a region's arguments follow from their number.
  auto parseRegion = [&](StringRef keyword, Region &region) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
      return failure();
    bool score = keyword == "score", yields = keyword != "each_block";
    for (auto [i, argument] : llvm::enumerate(arguments))
      argument.type = score && i != 1 && i != 2 ? b.getF32Type() : index;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseRegion(region, arguments))
      return failure();
    if (region.empty())
      return parser.emitError(loc, "expected a region with arguments");
    // A yield of nothing need not be written.
    Block &last = region.back();
    if (!yields &&
        (last.empty() || !last.back().hasTrait<OpTrait::IsTerminator>())) {
      OpBuilder builder(b.getContext());
      builder.setInsertionPointToEnd(&last);
      tile::YieldOp::create(builder, parser.getEncodedSourceLoc(loc));
    }
    return success();
  };
  for (StringRef keyword : {"visits", "each_block", "score"})
    if (parseRegion(keyword, *state.addRegion()))
      return failure();

  auto resolveIndices = [&](ArrayRef<Operand> names) -> ParseResult {
    return parser.resolveOperands(names, index, state.operands);
  };
  if (matrices.resolve(parser, state) || scale.resolve(parser, state) ||
      resolveIndices(rows) || resolveIndices(queryRow) ||
      resolveIndices(keys) || resolveIndices(keep) || resolveIndices(near) ||
      terms.resolve(parser, state) || resolveIndices(termOffsets) ||
      factors.resolve(parser, state) || buckets.resolve(parser, state) ||
      resolveIndices(bucketOffsets) || bucketTiles.resolve(parser, state) ||
      sums.resolve(parser, state))
    return failure();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.termKinds = b.getArrayAttr(termKinds);
  properties.bucketKinds = b.getArrayAttr(bucketKinds);
  properties.block = b.getI64IntegerAttr(block);
  int32_t hasKeep = !keep.empty(), hasNear = !near.empty();
  llvm::copy(ArrayRef<int32_t>{1,
                               1,
                               1,
                               int32_t(scale.names.size()),
                               1,
                               1,
                               int32_t(queryRow.size()),
                               1,
                               1,
                               1,
                               hasKeep,
                               hasKeep,
                               hasNear,
                               hasNear,
                               int32_t(terms.names.size()),
                               int32_t(termOffsets.size()),
                               int32_t(factors.names.size()),
                               int32_t(buckets.names.size()),
                               int32_t(bucketOffsets.size()),
                               int32_t(bucketTiles.names.size()),
                               1,
                               1,
                               1},
             properties.operandSegmentSizes.begin());
  return success();
}

void SweepOp::print(OpAsmPrinter &printer) {
  auto clause = [&](StringRef keyword, Value value) {
    printer << ' ' << keyword << '(' << value << " : " << value.getType()
            << ')';
  };
  clause("q", getQ());
  clause("k", getK());
  clause("v", getV());
  if (getScale())
    clause("scale", getScale());
  printer << " rows(" << getRowLo() << " to " << getRowHi();
  if (getQueryRow())
    printer << " all " << getQueryRow();
  printer << ") keys(" << getKeyLo() << " to " << getKeyHi() << " first "
          << getFirst() << ") block(" << getBlock() << ')';
  if (getKeepLo())
    printer << " keep(" << getKeepLo() << " to " << getKeepHi() << ')';
  if (getNearLo())
    printer << " near(" << getNearLo() << " to " << getNearHi() << ')';
  if (!getTerms().empty()) {
    printer << " terms(";
    llvm::interleaveComma(getTermList(), printer, [&](const Term &term) {
      printer << stringifyTermUse(term.use) << ' '
              << stringifyTermKind(term.kind) << ' ' << term.table;
      if (term.offset)
        printer << '[' << term.offset << ']';
      if (term.factor)
        printer << " * " << term.factor;
      printer << " : " << term.table.getType();
      if (term.factor)
        printer << ", " << term.factor.getType();
    });
    printer << ')';
  }
  if (!getBuckets().empty()) {
    printer << " buckets(";
    llvm::interleaveComma(getBucketList(), printer, [&](const Bucket &bucket) {
      printer << stringifyBucketKind(bucket.kind) << ' ' << bucket.weights;
      if (bucket.offset)
        printer << '[' << bucket.offset << ']';
      printer << " : " << bucket.weights.getType();
      if (bucket.tile)
        printer << " by " << bucket.tile << " : " << bucket.tile.getType();
    });
    printer << ')';
  }
  printer << " into(";
  llvm::interleaveComma(
      ArrayRef<Value>{getM(), getL(), getO()}, printer,
      [&](Value sum) { printer << sum << " : " << sum.getType(); });
  printer << ')';
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"termKinds", "bucketKinds", "block", "operandSegmentSizes"});
  for (auto [keyword, region] : {std::pair("visits", &getVisits()),
                                 {"each_block", &getEachBlock()},
                                 {"score", &getScore()}}) {
    if (region->empty())
      continue;
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(region->getArguments(), printer, [&](Value argument) {
      printer.printOperand(argument);
    });
    printer << ") ";
    Operation *yield = region->front().getTerminator();
    printer.printRegion(*region, /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/yield->getNumOperands() ||
                            !yield->getAttrs().empty());
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static int64_t getSize(Value memref, unsigned dimension) {
  return cast<MemRefType>(memref.getType()).getDimSize(dimension);
}

static LogicalResult verifyTerms(SweepOp op) {
  unsigned numOffsets = 0, numFactors = 0;
  for (auto [attr, table] : llvm::zip(op.getTermKinds(), op.getTerms())) {
    auto term = cast<TermAttr>(attr);
    numOffsets += hasOffset(term.getKind());
    numFactors += term.getFactor();
    bool matrix = term.getKind() == TermKind::Strip ||
                  term.getKind() == TermKind::Tile ||
                  term.getKind() == TermKind::Pair;
    if (cast<MemRefType>(table.getType()).getRank() != (matrix ? 2 : 1))
      return op.emitOpError("sweep_c2: a ")
             << stringifyTermKind(term.getKind()) << " term has "
             << (matrix ? 2 : 1) << " dimensions, but got " << table.getType();
    if ((term.getUse() == TermUse::Left || term.getUse() == TermUse::Right) &&
        !op.getNearLo())
      return op.emitOpError("sweep_c3: ")
             << stringifyTermUse(term.getUse()) << " terms need near";
    if (term.getKind() == TermKind::Tile && op.getEachBlock().empty())
      return op.emitOpError("sweep_c4: tile terms need each_block");
  }
  if (op.getTermKinds().size() != op.getTerms().size() ||
      numOffsets != op.getTermOffsets().size() ||
      numFactors != op.getTermFactors().size())
    return op.emitOpError("sweep_c2: expected a kind for each term, and the "
                          "offsets and factors that the kinds ask for");
  return success();
}

static LogicalResult verifyBuckets(SweepOp op) {
  unsigned numOffsets = 0, numTiles = 0;
  for (Attribute attr : op.getBucketKinds()) {
    BucketKind kind = cast<BucketAttr>(attr).getKind();
    numOffsets += kind == BucketKind::Lag;
    numTiles += kind == BucketKind::Tile;
    if (kind == BucketKind::Tile && op.getEachBlock().empty())
      return op.emitOpError("sweep_c4: buckets by tile need each_block");
  }
  if (op.getBucketKinds().size() != op.getBuckets().size() ||
      numOffsets != op.getBucketOffsets().size() ||
      numTiles != op.getBucketTiles().size())
    return op.emitOpError("sweep_c2: expected a kind for each bucket matrix, "
                          "and the offsets and tiles that the kinds ask for");
  return success();
}

static LogicalResult verifyBodies(SweepOp op) {
  MLIRContext *context = op.getContext();
  Type index = IndexType::get(context), f32 = Float32Type::get(context);
  SmallVector<Type> arguments{f32, index, index};
  for (Attribute attr : op.getTermKinds())
    if (cast<TermAttr>(attr).getUse() == TermUse::Score)
      arguments.push_back(f32);
  unsigned numScoreBuckets = llvm::count_if(op.getBucketKinds(), [](auto attr) {
    return cast<BucketAttr>(attr).getKind() == BucketKind::Score;
  });
  if (op.getScore().empty()) {
    if (arguments.size() > 3 || numScoreBuckets)
      return op.emitOpError("sweep_c5: terms and buckets of score need it");
  } else {
    SmallVector<Type> results{f32, IntegerType::get(context, 1)};
    results.append(numScoreBuckets, index);
    auto yield = dyn_cast<tile::YieldOp>(op.getScore().front().getTerminator());
    if (op.getScore().getArgumentTypes() != TypeRange(arguments) || !yield ||
        TypeRange(yield.getResults()) != TypeRange(results))
      return op.emitOpError("sweep_c5: expected score to take ")
             << arguments << " and to yield " << results;
  }
  auto takesBlock = [&](Region &region, TypeRange results) {
    auto yield = dyn_cast<tile::YieldOp>(region.front().getTerminator());
    return region.getArgumentTypes() == TypeRange(index) && yield &&
           TypeRange(yield.getResults()) == results;
  };
  if (!op.getVisits().empty() &&
      !takesBlock(op.getVisits(), IntegerType::get(context, 1)))
    return op.emitOpError(
        "sweep_c5: expected visits to take an index and to yield i1");
  if (!op.getEachBlock().empty() && !takesBlock(op.getEachBlock(), TypeRange()))
    return op.emitOpError(
        "sweep_c5: expected each_block to take an index and to yield nothing");
  return success();
}

/// The types of the factors, and the widths of their panels.
static LogicalResult verifyFactors(SweepOp op) {
  auto q = cast<MemRefType>(op.getQ().getType());
  auto k = cast<MemRefType>(op.getK().getType());
  auto v = cast<MemRefType>(op.getV().getType());
  int64_t channels = getPackedChannels(op.getK());
  int64_t valueChannels = getSize(op.getO(), 1);
  bool hasValues = op.hasPackedValues()
                       ? v.getDimSize(1) >= valueChannels
                       : mayAgree(v.getDimSize(1), valueChannels);
  if (!mayAgree(getSize(op.getQ(), 1), channels) || !hasValues ||
      !mayAgree(getSize(op.getM(), 0), getSize(op.getL(), 0)) ||
      !mayAgree(getSize(op.getM(), 0), getSize(op.getO(), 0)) ||
      ShapedType::isDynamic(getSize(op.getQ(), 1)) ||
      ShapedType::isDynamic(getSize(op.getO(), 1)))
    return op.emitOpError("sweep_c1: expected q and k of the same static "
                          "channels, v and o too, and m, l and o of the same "
                          "rows");
  if (getSize(op.getO(), 1) == 0)
    return op.emitOpError("sweep_c1: expected values of one channel at least");
  if (op.getBlock() > 4096)
    return op.emitOpError("sweep_c6: a block of ")
           << op.getBlock() << " keys is more than 4096";
  for (MemRefType packed : {k, v}) {
    int64_t width = packed.getRank() > 2 ? packed.getDimSize(2) : 1;
    if (width <= 0 || op.getBlock() % width)
      return op.emitOpError("sweep_c6: the block of ")
             << op.getBlock() << " keys is no multiple of the panels of "
             << packed;
  }
  bool hasPairs = op.hasPairsOfKeys();
  if (hasPairs && k.getDimSize(3) != 2)
    return op.emitOpError("sweep_c6: expected columns of pairs, but got ") << k;
  auto isOfFactors = [](MemRefType type, bool bf16) {
    return bf16 ? type.getElementType().isBF16()
                : type.getElementType().isF32();
  };
  if (!isOfFactors(q, hasPairs) ||
      (!op.hasKeysInPlace() && !isOfFactors(k, hasPairs)))
    return op.emitOpError("sweep_c6: expected q and packed keys of f32, or "
                          "pairs of bf16, but got ")
           << q << " and " << k;
  return success();
}

LogicalResult SweepOp::verify() {
  if (failed(verifyRequired(*this, {0, 1, 2, 4, 5, 7, 8, 9, 20, 21, 22})))
    return failure();
  if (bool(getKeepLo()) != bool(getKeepHi()) ||
      bool(getNearLo()) != bool(getNearHi()))
    return emitOpError("expected both ends of an interval");
  if (failed(verifyFactors(*this)) || failed(verifyTerms(*this)) ||
      failed(verifyBuckets(*this)))
    return failure();
  return verifyBodies(*this);
}

LogicalResult MergeOp::verify() {
  if (failed(verifyRequired(*this, {0, 1, 2, 4, 5, 6})))
    return failure();
  if (getPartBuckets().size() != getBuckets().size())
    return emitOpError("merge_c1: expected buckets for those of the parts");
  SmallVector<std::pair<Value, Value>> sums{
      {getPartM(), getM()}, {getPartL(), getL()}, {getPartO(), getO()}};
  for (auto pair : llvm::zip(getPartBuckets(), getBuckets()))
    sums.push_back({std::get<0>(pair), std::get<1>(pair)});
  for (auto [parts, result] : sums) {
    ArrayRef<int64_t> shape = cast<MemRefType>(parts.getType()).getShape();
    ArrayRef<int64_t> expected = cast<MemRefType>(result.getType()).getShape();
    if (!mayAgree(shape[0], getSize(getPartM(), 0)) ||
        !llvm::all_of_zip(shape.drop_front(), expected, mayAgree) ||
        !mayAgree(expected[0], getSize(getM(), 0)))
      return emitOpError("merge_c1: ")
             << parts.getType() << " has no parts of " << result.getType();
  }
  return success();
}

LogicalResult FinishOp::verify() {
  if (failed(verifyRequired(*this, {0, 1, 2, 7})))
    return failure();
  if (getBuckets().size() != getTables().size())
    return emitOpError("finish_c1: expected a table for each bucket matrix");
  int64_t channels = getSize(getO(), 1);
  if (!mayAgree(getSize(getOut(), 1), channels))
    return emitOpError("finish_c1: out has other channels than o");
  for (auto [weights, table] : llvm::zip(getBuckets(), getTables()))
    if (!mayAgree(getSize(table, 1), channels) ||
        !mayAgree(getSize(table, 0), getSize(weights, 1)))
      return emitOpError("finish_c1: expected a row of ")
             << channels << " channels for each bucket of " << weights.getType()
             << ", but got " << table.getType();
  return success();
}
