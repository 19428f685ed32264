//===- WrittenArguments.cpp - Which arguments a function writes -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::posenc::run {

namespace {
/// Finds writes in a function and in those that it calls.
class WriteFinder {
public:
  /// Whether the function may write to this argument's memory. Of an op that
  /// does not say what it does, everything is assumed.
  bool isWritten(func::FuncOp function, unsigned argument);

private:
  bool isWrittenBy(OpOperand &use);

  /// Questions asked so far. Asking again, in a recursive function, may answer
  /// no: a write, if there is one, is found by who asked first.
  DenseSet<std::pair<Operation *, unsigned>> asked;
};
} // namespace

bool WriteFinder::isWritten(func::FuncOp function, unsigned argument) {
  if (function.isExternal())
    return true;
  if (!asked.insert({function, argument}).second)
    return false;
  // All values that may be a view of the argument: through casts and subviews,
  // branches, regions and selects.
  BufferViewFlowAnalysis views(function);
  SmallVector<Value> roots{function.getArgument(argument)};
  DenseSet<Value> seen;
  while (!roots.empty())
    for (Value view : views.resolve(roots.pop_back_val())) {
      if (!seen.insert(view).second)
        continue;
      for (OpOperand &use : view.getUses()) {
        if (isWrittenBy(use))
          return true;
        // A view that the analysis does not know, such as memref.transpose.
        if (isMemoryEffectFree(use.getOwner()))
          for (Value result : use.getOwner()->getResults())
            if (isa<BaseMemRefType>(result.getType()))
              roots.push_back(result);
      }
    }
  return false;
}

bool WriteFinder::isWrittenBy(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
    return !callee || isWritten(callee, use.getOperandNumber());
  }
  // A tensor that may be overwritten in place.
  if (auto toTensor = dyn_cast<bufferization::ToTensorOp>(op))
    return toTensor.getWritable();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    if (destinationStyle.isDpsInit(&use))
      return true;
  if (auto effectOp = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    effectOp.getEffects(effects);
    return llvm::any_of(effects, [&](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             (!effect.getValue() || effect.getValue() == use.get());
    });
  }
  // The effects of an op with regions are those of the ops inside, which see
  // a view of their own. The other ops that only pass a view on are these:
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<ViewLikeOpInterface>(op);
}

SmallVector<unsigned> getWrittenArguments(func::FuncOp function) {
  SmallVector<unsigned> written;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<MemRefType>(type) && WriteFinder().isWritten(function, number))
      written.push_back(number);
  return written;
}

} // namespace mlir::posenc::run
