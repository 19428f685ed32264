//===- ParallelToWorkers.cpp - Parallel loops to workers ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCPARALLELTOWORKERSPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// A buffer that every iteration of a loop allocates and frees, of a size that
/// is known before the loop.
struct Scratch {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
};

SmallVector<Scratch> findScratch(scf::ParallelOp loop) {
  SmallVector<Scratch> found;
  auto isOutside = [&](Value value) {
    return !loop.getRegion().isAncestor(value.getParentRegion());
  };
  loop.walk([&](memref::AllocOp alloc) {
    if (!llvm::all_of(alloc->getOperands(), isOutside))
      return;
    memref::DeallocOp only;
    for (Operation *user : alloc->getUsers())
      if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
        if (only)
          return;
        only = dealloc;
      }
    if (only && only->getBlock() == alloc->getBlock())
      found.push_back({alloc, only});
  });
  return found;
}

struct PosEncParallelToWorkersPass
    : posenc::impl::PosEncParallelToWorkersPassBase<
          PosEncParallelToWorkersPass> {
  using PosEncParallelToWorkersPassBase::PosEncParallelToWorkersPassBase;

  void runOnOperation() override {
    // Inner loops first: they belong to an iteration of the outer ones.
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk([&](scf::ParallelOp loop) {
      if (!loop.getNumReductions())
        loops.push_back(loop);
    });
    for (scf::ParallelOp loop : loops) {
      bool isInner = loop->getParentOfType<scf::ParallelOp>() ||
                     loop->getParentOfType<omp::ParallelOp>();
      openmp && !isInner ? toOpenMP(loop) : toLoops(loop);
    }
  }

private:
  /// Moves the buffers of the iterations to where the builder stands, and
  /// their ends to after `end`.
  void hoist(scf::ParallelOp loop, OpBuilder &b, Operation *end) {
    for (Scratch scratch : findScratch(loop)) {
      scratch.alloc->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
      scratch.dealloc->moveAfter(end);
    }
  }

  void toLoops(scf::ParallelOp loop) {
    OpBuilder b(loop);
    hoist(loop, b, loop);
    // The body goes into the innermost of the nested loops.
    SmallVector<Value> places;
    scf::LoopNest nest = scf::buildLoopNest(
        b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
        loop.getStep(), [&](OpBuilder &, Location, ValueRange ivs) {
          llvm::append_range(places, ivs);
        });
    Block *target = nest.loops.back().getBody();
    moveBody(loop, target, target->getTerminator(), places);
  }

  void toOpenMP(scf::ParallelOp loop) {
    ImplicitLocOpBuilder b(loop.getLoc(), loop);
    auto parallel = omp::ParallelOp::create(b, omp::ParallelOperands());
    b.createBlock(&parallel.getRegion());
    omp::WsloopOperands schedule;
    schedule.scheduleKind = omp::ClauseScheduleKindAttr::get(
        b.getContext(), omp::ClauseScheduleKind::Dynamic);
    auto workshare = omp::WsloopOp::create(b, schedule);
    omp::TerminatorOp::create(b);
    b.setInsertionPoint(workshare);
    hoist(loop, b, workshare);

    b.createBlock(&workshare.getRegion());
    omp::LoopNestOperands bounds;
    bounds.loopLowerBounds = llvm::to_vector(loop.getLowerBound());
    bounds.loopUpperBounds = llvm::to_vector(loop.getUpperBound());
    bounds.loopSteps = llvm::to_vector(loop.getStep());
    if (loop.getNumLoops() > 1)
      bounds.collapseNumLoops = b.getI64IntegerAttr(loop.getNumLoops());
    auto nest = omp::LoopNestOp::create(b, bounds);
    SmallVector<Type> types(loop.getNumLoops(), b.getIndexType());
    SmallVector<Location> locs(loop.getNumLoops(), loop.getLoc());
    Block *body = b.createBlock(&nest.getRegion(), {}, types, locs);
    omp::YieldOp yield = omp::YieldOp::create(b, ValueRange());
    moveBody(loop, body, yield, body->getArguments());
  }

  /// Moves the iterations of the loop before `end` in `target`, and erases the
  /// loop.
  void moveBody(scf::ParallelOp loop, Block *target, Operation *end,
                ValueRange places) {
    Block *body = loop.getBody();
    for (auto [iv, place] : llvm::zip_equal(loop.getInductionVars(), places))
      iv.replaceAllUsesWith(place);
    body->getTerminator()->erase();
    target->getOperations().splice(end->getIterator(), body->getOperations());
    loop.erase();
  }
};
} // namespace
