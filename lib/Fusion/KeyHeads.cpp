//===- KeyHeads.cpp - Key heads that several query heads read -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "posenc/Fusion/Fusion.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Keys or values [B,Hkv,M,D] that stand for [B,Hkv * group,M,D].
struct SharedHeads {
  Value tensor;
  int64_t group; // 0 if one head serves all
};
} // namespace

/// The tensor that has every head of this one once: head h is its head
/// h / group. Heads are split where a reshape first splits them.
static std::optional<SharedHeads> findSharedHeads(Value tensor) {
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  Type element = getElementTypeOrSelf(tensor.getType());
  Atoms atoms;
  SmallVector<Index> at;
  for (int64_t size : shape)
    at.push_back(atoms.addIndex({}, size));
  SmallVector<Index> identity(at);
  Index keyHead;
  int64_t group = 0, keyHeads = 0;
  std::optional<SharedHeads> found;
  while (true) {
    if (at.size() == 4 && at[0] == identity[0] && at[1] == Index(0) &&
        !identity[1].terms.empty() && at[2] == identity[2] &&
        at[3] == identity[3]) {
      auto type = cast<RankedTensorType>(tensor.getType());
      if (type.getDimSize(1) == 1 && type.getDimSize(0) == shape[0] &&
          type.getDimSize(2) == shape[2] && type.getDimSize(3) == shape[3] &&
          type.getElementType() == element)
        found = {tensor, 0};
    }
    if (group != 0 && at.size() == 4 && at[0] == identity[0] &&
        at[1] == keyHead && at[2] == identity[2] && at[3] == identity[3]) {
      auto type = cast<RankedTensorType>(tensor.getType());
      if (type.getDimSize(1) == keyHeads && type.getDimSize(0) == shape[0] &&
          type.getDimSize(2) == shape[2] && type.getDimSize(3) == shape[3] &&
          type.getElementType() == element)
        found = {tensor, group};
    }
    auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
    if (collapse && group == 0 && identity[1].terms.size() == 1) {
      // The dimension of all heads, and what it is merged from.
      ArrayRef<int64_t> sizes = collapse.getSrcType().getShape();
      for (auto [i, indices] :
           llvm::enumerate(collapse.getReassociationIndices())) {
        SmallVector<int64_t> parts;
        for (int64_t dim : indices)
          if (sizes[dim] != 1)
            parts.push_back(sizes[dim]);
        if (!(at[i] == identity[1]) || parts.size() != 2 ||
            ShapedType::isDynamic(parts[1]) || parts[1] == 0)
          continue;
        keyHeads = parts[0];
        group = parts[1];
        Index lane = Index::ofAtom(atoms.add({}, group));
        keyHead = Index::ofAtom(atoms.add({}, keyHeads));
        at[i] = keyHead * group + lane;
        break;
      }
    }
    if (!stepThroughView(tensor, at, atoms))
      return found;
  }
}

bool posenc::shareKeyHeads(AttentionOp op, IRRewriter &rewriter) {
  if (!isa<RankedTensorType>(op.getK().getType()))
    return false;
  auto k = findSharedHeads(op.getK()), v = findSharedHeads(op.getV());
  if (!k || !v || k->group != v->group ||
      cast<RankedTensorType>(k->tensor.getType()).getDimSize(1) !=
          cast<RankedTensorType>(v->tensor.getType()).getDimSize(1))
    return false;
  rewriter.modifyOpInPlace(op, [&] {
    op.getKMutable().assign(k->tensor);
    op.getVMutable().assign(v->tensor);
  });
  return true;
}
