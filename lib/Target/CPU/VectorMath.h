//===- VectorMath.h - Functions of vectors of f32 ---------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// LLVM calls libm once a lane for exp2, exp and tanh of a vector. These are
// straight-line code, with the largest errors found over a dense sweep of
// arguments stated beside each.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_TARGET_CPU_VECTORMATH_H
#define POSENC_LIB_TARGET_CPU_VECTORMATH_H

#include "KernelBuilder.h"

namespace mlir::posenc::cpu {

/// 2^x. Relative error 1.7e-7 where the result is normal; below, something
/// between 0 and the least normal float, exactly 0 from -127 down; infinity
/// from 128 on; NaN for NaN.
Value emitExp2(KernelBuilder &b, Value x);

/// e^x. Relative error 2e-7 + 6e-8 |x|; 0, infinity and NaN as of exp2.
Value emitExp(KernelBuilder &b, Value x);

/// tanh(x). Relative error 3e-7; odd; NaN for NaN.
Value emitTanh(KernelBuilder &b, Value x);

/// The greater of each two lanes. Where y is NaN, NaN.
Value emitMax(KernelBuilder &b, Value x, Value y);
/// The less of each two lanes. Where y is NaN, NaN.
Value emitMin(KernelBuilder &b, Value x, Value y);

} // namespace mlir::posenc::cpu

#endif // POSENC_LIB_TARGET_CPU_VECTORMATH_H
