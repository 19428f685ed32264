//===- Indices.cpp - Where a tensor is read, as integers of a pair --------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Fusion/Indices.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;

Index Index::ofAtom(unsigned atom) {
  Index index;
  index.terms.push_back({atom, 1});
  return index;
}

// Integers of type index wrap around, and so do factors of them.
static int64_t addWrapped(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
static int64_t multiplyWrapped(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

Index Index::operator+(const Index &other) const {
  Index sum(addWrapped(constant, other.constant));
  auto a = terms.begin(), b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->first < b->first)) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->first < a->first) {
      sum.terms.push_back(*b++);
    } else {
      if (int64_t factor = addWrapped(a->second, b->second))
        sum.terms.push_back({a->first, factor});
      ++a, ++b;
    }
  }
  return sum;
}

Index Index::operator*(int64_t factor) const {
  Index product(multiplyWrapped(constant, factor));
  for (auto [atom, own] : terms)
    if (int64_t both = multiplyWrapped(own, factor))
      product.terms.push_back({atom, both});
  return product;
}

bool Index::uses(unsigned atom) const {
  return llvm::any_of(terms, [&](auto term) { return term.first == atom; });
}

unsigned Atoms::add(Value value, int64_t size) {
  atoms.push_back({value, size, std::nullopt});
  return atoms.size() - 1;
}

SmallVector<Index> Atoms::addIndices(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape,
                             [&](int64_t size) { return addIndex({}, size); });
}

unsigned Atoms::of(Value value) {
  for (auto [i, atom] : llvm::enumerate(atoms))
    if (value && atom.value == value)
      return i;
  return add(value, ShapedType::kDynamic);
}

std::optional<std::pair<int64_t, int64_t>>
Atoms::range(const Index &index) const {
  int64_t lo = index.constant, hi = index.constant;
  for (auto [atom, factor] : index.terms) {
    int64_t size = atoms[atom].size, end;
    // Sizes of tensors are far from overflow; what is not has no range.
    if (ShapedType::isDynamic(size) || size == 0 ||
        llvm::MulOverflow(factor, size - 1, end) ||
        llvm::AddOverflow(factor > 0 ? hi : lo, end, factor > 0 ? hi : lo))
      return std::nullopt;
  }
  return std::pair(lo, hi);
}

/// Quotient and remainder by `modulus`, if the remainder is a sum that stays in
/// [0, modulus) once every factor is reduced: rounding down, or to the nearest
/// multiple (i (2n - 1) is i 2n - i: the skew of relative scores).
static FailureOr<std::pair<Index, Index>>
divide(const Atoms &atoms, const Index &index, int64_t modulus) {
  for (bool nearest : {false, true}) {
    Index quotient, rest(index.constant);
    for (auto [atom, factor] : index.terms) {
      int64_t down = llvm::divideFloorSigned(factor, modulus);
      if (nearest && 2 * (factor - down * modulus) >= modulus)
        ++down;
      quotient = quotient + Index::ofAtom(atom) * down;
      rest = rest + Index::ofAtom(atom) * (factor - down * modulus);
    }
    auto range = atoms.range(rest);
    if (!range)
      continue;
    int64_t whole = llvm::divideFloorSigned(range->first, modulus);
    if (llvm::divideFloorSigned(range->second, modulus) != whole)
      continue;
    return std::pair(quotient + Index(whole), rest + Index(-whole * modulus));
  }
  return failure();
}

unsigned Atoms::ofDivision(const Division &division, int64_t size) {
  for (auto [i, atom] : llvm::enumerate(atoms))
    if (atom.division && atom.division->dividend == division.dividend &&
        atom.division->divisor == division.divisor &&
        atom.division->remainder == division.remainder)
      return i;
  atoms.push_back({Value(), size, division});
  return atoms.size() - 1;
}

FailureOr<SmallVector<Index>> Atoms::split(const Index &index,
                                           ArrayRef<int64_t> sizes) {
  if (!canMerge(sizes))
    return failure();
  SmallVector<Index> indices(sizes.size(), Index(0));
  SmallVector<unsigned> large;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size != 1)
      large.push_back(i);
  Index rest = index;
  for (unsigned i : llvm::reverse(llvm::drop_begin(large, !large.empty()))) {
    auto parts = divide(*this, rest, sizes[i]);
    if (failed(parts)) {
      Index quotient = Index::ofAtom(
          ofDivision({rest, sizes[i], false}, ShapedType::kDynamic));
      Index remainder =
          Index::ofAtom(ofDivision({rest, sizes[i], true}, sizes[i]));
      parts = std::pair(quotient, remainder);
    }
    rest = parts->first;
    indices[i] = parts->second;
  }
  if (!large.empty())
    indices[large.front()] = rest;
  return indices;
}

bool posenc::canMerge(ArrayRef<int64_t> sizes) {
  bool first = true;
  for (int64_t size : sizes) {
    if (size == 1)
      continue;
    if (!first && (ShapedType::isDynamic(size) || size == 0))
      return false;
    first = false;
  }
  return true;
}

FailureOr<Index> Atoms::merge(ArrayRef<Index> indices,
                              ArrayRef<int64_t> sizes) const {
  if (!canMerge(sizes))
    return failure();
  Index merged;
  bool first = true;
  for (auto [index, size] : llvm::zip(indices, sizes)) {
    if (size == 1)
      continue;
    merged = first ? index : merged * size + index;
    first = false;
  }
  // A quotient times the divisor, and the remainder.
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto [atom, factor] : merged.terms) {
      const Division *rest = division(atom);
      if (!rest || !rest->remainder)
        continue;
      auto isQuotient = [&, factor = factor](auto term) {
        const Division *whole = division(term.first);
        return whole && !whole->remainder && whole->divisor == rest->divisor &&
               whole->dividend == rest->dividend &&
               term.second == factor * rest->divisor;
      };
      auto quotient = llvm::find_if(merged.terms, isQuotient);
      if (quotient == merged.terms.end())
        continue;
      merged = merged + Index::ofAtom(quotient->first) * -quotient->second +
               Index::ofAtom(atom) * -factor + rest->dividend * factor;
      changed = true;
      break;
    }
  }
  return merged;
}

FailureOr<Index> posenc::evaluate(AffineExpr expr, ArrayRef<Index> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Index(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  FailureOr<Index> a = evaluate(binary.getLHS(), dims);
  FailureOr<Index> b = evaluate(binary.getRHS(), dims);
  if (failed(a) || failed(b))
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return *a + *b;
  if (expr.getKind() == AffineExprKind::Mul && b->terms.empty())
    return *a * b->constant;
  return failure();
}
