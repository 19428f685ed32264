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
/// h / group.
static std::optional<SharedHeads> findSharedHeads(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Atoms atoms;
  SmallVector<Index> at = atoms.addIndices(type.getShape());
  SmallVector<Index> identity(at);
  std::optional<SharedHeads> found;
  // The elements of a slice are not all of its source.
  while (!tensor.getDefiningOp<tensor::ExtractSliceOp>() &&
         stepThroughView(tensor, at, atoms)) {
    auto own = cast<RankedTensorType>(tensor.getType());
    if (own.getRank() != 4 || own.getElementType() != type.getElementType() ||
        own.getEncoding() || llvm::any_of(ArrayRef{0, 2, 3}, [&](int i) {
          return at[i] != identity[i] ||
                 own.getDimSize(i) != type.getDimSize(i);
        }))
      continue;
    if (own.getDimSize(1) == 1 && at[1] == Index(0) && type.getDimSize(1) != 1)
      found = {tensor, 0};
    if (at[1].constant != 0 || at[1].terms.size() != 1 ||
        at[1].terms.front().second != 1)
      continue;
    const Atoms::Division *division = atoms.division(at[1].terms.front().first);
    if (division && !division->remainder && division->dividend == identity[1])
      found = {tensor, division->divisor};
  }
  return found;
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
