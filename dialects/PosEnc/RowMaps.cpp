//===- RowMaps.cpp - Index maps: integers to table rows -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::posenc;

/// Constant tables of a map have at most this many rows.
static constexpr int64_t maxTableRows = 1 << 16;
/// Logarithmic maps have at most this many buckets, and distances of 31 bits:
/// beyond, exact powers of them would take seconds.
static constexpr int64_t maxBuckets = 4096;
static constexpr int64_t maxLogDistance = std::numeric_limits<int32_t>::max();

static constexpr int64_t minInteger = std::numeric_limits<int64_t>::min();
static constexpr int64_t maxInteger = std::numeric_limits<int64_t>::max();

/// |x|, without overflow at the least integer.
static int64_t getMagnitude(int64_t x) {
  return x >= 0 ? x : x == minInteger ? maxInteger : -x;
}

//===----------------------------------------------------------------------===//
// Exact powers
//===----------------------------------------------------------------------===//

static APInt power(APInt square, uint64_t exponent) {
  APInt result(square.getBitWidth(), 1);
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result *= square;
    if (exponent > 1)
      square *= square;
  }
  return result;
}

/// The sign of (n / e)^p - (d / e)^t, by integers.
static int comparePowers(int64_t n, uint64_t p, int64_t d, uint64_t t,
                         int64_t e) {
  if (uint64_t common = std::gcd(p, t)) {
    p /= common;
    t /= common;
  }
  unsigned width = p * llvm::Log2_64_Ceil(std::max(n, e) + 1) +
                   t * llvm::Log2_64_Ceil(std::max(d, e) + 1) + 2;
  auto powerOf = [&](int64_t base, uint64_t exponent) {
    return power(APInt(width, base), exponent);
  };
  APInt left = powerOf(n, p) * powerOf(e, t);
  APInt right = powerOf(d, t) * powerOf(e, p);
  return left == right ? 0 : left.ult(right) ? -1 : 1;
}

/// p ln(n / e) / ln(d / e), and whether that is too near an integer for its
/// rounding to be trusted.
static std::pair<long double, bool> logRatio(int64_t n, int64_t p, int64_t d,
                                             int64_t e) {
  using Float = long double;
  Float x = p * std::log(Float(n) / e) / std::log(Float(d) / e);
  Float tolerance = 64 * std::numeric_limits<Float>::epsilon() * (1 + x);
  return {x, std::abs(x - std::round(x)) < tolerance};
}

//===----------------------------------------------------------------------===//
// Emission by tables
//===----------------------------------------------------------------------===//

static Value indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value clamp(OpBuilder &builder, Location loc, Value x, int64_t lo,
                   int64_t hi) {
  Value atLeast =
      arith::MaxSIOp::create(builder, loc, x, indexConstant(builder, loc, lo));
  return arith::MinSIOp::create(builder, loc, atLeast,
                                indexConstant(builder, loc, hi));
}

static Value tensorConstant(OpBuilder &builder, Location loc,
                            ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(values.size(), builder.getI64Type());
  return arith::ConstantOp::create(builder, loc, type,
                                   DenseIntElementsAttr::get(type, values));
}

static Value readIndex(OpBuilder &builder, Location loc, Value table,
                       Value at) {
  Value element = tensor::ExtractOp::create(builder, loc, table, at);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    element);
}

Value posenc::emitRowTable(OpBuilder &builder, Location loc, RowMapAttr map,
                           ValueRange x) {
  Interval varying = map.getVarying();
  if (map.getNumInputs() != 1 || !varying.lo || !varying.hi ||
      uint64_t(*varying.hi) - uint64_t(*varying.lo) >= maxTableRows)
    return {};
  SmallVector<int64_t> rows;
  for (int64_t at = *varying.lo; at <= *varying.hi; ++at)
    rows.push_back(map.evaluate(at));
  Value inside = clamp(builder, loc, x[0], *varying.lo, *varying.hi);
  Value place = arith::SubIOp::create(builder, loc, inside,
                                      indexConstant(builder, loc, *varying.lo));
  return readIndex(builder, loc, tensorConstant(builder, loc, rows), place);
}

