//===- PrintExtents.cpp - What the values of score regions vary over ------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Passes.h"
#include "posenc/Analysis/Extents.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_POSENCPRINTEXTENTSPASS
#include "passes/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Prints the extents of a region under the names that the op prints.
class Printer {
public:
  Printer(raw_ostream &os, AsmState &state) : os(os), state(state) {}

  void print(Operation *op, Region &region, ValueRange captures);

private:
  void print(Value value, const Extent &extent);
  void print(const AffineForm &form);
  void print(const LinearForm &form);
  void print(const Bound &bound);
  void print(const BoundRange &range);
  void print(const Box &box);
  void print(const Truth &truth);
  void printName(Value value) {
    Value outer = outerNames.lookup(value);
    (outer ? outer : value).printAsOperand(os, state);
  }

  raw_ostream &os;
  AsmState &state;
  DenseMap<Value, Value> outerNames;
};
} // namespace

void Printer::print(Operation *op, Region &region, ValueRange captures) {
  // As the op prints them: a capture has the name that it has outside, unless
  // that is taken or is one of several results.
  for (auto [i, capture] : llvm::enumerate(captures)) {
    Operation *producer = capture.getDefiningOp();
    if (!llvm::is_contained(captures.take_front(i), capture) &&
        (!producer || producer->getNumResults() == 1))
      outerNames[region.getArgument(region.getNumArguments() - captures.size() +
                                    i)] = capture;
  }
  ExtentAnalysis extents(region);
  os << "extents of " << op->getName();
  if (auto symbol = op->getParentOfType<SymbolOpInterface>())
    os << " in @" << symbol.getName();
  os << "\n";
  for (BlockArgument argument : region.getArguments())
    print(argument, extents[argument]);
  for (Operation &inner : region.front())
    for (Value result : inner.getResults())
      print(result, extents[result]);
}

void Printer::print(Value value, const Extent &extent) {
  os << "  ";
  printName(value);
  if (Operation *op = value.getDefiningOp())
    os << " = " << op->getName();
  os << ": " << stringifyExtentKind(extent.getKind()) << " {";
  std::pair<bool, StringRef> members[] = {{extent.batch, "batch"},
                                          {extent.head, "head"},
                                          {extent.row, "row"},
                                          {extent.key, "key"},
                                          {extent.score, "score"}};
  llvm::interleaveComma(llvm::make_filter_range(
                            members, [](auto &member) { return member.first; }),
                        os, [&](auto &member) { os << member.second; });
  os << "}";
  if (extent.affine) {
    os << ", affine ";
    print(*extent.affine);
  }
  if (extent.lag && !extent.varying.isNone()) {
    os << ", varying ";
    print(extent.varying);
  }
  if (extent.truth) {
    os << ", truth ";
    print(*extent.truth);
  }
  os << "\n";
}

void Printer::print(const AffineForm &form) {
  if (form.row == 0 && form.key == 0)
    return print(form.offset);
  if (form.row != 0)
    os << form.row << " row";
  if (form.key != 0)
    os << (form.row != 0 ? " + " : "") << form.key << " key";
  if (form.offset == LinearForm())
    return;
  os << " + (";
  print(form.offset);
  os << ")";
}

void Printer::print(const LinearForm &form) {
  bool isFirst = form.constant == 0 && !form.isConstant();
  if (!isFirst)
    os << form.constant;
  for (auto [value, factor] : form.terms) {
    if (isFirst)
      os << (factor < 0 ? "-" : "");
    else
      os << (factor < 0 ? " - " : " + ");
    if (std::abs(factor) != 1)
      os << std::abs(factor) << " * ";
    printName(value);
    isFirst = false;
  }
}

void Printer::print(const Bound &bound) {
  switch (bound.getKind()) {
  case Bound::Kind::NegativeInfinity:
    os << "-inf";
    return;
  case Bound::Kind::PositiveInfinity:
    os << "inf";
    return;
  case Bound::Kind::Linear:
    return print(bound.getForm());
  case Bound::Kind::Min:
  case Bound::Kind::Max: {
    auto [x, y] = bound.getOperands();
    os << (bound.getKind() == Bound::Kind::Min ? "min(" : "max(");
    print(x);
    os << ", ";
    print(y);
    os << ")";
  }
  }
}

void Printer::print(const BoundRange &range) {
  os << "[";
  print(range.lo);
  os << ", ";
  print(range.hi);
  os << "]";
}

void Printer::print(const Box &box) {
  if (box.isAll() || box.isNone()) {
    os << (box.isAll() ? "all" : "none");
    return;
  }
  if (!box.lag.isAll()) {
    os << "lag ";
    print(box.lag);
  }
  if (!box.key.isAll()) {
    os << (box.lag.isAll() ? "key " : " key ");
    print(box.key);
  }
}

void Printer::print(const Truth &truth) {
  if (truth.isExact()) {
    os << "exact ";
    return print(truth.may);
  }
  os << "may ";
  print(truth.may);
  os << ", must ";
  print(truth.must);
}

namespace {
struct PosEncPrintExtentsPass
    : posenc::impl::PosEncPrintExtentsPassBase<PosEncPrintExtentsPass> {
  void runOnOperation() override {
    // Written at once: passes on other functions may print meanwhile.
    std::string text;
    llvm::raw_string_ostream os(text);
    AsmState state(getOperation());
    getOperation()->walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op))
        Printer(os, state).print(op, attention.getScore(),
                                 attention.getCaptures());
      else if (auto mod = dyn_cast<ScoreModOp>(op))
        Printer(os, state).print(op, mod.getScore(), mod.getCaptures());
    });
    llvm::errs() << text;
    markAllAnalysesPreserved();
  }
};
} // namespace
