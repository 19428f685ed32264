//===- Fusion.h - From separate ops to score regions ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program that computes with tensors of scores says for all pairs what a
// score region says for one. Fusion reads one element of such a tensor: it goes
// back through the ops that made it, and writes what they do to that element as
// the ops of a region. Which ops come first, or which operand is which, has no
// part in this: values are followed, and index maps applied.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FUSION_FUSION_H
#define POSENC_FUSION_FUSION_H

#include "mlir/IR/PatternMatch.h"
#include "posenc/Builders.h"
#include "posenc/Fusion/Indices.h"

namespace mlir::posenc {

//===----------------------------------------------------------------------===//
// Views: tensors whose elements are those of another tensor
//===----------------------------------------------------------------------===//

/// Replaces a tensor read at these indices by the one whose element that is,
/// and the indices by its own: through casts of shapes, reshapes, slices,
/// transposes, broadcasts and copies. False if it is not made by such an op, or
/// the indices cannot be said.
bool stepThroughView(Value &tensor, SmallVectorImpl<Index> &at, Atoms &atoms);

/// The first tensor on the way back through views that `accept` takes and whose
/// elements all stand where they stand in `tensor`. With `narrowed`, through
/// elements that were rounded to a narrower type and widened again. Null if
/// there is none.
Value findThroughViews(Value tensor, function_ref<bool(Value)> accept,
                       bool narrowed = false);

/// The tensor of the same shape that this one widens, element by element; or
/// null.
Value getWidened(Value tensor);
/// The same for tensors that this one rounds.
Value getNarrowed(Value tensor);

/// The operand whose elements an op passes on: a view, a copy or a conversion.
/// Null for other ops.
OpOperand *getPassedOn(Operation *op);

/// Whether all elements of a tensor of floats are known to be 0.
bool isZeros(Value tensor);

/// Whether posenc.attention takes rows of this type.
bool isRowsType(Type type);
/// Whether a score region may capture values of this type.
bool isCaptureType(Type type);

//===----------------------------------------------------------------------===//
// Score regions
//===----------------------------------------------------------------------===//

/// H / Hkv, or null if every head has its own keys: a number, or a value that
/// is computed outside the region.
Value emitHeadsPerKeyHead(ImplicitLocOpBuilder &b, Value scores, Value k);

/// Which ops on tensors are followed; posenc.score_mod without a row_scan
/// always is. And which constants remove a pair.
struct Follow {
  bool elementwise = false; // ops on elements, and reshapes
  bool gathers = false;     // padding, products
  bool scans = false;       // posenc.score_mod with a row_scan
  /// Scores of this number, or below.
  double maskValue = -std::numeric_limits<double>::infinity();
};

/// Writes elements of tensors as the ops of a score region.
class TensorReader {
public:
  TensorReader(ScoreRegion &region, ImplicitLocOpBuilder &b, Follow follow);

  /// Whether the op that makes a tensor is followed.
  bool canFollow(Value tensor);
  /// The tensors that a followed one is made of.
  SmallVector<Value> getSources(Value tensor);

  /// The element at these indices. Null if its type has no place in a region.
  Value read(Value tensor, ArrayRef<Index> at);
  Value read(Value tensor, ValueRange at);
  /// Whether the tensor's element for the pair itself has been read.
  bool hasReadAtPair(Value tensor) const;

  /// What every element of `base` is multiplied with, or divided by.
  struct BaseFactor {
    Value factor;
    bool divides;
  };
  /// Reads `base`, times the factors, as the score that the region gets.
  void setBase(Value base, ArrayRef<BaseFactor> factors);

