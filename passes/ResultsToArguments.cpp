//===- ResultsToArguments.cpp - Results to memory of the caller -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCRESULTSTOARGUMENTSPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct PosEncResultsToArgumentsPass
    : posenc::impl::PosEncResultsToArgumentsPassBase<
          PosEncResultsToArgumentsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> entries;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        entries.push_back(function);
    for (func::FuncOp function : entries)
      if (failed(keepForCallers(function, symbols)) ||
          failed(convert(function)))
        return signalPassFailure();
  }

private:
  /// Gives the module's own calls of a function a private copy of it.
  LogicalResult keepForCallers(func::FuncOp function, SymbolTable &symbols) {
    ModuleOp module = getOperation();
    if (function.symbolKnownUseEmpty(module))
      return success();
    func::FuncOp copy = function.clone();
    copy.setPrivate();
    StringAttr name = symbols.insert(copy);
    if (failed(SymbolTable::replaceAllSymbolUses(function, name, module)))
      return function.emitError("has uses that are not known");
    return success();
  }

  LogicalResult convert(func::FuncOp function) {
    // What tensors hold is read: nothing is computed in their place.
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (isa<TensorType>(function.getArgument(i).getType()))
        function.setArgAttr(
            i, bufferization::BufferizationDialect::kWritableAttrName,
            BoolAttr::get(&getContext(), false));

    unsigned numArguments = function.getNumArguments();
    unsigned numResults = function.getNumResults();
    for (unsigned i = 0; i < numResults; ++i) {
      Type type = getMemory(function.getResultTypes()[i]);
      if (!type)
        return function.emitError()
               << "result " << i << " of type " << function.getResultTypes()[i]
               << " has no form in memory of the caller";
      std::string name = getResultName(i, numResults);
      if (failed(function.insertArgument(
              function.getNumArguments(), type, {},
              NameLoc::get(StringAttr::get(&getContext(), name)))))
        return failure();
    }
    ValueRange memory = function.getArguments().drop_front(numArguments);
    function.walk([&](func::ReturnOp op) {
      writeResults(op, memory);
      op->setOperands({});
    });
    return function.eraseResults(BitVector(numResults, true));
  }

  /// The memref of any strides that holds a value of a type, or null.
  static MemRefType getMemory(Type type) {
    if (MemRefType::isValidElementType(type) && type.isIntOrIndexOrFloat())
      return MemRefType::get({}, type);
    Attribute space;
    if (auto memref = dyn_cast<MemRefType>(type))
      space = memref.getMemorySpace();
    if (!isa<RankedTensorType, MemRefType>(type))
      return nullptr;
    auto shaped = cast<ShapedType>(type);
    SmallVector<int64_t> strides(shaped.getRank(), ShapedType::kDynamic);
    auto layout = StridedLayoutAttr::get(type.getContext(),
                                         ShapedType::kDynamic, strides);
    return MemRefType::get(shaped.getShape(), shaped.getElementType(), layout,
                           space);
  }

  /// Writes what is returned to the memory.
  void writeResults(func::ReturnOp op, ValueRange memory) {
    for (Value value : op.getOperands())
      giveDestinations(op, value.getDefiningOp<AttentionOp>(), memory);
    ImplicitLocOpBuilder b(op.getLoc(), op);
    for (auto [value, where] : llvm::zip_equal(op.getOperands(), memory)) {
      if (!isa<ShapedType>(value.getType())) {
        memref::StoreOp::create(b, value, where, ValueRange());
        continue;
      }
      auto attention = value.getDefiningOp<AttentionOp>();
      bool isChecked = attention && isDestination(attention, where);
      for (int64_t dim = 0; !isChecked && dim < getRank(value); ++dim)
        checkSize(b, value, where, dim);
      if (isa<MemRefType>(value.getType()))
        memref::CopyOp::create(b, value, where);
      else
        bufferization::MaterializeInDestinationOp::create(
            b, Type(), value, where, /*restrict=*/true, /*writable=*/true);
    }
  }

  /// Lets attention whose results are all returned write them where they go.
  void giveDestinations(func::ReturnOp op, AttentionOp attention,
                        ValueRange memory) {
    if (!attention || attention.getOut())
      return;
    SmallVector<unsigned> places;
    for (Value result : attention->getResults()) {
      auto it = llvm::find(op.getOperands(), result);
      if (it == op.getOperands().end())
        return;
      places.push_back(it - op.getOperands().begin());
    }
    ImplicitLocOpBuilder b(attention.getLoc(), attention);
    SmallVector<Value> destinations;
    for (auto [result, place] :
         llvm::zip_equal(attention->getResults(), places)) {
      // [B,H,N,Dv] and [B,H,N]: what is dynamic has the queries' size.
      for (int64_t dim = 0; dim < getRank(result); ++dim)
        if (isDynamic(result, dim))
          checkSize(b, attention.getQ(), memory[place], dim);
      destinations.push_back(bufferization::ToTensorOp::create(
          b, result.getType(), memory[place], /*restrict=*/true,
          /*writable=*/true));
    }
    attention.getOutMutable().assign(destinations[0]);
    if (destinations.size() > 1)
      attention.getLseMutable().assign(destinations[1]);
  }

  static bool isDestination(AttentionOp attention, Value memory) {
    return llvm::any_of(
        ValueRange{attention.getOut(), attention.getLse()}, [&](Value value) {
          auto read = value ? value.getDefiningOp<bufferization::ToTensorOp>()
                            : nullptr;
          return read && read.getBuffer() == memory;
        });
  }

  /// Asserts that a dimension of the caller's memory has the size of the
  /// value's, if that is not in their types.
  static void checkSize(ImplicitLocOpBuilder &b, Value value, Value memory,
                        int64_t dim) {
    if (!isDynamic(memory, dim))
      return;
    auto getSize = [&](Value x, int64_t i) -> Value {
      if (isa<TensorType>(x.getType()))
        return tensor::DimOp::create(b, x, i);
      return memref::DimOp::create(b, x, i);
    };
    Value computed = getSize(value, dim), there = getSize(memory, dim);
    Value same =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, computed, there);
    StringRef name = cast<NameLoc>(memory.getLoc()).getName();
    unsigned number = cast<BlockArgument>(memory).getArgNumber();
    cf::AssertOp::create(b, same,
                         ("argument " + Twine(number) + " (" + name +
                          "): dimension " + Twine(dim) +
                          " is not that of what is computed")
                             .str());
  }

  static int64_t getRank(Value value) {
    return cast<ShapedType>(value.getType()).getRank();
  }
  static bool isDynamic(Value value, int64_t dim) {
    return cast<ShapedType>(value.getType()).isDynamicDim(dim);
  }
};
} // namespace

std::string posenc::getResultName(unsigned number, unsigned count) {
  return count == 1 ? "result" : "result" + std::to_string(number);
}