Value posenc::emitRowRuns(OpBuilder &builder, Location loc,
                          ArrayRef<int64_t> starts, ArrayRef<int64_t> rows,
                          Value x) {
  // A power of two of runs, so that no step of the search leaves the table.
  SmallVector<int64_t> paddedStarts(starts), paddedRows(rows);
  size_t size = llvm::PowerOf2Ceil(starts.size());
  paddedStarts.resize(size, maxInteger);
  paddedRows.resize(size, rows.back());
  Value startTable = tensorConstant(builder, loc, paddedStarts);
  Value run = indexConstant(builder, loc, 0);
  for (size_t step = size / 2; step; step /= 2) {
    Value next = arith::AddIOp::create(builder, loc, run,
                                       indexConstant(builder, loc, step));
    Value start = readIndex(builder, loc, startTable, next);
    Value reached = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::sle, start, x);
    run = arith::SelectOp::create(builder, loc, reached, next, run);
  }
  return readIndex(builder, loc, tensorConstant(builder, loc, paddedRows), run);
}

/// Appends the runs of equal rows in [lo, hi], where `evaluate` is monotone.
static void appendRuns(int64_t lo, int64_t hi,
                       function_ref<int64_t(int64_t)> evaluate,
                       SmallVectorImpl<int64_t> &starts,
                       SmallVectorImpl<int64_t> &rows) {
  for (int64_t start = lo;;) {
    int64_t row = evaluate(start), last = start, end = hi;
    // The last integer of the run, by bisection.
    while (last != end) {
      int64_t middle = last + (uint64_t(end) - uint64_t(last) + 1) / 2;
      if (evaluate(middle) == row)
        last = middle;
      else
        end = middle - 1;
    }
    starts.push_back(start);
    rows.push_back(row);
    if (last == hi)
      return;
    start = last + 1;
  }
}

/// Emits a map of one integer whose rows ascend or descend: by a table, or by
/// runs where it varies too far for one.
static Value emitMonotone(OpBuilder &builder, Location loc, RowMapAttr map,
                          ValueRange x) {
  if (Value row = emitRowTable(builder, loc, map, x))
    return row;
  Interval varying = map.getVarying();
  SmallVector<int64_t> starts, rows;
  appendRuns(
      varying.lo.value_or(-maxInteger), varying.hi.value_or(maxInteger),
      [&](int64_t at) { return map.evaluate(at); }, starts, rows);
  return emitRowRuns(builder, loc, starts, rows, x[0]);
}

/// The smallest integer of [lo, hi] for which the monotone `reached` holds, if
/// there is one.
static std::optional<int64_t> findFirst(int64_t lo, int64_t hi,
                                        function_ref<bool(int64_t)> reached) {
  if (!reached(hi))
    return std::nullopt;
  while (lo != hi) {
    int64_t middle = lo + (hi - lo) / 2;
    if (reached(middle))
      hi = middle;
    else
      lo = middle + 1;
  }
  return lo;
}

//===----------------------------------------------------------------------===//
// clip, band
//===----------------------------------------------------------------------===//

static LogicalResult verifyRange(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t lo, int64_t hi) {
  int64_t rows;
  if (lo > hi || llvm::SubOverflow(hi, lo, rows) || rows == maxInteger)
    return emitError() << "row_c2: expected lo <= hi and hi - lo + 1 rows "
                          "within 63 bits, but got lo = "
                       << lo << ", hi = " << hi;
  return success();
}

LogicalResult ClipAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t lo, int64_t hi) {
  return verifyRange(emitError, lo, hi);
}
int64_t ClipAttr::getNumRows() const { return getHi() - getLo() + 1; }
int64_t ClipAttr::evaluate(ArrayRef<int64_t> x) const {
  return std::clamp(x[0], getLo(), getHi()) - getLo();
}
Interval ClipAttr::getVarying() const { return {getLo(), getHi()}; }
Value ClipAttr::emit(OpBuilder &builder, Location loc, ValueRange x) const {
  Value clipped = clamp(builder, loc, x[0], getLo(), getHi());
  return arith::SubIOp::create(builder, loc, clipped,
                               indexConstant(builder, loc, getLo()));
}

