//===- Rotations.cpp - Rotary position embedding as an attribute -*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/Assembly.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

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

//===----------------------------------------------------------------------===//
// rope
//===----------------------------------------------------------------------===//

LogicalResult RopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               RopeLayout layout, int64_t start, int64_t width,
                               std::optional<Real> base,
                               RopeScalingAttr scaling,
                               ArrayRef<int64_t> sections, bool cyclic,
                               bool restart, std::optional<Real> xpos) {
  if (start < 0 || width < 0 || width % 2 != 0)
    return emitError() << "rotate_c1: expected start >= 0 and an even width, "
                          "but got start = "
                       << start << ", width = " << width;
  if (base && !(std::isfinite(base->value) && base->value > 1))
    return emitError() << "rotate_c1: expected a base above 1";
  if (scaling && !base)
    return emitError() << "rotate_c1: a scaling changes the frequencies of a "
                          "base, but there is none";
  int64_t pairs = 0;
  for (int64_t section : sections)
    if (section < 1 || llvm::AddOverflow(pairs, section, pairs))
      return emitError() << "rotate_c1: expected sections of at least 1 pair "
                            "whose sum fits in 63 bits";
  if (!sections.empty() && width && pairs != width / 2)
    return emitError() << "rotate_c1: the sections have " << pairs
                       << " pairs together, but width = " << width << " has "
                       << width / 2;
  if (sections.empty() && (cyclic || restart))
    return emitError() << "rotate_c1: cyclic and restart say how sections are "
                          "dealt, but there are none";
  if (restart && !base)
    return emitError() << "rotate_c1: restart changes the frequencies of a "
                          "base, but there is none";
  if (restart && scaling && scaling.needsLength())
    return emitError() << "rotate_c1: restart does not go with a scaling that "
                          "needs the length";
  if (xpos && !(std::isfinite(xpos->value) && xpos->value != 0))
    return emitError() << "rotate_c1: expected xpos to be finite and not 0";
  return success();
}

SmallVector<double> RopeAttr::getFrequencies(int64_t width) const {
  auto getPlain = [&](int64_t width) {
    SmallVector<double> frequencies;
    double base = getBase()->value;
    for (int64_t m = 0; m < width / 2; ++m)
      frequencies.push_back(std::pow(base, -2.0 * m / width));
    if (getScaling() && !needsLength())
      getScaling().scaleFrequencies(frequencies, base, width);
    return frequencies;
  };
  if (!getRestart())
    return getPlain(width);
  SmallVector<SmallVector<double>> byAxis;
  for (int64_t section : getSections())
    byAxis.push_back(getPlain(2 * section));
  SmallVector<double> frequencies;
  SmallVector<size_t> dealt(byAxis.size());
  for (int64_t axis : getAxes())
    frequencies.push_back(byAxis[axis][dealt[axis]++]);
  return frequencies;
}

SmallVector<int64_t> RopeAttr::getAxes() const {
  SmallVector<int64_t> axes;
  if (!getCyclic()) {
    for (auto [axis, section] : llvm::enumerate(getSections()))
      axes.append(section, axis);
    return axes;
  }
  auto open = llvm::to_vector(llvm::seq<int64_t>(getSections().size()));
  for (int64_t round = 0; !open.empty(); ++round) {
    llvm::erase_if(open,
                   [&](int64_t axis) { return getSections()[axis] <= round; });
    llvm::append_range(axes, open);
  }
  return axes;
}

std::string RopeAttr::whyNot(int64_t width) const {
  int64_t pairs = width / 2;
  ArrayRef<int64_t> sections = getSections();
  if (int64_t sum =
          std::accumulate(sections.begin(), sections.end(), int64_t(0));
      !sections.empty() && sum != pairs)
    return llvm::formatv("the sections have {0} pairs together, but {1} rotate",
                         sum, pairs);
  std::optional<int64_t> scaled =
      getScaling() ? getScaling().getNumPairs() : std::nullopt;
  if (!scaled)
    return {};
  if (!getRestart())
    sections = pairs;
  for (int64_t section : sections)
    if (section != *scaled)
      return llvm::formatv("the scaling is for {0} pairs, but {1} rotate",
                           *scaled, section);
  return {};
}

