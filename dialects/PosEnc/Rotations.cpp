//===- Rotations.cpp - Rotary position embedding as an attribute -*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Real
//===----------------------------------------------------------------------===//

AsmPrinter &posenc::operator<<(AsmPrinter &printer, const Real &real) {
  printer.printFloat(APFloat(real.value));
  return printer;
}

FailureOr<Real> FieldParser<Real>::parse(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return Real(value);
}

FailureOr<std::optional<Real>>
FieldParser<std::optional<Real>>::parse(AsmParser &parser) {
  FailureOr<Real> real = FieldParser<Real>::parse(parser);
  if (failed(real))
    return failure();
  return std::optional<Real>(*real);
}

static bool isPositive(Real real) {
  return std::isfinite(real.value) && real.value > 0;
}

//===----------------------------------------------------------------------===//
// Scalings
//===----------------------------------------------------------------------===//

LogicalResult YarnAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Real factor, int64_t original, Real betaFast,
                               Real betaSlow, bool truncate,
                               std::optional<Real> attentionFactor) {
  if (!isPositive(factor) || !isPositive(betaFast) || !isPositive(betaSlow) ||
      (attentionFactor && !isPositive(*attentionFactor)))
    return emitError() << "rotate_c1: expected yarn's factor, beta_fast, "
                          "beta_slow and attention_factor to be positive";
  if (original < 1)
    return emitError() << "rotate_c1: expected yarn's original context of at "
                          "least 1 token, but got "
                       << original;
  return success();
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
// rope
//===----------------------------------------------------------------------===//

LogicalResult RopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               RopeLayout layout, int64_t start, int64_t width,
                               std::optional<Real> base,
                               RopeScalingAttr scaling,
                               std::optional<Real> xpos) {
  if (start < 0 || width < 0 || width % 2 != 0)
    return emitError() << "rotate_c1: expected start >= 0 and an even width, "
                          "but got start = "
                       << start << ", width = " << width;
  if (base && !(std::isfinite(base->value) && base->value > 1))
    return emitError() << "rotate_c1: expected a base above 1";
  if (scaling && !base)
    return emitError() << "rotate_c1: a scaling changes the frequencies of a "
                          "base, but there is none";
  if (xpos && !(std::isfinite(xpos->value) && xpos->value != 0))
    return emitError() << "rotate_c1: expected xpos to be finite and not 0";
  return success();
}

SmallVector<double> RopeAttr::getFrequencies(int64_t width) const {
  SmallVector<double> frequencies;
  double base = getBase()->value;
  for (int64_t m = 0; m < width / 2; ++m)
    frequencies.push_back(std::pow(base, -2.0 * m / width));
  if (getScaling())
    getScaling().scaleFrequencies(frequencies, base, width);
  return frequencies;
}

// `<` (half | interleaved) (`,` key `=` value)* `>`
Attribute RopeAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  FailureOr<RopeLayout> layout = failure();
  if (parser.parseLess() ||
      failed(layout = FieldParser<RopeLayout>::parse(parser)))
    return {};
  int64_t first = 0, width = 0;
  std::optional<Real> base, xpos;
  RopeScalingAttr scaling;
  llvm::SmallDenseSet<StringRef> seen;
  auto parseReal = [&](std::optional<Real> &real) -> ParseResult {
    auto parsed = FieldParser<std::optional<Real>>::parse(parser);
    if (failed(parsed))
      return failure();
    real = *parsed;
    return success();
  };
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    if (!seen.insert(key).second)
      return parser.emitError(loc) << "'" << key << "' is given twice",
             Attribute();
    ParseResult parsed = failure();
    if (key == "base")
      parsed = parseReal(base);
    else if (key == "xpos")
      parsed = parseReal(xpos);
    else if (key == "start")
      parsed = parser.parseInteger(first);
    else if (key == "width")
      parsed = parser.parseInteger(width);
    else if (key == "scaling")
      parsed = parser.parseAttribute(scaling);
    else
      parser.emitError(loc) << "unknown key '" << key
                            << "': expected base, start, width, scaling or "
                               "xpos";
    if (failed(parsed))
      return {};
    // Without the key all channels rotate, which 0 stands for.
    if (key == "width" && width == 0)
      return parser.emitError(loc, "rotate_c1: expected a positive width"),
             Attribute();
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RopeAttr>(start, parser.getContext(), *layout, first,
                                     width, base, scaling, xpos);
}

void RopeAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRopeLayout(getLayout());
  if (getBase())
    printer << ", base = " << *getBase();
  if (getStart())
    printer << ", start = " << getStart();
  if (getWidth())
    printer << ", width = " << getWidth();
  if (getScaling())
    printer << ", scaling = " << getScaling();
  if (getXpos())
    printer << ", xpos = " << *getXpos();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// rotate_c1
//===----------------------------------------------------------------------===//

/// Whether the type is [P, columns] or [columns], as its rank says.
static bool hasColumns(Value table, int64_t rank, int64_t columns) {
  auto type = cast<ShapedType>(table.getType());
  return type.getRank() == rank && type.getShape().back() == columns;
}

LogicalResult posenc::verifyRotation(Operation *op, const Rotation &rotation,
                                     ShapedType rows) {
  auto fail = [&] { return op->emitOpError("rotate_c1: "); };
  RopeAttr rope = rotation.rope;
  int64_t channels = rows.getDimSize(3);
  int64_t width = rope.getRotatedWidth(channels);
  int64_t end;
  if (width <= 0 || width % 2 != 0 ||
      llvm::AddOverflow(rope.getStart(), width, end) || end > channels)
    return fail() << "expected an even number of channels inside the row's "
                  << channels << " to rotate, but got " << width << " from "
                  << rope.getStart();
  // The compiler computes the frequency of every pair.
  constexpr int64_t maxWidth = 1 << 16;
  if (width > maxWidth)
    return fail() << "expected at most " << maxWidth
                  << " channels to rotate, but got " << width;

  if (!rotation.cos != !rotation.sin)
    return fail() << "cos and sin come together";
  int sources =
      bool(rope.getBase()) + bool(rotation.freqs) + bool(rotation.cos);
  if (sources != 1)
    return fail() << "the angles come from one of base, freqs and cos_sin, but "
                  << (sources ? "more are given" : "none is given");
  if (rotation.freqs && !hasColumns(rotation.freqs, 1, width / 2))
    return fail() << "expected freqs [" << width / 2 << "]";
  if (rotation.cos && (!hasColumns(rotation.cos, 2, width / 2) ||
                       !hasColumns(rotation.sin, 2, width / 2)))
    return fail() << "expected cos and sin [positions, " << width / 2 << "]";

  if (!rotation.position || isa<IndexType>(rotation.position.getType()))
    return success();
  auto type = cast<ShapedType>(rotation.position.getType());
  bool fits = type.getRank() == 1 || type.getRank() == 2;
  if (fits)
    fits = mayAgree(type.getDimSize(0), rows.getDimSize(0)) ||
           (type.getRank() == 2 && type.getDimSize(0) == 1);
  if (fits && type.getRank() == 2)
    fits = mayAgree(type.getDimSize(1), rows.getDimSize(2));
  if (!fits)
    return fail() << "expected positions [B], or [B,L] or [1,L] of rows "
                  << rows << ", but got " << type;
  Type element = type.getElementType();
  if (element.isInteger(1))
    return fail() << "expected positions of integers or floats";
  if (isa<FloatType>(element) && (type.getRank() == 1 || rotation.cos))
    return fail() << "offsets and positions in cos_sin tables are integers";
  return success();
}
