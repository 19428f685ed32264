//===- Bounds.cpp - Ends of intervals, known or named -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Analysis/Extents.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// LinearForm
//===----------------------------------------------------------------------===//

LinearForm LinearForm::of(Value value) {
  LinearForm form;
  form.terms.emplace_back(value, 1);
  return form;
}

LinearForm LinearForm::operator+(const LinearForm &other) const {
  LinearForm sum = *this;
  sum.constant += other.constant;
  for (auto [value, factor] : other.terms) {
    auto *known = llvm::find_if(
        sum.terms, [value = value](auto &term) { return term.first == value; });
    if (known == sum.terms.end())
      sum.terms.emplace_back(value, factor);
    else if ((known->second += factor) == 0)
      sum.terms.erase(known);
  }
  return sum;
}

LinearForm LinearForm::operator-(const LinearForm &other) const {
  return *this + other * -1;
}

LinearForm LinearForm::operator*(int64_t factor) const {
  if (factor == 0)
    return LinearForm();
  LinearForm product = *this;
  product.constant *= factor;
  for (auto &term : product.terms)
    term.second *= factor;
  return product;
}

bool LinearForm::operator==(const LinearForm &other) const {
  // Terms stand in the order in which they came, which may differ.
  LinearForm difference = *this - other;
  return difference.isConstant() && difference.constant == 0;
}

//===----------------------------------------------------------------------===//
// Bound
//===----------------------------------------------------------------------===//

struct Bound::Node {
  Kind kind;
  LinearForm form;                  // of Linear
  std::shared_ptr<const Node> x, y; // of Min and Max
  unsigned numForms = 0;
};

Bound Bound::negativeInfinity() {
  static auto node =
      std::make_shared<const Node>(Node{Kind::NegativeInfinity, {}, {}, {}});
  return Bound(node);
}

Bound Bound::positiveInfinity() {
  static auto node =
      std::make_shared<const Node>(Node{Kind::PositiveInfinity, {}, {}, {}});
  return Bound(node);
}

Bound::Bound(LinearForm form)
    : node(std::make_shared<const Node>(
          Node{Kind::Linear, std::move(form), {}, {}, 1})) {}

Bound::Kind Bound::getKind() const { return node->kind; }
unsigned Bound::getNumForms() const { return node->numForms; }

bool Bound::isFinite() const {
  return getKind() != Kind::NegativeInfinity &&
         getKind() != Kind::PositiveInfinity;
}

const LinearForm &Bound::getForm() const {
  assert(getKind() == Kind::Linear && "not a linear form");
  return node->form;
}

std::pair<Bound, Bound> Bound::getOperands() const {
  assert((getKind() == Kind::Min || getKind() == Kind::Max) &&
         "not a minimum or maximum");
  return {Bound(node->x), Bound(node->y)};
}

std::optional<int64_t> Bound::getConstant() const {
  if (getKind() == Kind::Linear && getForm().isConstant())
    return getForm().constant;
  return std::nullopt;
}

Bound Bound::min(const Bound &x, const Bound &y) {
  if (x.isAtMost(y))
    return x;
  if (y.isAtMost(x))
    return y;
  // An end that the other one replaces goes.
  for (auto [whole, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (whole.getKind() != Kind::Min)
      continue;
    auto [first, second] = whole.getOperands();
    if (other.isAtMost(first))
      return min(second, other);
    if (other.isAtMost(second))
      return min(first, other);
  }
  return Bound(std::make_shared<const Node>(
      Node{Kind::Min, {}, x.node, y.node, x.getNumForms() + y.getNumForms()}));
}

Bound Bound::max(const Bound &x, const Bound &y) { return -min(-x, -y); }

Bound Bound::operator+(const LinearForm &form) const {
  switch (getKind()) {
  case Kind::NegativeInfinity:
  case Kind::PositiveInfinity:
    return *this;
  case Kind::Linear:
    return getForm() + form;
  case Kind::Min:
  case Kind::Max: {
    auto [x, y] = getOperands();
    return Bound(std::make_shared<const Node>(
        Node{getKind(), {}, (x + form).node, (y + form).node, getNumForms()}));
  }
  }
  llvm_unreachable("unknown kind of bound");
}

Bound Bound::operator-() const {
  switch (getKind()) {
  case Kind::NegativeInfinity:
    return positiveInfinity();
  case Kind::PositiveInfinity:
    return negativeInfinity();
  case Kind::Linear:
    return getForm() * -1;
  case Kind::Min:
  case Kind::Max: {
    auto [x, y] = getOperands();
    return Bound(std::make_shared<const Node>(
        Node{getKind() == Kind::Min ? Kind::Max : Kind::Min,
             {},
             (-x).node,
             (-y).node,
             getNumForms()}));
  }
  }
  llvm_unreachable("unknown kind of bound");
}

bool Bound::operator==(const Bound &other) const {
  if (node == other.node)
    return true;
  if (getKind() != other.getKind())
    return false;
  if (!isFinite())
    return true;
  if (getKind() == Kind::Linear)
    return getForm() == other.getForm();
  auto [x, y] = getOperands();
  auto [otherX, otherY] = other.getOperands();
  return (x == otherX && y == otherY) || (x == otherY && y == otherX);
}

bool Bound::isAtMost(const Bound &other) const {
  if (node == other.node || getKind() == Kind::NegativeInfinity ||
      other.getKind() == Kind::PositiveInfinity)
    return true;
  if (!isFinite() || !other.isFinite())
    return false;
  if (getKind() == Kind::Linear && other.getKind() == Kind::Linear) {
    LinearForm difference = getForm() - other.getForm();
    return difference.isConstant() && difference.constant <= 0;
  }
  // First what splits without loss.
  if (getKind() == Kind::Max) {
    auto [x, y] = getOperands();
    return x.isAtMost(other) && y.isAtMost(other);
  }
  if (other.getKind() == Kind::Min) {
    auto [x, y] = other.getOperands();
    return isAtMost(x) && isAtMost(y);
  }
  if (getKind() == Kind::Min) {
    auto [x, y] = getOperands();
    if (x.isAtMost(other) || y.isAtMost(other))
      return true;
  }
  if (other.getKind() == Kind::Max) {
    auto [x, y] = other.getOperands();
    return isAtMost(x) || isAtMost(y);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// BoundRange and Box
//===----------------------------------------------------------------------===//

bool BoundRange::isAll() const {
  return lo.getKind() == Bound::Kind::NegativeInfinity &&
         hi.getKind() == Bound::Kind::PositiveInfinity;
}

bool BoundRange::isNone() const {
  return lo.getKind() == Bound::Kind::PositiveInfinity ||
         hi.getKind() == Bound::Kind::NegativeInfinity;
}

BoundRange BoundRange::intersect(const BoundRange &other) const {
  BoundRange both{Bound::max(lo, other.lo), Bound::min(hi, other.hi)};
  if (both.isNone() || (both.isFinite() && (both.hi + 1).isAtMost(both.lo)))
    return none();
  return both;
}

BoundRange BoundRange::hull(const BoundRange &other) const {
  if (isNone())
    return other;
  if (other.isNone())
    return *this;
  return {Bound::min(lo, other.lo), Bound::max(hi, other.hi)};
}

Box Box::intersect(const Box &other) const {
  Box both{lag.intersect(other.lag), key.intersect(other.key)};
  return both.isNone() ? none() : both;
}

Box Box::hull(const Box &other) const {
  if (isNone())
    return other;
  if (other.isNone())
    return *this;
  return {lag.hull(other.lag), key.hull(other.key)};
}
