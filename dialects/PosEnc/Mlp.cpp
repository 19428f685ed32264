//===- Mlp.cpp - Networks of scalars in score regions -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;

/// Layers take at most this many values.
static constexpr int64_t maxUnits = 4096;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// activation(%x, ..)[%output] layers(%w (plus %b)?, ..) attr-dict : types
ParseResult MlpOp::parse(OpAsmParser &parser, OperationState &state) {
  using Operand = OpAsmParser::UnresolvedOperand;
  SmallVector<Operand> x, weights, biases;
  SmallVector<bool> hasBias;
  Operand output;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Activation> activation = symbolizeActivation(word);
  if (!activation)
    return parser.emitError(loc, "expected relu, silu, gelu or tanh");
  auto parseLayer = [&]() -> ParseResult {
    if (parser.parseOperand(weights.emplace_back()))
      return failure();
    hasBias.push_back(succeeded(parser.parseOptionalKeyword("plus")));
    return hasBias.back() ? parser.parseOperand(biases.emplace_back())
                          : success();
  };
  SmallVector<Type> types;
  if (parser.parseOperandList(x, OpAsmParser::Delimiter::Paren) ||
      parser.parseLSquare() || parser.parseOperand(output) ||
      parser.parseRSquare() || parser.parseKeyword("layers") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseLayer) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  SMLoc typesLoc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types))
    return failure();
  if (types.size() != weights.size() + biases.size())
    return parser.emitError(typesLoc, "expected a type for each weight and "
                                      "bias, in their order");
  SmallVector<Type> weightTypes, biasTypes;
  for (size_t layer = 0, i = 0; layer < hasBias.size(); ++layer) {
    weightTypes.push_back(types[i++]);
    if (hasBias[layer])
      biasTypes.push_back(types[i++]);
  }
  Builder &builder = parser.getBuilder();
  Type f32 = builder.getF32Type();
  if (parser.resolveOperands(x, f32, state.operands) ||
      parser.resolveOperand(output, builder.getIndexType(), state.operands) ||
      parser.resolveOperands(weights, weightTypes, loc, state.operands) ||
      parser.resolveOperands(biases, biasTypes, loc, state.operands))
    return failure();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.activation =
      ActivationAttr::get(builder.getContext(), *activation);
  properties.hasBias = builder.getDenseBoolArrayAttr(hasBias);
  llvm::copy(ArrayRef<int32_t>{int32_t(x.size()), 1, int32_t(weights.size()),
                               int32_t(biases.size())},
             properties.operandSegmentSizes.begin());
  state.addTypes(f32);
  return success();
}

void MlpOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyActivation(getActivation()) << '(' << getX()
          << ")[" << getOutput() << "] layers(";
  SmallVector<Layer> layers = getLayers(getOperands());
  SmallVector<Type> types;
  llvm::interleaveComma(layers, printer, [&](const Layer &layer) {
    printer << layer.weights;
    types.push_back(layer.weights.getType());
    if (!layer.bias)
      return;
    printer << " plus " << layer.bias;
    types.push_back(layer.bias.getType());
  });
  printer << ')';
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  printer << " : ";
  llvm::interleaveComma(types, printer);
}

