//===- Indices.h - Where a tensor is read, as integers of a pair -*- C++-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Fusion follows a tensor back through the ops that made it. On the way it
// keeps where the tensor is read: an index per dimension, each a sum of
// multiples of atoms. An atom is an integer that nothing more is known of than
// its range, such as the query row of a pair, or a quotient or remainder where
// a reshape splits a sum that does not fall apart. What merges two dimensions
// and splits them again cancels, and the other way round.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FUSION_INDICES_H
#define POSENC_FUSION_INDICES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::posenc {

/// constant + sum of factor * atom. Terms are in the order of atoms.
struct Index {
  SmallVector<std::pair<unsigned, int64_t>, 2> terms; // no factor is 0
  int64_t constant = 0;

  Index(int64_t constant = 0) : constant(constant) {}
  static Index ofAtom(unsigned atom);

  Index operator+(const Index &other) const;
  Index operator*(int64_t factor) const;
  bool operator==(const Index &other) const {
    return terms == other.terms && constant == other.constant;
  }
  bool operator!=(const Index &other) const { return !(*this == other); }
  bool isAtom(unsigned atom) const { return *this == ofAtom(atom); }
  bool uses(unsigned atom) const;
};

/// The atoms of some indices.
class Atoms {
public:
  /// What an atom is a quotient or a remainder of.
  struct Division {
    Index dividend; // not negative
    int64_t divisor;
    bool remainder;
  };

  /// A new atom in [0, size); the size may be dynamic. `value` may be null
  /// where nothing is emitted.
  unsigned add(Value value, int64_t size);
  /// The index that a new atom is: 0 if that is all it can be.
  Index addIndex(Value value, int64_t size) {
    return size == 1 ? Index(0) : Index::ofAtom(add(value, size));
  }
  /// Where a tensor of this shape is read at an element that is not known: new
  /// atoms without values.
  SmallVector<Index> addIndices(ArrayRef<int64_t> shape);
  /// The atom of a value, which may be known already.
  unsigned of(Value value);
  Value value(unsigned atom) const { return atoms[atom].value; }
  int64_t size(unsigned atom) const { return atoms[atom].size; }
  /// Null for atoms that are none.
  const Division *division(unsigned atom) const {
    return atoms[atom].division ? &*atoms[atom].division : nullptr;
  }

  /// The least and the greatest value of an index, if they are known.
  std::optional<std::pair<int64_t, int64_t>> range(const Index &index) const;
  /// The index of dimensions of these sizes merged in this order; fails unless
  /// all sizes but the first that is not 1 are static.
  FailureOr<Index> merge(ArrayRef<Index> indices,
                         ArrayRef<int64_t> sizes) const;
  /// The other way round.
  FailureOr<SmallVector<Index>> split(const Index &index,
                                      ArrayRef<int64_t> sizes);

private:
  struct Atom {
    Value value;
    int64_t size;
    std::optional<Division> division;
  };
  /// The atom of a quotient or remainder, which may be known already.
  unsigned ofDivision(const Division &division, int64_t size);

  SmallVector<Atom> atoms;
};

/// Whether indices of dimensions of these sizes can be merged: all but the
/// first that is not 1 are static.
bool canMerge(ArrayRef<int64_t> sizes);

/// An affine expression of dimensions, which stand for `dims`. Fails for
/// divisions and symbols.
FailureOr<Index> evaluate(AffineExpr expr, ArrayRef<Index> dims);

} // namespace mlir::posenc

#endif // POSENC_FUSION_INDICES_H
