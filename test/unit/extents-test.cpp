//===- extents-test.cpp - Extents against the region's values -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//     extents-test FILE...
//
// Computes every value of every score region for all pairs of some rows and
// keys, for several values of the captures, by the folders of the ops, and
// compares what the analysis says. An op that does not fold, a lookup for
// example, is some function of its operands.

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "posenc/Analysis/Extents.h"
#include "posenc/Register.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::posenc;

static constexpr int64_t numRows = 24, numKeys = 24, infinity = 1 << 30;
static unsigned numChecks = 0;

namespace {
class RegionTest {
public:
  explicit RegionTest(Region &region) : region(region), extents(region) {}
  bool run(unsigned seed);

private:
  Attribute evaluate(Operation &op, unsigned result,
                     ArrayRef<Attribute> operands);
  Attribute draw(Type type, size_t hash);
  Attribute at(Value value, int64_t row, int64_t key) {
    return values[value][row * numKeys + key];
  }
  void check(bool holds, Value value, const char *what) {
    ++numChecks;
    if (holds || failed)
      return;
    failed = true;
    llvm::errs() << "wrong " << what << " of ";
    value.print(llvm::errs());
    llvm::errs() << "\n";
  }
  int64_t evaluate(const LinearForm &form);
  int64_t evaluate(const Bound &bound);
  bool contains(const BoundRange &range, int64_t x) {
    return evaluate(range.lo) <= x && x <= evaluate(range.hi);
  }
  bool contains(const Box &box, int64_t row, int64_t key) {
    return contains(box.lag, key - row) && contains(box.key, key);
  }
  void check(Value value);

  Region &region;
  ExtentAnalysis extents;
  DenseMap<Value, std::vector<Attribute>> values;
  unsigned seed = 0;
  bool failed = false;
};
} // namespace

/// Some value of a type; null for a tensor.
Attribute RegionTest::draw(Type type, size_t hash) {
  Builder b(type.getContext());
  if (isa<FloatType>(type))
    return b.getFloatAttr(type, double(hash % 4096) / 64 - 32);
  if (type.isInteger(1))
    return b.getBoolAttr(hash % 2);
  if (type.isIntOrIndex())
    return b.getIntegerAttr(type, int64_t(hash % 32) - 16);
  return {};
}

/// A result of `op`, whose operands are the arguments of `block`: a folder that
/// looks at what defines them sees nothing.
Attribute RegionTest::evaluate(Operation &op, unsigned result,
                               ArrayRef<Attribute> operands) {
  SmallVector<OpFoldResult> folded;
  if (!llvm::is_contained(operands, Attribute()) &&
      succeeded(op.fold(operands, folded)) && !folded.empty()) {
    if (auto attribute = dyn_cast<Attribute>(folded[result]))
      return attribute;
    return operands[cast<BlockArgument>(cast<Value>(folded[result]))
                        .getArgNumber()];
  }
  size_t hash = llvm::hash_combine(
      seed, result, op.getName().getAsOpaquePointer(),
      llvm::hash_combine_range(operands.begin(), operands.end()));
  return draw(op.getResult(result).getType(), hash);
}

int64_t RegionTest::evaluate(const LinearForm &form) {
  int64_t sum = form.constant;
  for (auto [value, factor] : form.terms)
    if (auto integer = dyn_cast<IntegerAttr>(at(value, 0, 0)))
      sum += factor * integer.getValue().getSExtValue();
  return sum;
}

int64_t RegionTest::evaluate(const Bound &bound) {
  switch (bound.getKind()) {
  case Bound::Kind::NegativeInfinity:
    return -infinity;
  case Bound::Kind::PositiveInfinity:
    return infinity;
  case Bound::Kind::Linear:
    return evaluate(bound.getForm());
  case Bound::Kind::Min:
  case Bound::Kind::Max: {
    int64_t x = evaluate(bound.getOperands().first),
            y = evaluate(bound.getOperands().second);
    return bound.getKind() == Bound::Kind::Min ? std::min(x, y)
                                               : std::max(x, y);
  }
  }
  llvm_unreachable("unknown kind of bound");
}

