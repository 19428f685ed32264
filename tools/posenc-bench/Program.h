//===- Program.h - An example program, compiled -----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_BENCH_PROGRAM_H
#define TOOLS_POSENC_BENCH_PROGRAM_H

#include "Probe.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/posenc-run/Call.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::posenc::bench {

/// With what programs are compiled.
struct Compiler {
  MLIRContext &context;
  /// The folder of the example files and of instantiate.py.
  std::string folder;
  const run::Target *target;
  run::TargetOptions options;
};

/// Sizes and the element type that a program is to have, by the letters of the
/// comment that begins an example file: H and Hkv heads, D and Dv channels, N
/// queries. 0 and the empty type stand for those of the file.
struct Instance {
  int64_t heads = 0, keyHeads = 0, channels = 0, queries = 0;
  std::string element;

  bool operator<(const Instance &other) const {
    auto list = [](const Instance &x) {
      return std::tie(x.heads, x.keyHeads, x.channels, x.queries, x.element);
    };
    return list(*this) < list(other);
  }
};

/// An example program for any batch and any number of queries and keys.
class Program {
public:
  static llvm::Expected<std::unique_ptr<Program>>
  create(const Compiler &compiler, StringRef example, Instance instance);

  FunctionType getType() const { return type; }
  const run::CompiledFunction &getFunction() const { return function; }
  /// The unit of most products, which may fall back to those before it.
  Unit getUnit() const { return unit; }

  int64_t getHeads() const { return sizes.lookup("H"); }
  int64_t getKeyHeads() const {
    return sizes.contains("Hkv") ? sizes.lookup("Hkv") : getHeads();
  }
  int64_t getChannels() const { return sizes.lookup("D"); }
  int64_t getValueChannels() const { return sizes.lookup("Dv"); }

  /// Operands for one batch, whose queries are the last of the sequence: floats
  /// in [-1, 1), masks true, positions that count from 0, and that of query 0.
  llvm::Expected<SmallVector<run::Array>> makeOperands(int64_t length,
                                                       int64_t queries) const;

private:
  /// Parses a text and finds the sizes of the letters.
  llvm::Error parse(MLIRContext &context, StringRef text, StringRef file);
  /// The options of instantiate.py that make the instance.
  SmallVector<std::string> getDifferences(const Instance &instance) const;
  llvm::Error compile(const Compiler &compiler);

  OwningOpRef<ModuleOp> module;
  FunctionType type;
  /// The letters of each operand's sizes; an index has none.
  SmallVector<SmallVector<std::string>> letters;
  /// What the types say of a letter.
  llvm::StringMap<int64_t> sizes;
  run::CompiledFunction function;
  Unit unit = Unit::Fma;
};

} // namespace mlir::posenc::bench

#endif // TOOLS_POSENC_BENCH_PROGRAM_H
