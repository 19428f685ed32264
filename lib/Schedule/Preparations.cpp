//===- Preparations.cpp - Vectors and tiles that a sweep adds ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::schedule;

/// A bias of this many pairs of row and key may be kept for each head.
static constexpr int64_t maxPairsOfHead = 1 << 16;

void ScheduleBuilder::addTerm(tile::TermUse use, tile::TermKind kind,
                              AtSite table, AtSite offset, AtSite factor) {
  terms.push_back({use, kind, table, offset, factor});
}

ScheduleBuilder::AtSite ScheduleBuilder::makeRow(Element element) {
  auto vector = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &site) {
    *vector = allocateLocal({b.getIndexAttr(options.rows)}, f32);
    forEachHead(site, [&](const Site &head, PartOf partOf) {
      emitFill(partOf(*vector), {{head.rowLo, head.rowHi}}, head, Place::atRow,
               element);
    });
  });
  return [vector](const Site &) { return *vector; };
}

void ScheduleBuilder::addRow(tile::TermUse use, Element element) {
  addTerm(use, tile::TermKind::Row, makeRow(element));
}

/// A coefficient as a factor per row; null if it is the same for all, and so
/// part of what is packed, unless that is halves, which do not take it.
ScheduleBuilder::AtSite
ScheduleBuilder::makeFactor(const Coefficient &coefficient, bool halves) {
  if (!halves && !variesByRow(coefficient, extents))
    return {};
  if (halves && scaleOfHalves && coefficient == plan.scale)
    return scaleOfHalves;
  return makeRow([=](SliceCloner &cloner) {
    return emitCoefficient(cloner, coefficient);
  });
}

/// A vector over the integers from lo on, as a term.
void ScheduleBuilder::addVector(tile::TermUse use, tile::TermKind kind,
                                Scope scope, Value lo, Value size,
                                Place (*placeOf)(ValueRange), Element element,
                                AtSite factor) {
  Buffer vector = allocate(scope, getAsOpFoldResult(size), f32);
  preparations.push_back({scope, [=](const Site &site) {
                            emitFill(view(vector, site), {{lo, add(lo, size)}},
                                     site, placeOf, element);
                          }});
  addVectorTerm(use, kind, vector, [=](const Site &) { return lo; }, factor);
}

/// A vector over keys or distances as a term. Where the rows are heads and each
/// has its own, they are a strip: with one query row, number 0, keys are
/// distances.
void ScheduleBuilder::addVectorTerm(tile::TermUse use, tile::TermKind kind,
                                    const Buffer &vector, AtSite offset,
                                    AtSite factor) {
  if (!differsInTile(vector))
    return addTerm(
        use, kind, [=](const Site &site) { return view(vector, site); }, offset,
        factor);
  auto rowsOf = [=](const Site &site) {
    Value first = vector.scope == Scope::Head ? site.head : site.headSlot;
    return slice(vector.whole, {first, b.getIndexAttr(0)},
                 {b.getIndexAttr(options.rows), sizeOf(vector.whole, 1)});
  };
  addTerm(use, tile::TermKind::Strip, rowsOf, offset, factor);
}

void ScheduleBuilder::addKeys(tile::TermUse use, Scope scope, Element element,
                              AtSite factor) {
  addVector(use, tile::TermKind::Key, scope, constant(0), toValue(paddedKeys),
            Place::atKey, element, factor);
}

void ScheduleBuilder::addLags(tile::TermUse use, Scope scope, Element element,
                              AtSite factor) {
  addVector(use, tile::TermKind::Lag, scope, lagLo, lagSize, Place::atDistance,
            element, factor);
}