void RegionTest::check(Value value) {
  const Extent &extent = extents[value];
  for (int64_t row = 0; row < numRows; ++row)
    for (int64_t key = 0; key < numKeys; ++key) {
      Attribute here = at(value, row, key);
      if (!extent.score && !extent.row)
        check(here == at(value, 0, key), value, "set of extents: row");
      if (!extent.score && !extent.key)
        check(here == at(value, row, 0), value, "set of extents: key");
      if (extent.lag && row && key)
        check(here == at(value, row - 1, key - 1), value, "lag");
      auto integer = dyn_cast_or_null<IntegerAttr>(here);
      if (!integer)
        continue;
      if (extent.affine)
        check(integer.getValue().getSExtValue() ==
                  extent.affine->row * row + extent.affine->key * key +
                      evaluate(extent.affine->offset),
              value, "affine form");
      if (extent.truth) {
        bool holds = integer.getValue().isOne();
        check(!holds || contains(extent.truth->may, row, key), value, "may");
        check(holds || !contains(extent.truth->must, row, key), value, "must");
      }
    }
  if (!extent.lag)
    return;
  int64_t lo = evaluate(extent.varying.lo), hi = evaluate(extent.varying.hi);
  auto atLag = [&](int64_t lag) {
    return at(value, std::max<int64_t>(-lag, 0), std::max<int64_t>(lag, 0));
  };
  for (int64_t lag = 2 - numRows; lag < numKeys; ++lag)
    check(atLag(lag) == atLag(lag - 1) || (lo < lag && lag - 1 < hi), value,
          "varying");
}

bool RegionTest::run(unsigned newSeed) {
  seed = newSeed;
  values.clear();
  Block &block = region.front();
  for (BlockArgument argument : block.getArguments()) {
    std::vector<Attribute> &all = values[argument];
    for (int64_t row = 0; row < numRows; ++row)
      for (int64_t key = 0; key < numKeys; ++key) {
        unsigned number = argument.getArgNumber();
        Builder b(argument.getContext());
        // The score is of the pair; the batch, the head and captures are of
        // none.
        all.push_back(
            number == 3 ? b.getIndexAttr(row)
            : number == 4
                ? b.getIndexAttr(key)
                : draw(argument.getType(),
                       llvm::hash_combine(seed, number,
                                          number ? 0 : row * numKeys + key)));
      }
  }
  for (Operation &op : block.without_terminator()) {
    Block operands;
    Operation *alone = op.clone();
    for (OpOperand &operand : alone->getOpOperands())
      operand.set(
          operands.addArgument(operand.get().getType(), alone->getLoc()));
    for (OpResult result : op.getResults()) {
      std::vector<Attribute> all;
      for (int64_t row = 0; row < numRows; ++row)
        for (int64_t key = 0; key < numKeys; ++key) {
          SmallVector<Attribute> attributes;
          for (Value operand : op.getOperands())
            attributes.push_back(at(operand, row, key));
          all.push_back(evaluate(*alone, result.getResultNumber(), attributes));
        }
      values[result] = std::move(all);
    }
    alone->destroy();
  }
  for (BlockArgument argument : block.getArguments())
    check(argument);
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults())
      check(result);
  return !failed;
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerPosEnc(registry);
  MLIRContext context(registry);
  unsigned numRegions = 0;
  for (int i = 1; i < argc; ++i) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[i], &context);
    if (!module)
      return 1;
    WalkResult result = module->walk([&](Operation *op) {
      if (!isa<AttentionOp, ScoreModOp>(op))
        return WalkResult::advance();
      ++numRegions;
      RegionTest test(op->getRegion(0));
      for (unsigned seed = 0; seed < 8; ++seed)
        if (!test.run(seed)) {
          op->emitError("the extents are wrong");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return 1;
  }
  llvm::outs() << numChecks << " checks of " << numRegions
               << " regions passed\n";
}
