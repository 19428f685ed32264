//===- PreparationOps.cpp - Ops that prepare a sweep -*- C++ -*-===//
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
// Assembly
//===----------------------------------------------------------------------===//

/// `(%x = %lo to %hi, ...)`: ranges of index, and the names that a region has
/// for their integers.
static ParseResult
parseRangeList(OpAsmParser &parser,
               SmallVectorImpl<OpAsmParser::Argument> &arguments,
               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &lbs,
               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &ubs) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument &argument = arguments.emplace_back();
        argument.type = parser.getBuilder().getIndexType();
        return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                       parser.parseOperand(lbs.emplace_back()) ||
                       parser.parseKeyword("to") ||
                       parser.parseOperand(ubs.emplace_back()));
      });
}

static void printRangeList(OpAsmPrinter &printer, Region &body, ValueRange lbs,
                           ValueRange ubs) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(body.getArguments(), lbs, ubs), printer, [&](auto range) {
        printer.printOperand(std::get<0>(range));
        printer << " = " << std::get<1>(range) << " to " << std::get<2>(range);
      });
  printer << ") ";
}

static ParseResult parseRanges(
    OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &lbs,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &ubs, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parseRangeList(parser, arguments, lbs, ubs) ||
                 parser.parseRegion(body, arguments));
}

static void printRanges(OpAsmPrinter &printer, Operation *, ValueRange lbs,
                        ValueRange ubs, Region &body) {
  printRangeList(printer, body, lbs, ubs);
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static ParseResult parseRange(OpAsmParser &parser,
                              OpAsmParser::UnresolvedOperand &lo,
                              OpAsmParser::UnresolvedOperand &hi, Region &body,
                              UnitAttr &scaled, UnitAttr &conditional) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> lbs, ubs;
  SMLoc loc = parser.getCurrentLocation();
  if (parseRangeList(parser, arguments, lbs, ubs))
    return failure();
  if (arguments.size() != 1)
    return parser.emitError(loc, "expected one range");
  lo = lbs[0];
  hi = ubs[0];
  UnitAttr unit = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("scaled")))
    scaled = unit;
  if (succeeded(parser.parseOptionalKeyword("conditional")))
    conditional = unit;
  return parser.parseRegion(body, arguments);
}

static void printRange(OpAsmPrinter &printer, Operation *, Value lo, Value hi,
                       Region &body, UnitAttr scaled, UnitAttr conditional) {
  printRangeList(printer, body, lo, hi);
  if (scaled)
    printer << "scaled ";
  if (conditional)
    printer << "conditional ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static ParseResult parseIndexRegion(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  return parser.parseRegion(body, arguments);
}

static void printIndexRegion(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer);
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// That a region takes `numIndices` index and yields `types`.
static LogicalResult verifyBody(Operation *op, StringRef label, Region &body,
                                unsigned numIndices, ArrayRef<Type> types) {
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (body.getNumArguments() != numIndices ||
      !llvm::all_of(body.getArgumentTypes(), isIndex))
    return op->emitOpError(label)
           << ": expected a region of " << numIndices << " index";
  auto yield = dyn_cast<tile::YieldOp>(body.front().getTerminator());
  if (!yield)
    return op->emitOpError(label)
           << ": expected a region that ends in posenc_tile.yield";
  if (TypeRange(yield.getResults()) != TypeRange(types))
    return yield.emitOpError(label) << ": expected to yield " << types;
  return success();
}

LogicalResult FillOp::verify() {
  // The generic form may have an operand that belongs to no range.
  auto type = cast<MemRefType>(getDest().getType());
  if (int64_t(getLbs().size()) != type.getRank() ||
      getNumOperands() != 2 * getLbs().size() + 1)
    return emitOpError("fill_c1: expected a range for each of ")
           << type.getRank() << " dimensions, but got " << getNumOperands() - 1
           << " ends of ranges";
  return verifyBody(*this, "fill_c2", getBody(), type.getRank(),
                    type.getElementType());
}