SmallVector<MlpOp::Layer> MlpOp::getLayers(ValueRange operands) {
  Adaptor adaptor(operands, *this);
  auto bias = adaptor.getBiases().begin();
  SmallVector<Layer> layers;
  for (auto [weights, hasBias] :
       llvm::zip_equal(adaptor.getWeights(), getHasBias()))
    layers.push_back({weights, hasBias ? *bias++ : Value()});
  return layers;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult MlpOp::verify() {
  if (failed(verifyRequired(*this, {1})))
    return failure();
  if (getX().empty() || getWeights().empty())
    return emitOpError("mlp_c1: expected an input and a layer");
  if (getHasBias().size() != getWeights().size() ||
      llvm::count(getHasBias(), true) != int64_t(getBiases().size()))
    return emitOpError("mlp_c1: expected as many biases as layers that have "
                       "one");
  int64_t inputs = getX().size();
  SmallVector<Layer> layers = getLayers(getOperands());
  for (auto [number, layer] : llvm::enumerate(layers)) {
    auto weights = cast<ShapedType>(layer.weights.getType());
    if (weights.getRank() != 2 || weights.getDimSize(1) != inputs ||
        inputs > maxUnits)
      return emitOpError("mlp_c1: expected weights [out, ")
             << inputs << "] of layer " << number + 1 << ", the inputs at most "
             << maxUnits << ", but got " << weights;
    int64_t outputs = weights.getDimSize(0);
    if (number + 1 < layers.size() &&
        (ShapedType::isDynamic(outputs) || outputs == 0))
      return emitOpError("mlp_c1: expected a static number of outputs, at "
                         "least 1, of layer ")
             << number + 1;
    inputs = outputs;
    if (!layer.bias)
      continue;
    auto bias = cast<ShapedType>(layer.bias.getType());
    if (bias.getRank() != 1 || !mayAgree(bias.getDimSize(0), outputs))
      return emitOpError("mlp_c1: expected a bias [")
             << outputs << "] of layer " << number + 1 << ", but got " << bias;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

static Value emitActivation(ImplicitLocOpBuilder &b, Activation activation,
                            Value x) {
  auto type = cast<FloatType>(x.getType());
  auto real = [&](double value) { return emitConstant(b, type, value); };
  switch (activation) {
  case Activation::Relu:
    return arith::MaximumFOp::create(b, x, real(0));
  case Activation::Silu: {
    Value decay = math::ExpOp::create(b, arith::NegFOp::create(b, x));
    return arith::DivFOp::create(b, x,
                                 arith::AddFOp::create(b, real(1), decay));
  }
  case Activation::Gelu: {
    Value scaled = arith::MulFOp::create(b, x, real(1 / llvm::numbers::sqrt2));
    Value twice =
        arith::AddFOp::create(b, real(1), math::ErfOp::create(b, scaled));
    return arith::MulFOp::create(b, arith::MulFOp::create(b, real(0.5), x),
                                 twice);
  }
  case Activation::Tanh:
    return math::TanhOp::create(b, x);
  }
  llvm_unreachable("unknown activation");
}

namespace {
/// Emits one network for scalar inputs.
class NetworkEmitter {
public:
  NetworkEmitter(ImplicitLocOpBuilder &b, Activation activation,
                 ArrayRef<MlpOp::Layer> layers, ValueRange x, FloatType compute)
      : b(b), activation(activation), layers(layers), x(x), compute(compute) {}

  /// The output of the last layer. Nothing is stored: a hidden unit is computed
  /// where it is used, so that each layer beyond the third costs its width.
  Value emit(Value output) { return emitUnit(layers.size() - 1, output); }

private:
  int64_t countOutputs(size_t number) {
    return cast<ShapedType>(layers[number].weights.getType()).getDimSize(0);
  }

  Value emitBias(size_t number, Value unit) {
    Value bias = layers[number].bias;
    return bias ? emitElement(b, bias, unit, compute)
                : emitConstant(b, compute, 0);
  }

  Value addProduct(Value sum, size_t number, Value unit, Value input, Value y) {
    Value weight =
        emitElement(b, layers[number].weights, {unit, input}, compute);
    return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, weight, y));
  }

  /// A layer's unit, before the activation.
  Value emitUnit(size_t number, Value unit) {
    Value sum = emitBias(number, unit);
    if (number == 0) {
      for (auto [input, y] : llvm::enumerate(x))
        sum = addProduct(sum, number, unit,
                         arith::ConstantIndexOp::create(b, input), y);
      return sum;
    }
    auto loop = scf::ForOp::create(
        b, arith::ConstantIndexOp::create(b, 0),
        arith::ConstantIndexOp::create(b, countOutputs(number - 1)),
        arith::ConstantIndexOp::create(b, 1), sum);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value input = loop.getInductionVar();
    Value y = emitActivation(b, activation, emitUnit(number - 1, input));
    scf::YieldOp::create(
        b, addProduct(loop.getRegionIterArg(0), number, unit, input, y));
    return loop.getResult(0);
  }

  ImplicitLocOpBuilder &b;
  Activation activation;
  ArrayRef<MlpOp::Layer> layers;
  ValueRange x;
  FloatType compute;
};
} // namespace

Value MlpOp::emitScalar(OpBuilder &builder, Location loc, ValueRange operands,
                        FloatType compute) {
  ImplicitLocOpBuilder b(loc, builder);
  Adaptor adaptor(operands, *this);
  SmallVector<Layer> layers = getLayers(operands);
  Value output = adaptor.getOutput();
  Value inside = emitInside(b, layers.back().weights, output);
  if (Value bias = layers.back().bias)
    inside = arith::AndIOp::create(b, inside, emitInside(b, bias, output));
  NetworkEmitter network(b, getActivation(), layers, adaptor.getX(), compute);
  Value zero = emitConstant(b, compute, 0);
  return emitGuarded(b, inside, zero, [&]() -> SmallVector<Value> {
    return {network.emit(output)};
  })[0];
}
