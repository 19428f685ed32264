//===- Pipelines.h - Pass pipelines -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_PIPELINES_H
#define PASSES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include "passes/Passes.h"
#include <limits>

namespace mlir::posenc {

struct ReferencePipelineOptions
    : PassPipelineOptions<ReferencePipelineOptions> {
  Option<ComputeType> computeType{
      *this, "compute-type",
      llvm::cl::desc("The float type of all computation"),
      llvm::cl::init(ComputeType::F32),
      llvm::cl::values(clEnumValN(ComputeType::F32, "f32", "as the ops say"),
                       clEnumValN(ComputeType::F64, "f64",
                                  "a reference of twice the digits"))};
};

/// `posenc-to-reference`: a module on tensors or memrefs to the LLVM dialect,
/// by the plain decomposition of every op. Functions take and return memrefs.
void buildReferencePipeline(OpPassManager &pm,
                            const ReferencePipelineOptions &options);

/// What becomes of a schedule.
enum class Kernels { Loops, Cpu };

/// What multiplies queries, keys and values of bf16.
enum class Bf16Products { Fastest, Widened, Pairs };

/// They as values of an option.
inline llvm::cl::ValuesClass getBf16Values() {
  return llvm::cl::values(
      clEnumValN(Bf16Products::Fastest, "fastest", "as suits the CPU"),
      clEnumValN(Bf16Products::Widened, "widened", "as those of f32"),
      clEnumValN(Bf16Products::Pairs, "pairs",
                 "in pairs, without an instruction for that too"));
}

struct LLVMPipelineOptions : PassPipelineOptions<LLVMPipelineOptions> {
  Option<Kernels> kernels{
      *this, "kernels", llvm::cl::desc("What attention becomes"),
      llvm::cl::init(Kernels::Cpu),
      llvm::cl::values(clEnumValN(Kernels::Cpu, "cpu", "vector code of a CPU"),
                       clEnumValN(Kernels::Loops, "loops",
                                  "plain loops, right everywhere and slow"))};
  Option<std::string> triple{
      *this, "triple",
      llvm::cl::desc("The target triple; by default the host's")};
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("The CPU, as LLVM names it"),
                          llvm::cl::init("native")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("Features beyond those of the CPU: +avx2,-fma")};
  Option<Bf16Products> bf16{
      *this, "bf16", llvm::cl::desc("How products of bf16 are computed"),
      llvm::cl::init(Bf16Products::Fastest), getBf16Values()};
  Option<double> maskValue{
      *this, "mask-value",
      llvm::cl::desc("As of posenc-fuse-bias: constants down from this number "
                     "remove pairs"),
      llvm::cl::init(-std::numeric_limits<double>::infinity())};
  Option<int64_t> rows{
      *this, "rows",
      llvm::cl::desc("Query rows of a tile; by default what suits the CPU"),
      llvm::cl::init(0)};
  Option<int64_t> keyParts{
      *this, "key-parts",
      llvm::cl::desc("As of posenc-tile-attention: parts of the keys of a few "
                     "query rows; by default what suits the sizes"),
      llvm::cl::init(0)};
  Option<bool> openmp{
      *this, "openmp",
      llvm::cl::desc("Threads of OpenMP, which the program is linked with"),
      llvm::cl::init(false)};
  Option<bool> cInterface{
      *this, "c-interface",
      llvm::cl::desc("Results to memory of the caller, and failures as a "
                     "result: what a C program can call"),
      llvm::cl::init(false)};
};

/// `posenc-to-llvm`: a module on tensors or memrefs to the LLVM dialect,
/// attention, also where it is written as separate steps, by way of a schedule
/// of tiles. Functions take and return memrefs.
void buildLLVMPipeline(OpPassManager &pm, const LLVMPipelineOptions &options);

/// Adds a pass that has what an op asks of its operands and no type says, such
/// as dynamic sizes that agree, checked when the program runs. It comes before
/// a pipeline.
void addRuntimeVerification(OpPassManager &pm);

void registerPosEncPipelines();

} // namespace mlir::posenc

#endif // PASSES_PIPELINES_H
