//===- Assembly.cpp - Grammar that the ops share -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

ParseResult Clause::parse(OpAsmParser &parser) {
  loc = parser.getCurrentLocation();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return failure(parser.parseOperand(names.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  });
}

ParseResult Clause::parseOptional(OpAsmParser &parser, StringRef keyword) {
  return succeeded(parser.parseOptionalKeyword(keyword)) ? parse(parser)
                                                         : success();
}

ParseResult Clause::resolve(OpAsmParser &parser, OperationState &state) const {
  return parser.resolveOperands(names, types, loc, state.operands);
}

void posenc::printClause(OpAsmPrinter &printer, StringRef keyword,
                         ValueRange operands) {
  if (operands.empty())
    return;
  printer << keyword << '(';
  llvm::interleaveComma(operands, printer, [&](Value value) {
    printer << value << " : " << value.getType();
  });
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

static bool isPositionPerRow(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && shaped.getRank() > 1;
}

bool Rotation::hasPositionPerRow() const {
  return position && isPositionPerRow(position.getType());
}

ParseResult RotationClause::parse(OpAsmParser &parser) {
  if (parser.parseAttribute(rope))
    return failure();
  bool perRow = succeeded(parser.parseOptionalKeyword("at"));
  if (perRow || succeeded(parser.parseOptionalKeyword("from"))) {
    if (position.parse(parser))
      return failure();
    if (position.size() != 1 || perRow != isPositionPerRow(position.types[0]))
      return parser.emitError(position.loc)
             << (perRow ? "'at' takes one operand of two dimensions, a "
                          "position per row, or of three, one per axis too"
                        : "'from' takes one operand, an index or an offset "
                          "per batch");
  }
  if (length.parseOptional(parser, "length"))
    return failure();
  if (length.loc.isValid() && length.size() != 1)
    return parser.emitError(length.loc, "'length' takes one operand");
  if (freqs.parseOptional(parser, "freqs"))
    return failure();
  if (freqs.size() > 1)
    return parser.emitError(freqs.loc, "'freqs' takes one operand");
  if (cosSin.parseOptional(parser, "cos_sin"))
    return failure();
  if (cosSin.size() != 0 && cosSin.size() != 2)
    return parser.emitError(cosSin.loc, "'cos_sin' takes two operands");
  return success();
}

ParseResult RotationClause::resolve(OpAsmParser &parser,
                                    OperationState &state) const {
  return failure(position.resolve(parser, state) ||
                 length.resolve(parser, state) ||
                 freqs.resolve(parser, state) || cosSin.resolve(parser, state));
}

void RotationClause::appendSegments(SmallVectorImpl<int32_t> &segments) const {
  int32_t pair = cosSin.size() / 2;
  segments.append({position.size(), length.size(), freqs.size(), pair, pair});
}

void posenc::printRotation(OpAsmPrinter &printer, const Rotation &rotation) {
  printer << ' ' << rotation.rope;
  if (rotation.position)
    printClause(printer, rotation.hasPositionPerRow() ? " at" : " from",
                rotation.position);
  if (rotation.length)
    printClause(printer, " length", rotation.length);
  if (rotation.freqs)
    printClause(printer, " freqs", rotation.freqs);
  if (rotation.cos && rotation.sin)
    printClause(printer, " cos_sin", {rotation.cos, rotation.sin});
}

//===----------------------------------------------------------------------===//
// Captures and the score region
//===----------------------------------------------------------------------===//

static constexpr StringLiteral scoreArguments[numScoreArguments] = {
    "s", "b", "h", "r", "j"};

void posenc::nameScoreArguments(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), scoreArguments))
    setName(argument, name);
}

ParseResult posenc::parseCapturesAndRegion(OpAsmParser &parser,
                                           StringRef clauses, Clause &captures,
                                           Region &region) {
  SmallVector<OpAsmParser::Argument> arguments, captured;
  auto parseCapture = [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    OpAsmParser::UnresolvedOperand outer;
    if (parser.parseOperand(outer))
      return failure();
    argument.ssaName = outer;
    if (succeeded(parser.parseOptionalEqual()) && parser.parseOperand(outer))
      return failure();
    if (parser.parseColonType(argument.type))
      return failure();
    captured.push_back(argument);
    captures.names.push_back(outer);
    captures.types.push_back(argument.type);
    return success();
  };
  captures.loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("with")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseCapture))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("score")))
    return parser.emitError(loc, "expected 'score' and its region; before it, "
                                 "in this order, may stand ")
           << clauses;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren))
    return failure();
  if (arguments.size() != numScoreArguments)
    return parser.emitError(
        loc, "expected five names: of score, batch, head, row and key");
  Builder &builder = parser.getBuilder();
  arguments[0].type = builder.getF32Type();
  for (OpAsmParser::Argument &index : llvm::drop_begin(arguments))
    index.type = builder.getIndexType();
  arguments.append(captured);
  return parser.parseRegion(region, arguments, /*enableNameShadowing=*/true);
}

/// Whether capture i can be printed under one name, outside and inside. A
/// result of an op with several has no name of its own, and what is captured
/// twice needs two. The printer gives nested values names that no outer one
/// has, so there is no other clash.
static bool hasSharedName(ValueRange captures, size_t i) {
  auto result = dyn_cast<OpResult>(captures[i]);
  return !(result && result.getOwner()->getNumResults() > 1) &&
         !llvm::is_contained(captures.take_front(i), captures[i]);
}

static void printLineBreak(OpAsmPrinter &printer) {
  printer.printNewline();
  printer << "    ";
}

void posenc::printCapturesAndRegion(OpAsmPrinter &printer, ValueRange captures,
                                    Region &region) {
  ArrayRef<BlockArgument> arguments = region.front().getArguments();
  SmallVector<Value> outer(numScoreArguments, Value());
  for (auto [i, capture] : llvm::enumerate(captures))
    outer.push_back(hasSharedName(captures, i) ? capture : Value());
  printer.shadowRegionArgs(region, outer);
  if (!captures.empty()) {
    printLineBreak(printer);
    printer << "with(";
    llvm::interleaveComma(
        llvm::seq<size_t>(captures.size()), printer, [&](size_t i) {
          if (!hasSharedName(captures, i))
            printer << arguments[numScoreArguments + i] << " = ";
          printer << captures[i] << " : " << captures[i].getType();
        });
    printer << ')';
  }
  printLineBreak(printer);
  printer << "score(";
  llvm::interleaveComma(arguments.take_front(numScoreArguments), printer);
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}
