//===- Case.cpp - What is measured ----------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::posenc::bench {

ArrayRef<Example> getExamples() {
  // Only examples whose operands say nothing of the mask: a window or lengths
  // would need a plain counterpart of their own.
  static const Example examples[] = {
      {"plain", false},         {"causal-bottom-right", true},
      {"t5-encoder", false},    {"t5-decoder", true},
      {"rope-half", false},     {"rope-interleaved-partial", true},
      {"alibi-causal", true},   {"shaw-k", false},
      {"shaw-kv", false},       {"deberta-v2", false},
      {"transformer-xl", true}, {"unpublished-periodic", true},
  };
  return examples;
}

static const Example *findExample(StringRef name) {
  for (const Example &example : getExamples())
    if (example.name == name)
      return &example;
  return nullptr;
}

std::string Case::getName() const {
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << example->name << '/' << element << "/D:" << channels
         << "/S:" << length;
  if (queries)
    stream << "/N:" << queries;
  if (keyHeads)
    stream << "/Hkv:" << keyHeads;
  stream << "/T:" << threads;
  return name;
}

llvm::Expected<Case> Case::parse(StringRef name) {
  auto error = [&](const Twine &reason) {
    return llvm::createStringError("'" + name + "' names no case: " + reason);
  };
  SmallVector<StringRef> parts;
  name.split(parts, '/');
  Case result{findExample(parts[0])};
  if (!result.example) {
    auto getName = [](const Example &example) { return example.name; };
    return error("its example must be one of " +
                 llvm::join(llvm::map_range(getExamples(), getName), ", "));
  }
  constexpr StringLiteral notAPart =
      "' is no element type, D:, S:, N:, Hkv: or T:";
  for (StringRef part : ArrayRef(parts).drop_front()) {
    auto [key, text] = part.split(':');
    if (text.empty() && llvm::is_contained({"f32", "bf16", "f16"}, part)) {
      result.element = part.str();
      continue;
    }
    int64_t value;
    constexpr int64_t largest = 1 << 24;
    if (text.getAsInteger(10, value) || value < 1 || value > largest)
      return error("'" + part + notAPart);
    if (key == "D")
      result.channels = value;
    else if (key == "S")
      result.length = value;
    else if (key == "T")
      result.threads = value;
    else if (key == "N")
      result.queries = value;
    else if (key == "Hkv")
      result.keyHeads = value;
    else
      return error("'" + part + notAPart);
  }
  if (result.queries > result.length)
    return error("N: is more than S:");
  // One name means one thing.
  for (const Case &known : getDefaultCases(/*hasThreads=*/true))
    if (known.getName() == result.getName())
      return known;
  return result;
}

double Case::countPairs() const {
  // Of as many queries as keys, row i keeps i + 1 keys.
  double rows = getQueries(), keys = length;
  return example->isCausal ? rows * (keys - rows) + rows * (rows + 1) / 2
                           : rows * keys;
}

std::vector<Case> getDefaultCases(bool hasThreads) {
  std::vector<Case> cases;
  auto add = [&](StringRef example, StringRef element, int64_t channels,
                 int64_t length, int64_t heads = 0) {
    // Splitting pays where the work is long.
    for (unsigned threads : {1, 2})
      if (threads == 1 || (hasThreads && length >= 2048))
        cases.push_back({findExample(example), element.str(), channels, length,
                         heads, threads});
  };
  auto addPlain = [&](StringRef element) {
    add("plain", element, 64, 2048);
    add("plain", element, 128, 2048);
    add("plain", element, 64, 512);
    // The heads of a small model: what a call costs beside its products shows.
    add("plain", element, 64, 128, /*heads=*/4);
  };
  addPlain("f32");
  add("causal-bottom-right", "f32", 64, 4096);
  add("causal-bottom-right", "f32", 64, 2048);
  for (StringRef variant :
       {"t5-encoder", "t5-decoder", "rope-half", "alibi-causal", "shaw-k",
        "shaw-kv", "deberta-v2", "transformer-xl"})
    add(variant, "f32", 64, 2048);
  addPlain("bf16");
  for (StringRef variant : {"t5-encoder", "rope-half", "shaw-k", "shaw-kv",
                            "deberta-v2", "transformer-xl"})
    add(variant, "bf16", 64, 2048);
  // Decoding, with four and eight query heads on a key head, of keys and values
  // that a large cache may hold, and of ones that none does.
  for (int64_t length : {8192, 32768})
    for (StringRef element : {"f32", "bf16"})
      for (int64_t keyHeads : {0, 1})
        for (unsigned threads : {1, 2})
          if (threads == 1 || hasThreads)
            cases.push_back({findExample("causal-bottom-right"), element.str(),
                             /*channels=*/128, length, /*heads=*/0, threads,
                             /*queries=*/1, keyHeads});
  return cases;
}

} // namespace mlir::posenc::bench