LogicalResult BandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t lo, int64_t hi) {
  return verifyRange(emitError, lo, hi);
}
int64_t BandAttr::getNumRows() const { return getHi() - getLo() + 1; }
bool BandAttr::isPartial() const { return true; }
int64_t BandAttr::evaluate(ArrayRef<int64_t> x) const {
  return x[0] >= getLo() && x[0] <= getHi() ? x[0] - getLo() : -1;
}
Interval BandAttr::getVarying() const {
  Interval varying;
  if (getLo() != minInteger)
    varying.lo = getLo() - 1;
  if (getHi() != maxInteger)
    varying.hi = getHi() + 1;
  return varying;
}
Value BandAttr::emit(OpBuilder &builder, Location loc, ValueRange x) const {
  // Unsigned, one comparison tests both ends, also where x - lo wraps around.
  Value row = arith::SubIOp::create(builder, loc, x[0],
                                    indexConstant(builder, loc, getLo()));
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, row,
                            indexConstant(builder, loc, getNumRows()));
  return arith::SelectOp::create(builder, loc, inside, row,
                                 indexConstant(builder, loc, -1));
}

//===----------------------------------------------------------------------===//
// t5
//===----------------------------------------------------------------------===//

LogicalResult T5Attr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t buckets, int64_t maxDistance,
                             BucketDirection direction) {
  bool bidirectional = direction == BucketDirection::Bidirectional;
  if (buckets < (bidirectional ? 4 : 2) || buckets > maxBuckets ||
      (bidirectional && buckets % 2 != 0))
    return emitError() << "row_c2: expected "
                       << (bidirectional ? "an even number of 4" : "2")
                       << " to 4096 buckets, but got " << buckets;
  int64_t exact = buckets / (bidirectional ? 4 : 2);
  if (maxDistance <= exact || maxDistance > maxLogDistance)
    return emitError() << "row_c2: expected a maximum distance above the "
                          "exact range of "
                       << exact << " and of 31 bits, but got " << maxDistance;
  return success();
}
int64_t T5Attr::getSideBuckets() const {
  return getDirection() == BucketDirection::Bidirectional ? getBuckets() / 2
                                                          : getBuckets();
}
int64_t T5Attr::getSideBucket(int64_t distance) const {
  int64_t side = getSideBuckets(), exact = side / 2;
  if (distance < exact)
    return distance;
  if (distance >= getMaxDistance())
    return side - 1;
  // The largest t with (distance / exact)^(side - exact) >= (maximum /
  // exact)^t; by integers where a logarithm cannot tell.
  auto [x, near] = logRatio(distance, side - exact, getMaxDistance(), exact);
  int64_t t = std::floor(x);
  if (near) {
    t = std::round(x);
    if (comparePowers(distance, side - exact, getMaxDistance(), t, exact) < 0)
      --t;
  }
  return exact + std::min(t, side - 1 - exact);
}
int64_t T5Attr::getNumRows() const { return getBuckets(); }
int64_t T5Attr::evaluate(ArrayRef<int64_t> x) const {
  if (getDirection() == BucketDirection::Causal)
    return getSideBucket(x[0] < 0 ? getMagnitude(x[0]) : 0);
  return getSideBucket(getMagnitude(x[0])) + (x[0] > 0 ? getSideBuckets() : 0);
}
Interval T5Attr::getVarying() const {
  int64_t last = getSideBuckets() - 1;
  int64_t saturation = *findFirst(
      0, getMaxDistance(), [&](int64_t n) { return getSideBucket(n) == last; });
  return {-saturation,
          getDirection() == BucketDirection::Causal ? 0 : saturation};
}
Value T5Attr::emit(OpBuilder &builder, Location loc, ValueRange x) const {
  if (Value row = emitRowTable(builder, loc, *this, x))
    return row;
  // Each side of 0 is monotone.
  Interval varying = getVarying();
  SmallVector<int64_t> starts, rows;
  auto row = [&](int64_t at) { return evaluate(at); };
  appendRuns(*varying.lo, 0, row, starts, rows);
  if (*varying.hi > 0)
    appendRuns(1, *varying.hi, row, starts, rows);
  return emitRowRuns(builder, loc, starts, rows, x[0]);
}

//===----------------------------------------------------------------------===//
// deberta
//===----------------------------------------------------------------------===//

