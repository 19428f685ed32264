//===- Passes.h - All passes -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::posenc {

/// The float type that a reference computes in.
enum class ComputeType { F32, F64 };

/// Rewrites each sugar op on scores as the posenc.score_mod that it is.
void populateExpandSugarPatterns(RewritePatternSet &patterns);

/// Rewrites each op as linalg on tensors, computing in `compute`. The converter
/// says which tensors pass between ops in another float type than they are
/// written with.
void populateDecomposePatterns(RewritePatternSet &patterns,
                               const TypeConverter &converter,
                               FloatType compute);

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace mlir::posenc

#endif // PASSES_PASSES_H