// `<` (half | interleaved) (`,` (key `=` value | cyclic | restart))* `>`
Attribute RopeAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  FailureOr<RopeLayout> layout = failure();
  if (parser.parseLess() ||
      failed(layout = FieldParser<RopeLayout>::parse(parser)))
    return {};
  int64_t first = 0, width = 0;
  std::optional<Real> base, xpos;
  RopeScalingAttr scaling;
  SmallVector<int64_t> sections;
  bool cyclic = false, restart = false;
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
    if (parser.parseKeyword(&key))
      return {};
    if (!seen.insert(key).second)
      return parser.emitError(loc) << "'" << key << "' is given twice",
             Attribute();
    if (key == "cyclic" || key == "restart") {
      (key == "cyclic" ? cyclic : restart) = true;
      continue;
    }
    if (parser.parseEqual())
      return {};
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
    else if (key == "sections")
      parsed =
          parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
            return parser.parseInteger(sections.emplace_back());
          });
    else
      parser.emitError(loc) << "unknown key '" << key
                            << "': expected base, start, width, scaling, "
                               "sections, cyclic, restart or xpos";
    if (failed(parsed))
      return {};
    // Without the key all channels rotate, which 0 stands for.
    if (key == "width" && width == 0)
      return parser.emitError(loc, "rotate_c1: expected a positive width"),
             Attribute();
    if (key == "sections" && sections.empty())
      return parser.emitError(loc, "rotate_c1: expected a section"),
             Attribute();
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RopeAttr>(
      start, parser.getContext(), *layout, first, width, base, scaling,
      ArrayRef<int64_t>(sections), cyclic, restart, xpos);
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
  if (!getSections().empty()) {
    printer << ", sections = [";
    llvm::interleaveComma(getSections(), printer);
    printer << ']';
  }
  if (getCyclic())
    printer << ", cyclic";
  if (getRestart())
    printer << ", restart";
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

  if (std::string reason = rope.whyNot(width); !reason.empty())
    return fail() << reason;
  if (rope.needsLength() != bool(rotation.length))
    return fail() << (rotation.length
                          ? "the scaling needs no length, but one is given"
                          : "the scaling needs the length of the sequence");

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

  auto type = rotation.position
                  ? dyn_cast<ShapedType>(rotation.position.getType())
                  : ShapedType();
  int64_t numAxes = rope.getSections().size();
  if (numAxes &&
      (!type || type.getRank() != 3 || !mayAgree(type.getDimSize(0), numAxes)))
    return fail() << "expected positions [" << numAxes
                  << ",B,L], one per section of the rope";
  if (!type)
    return success();
  int64_t rank = type.getRank(), batch = numAxes ? 1 : 0;
  bool fits = numAxes || rank == 1 || rank == 2;
  if (fits)
    fits = mayAgree(type.getDimSize(batch), rows.getDimSize(0)) ||
           (rank > 1 && type.getDimSize(batch) == 1);
  if (fits && rank > 1)
    fits = mayAgree(type.getDimSize(batch + 1), rows.getDimSize(2));
  if (!fits)
    return fail() << "expected positions "
                  << (numAxes ? "[axes,B,L] or [axes,1,L]"
                              : "[B], or [B,L] or [1,L]")
                  << " of rows " << rows << ", but got " << type;
  Type element = type.getElementType();
  if (element.isInteger(1))
    return fail() << "expected positions of integers or floats";
  if (isa<FloatType>(element) && (rank == 1 || rotation.cos))
    return fail() << "offsets and positions in cos_sin tables are integers";
  return success();
}
