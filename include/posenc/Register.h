//===- Register.h - What a host registers -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_REGISTER_H
#define POSENC_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::posenc {

/// Adds the dialect, and all that the passes and pipelines ask of others: the
/// upstream dialects they go through and the interfaces of those. Enough for a
/// compiler that registers nothing else.
void registerPosEnc(DialectRegistry &registry);

} // namespace mlir::posenc

#endif // POSENC_REGISTER_H
