//===- StatusResults.cpp - Failures to results ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Parser/Parser.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCSTATUSRESULTSPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// What the code calls
//===----------------------------------------------------------------------===//

/// Memory that is in a list until it is freed, so that a function that gives up
/// frees all of it. A list belongs to one thread; its head and each block begin
/// with pointers to the next and to the last block. They stand in the 64 bytes
/// before the memory, and behind them the pointer that malloc gave.
static constexpr llvm::StringLiteral memoryFunctions = R"(
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)

llvm.func internal @posenc.allocate(%list: !llvm.ptr, %bytes: i64, %alignment: i64) -> !llvm.ptr {
  %limit = llvm.mlir.constant(0x3fffffffffffffff : i64) : i64
  %header = llvm.mlir.constant(64 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fits = llvm.icmp "ult" %bytes, %limit : i64
  llvm.cond_br %fits, ^fits, ^none
^fits:
  %around = llvm.add %header, %alignment : i64
  %total = llvm.add %bytes, %around : i64
  %memory = llvm.call @malloc(%total) : (i64) -> !llvm.ptr
  %failed = llvm.icmp "eq" %memory, %null : !llvm.ptr
  llvm.cond_br %failed, ^none, ^insert
^insert:
  %address = llvm.ptrtoint %memory : !llvm.ptr to i64
  %last = llvm.add %address, %around : i64
  %mask = llvm.sub %zero, %alignment : i64
  %aligned = llvm.and %last, %mask : i64
  %shift = llvm.sub %aligned, %address : i64
  %data = llvm.getelementptr %memory[%shift] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %block = llvm.getelementptr %data[-64] : (!llvm.ptr) -> !llvm.ptr, i8
  %next = llvm.load %list : !llvm.ptr -> !llvm.ptr
  %blockBefore = llvm.getelementptr %block[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %blockMemory = llvm.getelementptr %block[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %nextBefore = llvm.getelementptr %next[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %next, %block : !llvm.ptr, !llvm.ptr
  llvm.store %list, %blockBefore : !llvm.ptr, !llvm.ptr
  llvm.store %memory, %blockMemory : !llvm.ptr, !llvm.ptr
  llvm.store %block, %nextBefore : !llvm.ptr, !llvm.ptr
  llvm.store %block, %list : !llvm.ptr, !llvm.ptr
  llvm.return %data : !llvm.ptr
^none:
  llvm.return %null : !llvm.ptr
}

llvm.func internal @posenc.free(%data: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %isNull = llvm.icmp "eq" %data, %null : !llvm.ptr
  llvm.cond_br %isNull, ^end, ^remove
^remove:
  %block = llvm.getelementptr %data[-64] : (!llvm.ptr) -> !llvm.ptr, i8
  %blockBefore = llvm.getelementptr %block[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %blockMemory = llvm.getelementptr %block[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %next = llvm.load %block : !llvm.ptr -> !llvm.ptr
  %before = llvm.load %blockBefore : !llvm.ptr -> !llvm.ptr
  %memory = llvm.load %blockMemory : !llvm.ptr -> !llvm.ptr
  %nextBefore = llvm.getelementptr %next[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %next, %before : !llvm.ptr, !llvm.ptr
  llvm.store %before, %nextBefore : !llvm.ptr, !llvm.ptr
  llvm.call @free(%memory) : (!llvm.ptr) -> ()
  llvm.br ^end
^end:
  llvm.return
}

llvm.func internal @posenc.free_all(%list: !llvm.ptr) {
  %first = llvm.load %list : !llvm.ptr -> !llvm.ptr
  llvm.br ^loop(%first : !llvm.ptr)
^loop(%block: !llvm.ptr):
  %isEnd = llvm.icmp "eq" %block, %list : !llvm.ptr
  llvm.cond_br %isEnd, ^end, ^free
^free:
  %blockMemory = llvm.getelementptr %block[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %next = llvm.load %block : !llvm.ptr -> !llvm.ptr
  %memory = llvm.load %blockMemory : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%memory) : (!llvm.ptr) -> ()
  llvm.br ^loop(%next : !llvm.ptr)
^end:
  llvm.return
}
)";

std::string posenc::describeAssertion(StringRef text, bool keepFolder) {
  bool isVerification =
      text.consume_front("ERROR: Runtime op verification failed\n");
  std::string location;
  SmallVector<StringRef> lines, parts;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (isVerification && line.consume_front("Location: loc(")) {
      line.consume_back(")");
      if (line.consume_front("\"")) {
        auto [file, position] = line.split('"');
        if (!keepFolder)
          file = llvm::sys::path::filename(file);
        location = (file + position + ": ").str();
      }
      continue;
    }
    if (isVerification)
      line.consume_front("^ ");
    parts.push_back(line.trim());
  }
  return location + llvm::join(parts, " ");
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// What all functions of a module share.
class Status {
public:
  explicit Status(ModuleOp module)
      : module(module), symbols(module), converter(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  /// The address of a text that ends with a zero.
  Value getText(ImplicitLocOpBuilder &b, StringRef text) {
    LLVM::GlobalOp &global = texts[text];
    if (!global) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      std::string bytes = text.str();
      bytes.push_back('\0');
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
      global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                      LLVM::Linkage::Internal, "posenc.text",
                                      b.getStringAttr(bytes));
      symbols.insert(global);
    }
    return LLVM::AddressOfOp::create(b, global);
  }

  /// Brings what `posenc.allocate` and its kin are into the module, without
  /// what it has.
  LogicalResult addMemoryFunctions() {
    auto parsed =
        parseSourceString<ModuleOp>(memoryFunctions, module.getContext());
    for (Operation &op : llvm::make_early_inc_range(*parsed->getBody())) {
      auto function = cast<LLVM::LLVMFuncOp>(op);
      if (Operation *other = symbols.lookup(function.getName())) {
        auto known = dyn_cast<LLVM::LLVMFuncOp>(other);
        if (!known || known.getFunctionType() != function.getFunctionType())
          return other->emitError("has the name of a function of memory");
        continue;
      }
      op.remove();
      symbols.insert(&op);
    }
    return success();
  }

  Value call(ImplicitLocOpBuilder &b, StringRef name, Type result,
             ValueRange operands) {
    auto op = LLVM::CallOp::create(b, result ? TypeRange(result) : TypeRange(),
                                   name, operands);
    return result ? op.getResult() : Value();
  }

  ModuleOp module;
  SymbolTable symbols;
  LLVMTypeConverter converter;
  Type pointer;
  /// Whether any function allocates memory.
  bool allocates = false;

private:
  llvm::StringMap<LLVM::GlobalOp> texts;
};

/// One function, whose failures become a result.
class FunctionStatus {
public:
  FunctionStatus(Status &status, func::FuncOp function)
      : status(status), function(function), isEntry(function.isPublic()),
        b(function.getLoc(), function.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isa<cf::AssertOp, memref::AllocOp, memref::DeallocOp, func::CallOp,
              func::ReturnOp, omp::ParallelOp, omp::LoopNestOp>(op))
        ops.push_back(op);
    });
    if (failed(addValues(ops)))
      return failure();
    for (Operation *op : ops) {
      b.setLoc(op->getLoc());
      b.setInsertionPoint(op);
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<cf::AssertOp, memref::AllocOp, memref::DeallocOp,
                    func::CallOp, func::ReturnOp, omp::ParallelOp,
                    omp::LoopNestOp>([&](auto op) { return rewrite(op); });
      if (failed(result))
        return failure();
    }
    return success();
  }

private:
  /// The function's list of memory, those of the workers in it, and the place
  /// where these leave word of a failure.
  LogicalResult addValues(ArrayRef<Operation *> ops) {
    Block &entry = function.getBody().front();
    b.setInsertionPointToStart(&entry);
    if (status.allocates) {
      if (isEntry) {
        lists[&function.getBody()] = makeList();
      } else {
        unsigned end = function.getNumArguments();
        if (failed(function.insertArgument(end, status.pointer, {},
                                           function.getLoc())))
          return failure();
        lists[&function.getBody()] = function.getArgument(end);
      }
    }
    bool hasWorkers =
        llvm::any_of(ops, llvm::IsaPred<omp::ParallelOp, omp::LoopNestOp>);
    if (hasWorkers) {
      word = makeLocal(1);
      LLVM::StoreOp::create(b, makeNull(), word);
    }
    for (Operation *op : ops) {
      auto parallel = dyn_cast<omp::ParallelOp>(op);
      if (!parallel || !status.allocates)
        continue;
      b.setInsertionPointToStart(&parallel.getRegion().front());
      Value list = lists[&parallel.getRegion()] = makeList();
      for (Block &block : parallel.getRegion())
        if (isa<omp::TerminatorOp>(block.getTerminator())) {
          b.setInsertionPoint(block.getTerminator());
          status.call(b, "posenc.free_all", Type(), list);
        }
    }
    return function.insertResult(function.getNumResults(), status.pointer, {});
  }

  LogicalResult rewrite(cf::AssertOp op) {
    std::string text = describeAssertion(op.getMsg(), /*keepFolder=*/false);
    if (failed(require(op.getArg(), text, op)))
      return failure();
    op.erase();
    return success();
  }

  LogicalResult rewrite(memref::AllocOp op) {
    MemRefType type = op.getType();
    auto descriptorType = status.converter.convertType(type);
    if (!descriptorType || !type.getLayout().isIdentity())
      return op.emitError("expected memory without a layout");
    Type i64 = b.getI64Type();
    auto makeConstant = [&](uint64_t value) -> Value {
      return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
    };
    // The product of the sizes, and of the same in floats, which says whether
    // the former is right.
    SmallVector<Value> sizes;
    unsigned numDynamic = 0;
    Type elementType = status.converter.convertType(type.getElementType());
    Value end = LLVM::GEPOp::create(b, status.pointer, elementType, makeNull(),
                                    ArrayRef<LLVM::GEPArg>{1});
    Value bytes = LLVM::PtrToIntOp::create(b, i64, end);
    auto toFloat = [&](Value x) -> Value {
      return arith::UIToFPOp::create(b, b.getF64Type(), x);
    };
    Value about = toFloat(bytes);
    for (int64_t size : type.getShape()) {
      Value value = ShapedType::isDynamic(size)
                        ? arith::IndexCastOp::create(
                              b, i64, op.getDynamicSizes()[numDynamic++])
                              .getResult()
                        : makeConstant(size);
      sizes.push_back(value);
      bytes = arith::MulIOp::create(b, bytes, value);
      about = arith::MulFOp::create(b, about, toFloat(value));
    }
    Value limit = arith::ConstantOp::create(b, b.getF64FloatAttr(0x1p62));
    Value fits =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, about, limit);
    bytes = arith::SelectOp::create(b, fits, bytes, makeConstant(-1));
    // A cache line, and so a vector of any CPU.
    uint64_t alignment = std::max<uint64_t>(op.getAlignment().value_or(0), 64);
    Value memory = status.call(b, "posenc.allocate", status.pointer,
                               {getList(op), bytes, makeConstant(alignment)});
    Value isThere =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, memory, makeNull());
    if (failed(require(isThere, "there is not enough memory", op)))
      return failure();

    auto descriptor = MemRefDescriptor::poison(b, b.getLoc(), descriptorType);
    descriptor.setAllocatedPtr(b, b.getLoc(), memory);
    descriptor.setAlignedPtr(b, b.getLoc(), memory);
    descriptor.setConstantOffset(b, b.getLoc(), 0);
    Value stride = makeConstant(1);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      descriptor.setSize(b, b.getLoc(), dim, sizes[dim]);
      descriptor.setStride(b, b.getLoc(), dim, stride);
      if (dim > 0)
        stride = arith::MulIOp::create(b, stride, sizes[dim]);
    }
    Value result =
        UnrealizedConversionCastOp::create(b, type, Value(descriptor))
            .getResult(0);
    op.replaceAllUsesWith(result);
    op.erase();
    return success();
  }

  LogicalResult rewrite(memref::DeallocOp op) {
    auto type = dyn_cast<MemRefType>(op.getMemref().getType());
    Type descriptorType = type ? status.converter.convertType(type) : Type();
    if (!descriptorType)
      return op.emitError("expected memory of a known rank");
    Value cast =
        UnrealizedConversionCastOp::create(b, descriptorType, op.getMemref())
            .getResult(0);
    MemRefDescriptor descriptor(cast);
    status.call(b, "posenc.free", Type(),
                descriptor.allocatedPtr(b, b.getLoc()));
    op.erase();
    return success();
  }

  LogicalResult rewrite(func::CallOp op) {
    auto callee = status.symbols.lookup<func::FuncOp>(op.getCallee());
    if (!callee || callee.isExternal())
      return success();
    SmallVector<Value> operands = llvm::to_vector(op.getOperands());
    if (status.allocates && !callee.isPublic())
      operands.push_back(getList(op));
    SmallVector<Type> types = llvm::to_vector(op.getResultTypes());
    types.push_back(status.pointer);
    auto call = func::CallOp::create(b, op.getCalleeAttr(), types, operands);
    Value text = call.getResults().back();
    Value isFine =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, text, makeNull());
    op.replaceAllUsesWith(call.getResults().drop_back());
    if (failed(require(isFine, text, op)))
      return failure();
    op.erase();
    return success();
  }

  LogicalResult rewrite(func::ReturnOp op) {
    if (isEntry && status.allocates)
      status.call(b, "posenc.free_all", Type(), getList(op));
    op.getOperandsMutable().append(makeNull());
    return success();
  }

  /// A worker cannot return from the function: it leaves word, and the function
  /// returns when all workers have ended.
  LogicalResult rewrite(omp::ParallelOp op) {
    b.setInsertionPointAfter(op);
    Value text = readWord();
    Value isFine =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, text, makeNull());
    return require(isFine, text, op);
  }

  /// After a failure, of whatever worker, what is left of a loop does nothing.
  LogicalResult rewrite(omp::LoopNestOp op) {
    b.setInsertionPointToStart(&op.getRegion().front());
    Value isFine = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, readWord(),
                                        makeNull());
    Block *block = b.getBlock();
    Block *rest = block->splitBlock(b.getInsertionPoint());
    b.setInsertionPointToEnd(block);
    cf::CondBranchOp::create(b, isFine, rest, getEnd(op));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Failing
  //===--------------------------------------------------------------------===//

  LogicalResult require(Value condition, StringRef text, Operation *op) {
    return require(condition, status.getText(b, text), op);
  }

  /// Goes on, from where the builder stands, if a condition holds; else what
  /// `op` belongs to fails, and this text says why.
  LogicalResult require(Value condition, Value text, Operation *op) {
    Block *block = b.getBlock();
    Region *region = block->getParent();
    Operation *parent = region->getParentOp();
    if (!isa<func::FuncOp, omp::LoopNestOp, omp::ParallelOp>(parent) ||
        (isa<omp::ParallelOp>(parent) && !isa<memref::AllocOp>(op)))
      return op->emitError("may fail where the function cannot return");
    Block *rest = block->splitBlock(b.getInsertionPoint());
    Block *failed;
    ValueRange operands = text;
    if (isa<omp::ParallelOp>(parent)) {
      // The loops of all workers see that the memory is not there.
      failed = b.createBlock(rest);
      writeWord(text);
      cf::BranchOp::create(b, rest);
      operands = {};
    } else {
      failed = getFailure(region);
    }
    b.setInsertionPointToEnd(block);
    cf::CondBranchOp::create(b, condition, rest, ValueRange(), failed,
                             operands);
    b.setInsertionPointToStart(rest);
    return success();
  }

  /// The block that fails, which takes the text.
  Block *getFailure(Region *region) {
    Block *&block = failures[region];
    if (block)
      return block;
    OpBuilder::InsertionGuard guard(b);
    block = b.createBlock(region, region->end(), status.pointer, b.getLoc());
    Value text = block->getArgument(0);
    if (auto nest = dyn_cast<omp::LoopNestOp>(region->getParentOp())) {
      writeWord(text);
      Block *failed = block;
      Block *end = getEnd(nest);
      b.setInsertionPointToEnd(failed);
      cf::BranchOp::create(b, end);
      return failed;
    }
    if (isEntry && status.allocates)
      status.call(b, "posenc.free_all", Type(), lists.lookup(region));
    SmallVector<Value> results;
    for (Type type : llvm::drop_end(function.getResultTypes()))
      results.push_back(ub::PoisonOp::create(b, type));
    results.push_back(text);
    func::ReturnOp::create(b, results);
    return block;
  }

  /// The block that ends an iteration and does nothing else.
  Block *getEnd(omp::LoopNestOp nest) {
    Block *&end = ends[nest];
    if (end)
      return end;
    OpBuilder::InsertionGuard guard(b);
    for (Block &block : nest.getRegion()) {
      if (!block.mightHaveTerminator() ||
          !isa<omp::YieldOp>(block.getTerminator()))
        continue;
      end = block.splitBlock(block.getTerminator());
      b.setInsertionPointToEnd(&block);
      cf::BranchOp::create(b, end);
      break;
    }
    return end;
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value makeNull() { return LLVM::ZeroOp::create(b, status.pointer); }

  /// Pointers on the stack.
  Value makeLocal(unsigned count) {
    Value size =
        LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(count));
    return LLVM::AllocaOp::create(b, status.pointer, status.pointer, size);
  }

  /// The head of an empty list.
  Value makeList() {
    Value list = makeLocal(2);
    LLVM::StoreOp::create(b, list, list);
    Value last = LLVM::GEPOp::create(b, status.pointer, status.pointer, list,
                                     ArrayRef<LLVM::GEPArg>{1});
    LLVM::StoreOp::create(b, list, last);
    return list;
  }

  /// The list of the thread that runs an op.
  Value getList(Operation *op) {
    Region *region = op->getParentRegion();
    while (!lists.contains(region))
      region = region->getParentRegion();
    return lists.lookup(region);
  }

  /// Several workers may fail: one of their texts stays.
  void writeWord(Value text) {
    LLVM::StoreOp::create(b, text, word, /*alignment=*/8, /*isVolatile=*/false,
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::monotonic);
  }
  Value readWord() {
    return LLVM::LoadOp::create(
        b, status.pointer, word, /*alignment=*/8, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  }

  Status &status;
  func::FuncOp function;
  bool isEntry;
  ImplicitLocOpBuilder b;
  DenseMap<Region *, Value> lists;
  Value word;
  DenseMap<Region *, Block *> failures;
  DenseMap<Operation *, Block *> ends;
};

struct PosEncStatusResultsPass
    : posenc::impl::PosEncStatusResultsPassBase<PosEncStatusResultsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Status status(module);
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(check(function)))
        return signalPassFailure();
    status.allocates = module
                           .walk([](Operation *op) {
                             return isa<memref::AllocOp, memref::DeallocOp>(op)
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
    if (status.allocates && failed(status.addMemoryFunctions()))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      if (failed(FunctionStatus(status, function).run()))
        return signalPassFailure();
  }

private:
  /// A function must be one whose callers are known and whose memory is its
  /// own.
  LogicalResult check(func::FuncOp function) {
    if (function.isPublic()) {
      if (llvm::any_of(function.getResultTypes(), llvm::IsaPred<MemRefType>))
        return function.emitError(
            "returns memory; posenc-results-to-arguments has it written to the "
            "caller's");
    }
    auto uses = function.getSymbolUses(getOperation());
    if (!uses)
      return function.emitError("has uses that are not known");
    for (SymbolTable::SymbolUse use : *uses)
      if (!isa<func::CallOp>(use.getUser()))
        return use.getUser()->emitError("expected calls only of '@" +
                                        function.getName() +
                                        "', which gets a further result");
    return success();
  }
};
} // namespace
