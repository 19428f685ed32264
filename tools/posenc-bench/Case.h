//===- Case.h - What is measured --------------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_BENCH_CASE_H
#define TOOLS_POSENC_BENCH_CASE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::posenc::bench {

/// An example program that can be measured.
struct Example {
  StringRef name;
  /// Whether a row keeps no key behind its own position; else it keeps all.
  bool isCausal;

  /// The attention that has this mask and no position term.
  StringRef getPlain() const {
    return isCausal ? "causal-bottom-right" : "plain";
  }
};

ArrayRef<Example> getExamples();

/// One benchmark: an example at some size, one batch.
struct Case {
  const Example *example;
  std::string element = "f32";
  /// Channels of q, k and v.
  int64_t channels = 64;
  /// Keys, and as many queries.
  int64_t length = 2048;
  /// Query heads; 0 for those of the file.
  int64_t heads = 0;
  unsigned threads = 1;
  /// The last queries of the sequence, where they are not as many as the keys:
  /// 1 is a step of decoding.
  int64_t queries = 0;
  /// Key heads; 0 for those of the file.
  int64_t keyHeads = 0;

  /// EXAMPLE/ELEMENT/D:64/S:2048/T:1, with /N:1 and /Hkv:1 before the threads
  /// if they are given. The query heads are no part of it.
  std::string getName() const;

  int64_t getQueries() const { return queries ? queries : length; }

  /// Reads such a name. What comes after the example may be left out.
  static llvm::Expected<Case> parse(StringRef name);

  /// Pairs of a query and a key that are kept, in one head.
  double countPairs() const;
};

/// What is measured unless the command line says otherwise.
std::vector<Case> getDefaultCases(bool hasThreads);

} // namespace mlir::posenc::bench

#endif // TOOLS_POSENC_BENCH_CASE_H
