//===- RopeScalings.cpp - Changed frequencies of rotations -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

static bool isPositive(Real real) {
  return std::isfinite(real.value) && real.value > 0;
}

static LogicalResult verifyFactor(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef name, Real factor) {
  if (!isPositive(factor))
    return emitError() << "rotate_c1: expected " << name
                       << "'s factor to be positive";
  return success();
}

static LogicalResult
verifyOriginal(function_ref<InFlightDiagnostic()> emitError, StringRef name,
               int64_t original) {
  if (original < 1)
    return emitError() << "rotate_c1: expected " << name
                       << "'s original context of at least 1 token, but got "
                       << original;
  return success();
}

//===----------------------------------------------------------------------===//
// linear, ntk, llama3, proportional
//===----------------------------------------------------------------------===//

LogicalResult LinearAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Real factor) {
  return verifyFactor(emitError, "linear", factor);
}

void LinearAttr::scaleFrequencies(MutableArrayRef<double> frequencies, double,
                                  int64_t) const {
  for (double &f : frequencies)
    f /= getFactor().value;
}

LogicalResult NtkAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              Real factor) {
  return verifyFactor(emitError, "ntk", factor);
}

/// What base^(-2 m / width) is multiplied with by a base that is x^(width /
/// (width - 2)) times as large: x to this power. The first frequency is 1 for
/// any base.
static double getNtkExponent(int64_t m, int64_t width) {
  return m == 0 ? 0.0 : -2.0 * m / (width - 2);
}

void NtkAttr::scaleFrequencies(MutableArrayRef<double> frequencies, double,
                               int64_t width) const {
  for (auto [m, f] : llvm::enumerate(frequencies))
    f *= std::pow(getFactor().value, getNtkExponent(m, width));
}

LogicalResult Llama3Attr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Real factor, Real low, Real high,
                                 int64_t original) {
  if (failed(verifyFactor(emitError, "llama3", factor)))
    return failure();
  if (!isPositive(low) || !isPositive(high) || low.value >= high.value)
    return emitError() << "rotate_c1: expected llama3's low to be positive and "
                          "below high";
  return verifyOriginal(emitError, "llama3", original);
}

void Llama3Attr::scaleFrequencies(MutableArrayRef<double> frequencies, double,
                                  int64_t) const {
  double low = getLow().value, high = getHigh().value;
  for (double &f : frequencies) {
    double turns = getOriginal() * f / (2 * llvm::numbers::pi);
    double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    f = (1 - kept) * f / getFactor().value + kept * f;
  }
}

LogicalResult
ProportionalAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         Real fraction) {
  if (!isPositive(fraction) || fraction.value > 1)
    return emitError() << "rotate_c1: expected proportional's fraction above 0 "
                          "and at most 1";
  return success();
}

void ProportionalAttr::scaleFrequencies(MutableArrayRef<double> frequencies,
                                        double, int64_t) const {
  for (auto [m, f] : llvm::enumerate(frequencies))
    if (m >= getFraction().value * frequencies.size())
      f = 0;
}

//===----------------------------------------------------------------------===//
// yarn
//===----------------------------------------------------------------------===//

LogicalResult YarnAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Real factor, int64_t original, Real betaFast,
                               Real betaSlow, bool truncate,
                               std::optional<Real> attentionFactor) {
  if (!isPositive(factor) || !isPositive(betaFast) || !isPositive(betaSlow) ||
      (attentionFactor && !isPositive(*attentionFactor)))
    return emitError() << "rotate_c1: expected yarn's factor, beta_fast, "
                          "beta_slow and attention_factor to be positive";
  return verifyOriginal(emitError, "yarn", original);
}

void YarnAttr::scaleFrequencies(MutableArrayRef<double> frequencies,
                                double base, int64_t width) const {
  // The pair whose wave turns n times within the original context.
  auto pairOfTurns = [&](double n) {
    return width * std::log(getOriginal() / (2 * llvm::numbers::pi * n)) /
           (2 * std::log(base));
  };
  double lo = pairOfTurns(getBetaFast().value);
  double hi = pairOfTurns(getBetaSlow().value);
  if (getTruncate()) {
    lo = std::floor(lo);
    hi = std::ceil(hi);
  }
  // The bounds of the released code: width - 1, though pairs end at half of it.
  lo = std::max(lo, 0.0);
  hi = std::min(hi, double(width - 1));
  if (lo == hi)
    hi += 0.001;
  for (auto [m, f] : llvm::enumerate(frequencies)) {
    double ramp = std::clamp((double(m) - lo) / (hi - lo), 0.0, 1.0);
    f = f / getFactor().value * ramp + f * (1 - ramp);
  }
}

