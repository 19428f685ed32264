//===- t5.cpp - A compiler that uses posenc as it is installed ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Builds the self-attention of a T5 encoder, compiles it for this machine,
// calls it, and compares what comes out with plain loops.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/MemRefUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "passes/Pipelines.h"
#include "posenc/Builders.h"
#include "posenc/Register.h"
#include "llvm/Support/TargetSelect.h"
#include <cmath>
#include <vector>

using namespace mlir;
using namespace mlir::posenc;

constexpr int64_t batches = 2, heads = 3, length = 150, channels = 16;
constexpr int64_t numBuckets = 32, maxDistance = 128;

/// T5: the score of a pair gets a learned number for the bucket of the
/// distance.
static Value buildAttention(OpBuilder &b, Location loc, Value q, Value k,
                            Value v, Value table) {
  AttentionBuilder attention(b, loc, q, k, v);
  ScoreBuilder &score = attention.score();
  auto buckets = T5Attr::get(b.getContext(), numBuckets, maxDistance,
                             BucketDirection::Bidirectional);
  Value row = score.tableRow(buckets, score.delta());
  Value bias = score.lookup(table, {row, score.head()});
  return attention.create(score.add(score.score(), bias)).getResult();
}

/// func.func @attention(q, k, v, table) of static shapes.
static OwningOpRef<ModuleOp> buildModule(MLIRContext &context) {
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(b, loc);
  b.setInsertionPointToEnd(module->getBody());
  auto rows =
      RankedTensorType::get({batches, heads, length, channels}, b.getF32Type());
  auto table = RankedTensorType::get({numBuckets, heads}, b.getF32Type());
  auto function = func::FuncOp::create(
      b, loc, "attention",
      b.getFunctionType({rows, rows, rows, table}, {rows}));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    b.getUnitAttr());
  Block *body = function.addEntryBlock();
  b.setInsertionPointToEnd(body);
  Value o = buildAttention(b, loc, body->getArgument(0), body->getArgument(1),
                           body->getArgument(2), body->getArgument(3));
  func::ReturnOp::create(b, loc, o);
  return module;
}

static OwningMemRef<float, 4> makeRows(unsigned seed) {
  return {{batches, heads, length, channels},
          {},
          [seed](float &element, ArrayRef<int64_t> at) {
            element = std::sin(1 + seed + 7 * at[0] + 5 * at[1] +
                               0.37 * at[2] * (1 + seed) + 1.7 * at[3]);
          }};
}

/// The row of the table for a key at this distance from the query, as the paper
/// has it.
static int64_t getBucket(int64_t distance) {
  int64_t side = numBuckets / 2, exact = side / 2, n = std::abs(distance);
  if (n >= exact) {
    double step = std::log(double(maxDistance) / exact) / (side - exact);
    // Where the quotient is whole, rounding must not make it less.
    n = exact + int64_t(std::log(double(n) / exact) / step + 1e-9);
    n = std::min(n, side - 1);
  }
  return distance > 0 ? side + n : n;
}

int main() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerPosEnc(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry);
  context.loadDialect<func::FuncDialect, LLVM::LLVMDialect, PosEncDialect>();

  OwningOpRef<ModuleOp> module = buildModule(context);
  PassManager manager(&context);
  buildLLVMPipeline(manager, LLVMPipelineOptions());
  if (failed(verify(*module)) || failed(manager.run(*module)))
    return 1;
  auto engine = ExecutionEngine::create(*module);
  if (!engine) {
    llvm::errs() << llvm::toString(engine.takeError()) << "\n";
    return 1;
  }

  OwningMemRef<float, 4> q = makeRows(0), k = makeRows(1), v = makeRows(2);
  OwningMemRef<float, 2> table({numBuckets, heads}, {},
                               [](float &element, ArrayRef<int64_t> at) {
                                 element = std::cos(0.9 * at[0] + 2.1 * at[1]);
                               });
  StridedMemRefType<float, 4> o;
  if (llvm::Error error =
          (*engine)->invoke("attention", &o, &*q, &*k, &*v, &*table)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return 1;
  }

  double worst = 0;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t r = 0; r < length; ++r) {
        std::vector<double> weighted(channels);
        double total = 0;
        for (int64_t j = 0; j < length; ++j) {
          double score = table[{getBucket(j - r), h}];
          for (int64_t d = 0; d < channels; ++d)
            score += double(q[{b, h, r, d}]) * k[{b, h, j, d}];
          total += std::exp(score);
          for (int64_t d = 0; d < channels; ++d)
            weighted[d] += std::exp(score) * v[{b, h, j, d}];
        }
        for (int64_t d = 0; d < channels; ++d) {
          const float result =
              o.data[o.offset + b * o.strides[0] + h * o.strides[1] +
                     r * o.strides[2] + d * o.strides[3]];
          double error = std::abs(result - weighted[d] / total);
          worst = error <= worst ? worst : error; // NaN is the worst
        }
      }
  std::free(o.basePtr);
  // f32 sums of 150 terms of about 1.
  bool agrees = worst < 1e-5;
  llvm::outs() << (agrees ? "agrees" : "does not agree")
               << " with plain loops on " << batches * heads * length
               << " rows\n";
  return !agrees;
}