LogicalResult DebertaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t buckets, int64_t maxPosition,
                                  int64_t span) {
  if (span < 1 || span > maxBuckets)
    return emitError() << "row_c2: expected a span of 1 to 4096, but got "
                       << span;
  if (buckets < 2 || buckets > maxBuckets)
    return emitError() << "row_c2: expected 2 to 4096 buckets, but got "
                       << buckets << " (without buckets the map is "
                       << "#posenc.clip<" << -span << ", " << span - 1 << ">)";
  if (maxPosition <= buckets / 2 + 1 || maxPosition > maxLogDistance)
    return emitError() << "row_c2: expected max_position - 1 above buckets / 2"
                       << " = " << buckets / 2
                       << " and max_position of 31 bits, but got "
                       << maxPosition;
  return success();
}
int64_t DebertaAttr::getRow(int64_t lag) const {
  int64_t middle = getBuckets() / 2, span = getSpan();
  int64_t bucket = getMagnitude(lag);
  if (bucket > middle) {
    // The smallest t with (|lag| / middle)^(middle - 1) <= ((max_position - 1)
    // / middle)^t; by integers where a logarithm cannot tell.
    int64_t n = bucket, last = getMaxPosition() - 1;
    auto [x, near] = logRatio(n, middle - 1, last, middle);
    int64_t t = span;
    if (x <= span) {
      t = std::ceil(x);
      if (near) {
        t = std::round(x);
        if (comparePowers(n, middle - 1, last, t, middle) > 0)
          ++t;
      }
    }
    bucket = middle + t;
  }
  bucket = std::min(bucket, span);
  return std::min(span + (lag < 0 ? -bucket : bucket), 2 * span - 1);
}
int64_t DebertaAttr::getNumRows() const { return 2 * getSpan(); }
int64_t DebertaAttr::evaluate(ArrayRef<int64_t> x) const {
  return getRow(x[0]);
}
Interval DebertaAttr::getVarying() const {
  Interval varying;
  varying.hi = findFirst(
      0, maxInteger, [&](int64_t n) { return getRow(n) == 2 * getSpan() - 1; });
  if (std::optional<int64_t> n =
          findFirst(0, maxInteger, [&](int64_t n) { return getRow(-n) == 0; }))
    varying.lo = -*n;
  return varying;
}
Value DebertaAttr::emit(OpBuilder &builder, Location loc, ValueRange x) const {
  return emitMonotone(builder, loc, *this, x);
}

//===----------------------------------------------------------------------===//
// irpe
//===----------------------------------------------------------------------===//

LogicalResult IrpeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Real alpha, Real beta, Real gamma) {
  if (!(0 < alpha.value && alpha.value <= beta.value &&
        beta.value <= maxBuckets && alpha.value < gamma.value &&
        std::isfinite(gamma.value)))
    return emitError() << "row_c2: expected 0 < alpha <= beta <= 4096 and a "
                          "finite gamma above alpha";
  return success();
}

/// A finite double above 0 as mantissa 2^exponent, the mantissa odd.
static std::pair<int64_t, int> splitReal(double value) {
  int exponent;
  int64_t mantissa = std::ldexp(std::frexp(value, &exponent), 53);
  exponent -= 53;
  int zeros = llvm::countr_zero(uint64_t(mantissa));
  return {mantissa >> zeros, exponent + zeros};
}

/// Whether alpha + ln(n / alpha) / ln(gamma / alpha) (beta - alpha) = t + 1/2.
/// Then (n / alpha)^p = (gamma / alpha)^q for integers p and q without a common
/// factor, so that both bases are powers of one rational number, with exponents
/// below the bits of their numerators: few, and the powers short.
static bool isHalfway(int64_t n, int64_t t, double alpha, double beta,
                      double gamma) {
  // All in units of 2^lowest: integers, if they are not too far apart.
  auto [a, aShift] = splitReal(alpha);
  auto [b, bShift] = splitReal(beta);
  auto [c, cShift] = splitReal(gamma);
  int lowest = std::min({aShift, bShift, cShift, -1});
  constexpr unsigned maxBits = 256, maxExponent = 512;
  auto scale = [&](int64_t mantissa, int shift) {
    return APInt(2 * maxBits, mantissa) << (shift - lowest);
  };
  auto isShort = [&](int64_t mantissa, int shift) {
    return llvm::Log2_64(mantissa) + (shift - lowest) < maxBits - 70;
  };
  if (!isShort(a, aShift) || !isShort(b, bShift) || !isShort(c, cShift))
    return false;
  APInt first = scale(a, aShift), second = scale(c, cShift);
  APInt whole = APInt(2 * maxBits, n) << -lowest;
  // p : q = beta - alpha : t + 1/2 - alpha.
  APInt p = scale(b, bShift) - first;
  APInt q = (APInt(2 * maxBits, 2 * t + 1) << (-lowest - 1)) - first;
  if (!p.isStrictlyPositive() || !q.isStrictlyPositive())
    return false;
  APInt common = llvm::APIntOps::GreatestCommonDivisor(p, q);
  p = p.udiv(common);
  q = q.udiv(common);
  if (p.ugt(maxExponent) || q.ugt(maxExponent))
    return false;
  uint64_t left = p.getZExtValue(), right = q.getZExtValue();
  unsigned bits = std::max(
      {whole.getActiveBits(), first.getActiveBits(), second.getActiveBits()});
  unsigned width = bits * (left + right);
  auto powerOf = [&](const APInt &base, uint64_t exponent) {
    return power(base.zextOrTrunc(width), exponent);
  };
  return powerOf(whole, left) * powerOf(first, right) ==
         powerOf(second, right) * powerOf(first, left);
}