  /// Tensors that are read, not followed.
  llvm::SmallPtrSet<Value, 4> stops;
  Atoms atoms;
  SmallVector<Index> pair; // batch, head, row, key
  /// What the score_mod with a row_scan keeps, if one was read; its score is
  /// then as if all pairs were kept.
  Value scanKeep;

private:
  bool canFollowImpl(Value tensor);
  bool canRead(Value tensor);
  Value readImpl(Value tensor, ArrayRef<Index> at);
  Value readLinalg(OpResult tensor, ArrayRef<Index> at);
  Value readScoreMod(ScoreModOp op, ArrayRef<Index> at);
  Value readScores(ScoresOp op, ArrayRef<Index> at);
  Value scaleBase(Value score);
  Value readPadded(Value tensor, ArrayRef<Index> at);
  Value readProduct(Value tensor, ArrayRef<Index> at);
  Value lookup(Value tensor, ArrayRef<Index> at);
  Value captureScalar(Value outer);
  Value emit(const Index &index);
  /// The index that the region computes as a value.
  Index asIndex(Value value);
  Index asIndexImpl(Value value);

  ScoreRegion &region;
  ImplicitLocOpBuilder &b;
  Follow follow;
  Value base;
  SmallVector<BaseFactor> baseFactors;
  DenseMap<Value, bool> followable;
  DenseMap<Value, Index> indices;
  struct Known {
    SmallVector<Index> at;
    Value element;
  };
  DenseMap<Value, SmallVector<Known>> known;
  SmallVector<std::pair<Index, Value>> emitted;
};

/// A score as a value where its pair is kept (null: always), -inf elsewhere.
struct MaskedScore {
  Value score, keep;
};
/// Takes what a region computes apart. A sum with -inf stays -inf, and so does
/// its product with a positive constant: what removes a pair need not be last.
/// Constants down from `maskValue` stand for -inf.
MaskedScore splitMask(ImplicitLocOpBuilder &b, Value score, double maskValue);
/// Whether the value, a scalar or a tensor, is such a constant.
bool isMaskConstant(Value value, double maskValue);

//===----------------------------------------------------------------------===//
// What the passes share
//===----------------------------------------------------------------------===//

/// Rewrites a tensor of scores as one posenc.score_mod of posenc.scores (or of
/// what else it is made of), and its uses. Does nothing where that is what it
/// is. Remarks go by the name of the pass; none is made of tensors in
/// `remarked`, which gets those of which one was.
void fuseScoreExpression(Value scores, Follow follow, IRRewriter &rewriter,
                         StringRef pass, DenseSet<Value> &remarked);

/// The rotation that rows come from, if any, seen through casts of shapes and
/// roundings; widened rows are what they were. And the op between the two, null
/// if there is none, after which they are other rows or in other places.
struct RotatedRows {
  RotateOp rotate;
  Operation *through = nullptr;
};
RotatedRows findRotation(Value rows);

/// Whether one attention can read these keys and values: it takes as many heads
/// of both, where posenc.scores and posenc.values each ask their own.
bool canHaveEqualHeads(Value k, Value v);
/// Replaces the key and value heads of attention that are copies of fewer ones
/// by those, unless keys and values differ in this. Returns whether it did.
bool shareKeyHeads(AttentionOp op, IRRewriter &rewriter, StringRef pass);

/// Whether no op beside this one can be made of itself, as in a graph: the way
/// back from its operands has an end.
bool isInOrder(Operation *op);

/// Prepares for the question who uses a tensor: sizes are asked of what has
/// them, not of tensors that fusion takes away, and dead ops go.
void simplifyUses(Operation *root, IRRewriter &rewriter);

/// The user of a tensor by a use that `accept` does not take, and that is no
/// view or conversion of which it takes all uses. Null if there is none.
Operation *findOtherUser(Value tensor, Block *block,
                         function_ref<bool(OpOperand &)> accept);

void remarkFused(Location loc, StringRef pass, const Twine &text);
void remarkNotFused(Location loc, StringRef pass, const Twine &text);
/// The op as a remark names it: its name and where it stands.
std::string describe(Operation *op);
/// The same of one that stands in the way since it reads rows or scores, too.
std::string describeOtherUser(Operation *op);

} // namespace mlir::posenc

#endif // POSENC_FUSION_FUSION_H