/// Whether what varies by pair, and else as the scope says, is kept for all
/// pairs of a head.
bool ScheduleBuilder::isMatrixOfHead(Scope scope) {
  int64_t n = cast<ShapedType>(op.getQ().getType()).getDimSize(2);
  int64_t m = cast<ShapedType>(op.getK().getType()).getDimSize(2);
  bool isSmall = !ShapedType::isDynamic(n) && !ShapedType::isDynamic(m) &&
                 n <= maxPairsOfHead && m <= maxPairsOfHead &&
                 n * m <= maxPairsOfHead;
  return isSmall && !foldsHeads &&
         (scope == Scope::Once || scope == Scope::Head);
}

void ScheduleBuilder::addPairs(tile::TermUse use, Scope scope, Element element,
                               Location loc, StringRef what) {
  if (isMatrixOfHead(scope)) {
    OpFoldResult n = sizeOf(op.getQ(), 2), m = sizeOf(op.getK(), 2);
    Buffer matrix = allocate(scope, {n, m}, f32);
    preparations.push_back({scope, [=](const Site &site) {
                              emitFill(
                                  view(matrix, site),
                                  {{constant(0), rows}, {constant(0), keys}},
                                  site, Place::atPair, element);
                            }});
    addTerm(use, tile::TermKind::Pair,
            [=](const Site &site) { return view(matrix, site); });
    remark(loc, what + ": a matrix of all rows and keys, once per head");
    return;
  }
  auto matrix = std::make_shared<Value>();
  tilePreparations.push_back([=](const Site &) {
    *matrix = allocateLocal(
        {b.getIndexAttr(options.rows), b.getIndexAttr(options.block)}, f32);
  });
  blockPreparations.push_back([=](const Site &site, Value n) {
    forEachHead(site, [&](const Site &head, PartOf partOf) {
      emitFill(partOf(*matrix),
               {{head.rowLo, head.rowHi}, {n, add(n, constant(options.block))}},
               head, Place::atPair, element);
    });
  });
  addTerm(use, tile::TermKind::Tile, [=](const Site &) { return *matrix; });
  remark(loc, what + ": computed for every pair");
}

void ScheduleBuilder::addTerms(tile::TermUse use, const TermsByExtent &terms) {
  auto sumOf = [this](std::vector<LinearTerm> list) -> Element {
    return [=](SliceCloner &cloner) { return sumTerms(cloner, list); };
  };
  if (!terms.row.empty())
    addRow(use, sumOf(terms.row));
  if (!terms.key.empty())
    addKeys(use, scopeOf(terms.key), sumOf(terms.key));
  std::vector<LinearTerm> sum;
  for (const LinearTerm &term : terms.lag) {
    AtSite factor = makeFactor(term.coefficient, /*halves=*/false);
    if (!factor) {
      sum.push_back(term);
      continue;
    }
    LinearTerm alone{{}, term.atom};
    addLags(use, scopeOf(alone), sumOf({alone}), factor);
  }
  if (!sum.empty())
    addLags(use, scopeOf(sum), sumOf(sum));
  if (!terms.pair.empty())
    addPairs(use, scopeOf(terms.pair), sumOf(terms.pair),
             terms.pair[0].atom.getLoc(), "bias");
}

void ScheduleBuilder::prepareMasks() {
  auto allOf = [this](ArrayRef<Value> conditions) -> Element {
    SmallVector<Value> list(conditions);
    return [=](SliceCloner &cloner) -> Value {
      Value all = emitAll(cloner, list);
      return arith::UIToFPOp::create(b, f32, all);
    };
  };
  if (!plan.keyConditions.empty())
    addKeys(tile::TermUse::Mask, scopeOf(plan.keyConditions),
            allOf(plan.keyConditions));
  if (!plan.lagConditions.empty())
    addLags(tile::TermUse::Mask, scopeOf(plan.lagConditions),
            allOf(plan.lagConditions));
  if (plan.pairConditions.empty())
    return;
  addPairs(tile::TermUse::Mask, scopeOf(plan.pairConditions),
           allOf(plan.pairConditions), plan.pairConditions[0].getLoc(),
           "condition");
}