int64_t IrpeAttr::getSideRow(int64_t distance) const {
  using Float = long double;
  double alpha = getAlpha().value, beta = getBeta().value,
         gamma = getGamma().value;
  int64_t last = beta;
  if (distance <= alpha)
    return distance;
  Float x = alpha + std::log(Float(distance) / alpha) /
                        std::log(Float(gamma) / alpha) * (Float(beta) - alpha);
  if (x >= last + 1)
    return last;
  int64_t below = std::floor(x);
  Float above = x - below - Float(0.5);
  Float tolerance = 64 * std::numeric_limits<Float>::epsilon() * (1 + x);
  bool up = above > 0;
  // A half goes to the even neighbour.
  if (std::abs(above) < tolerance &&
      isHalfway(distance, below, alpha, beta, gamma))
    up = below % 2 != 0;
  return std::min<int64_t>(below + up, last);
}

int64_t IrpeAttr::getNumRows() const {
  return 2 * int64_t(getBeta().value) + 1;
}
int64_t IrpeAttr::evaluate(ArrayRef<int64_t> x) const {
  int64_t last = getBeta().value, row = getSideRow(getMagnitude(x[0]));
  return last + (x[0] < 0 ? -row : row);
}
Interval IrpeAttr::getVarying() const {
  int64_t last = getBeta().value;
  std::optional<int64_t> saturation = findFirst(
      0, maxInteger, [&](int64_t n) { return getSideRow(n) == last; });
  if (!saturation)
    return {};
  return {-*saturation, *saturation};
}
Value IrpeAttr::emit(OpBuilder &builder, Location loc, ValueRange x) const {
  return emitMonotone(builder, loc, *this, x);
}

//===----------------------------------------------------------------------===//
// window
//===----------------------------------------------------------------------===//

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t height, int64_t width) {
  int64_t rows, columns, product;
  if (height < 1 || width < 1 || llvm::MulOverflow<int64_t>(2, height, rows) ||
      llvm::MulOverflow<int64_t>(2, width, columns) ||
      llvm::MulOverflow(rows, columns, product))
    return emitError() << "row_c2: expected a window of at least 1 x 1 whose "
                          "rows fit in 63 bits, but got "
                       << height << " x " << width;
  return success();
}
unsigned WindowAttr::getNumInputs() const { return 2; }
int64_t WindowAttr::getNumRows() const {
  return (2 * getHeight() - 1) * (2 * getWidth() - 1);
}
int64_t WindowAttr::evaluate(ArrayRef<int64_t> x) const {
  int64_t last = getHeight() * getWidth() - 1, width = getWidth();
  int64_t query = std::clamp<int64_t>(x[0], 0, last);
  int64_t key = std::clamp<int64_t>(x[1], 0, last);
  int64_t down = query / width - key / width;
  int64_t right = query % width - key % width;
  return (down + getHeight() - 1) * (2 * width - 1) + right + width - 1;
}
Value WindowAttr::emit(OpBuilder &builder, Location loc, ValueRange x) const {
  auto constant = [&](int64_t c) { return indexConstant(builder, loc, c); };
  auto sub = [&](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, loc, a, b);
  };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  int64_t last = getHeight() * getWidth() - 1;
  Value width = constant(getWidth());
  Value row[2], column[2];
  for (int side : {0, 1}) {
    Value token = clamp(builder, loc, x[side], 0, last);
    row[side] = arith::DivUIOp::create(builder, loc, token, width);
    column[side] = arith::RemUIOp::create(builder, loc, token, width);
  }
  Value down = add(sub(row[0], row[1]), constant(getHeight() - 1));
  Value right = add(sub(column[0], column[1]), constant(getWidth() - 1));
  Value start =
      arith::MulIOp::create(builder, loc, down, constant(2 * getWidth() - 1));
  return add(start, right);
}