double YarnAttr::getMagnitude() const {
  if (std::optional<Real> factor = getAttentionFactor())
    return factor->value;
  return getFactor().value > 1 ? 0.1 * std::log(getFactor().value) + 1 : 1.0;
}

//===----------------------------------------------------------------------===//
// dynamic_ntk, longrope
//===----------------------------------------------------------------------===//

/// The element of a constant table.
static Value readConstant(ImplicitLocOpBuilder &b, ArrayRef<double> values,
                          Value at) {
  return tensor::ExtractOp::create(b, emitConstants(b, values), at);
}

LogicalResult
DynamicNtkAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       Real factor, int64_t original) {
  if (failed(verifyFactor(emitError, "dynamic_ntk", factor)))
    return failure();
  return verifyOriginal(emitError, "dynamic_ntk", original);
}

bool DynamicNtkAttr::needsLength() const { return true; }

Value DynamicNtkAttr::emitFrequency(OpBuilder &builder, Location loc,
                                    ArrayRef<double> frequencies, Value length,
                                    Value pair) const {
  ImplicitLocOpBuilder b(loc, builder);
  Value original = arith::ConstantIndexOp::create(b, getOriginal());
  Value longest = arith::MaxSIOp::create(b, length, original);
  Value tokens = arith::SIToFPOp::create(
      b, b.getF64Type(),
      arith::IndexCastOp::create(b, b.getI64Type(), longest));
  // factor L / original - (factor - 1), at least 1.
  double factor = getFactor().value;
  Value stretch = arith::AddFOp::create(
      b,
      arith::MulFOp::create(
          b, tokens, emitConstant(b, b.getF64Type(), factor / getOriginal())),
      emitConstant(b, b.getF64Type(), 1 - factor));
  SmallVector<double> exponents;
  for (size_t m = 0; m < frequencies.size(); ++m)
    exponents.push_back(getNtkExponent(m, 2 * frequencies.size()));
  Value power =
      math::PowFOp::create(b, stretch, readConstant(b, exponents, pair));
  return arith::MulFOp::create(b, readConstant(b, frequencies, pair), power);
}

LogicalResult LongRopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<Real> shortFactors,
                                   ArrayRef<Real> longFactors, int64_t original,
                                   Real attentionFactor) {
  if (shortFactors.empty() || shortFactors.size() != longFactors.size())
    return emitError() << "rotate_c1: expected as many short as long factors, "
                          "but got "
                       << shortFactors.size() << " and " << longFactors.size();
  if (!llvm::all_of(shortFactors, isPositive) ||
      !llvm::all_of(longFactors, isPositive) || !isPositive(attentionFactor))
    return emitError() << "rotate_c1: expected longrope's factors and "
                          "attention_factor to be positive";
  return verifyOriginal(emitError, "longrope", original);
}

bool LongRopeAttr::needsLength() const { return true; }
double LongRopeAttr::getMagnitude() const { return getAttentionFactor().value; }
std::optional<int64_t> LongRopeAttr::getNumPairs() const {
  return getLongFactors().size();
}

Value LongRopeAttr::emitFrequency(OpBuilder &builder, Location loc,
                                  ArrayRef<double> frequencies, Value length,
                                  Value pair) const {
  ImplicitLocOpBuilder b(loc, builder);
  auto divided = [&](ArrayRef<Real> factors) {
    SmallVector<double> result;
    for (auto [f, factor] : llvm::zip_equal(frequencies, factors))
      result.push_back(f / factor.value);
    return readConstant(b, result, pair);
  };
  Value original = arith::ConstantIndexOp::create(b, getOriginal());
  Value isLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, length, original);
  return arith::SelectOp::create(b, isLong, divided(getLongFactors()),
                                 divided(getShortFactors()));
}
