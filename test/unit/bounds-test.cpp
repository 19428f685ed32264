//===- bounds-test.cpp - Intervals against their integers -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Random ends of intervals, made of constants and of two named values, and what
// they are for all small values of these.

#include "mlir/IR/Block.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "posenc/Analysis/Extents.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace mlir;
using namespace mlir::posenc;

static unsigned numChecks = 0;
static std::mt19937 random32(1);

static void check(bool holds, const char *what) {
  ++numChecks;
  if (holds)
    return;
  llvm::errs() << "failed: " << what << "\n";
  exit(1);
}

static int64_t draw(int64_t lo, int64_t hi) {
  return lo + int64_t(random32() % uint64_t(hi - lo + 1));
}

using Values = std::pair<int64_t, int64_t>;
static constexpr int64_t infinity = 1000;

namespace {
struct Test {
  Value a, b;

  int64_t evaluate(const LinearForm &form, Values values) const {
    int64_t sum = form.constant;
    for (auto [value, factor] : form.terms)
      sum += factor * (value == a ? values.first : values.second);
    return sum;
  }

  int64_t evaluate(const Bound &bound, Values values) const {
    switch (bound.getKind()) {
    case Bound::Kind::NegativeInfinity:
      return -infinity;
    case Bound::Kind::PositiveInfinity:
      return infinity;
    case Bound::Kind::Linear:
      return evaluate(bound.getForm(), values);
    case Bound::Kind::Min:
    case Bound::Kind::Max: {
      int64_t x = evaluate(bound.getOperands().first, values);
      int64_t y = evaluate(bound.getOperands().second, values);
      return bound.getKind() == Bound::Kind::Min ? std::min(x, y)
                                                 : std::max(x, y);
    }
    }
    llvm_unreachable("unknown kind of bound");
  }

  bool contains(const BoundRange &range, int64_t x, Values values) const {
    return evaluate(range.lo, values) <= x && x <= evaluate(range.hi, values);
  }

  LinearForm drawForm() const {
    return LinearForm::of(a) * draw(-1, 1) + LinearForm::of(b) * draw(-1, 1) +
           draw(-3, 3);
  }

  Bound drawBound(unsigned depth) const {
    int64_t choice = draw(0, depth ? 5 : 3);
    if (choice == 0)
      return draw(0, 1) ? Bound::negativeInfinity() : Bound::positiveInfinity();
    if (choice < 4)
      return choice == 1 ? Bound(draw(-3, 3)) : Bound(drawForm());
    Bound x = drawBound(depth - 1), y = drawBound(depth - 1);
    return choice == 4 ? Bound::min(x, y) : Bound::max(x, y);
  }

  template <typename Check> void forAll(Check check) const {
    for (int64_t x = -4; x <= 4; ++x)
      for (int64_t y = -4; y <= 4; ++y)
        check(Values(x, y));
  }

  void checkForms() const {
    LinearForm x = drawForm(), y = drawForm();
    int64_t factor = draw(-3, 3);
    check(x - x == LinearForm(), "x - x is 0");
    check(x + y == y + x, "sums commute");
    check(x - y == (y - x) * -1, "differences change their sign");
    forAll([&](Values v) {
      check(evaluate(x + y, v) == evaluate(x, v) + evaluate(y, v), "sum");
      check(evaluate(x - y, v) == evaluate(x, v) - evaluate(y, v),
            "difference");
      check(evaluate(x * factor, v) == evaluate(x, v) * factor, "multiple");
    });
  }

  void checkBounds() const {
    Bound x = drawBound(3), y = drawBound(3);
    Bound least = Bound::min(x, y), greatest = Bound::max(x, y);
    LinearForm form = drawForm();
    check(least == Bound::min(y, x) || !(x == y), "equal minima");
    check(-(-x) == x, "double negation");
    check(least.isAtMost(least), "at most itself");
    forAll([&](Values v) {
      int64_t atX = evaluate(x, v), atY = evaluate(y, v);
      check(evaluate(least, v) == std::min(atX, atY), "minimum");
      check(evaluate(greatest, v) == std::max(atX, atY), "maximum");
      check(evaluate(-x, v) == -atX, "negation");
      if (x.isFinite())
        check(evaluate(x + form, v) == atX + evaluate(form, v), "shift");
      if (x.isAtMost(y))
        check(atX <= atY, "order");
      if (x == y)
        check(atX == atY, "equality");
    });
    if (!x.isFinite())
      check(x + form == x, "infinities stay");
    if (std::optional<int64_t> constant = x.getConstant())
      check(*constant == evaluate(x, {0, 0}), "constant");
  }

  void checkRanges() const {
    BoundRange x{drawBound(1), drawBound(1)}, y{drawBound(1), drawBound(1)};
    BoundRange both = x.intersect(y), hull = x.hull(y);
    check(both == y.intersect(x) || !(x == y), "equal intersections");
    check(x.intersect(BoundRange::none()).isNone(),
          "nothing is common with none");
    check(x.hull(BoundRange::none()) == x || x.isNone(), "none adds nothing");
    forAll([&](Values v) {
      for (int64_t at = -20; at <= 20; ++at) {
        bool inX = contains(x, at, v), inY = contains(y, at, v);
        check(contains(both, at, v) == (inX && inY), "intersection");
        check(contains(hull, at, v) || !(inX || inY), "hull");
        check(!x.isNone() || !inX, "none");
        check(!x.isAll() || inX, "all");
      }
    });
  }
};
} // namespace

int main() {
  MLIRContext context;
  Block block;
  Type index = IndexType::get(&context);
  Location loc = UnknownLoc::get(&context);
  Test test{block.addArgument(index, loc), block.addArgument(index, loc)};
  check(BoundRange::all().isAll() && BoundRange::none().isNone() &&
            Box::all().isAll() && Box::none().isNone(),
        "all and none");
  check(Bound::min(LinearForm::of(test.a), LinearForm::of(test.a) + 1) ==
            Bound(LinearForm::of(test.a)),
        "forms that differ by a constant");
  for (unsigned i = 0; i < 300; ++i) {
    test.checkForms();
    test.checkBounds();
    test.checkRanges();
  }
  llvm::outs() << numChecks << " checks passed\n";
}
