//===- RegionOps.cpp - Ops of score regions -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

Value posenc::emitInside(ImplicitLocOpBuilder &b, Value table,
                         ValueRange indices) {
  // Unsigned, one comparison tests both ends.
  Value inside;
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value place = arith::ConstantIndexOp::create(b, d);
    Value size = isa<TensorType>(table.getType())
                     ? tensor::DimOp::create(b, table, place).getResult()
                     : memref::DimOp::create(b, table, place).getResult();
    Value one =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, size);
    inside = inside ? arith::AndIOp::create(b, inside, one).getResult() : one;
  }
  return inside ? inside : arith::ConstantIntOp::create(b, 1, 1).getResult();
}

Value posenc::emitLoad(ImplicitLocOpBuilder &b, Value table,
                       ValueRange indices) {
  return isa<TensorType>(table.getType())
             ? tensor::ExtractOp::create(b, table, indices).getResult()
             : memref::LoadOp::create(b, table, indices).getResult();
}

Value posenc::emitFloatCast(OpBuilder &builder, Location loc, Value value,
                            FloatType type) {
  auto from = cast<FloatType>(value.getType());
  if (from == type)
    return value;
  // Between two 16-bit types and between 16 and 64 bits, f32 is in the middle.
  Type f32 = builder.getF32Type();
  bool narrow = from.getWidth() == 16, toNarrow = type.getWidth() == 16;
  if (narrow && !type.isF32())
    return emitFloatCast(builder, loc,
                         arith::ExtFOp::create(builder, loc, f32, value), type);
  if (toNarrow && from.getWidth() == 64)
    value = arith::TruncFOp::create(builder, loc, f32, value);
  if (from.getWidth() < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value posenc::emitConstant(ImplicitLocOpBuilder &b, FloatType type,
                           double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value posenc::emitConstants(ImplicitLocOpBuilder &b, ArrayRef<double> values) {
  auto type = RankedTensorType::get(values.size(), b.getF64Type());
  return arith::ConstantOp::create(b, type,
                                   DenseElementsAttr::get(type, values));
}

Value posenc::emitElement(ImplicitLocOpBuilder &b, Value table,
                          ValueRange indices, FloatType compute) {
  Value element = emitLoad(b, table, indices);
  if (isa<FloatType>(element.getType()))
    return emitFloatCast(b, b.getLoc(), element, compute);
  if (element.getType().isIndex() || element.getType().isInteger(1))
    return element;
  return arith::IndexCastOp::create(b, b.getIndexType(), element);
}

SmallVector<Value>
posenc::emitGuarded(ImplicitLocOpBuilder &b, Value inside, ValueRange outside,
                    function_ref<SmallVector<Value>()> body) {
  auto guarded = scf::IfOp::create(b, outside.getTypes(), inside,
                                   /*addElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(b, body());
  b.setInsertionPointToStart(guarded.elseBlock());
  scf::YieldOp::create(b, outside);
  return llvm::to_vector_of<Value>(guarded.getResults());
}

//===----------------------------------------------------------------------===//
// posenc.yield
//===----------------------------------------------------------------------===//

LogicalResult YieldOp::verify() { return verifyRequired(*this, {0}); }

//===----------------------------------------------------------------------===//
// posenc.row
//===----------------------------------------------------------------------===//

LogicalResult RowOp::verify() {
  unsigned inputs = getMap().getNumInputs();
  if (inputs != getX().size())
    return emitOpError("row_c1: the map takes ")
           << inputs << " integers, but got " << getX().size();
  return success();
}

OpFoldResult RowOp::fold(FoldAdaptor adaptor) {
  SmallVector<int64_t> x;
  for (Attribute attr : adaptor.getX()) {
    auto integer = dyn_cast_or_null<IntegerAttr>(attr);
    if (!integer)
      return {};
    x.push_back(integer.getInt());
  }
  return IntegerAttr::get(IndexType::get(getContext()), getMap().evaluate(x));
}

Value RowOp::emitScalar(OpBuilder &builder, Location loc, ValueRange operands,
                        FloatType) {
  Value row = getMap().emit(builder, loc, operands);
  if (!row)
    emitOpError("the map cannot be emitted: it varies too far for a table and "
                "does not emit itself");
  return row;
}

//===----------------------------------------------------------------------===//
// posenc.lookup, posenc.dot
//===----------------------------------------------------------------------===//

/// That `else` is there if an index comes from a map that may have no row.
static LogicalResult verifyPartialRows(Operation *op, StringRef label,
                                       ValueRange indices, bool hasElse) {
  for (Value index : indices)
    if (auto row = index.getDefiningOp<RowOp>();
        row && row.getMap().isPartial() && !hasElse)
      return op->emitOpError(label)
             << ": a row of a partial map may be missing: say what is read "
                "then by 'else'";
  return success();
}

/// That a static dimension indexed by a map's row has all rows of the map, for
/// an op without `else`. `shape` holds a size for each index.
static LogicalResult verifyRowsFit(Operation *op, StringRef label,
                                   ValueRange indices,
                                   ArrayRef<int64_t> shape) {
  for (auto [index, size] : llvm::zip(indices, shape))
    if (auto row = index.getDefiningOp<RowOp>();
        row && !ShapedType::isDynamic(size) && size < row.getMap().getNumRows())
      return op->emitOpError(label)
             << ": the map has " << row.getMap().getNumRows()
             << " rows, but the table only " << size;
  return success();
}

LogicalResult LookupOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto table = dyn_cast<ShapedType>(adaptor.getTable().getType());
  if (!table)
    return emitOptionalError(location,
                             "expected a table to look up in, but got ",
                             adaptor.getTable().getType());
  Type element = table.getElementType();
  if (isa<FloatType>(element))
    types.push_back(Float32Type::get(context));
  else if (element.isInteger(1))
    types.push_back(element);
  else
    types.push_back(IndexType::get(context));
  return success();
}

LogicalResult LookupOp::verify() {
  auto type = cast<ShapedType>(getTable().getType());
  if (type.getRank() != int64_t(getIndices().size()))
    return emitOpError("lookup_c1: expected ")
           << type.getRank() << " indices, one per dimension, but got "
           << getIndices().size();
  if (failed(verifyPartialRows(*this, "lookup_c2", getIndices(),
                               getOutside().has_value())))
    return failure();
  if (std::optional<Attribute> outside = getOutside()) {
    Type result = getType();
    bool fits = isa<FloatType>(result) ? isa<FloatAttr>(*outside)
                : result.isInteger(1)
                    ? isa<BoolAttr>(*outside)
                    : isa<IntegerAttr>(*outside) && !isa<BoolAttr>(*outside);
    if (!fits)
      return emitOpError("lookup_c3: expected an 'else' of the kind of ")
             << result;
    return success();
  }
  return verifyRowsFit(*this, "lookup_c4", getIndices(), type.getShape());
}

Value LookupOp::emitScalar(OpBuilder &builder, Location loc,
                           ValueRange operands, FloatType compute) {
  ImplicitLocOpBuilder b(loc, builder);
  Adaptor adaptor(operands, *this);
  Type type = isa<FloatType>(getType()) ? compute : getType();
  TypedAttr outside = cast<TypedAttr>(b.getZeroAttr(type));
  if (std::optional<Attribute> given = getOutside()) {
    if (auto real = dyn_cast<FloatAttr>(*given))
      outside = b.getFloatAttr(type, real.getValueAsDouble());
    else
      outside = b.getIntegerAttr(
          type, cast<IntegerAttr>(*given).getValue().sextOrTrunc(
                    type.isIndex() ? 64 : 1));
  }
  Value inside = emitInside(b, adaptor.getTable(), adaptor.getIndices());
  Value otherwise = arith::ConstantOp::create(b, outside);
  return emitGuarded(b, inside, otherwise, [&]() -> SmallVector<Value> {
    return {emitElement(b, adaptor.getTable(), adaptor.getIndices(), compute)};
  })[0];
}

LogicalResult DotOp::verify() {
  if (failed(verifyRequired(*this, {0, 2})))
    return failure();
  auto x = cast<ShapedType>(getX().getType());
  auto y = cast<ShapedType>(getY().getType());
  if (x.getRank() != int64_t(getXIndices().size()) + 1 ||
      y.getRank() != int64_t(getYIndices().size()) + 1)
    return emitOpError("dot_c1: expected ")
           << x.getRank() - 1 << " and " << y.getRank() - 1
           << " indices, one per dimension but the last, but got "
           << getXIndices().size() << " and " << getYIndices().size();
  if (x.getShape().back() != y.getShape().back() ||
      ShapedType::isDynamic(x.getShape().back()))
    return emitOpError("dot_c2: expected rows of one static length");
  bool hasElse = getOutside().has_value();
  if (failed(verifyPartialRows(*this, "dot_c3", getXIndices(), hasElse)) ||
      failed(verifyPartialRows(*this, "dot_c3", getYIndices(), hasElse)))
    return failure();
  if (hasElse)
    return success();
  return success(
      succeeded(verifyRowsFit(*this, "dot_c4", getXIndices(), x.getShape())) &&
      succeeded(verifyRowsFit(*this, "dot_c4", getYIndices(), y.getShape())));
}

Value DotOp::emitScalar(OpBuilder &builder, Location loc, ValueRange operands,
                        FloatType compute) {
  ImplicitLocOpBuilder b(loc, builder);
  Adaptor adaptor(operands, *this);
  double outside = getOutside() ? getOutside()->convertToDouble() : 0.0;
  Value inside = arith::AndIOp::create(
      b, emitInside(b, adaptor.getX(), adaptor.getXIndices()),
      emitInside(b, adaptor.getY(), adaptor.getYIndices()));
  auto sumProducts = [&]() -> SmallVector<Value> {
    int64_t length =
        cast<ShapedType>(adaptor.getX().getType()).getShape().back();
    Value zero = emitConstant(b, compute, 0.0);
    auto loop = scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0),
                                   arith::ConstantIndexOp::create(b, length),
                                   arith::ConstantIndexOp::create(b, 1), zero);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto channelOf = [&](Value table, ValueRange indices) {
      SmallVector<Value> all(indices);
      all.push_back(loop.getInductionVar());
      return emitElement(b, table, all, compute);
    };
    Value product = arith::MulFOp::create(
        b, channelOf(adaptor.getX(), adaptor.getXIndices()),
        channelOf(adaptor.getY(), adaptor.getYIndices()));
    scf::YieldOp::create(
        b, arith::AddFOp::create(b, loop.getRegionIterArg(0), product)
               .getResult());
    return {loop.getResult(0)};
  };
  Value otherwise = emitConstant(b, compute, outside);
  return emitGuarded(b, inside, otherwise, sumProducts)[0];
}

//===----------------------------------------------------------------------===//
// posenc.row_scan
//===----------------------------------------------------------------------===//

Value RowScanOp::emitScalar(OpBuilder &, Location, ValueRange, FloatType) {
  emitOpError("a sum over the pairs of a row is not computed for one pair");
  return {};
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

/// A float, `inf`, `nan`, an integer, `true` or `false`, without a type: what
/// it is of follows from the table, which comes later.
static ParseResult parseLiteral(OpAsmParser &parser, Attribute &literal) {
  Builder &b = parser.getBuilder();
  bool negative = succeeded(parser.parseOptionalMinus());
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    using Limits = std::numeric_limits<double>;
    if (word == "inf")
      literal = b.getF64FloatAttr(negative ? -Limits::infinity()
                                           : Limits::infinity());
    else if (word == "nan")
      literal = b.getF64FloatAttr(Limits::quiet_NaN());
    else if ((word == "true" || word == "false") && !negative)
      literal = b.getBoolAttr(word == "true");
    else
      return parser.emitError(loc, "expected a number, true or false");
    return success();
  }
  APInt integer;
  OptionalParseResult parsed = parser.parseOptionalInteger(integer);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    integer = integer.zext(integer.getBitWidth() + 64);
    if (negative)
      integer.negate();
    if (!integer.isSignedIntN(64))
      return parser.emitError(loc, "the integer does not fit in 64 bits");
    literal = b.getI64IntegerAttr(integer.getSExtValue());
    return success();
  }
  double real;
  if (parser.parseFloat(real))
    return failure();
  literal = b.getF64FloatAttr(negative ? -real : real);
  return success();
}
static ParseResult parseLiteral(OpAsmParser &parser, FloatAttr &literal) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute any;
  if (parseLiteral(parser, any))
    return failure();
  literal = dyn_cast<FloatAttr>(any);
  return literal ? success() : parser.emitError(loc, "expected a float");
}
static void printLiteral(OpAsmPrinter &printer, Operation *,
                         Attribute literal) {
  auto real = dyn_cast<FloatAttr>(literal);
  if (real && real.getValue().isInfinity())
    printer << (real.getValue().isNegative() ? "-inf" : "inf");
  else if (real && real.getValue().isNaN())
    printer << "nan";
  else
    printer.printAttributeWithoutType(literal);
}

#define GET_OP_CLASSES
#include "dialects/PosEnc/PosEncOps.cpp.inc"
