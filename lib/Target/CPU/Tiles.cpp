//===- Tiles.cpp - Products in tile registers -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Type getTileType(Type element) {
  // Rows of 64 bytes.
  int64_t columns = 512 / element.getIntOrFloatBitWidth();
  return amx::TileType::get({tileSize, columns}, element);
}

SmallVector<Value> cpu::emitZeroTiles(KernelBuilder &b) {
  SmallVector<Value> zeros;
  for (int64_t i = 0; i < 2 * tilesOfRows; ++i)
    zeros.push_back(amx::TileZeroOp::create(b, getTileType(b.getF32Type())));
  return zeros;
}

Value cpu::emitLoadTile(KernelBuilder &b, Value memref, ValueRange indices) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return amx::TileLoadOp::create(b, getTileType(element), memref, indices);
}

void cpu::emitStoreTile(KernelBuilder &b, Value tile, Value memref,
                        ValueRange indices) {
  amx::TileStoreOp::create(b, memref, indices, tile);
}

void cpu::emitTileProducts(KernelBuilder &b, MutableArrayRef<Value> sums,
                           int64_t depth, LoadFactor row, LoadFactor column) {
  int64_t columns = sums.size() / tilesOfRows;
  for (int64_t from = 0; from < depth; from += tileDepth) {
    SmallVector<Value> factors;
    for (int64_t y = 0; y < columns; ++y)
      factors.push_back(column(y, from));
    for (int64_t x = 0; x < tilesOfRows; ++x) {
      Value factor = row(x, from);
      for (int64_t y = 0; y < columns; ++y) {
        Value &sum = sums[x * columns + y];
        sum =
            amx::TileMulFOp::create(b, sum.getType(), factor, factors[y], sum);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Permission
//===----------------------------------------------------------------------===//

static constexpr StringRef question = "posenc_may_use_amx";
static constexpr StringRef answer = "posenc_amx_answer";

/// The function of that name and type, declared if the module has no use for
/// the name yet; null if it has another one.
static LLVM::LLVMFuncOp getFunction(ModuleOp module, OpBuilder &builder,
                                    StringRef name,
                                    LLVM::LLVMFunctionType type) {
  if (Operation *known = module.lookupSymbol(name)) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
    return function && function.getFunctionType() == type ? function
                                                          : LLVM::LLVMFuncOp();
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

/// A function that asks once for permission, and says what the answer was; null
/// if the module has other uses for the names.
static LLVM::LLVMFuncOp getQuestion(ModuleOp module, OpBuilder &builder) {
  Type anyInteger = builder.getI64Type();
  auto syscall = getFunction(module, builder, "syscall",
                             LLVM::LLVMFunctionType::get(anyInteger, anyInteger,
                                                         /*isVarArg=*/true));
  auto function =
      getFunction(module, builder, question,
                  LLVM::LLVMFunctionType::get(builder.getI1Type(), {}));
  if (!syscall || !function)
    return {};
  if (!function.isExternal())
    return function;
  if (module.lookupSymbol(answer))
    return {};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  ImplicitLocOpBuilder b(module.getLoc(), builder);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  // 0: not asked, 1: yes, 2: no. Threads that ask at once get one answer.
  auto global = LLVM::GlobalOp::create(b, i32, /*isConstant=*/false,
                                       LLVM::Linkage::Internal, answer,
                                       b.getI32IntegerAttr(0));
  function.setLinkage(LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  Block *ask = b.createBlock(&function.getBody());
  Block *known = b.createBlock(&function.getBody(), {}, i32, b.getLoc());
  auto integer = [&](Type type, int64_t x) -> Value {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, x));
  };
  auto equal = [&](Value x, Value y) -> Value {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, x, y);
  };
  constexpr unsigned alignment = 4;
  b.setInsertionPointToStart(entry);
  Value place = LLVM::AddressOfOp::create(b, global);
  Value before = LLVM::LoadOp::create(
      b, i32, place, alignment, /*isVolatile=*/false, /*isNonTemporal=*/false,
      /*isInvariant=*/false, /*isInvariantGroup=*/false,
      LLVM::AtomicOrdering::monotonic);
  LLVM::CondBrOp::create(b, equal(before, integer(i32, 0)), ask, ValueRange(),
                         known, before);
  b.setInsertionPointToStart(ask);
  Value arguments[] = {integer(i64, TilePermission::call),
                       integer(i64, TilePermission::request),
                       integer(i64, TilePermission::feature)};
  Value failure = LLVM::CallOp::create(b, syscall, arguments).getResult();
  Value now = LLVM::SelectOp::create(b, equal(failure, integer(i64, 0)),
                                     integer(i32, 1), integer(i32, 2));
  LLVM::StoreOp::create(b, now, place, alignment, /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic);
  LLVM::BrOp::create(b, now, known);
  b.setInsertionPointToStart(known);
  LLVM::ReturnOp::create(b, equal(known->getArgument(0), integer(i32, 1)));
  return function;
}

LogicalResult cpu::emitIfTiles(PatternRewriter &rewriter, Location loc,
                               function_ref<LogicalResult()> withTiles,
                               function_ref<LogicalResult()> without) {
  Operation *parent = rewriter.getInsertionBlock()->getParentOp();
  auto function = isa<func::FuncOp>(parent)
                      ? cast<func::FuncOp>(parent)
                      : parent->getParentOfType<func::FuncOp>();
  auto module =
      function ? dyn_cast<ModuleOp>(function->getParentOp()) : ModuleOp();
  LLVM::LLVMFuncOp ask;
  if (module)
    ask = getQuestion(module, rewriter);
  if (!ask)
    return without();
  Value may =
      LLVM::CallOp::create(rewriter, loc, ask, ValueRange()).getResult();
  auto branch = scf::IfOp::create(rewriter, loc, may, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  if (failed(without()))
    return failure();
  rewriter.setInsertionPointToStart(branch.thenBlock());
  if (failed(withTiles()))
    return failure();
  unsigned number = 0;
  SmallString<32> name = SymbolTable::generateSymbolName<32>(
      "posenc_amx_kernel",
      [&](StringRef name) { return module.lookupSymbol(name) != nullptr; },
      number);
  FailureOr<func::FuncOp> outlined =
      outlineSingleBlockRegion(rewriter, loc, branch.getThenRegion(), name);
  if (failed(outlined))
    return failure();
  outlined->setPrivate();
  outlined->setNoInline(true);
  return success();
}
