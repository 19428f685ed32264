//===- Dots.cpp - Products of rows and keys in place ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel.h"
#include <vector>

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;

namespace {
/// A vector of partial sums: each segment of its lanes is of one vector that
/// is summed up.
struct Partial {
  Value vector;
  SmallVector<int64_t> segments; // which vector, in the order of the lanes
};
} // namespace

/// Adds the low and the high halves of all segments of two vectors: one with
/// the segments of both. Segments within 128 bits stay there, where shuffles
/// are cheapest. Without a builder, only the order of the segments.
static Partial addHalves(KernelBuilder *b, const Partial &x, const Partial &y,
                         int64_t lanes) {
  int64_t count = x.segments.size(), length = lanes / count;
  int64_t together = length > 4 ? count : 4 / length;
  Partial sum;
  SmallVector<int64_t> low, high;
  for (int64_t first = 0; first < count; first += together)
    for (const Partial *source : {&x, &y})
      for (int64_t i = first; i < first + together; ++i) {
        sum.segments.push_back(source->segments[i]);
        int64_t at = (source == &x ? 0 : lanes) + i * length;
        for (int64_t lane = 0; lane < length / 2; ++lane) {
          low.push_back(at + lane);
          high.push_back(at + length / 2 + lane);
        }
      }
  if (b)
    sum.vector =
        b->addf(vector::ShuffleOp::create(*b, x.vector, y.vector, low),
                vector::ShuffleOp::create(*b, x.vector, y.vector, high));
  return sum;
}

static Partial addAll(KernelBuilder *b, ArrayRef<Value> vectors,
                      int64_t lanes) {
  std::vector<Partial> partials;
  for (int64_t i = 0; i < lanes; ++i)
    partials.push_back({b ? vectors[i] : Value(), {i}});
  while (partials.size() > 1) {
    std::vector<Partial> next;
    for (size_t i = 0; i < partials.size(); i += 2)
      next.push_back(addHalves(b, partials[i], partials[i + 1], lanes));
    partials = std::move(next);
  }
  return partials[0];
}

/// The sums of the lanes of as many vectors as there are lanes, in their order.
static Value sumLanesOfEach(KernelBuilder &b, ArrayRef<Value> vectors) {
  int64_t lanes = vectors.size();
  SmallVector<Value> ordered(lanes);
  for (auto [lane, vector] :
       llvm::enumerate(addAll(nullptr, {}, lanes).segments))
    ordered[vector] = vectors[lane];
  return addAll(&b, ordered, lanes).vector;
}

Accumulators cpu::emitDots(KernelBuilder &b, int64_t rows, int64_t channels,
                           function_ref<Value(int64_t, Value)> row,
                           function_ref<Value(int64_t, Value)> key,
                           function_ref<void(int64_t, Value)> each) {
  // As many accumulators as lanes, each of a row and a key.
  int64_t keys = b.lanes / rows;
  SmallVector<Value> groups;
  for (int64_t first = 0; first < b.lanes; first += keys) {
    auto addChannels = [&](Value d, MutableArrayRef<Value> sums) {
      SmallVector<Value> factors;
      for (int64_t y = 0; y < keys; ++y)
        factors.push_back(key(first + y, d));
      for (int64_t x = 0; x < rows; ++x) {
        Value factor = row(x, d);
        for (int64_t y = 0; y < keys; ++y) {
          Value &sum = sums[x * keys + y];
          sum = b.fma(factor, factors[y], sum);
        }
      }
    };
    SmallVector<Value> zeros(b.lanes, b.splat(0.0f));
    SmallVector<Value> sums =
        b.loop(b.index(0), b.index(channels), dotChannels, zeros,
               [&](Value d, ValueRange carried) {
                 SmallVector<Value> next(carried);
                 for (int64_t y = 0; y < keys; ++y)
                   each(first + y, d);
                 for (int64_t c = 0; c < dotChannels; c += b.lanes)
                   addChannels(b.add(d, c), next);
                 return next;
               });
    groups.push_back(sumLanesOfEach(b, sums));
  }
  // Each group has the scores of some keys for all rows.
  return emitTransposeOfUnits(b, groups, keys);
}
