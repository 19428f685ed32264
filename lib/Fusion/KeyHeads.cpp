//===- KeyHeads.cpp - Key heads that several query heads read -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Fusion/Fusion.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;

/// Where batch, head, key and channel stand among a tensor's dimensions.
using DimOrder = std::array<int64_t, 4>;
static constexpr DimOrder inOrder = {0, 1, 2, 3};

namespace {
/// What stands for keys or values [B,Hkv * group,M,D]: the same with Hkv heads,
/// its dimensions in some order.
struct SharedHeads {
  Value tensor;
  DimOrder order = inOrder;
  int64_t group = 1; // 0 if one head serves all, 1 if no head is a copy

  int64_t getNumHeads() const {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(order[1]);
  }
};
} // namespace

/// How many of the heads at `identity` read one of a tensor with this many: 0
/// for all, none if that cannot be said.
static std::optional<int64_t> findGroup(const Index &head, int64_t numHeads,
                                        const Index &identity, Atoms &atoms) {
  if (numHeads == 1 && head == Index(0))
    return 0;
  if (head.constant != 0 || head.terms.size() != 1 ||
      head.terms.front().second != 1)
    return std::nullopt;
  const Atoms::Division *division = atoms.division(head.terms.front().first);
  if (!division || division->remainder)
    return std::nullopt;
  if (division->dividend == identity)
    return division->divisor;
  // Copies of copies.
  auto group = findGroup(division->dividend, /*numHeads=*/-1, identity, atoms);
  int64_t product;
  if (!group || llvm::MulOverflow(*group, division->divisor, product))
    return std::nullopt;
  return product;
}

/// The tensor that has every head of this one once: head h is its head
/// h / group.
static SharedHeads findSharedHeads(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SharedHeads found{tensor};
  if (type.getDimSize(1) == 1)
    return found;
  Atoms atoms;
  const SmallVector<Index> identity = atoms.addIndices(type.getShape());
  SmallVector<Index> at(identity);
  // The elements of a slice are not all of its source.
  while (!tensor.getDefiningOp<tensor::ExtractSliceOp>() &&
         stepThroughView(tensor, at, atoms)) {
    auto own = cast<RankedTensorType>(tensor.getType());
    if (own.getRank() != 4 || own.getElementType() != type.getElementType() ||
        own.getEncoding())
      continue;
    DimOrder order = inOrder;
    do {
      // Behind another order there is nothing to gain from the same heads.
      if (found.group != 1 && order != inOrder)
        break;
      auto group =
          findGroup(at[order[1]], own.getDimSize(order[1]), identity[1], atoms);
      if (group && llvm::none_of(ArrayRef{0, 2, 3}, [&](int i) {
            return at[order[i]] != identity[i] ||
                   own.getDimSize(order[i]) != type.getDimSize(i);
          })) {
        found = {tensor, order, *group};
        break;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return found;
}

/// The heads as attention takes them, [B,Hkv,M,D].
static Value emitInOrder(const SharedHeads &heads, Location loc,
                         IRRewriter &rewriter) {
  if (heads.order == inOrder)
    return heads.tensor;
  auto type = cast<RankedTensorType>(heads.tensor.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : heads.order)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, heads.tensor, dim));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(rewriter, loc, heads.tensor, empty,
                                     ArrayRef<int64_t>(heads.order))
      ->getResult(0);
}

namespace {
struct KeysAndValues {
  SharedHeads k, v;
};
} // namespace

/// What attention may read of keys and values, given those that are no copies:
/// of both as many heads, as few as it can be. Nothing if they are not known to
/// have as many.
static std::optional<KeysAndValues> chooseHeads(Value k, Value v,
                                                const KeysAndValues &shared) {
  SharedHeads allKeys{k}, allValues{v};
  for (const KeysAndValues &choice : {shared,
                                      {shared.k, allValues},
                                      {allKeys, shared.v},
                                      {allKeys, allValues}})
    if (choice.k.getNumHeads() == choice.v.getNumHeads())
      return choice;
  return std::nullopt;
}

bool posenc::canHaveEqualHeads(Value k, Value v) {
  if (k == v)
    return true;
  auto isDynamic = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).isDynamicDim(1);
  };
  return !isDynamic(k) && !isDynamic(v) &&
         chooseHeads(k, v, {findSharedHeads(k), findSharedHeads(v)});
}

bool posenc::shareKeyHeads(AttentionOp op, IRRewriter &rewriter,
                           StringRef pass) {
  if (!isa<RankedTensorType>(op.getK().getType()))
    return false;
  KeysAndValues shared{findSharedHeads(op.getK()), findSharedHeads(op.getV())};
  if (shared.k.group == 1 && shared.v.group == 1)
    return false;
  auto chosen = chooseHeads(op.getK(), op.getV(), shared);
  if (!chosen || (chosen->k.group == 1 && chosen->v.group == 1)) {
    // Behind a rotation the keys may be copies, too.
    if (findRotation(op.getK()).rotate)
      return false;
    bool keysAreMore = shared.k.getNumHeads() > shared.v.getNumHeads();
    Operation *maker = (keysAreMore ? op.getK() : op.getV()).getDefiningOp();
    remarkNotFused(
        op.getLoc(), pass,
        Twine(keysAreMore ? "the value" : "the key") +
            " heads are copies of fewer ones, but attention reads them as "
            "they are: the " +
            (keysAreMore ? "key" : "value") + " heads, of " +
            (maker ? describe(maker) : std::string("an argument")) +
            ", are not known to be such copies: make them in the same way");
    return false;
  }
  rewriter.setInsertionPoint(op);
  Value keys = emitInOrder(chosen->k, op.getLoc(), rewriter);
  Value values = emitInOrder(chosen->v, op.getLoc(), rewriter);
  rewriter.modifyOpInPlace(op, [&] {
    op.getKMutable().assign(keys);
    op.getVMutable().assign(values);
  });
  remarkFused(op.getLoc(), pass,
              "read key heads where they are, not from copies");
  return true;
}
