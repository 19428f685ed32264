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
#include <string>

namespace mlir {
class IRRewriter;
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::posenc {

struct Follow; // posenc/Fusion/Fusion.h

/// The float type that a reference computes in.
enum class ComputeType { F32, F64 };

/// Rewrites each posenc.relative_bias, or posenc.relative_logits, as the
/// posenc.score_mod that it is.
void populateExpandRelativeBiasPatterns(RewritePatternSet &patterns);
void populateExpandRelativeLogitsPatterns(RewritePatternSet &patterns);

/// Rewrites chains of posenc.score_mod, and with `follow.elementwise` of ops on
/// scores, as one each. Remarks go by the name of the pass.
void fuseScoreMods(Operation *root, Follow follow, IRRewriter &rewriter,
                   StringRef pass);
/// Sets what the option mask-value says; fails after a diagnostic if that is no
/// negative number.
LogicalResult setMaskValue(Operation *root, double maskValue, Follow &follow);

/// Rewrites each op as linalg on tensors, computing in `compute`. The converter
/// says which tensors pass between ops in another float type than they are
/// written with.
void populateDecomposePatterns(RewritePatternSet &patterns,
                               const TypeConverter &converter,
                               FloatType compute);

/// The name of the argument that posenc-results-to-arguments makes of a result,
/// one of so many: `result`, or `result1`.
std::string getResultName(unsigned number, unsigned count);

/// An assertion's text in one line. That of generate-runtime-verification has
/// several: a title, the op (if asked for), `^ MESSAGE` and
/// `Location: loc("FILE":LINE:COLUMN)`. The file's folder may be left out.
std::string describeAssertion(StringRef text, bool keepFolder);

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace mlir::posenc

#endif // PASSES_PASSES_H