LogicalResult AnglesOp::verify() {
  if (failed(verifyRequired(*this, {0, 1, 2})))
    return failure();
  RopeAttr rope = getRope();
  auto cos = cast<MemRefType>(getCos().getType());
  int64_t pairs = cos.getDimSize(1);
  // The compiler computes the frequency of every pair.
  constexpr int64_t maxPairs = 1 << 15;
  if (pairs <= 0 || pairs > maxPairs ||
      pairs != cast<MemRefType>(getSin().getType()).getDimSize(1) ||
      (rope.getWidth() && rope.getWidth() != 2 * pairs))
    return emitOpError("angles_c1: expected cosines and sines of a static "
                       "width / 2 from 1 to ")
           << maxPairs << ", that of the rope";
  if (std::string reason = rope.whyNot(2 * pairs); !reason.empty())
    return emitOpError("angles_c1: ") << reason;
  unsigned integers = rope.getSections().empty() ? 1 : 2;
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (getBody().getNumArguments() != integers ||
      !llvm::all_of(getBody().getArgumentTypes(), isIndex))
    return emitOpError("angles_c2: expected a region of ")
           << integers << " index";
  auto yield = dyn_cast<tile::YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getResults().size() != 1 ||
      !isa<IndexType, FloatType>(yield.getResults()[0].getType()))
    return emitOpError("angles_c2: expected a region that yields a position, "
                       "index or float");
  bool indexed = yield.getResults()[0].getType().isIndex();
  auto isTable = [&](Value table, unsigned rank) {
    auto type = cast<MemRefType>(table.getType());
    return type.getRank() == rank && type.getShape().back() == pairs;
  };
  if (bool(rope.getBase()) + bool(getFreqs()) + bool(getCosTable()) != 1 ||
      bool(getCosTable()) != bool(getSinTable()) ||
      (getFreqs() && !isTable(getFreqs(), 1)) ||
      (getCosTable() &&
       (!isTable(getCosTable(), 2) || !isTable(getSinTable(), 2) || !indexed)))
    return emitOpError("angles_c3: expected a base, frequencies [")
           << pairs << "], or cosines and sines [positions, " << pairs
           << "] of index positions";
  if (rope.needsLength() != bool(getLength()))
    return emitOpError("angles_c4: expected a length if the rope's scaling "
                       "needs it, and only then");
  return success();
}

LogicalResult ScanOp::verify() {
  if (getLbs().size() != 2 || getNumOperands() != 5)
    return emitOpError("scan_c1: expected two ranges, rows and keys");
  Type f32 = Float32Type::get(getContext());
  Type i1 = IntegerType::get(getContext(), 1);
  return verifyBody(*this, "scan_c2", getBody(), 2, {f32, i1});
}

/// Whether it is one of pairs of bf16, if it has the dimensions of these.
static bool hasPairsIfItMust(Value packed) {
  auto type = cast<MemRefType>(packed.getType());
  return type.getRank() != 4 ||
         (type.getDimSize(3) == 2 && type.getElementType().isBF16());
}

LogicalResult PackOp::verify() {
  if (failed(verifyRequired(*this, {1, 2, 3})))
    return failure();
  if (getSources().empty())
    return emitOpError("pack_c1: expected a source");
  SmallVector<Type> types;
  auto getRowSize = [](Value source) {
    auto type = cast<MemRefType>(source.getType());
    return type.getRank() ? type.getShape().back() : ShapedType::kDynamic;
  };
  int64_t channels = getRowSize(getSources()[0]);
  int64_t capacity = getPackedChannels(getDest());
  for (Value source : getSources()) {
    auto type = cast<MemRefType>(source.getType());
    if (ShapedType::isDynamic(channels) || getRowSize(source) != channels)
      return emitOpError("pack_c1: expected sources of one static last "
                         "dimension");
    types.append(type.getRank() - 1, IndexType::get(getContext()));
  }
  if (ShapedType::isDynamic(capacity) ||
      int64_t(getChannel()) > capacity - channels)
    return emitOpError("pack_c1: channels ")
           << getChannel() << " to " << getChannel() + channels
           << " do not fit in " << getDest().getType();
  if (getDest().getType().getRank() > 2 && getDest().getType().isDynamicDim(2))
    return emitOpError("pack_c1: expected panels of static width");
  if (!hasPairsIfItMust(getDest()))
    return emitOpError("pack_c1: expected pairs of bf16, but got ")
           << getDest().getType();
  if (getScaled())
    types.push_back(Float32Type::get(getContext()));
  if (getConditional())
    types.push_back(IntegerType::get(getContext(), 1));
  if (failed(verifyBody(*this, "pack_c2", getBody(), 1, types)))
    return failure();
  if (bool(getRopeAttr()) != bool(getCos()) || bool(getCos()) != bool(getSin()))
    return emitOpError("pack_c3: expected a rope with cosines and sines");
  if (RopeAttr rope = getRopeAttr()) {
    int64_t width = rope.getRotatedWidth(channels);
    if (width <= 0 || width % 2 || rope.getStart() < 0 ||
        rope.getStart() > channels - width ||
        getPackedChannels(getCos()) != width / 2 ||
        getPackedChannels(getSin()) != width / 2)
      return emitOpError("pack_c3: expected cosines and sines [rows, width / "
                         "2] of a rope that fits in ")
             << channels << " channels";
  }
  return success();
}

LogicalResult ProductOp::verify() {
  if (!mayAgree(getPackedChannels(getRows()), getPackedChannels(getColumns())))
    return emitOpError("product_c1: expected rows and columns of the same "
                       "channels, but got ")
           << getRows().getType() << " and " << getColumns().getType();
  if (getElementTypeOrSelf(getRows()) != getElementTypeOrSelf(getColumns()) ||
      !hasPairsIfItMust(getColumns()))
    return emitOpError("product_c1: expected rows and columns of one element "
                       "type, and pairs of bf16, but got ")
           << getRows().getType() << " and " << getColumns().getType();
  return success();
}

#define GET_OP_CLASSES
#include "dialects/PosEncTile/PosEncTileOps.cpp.inc"
