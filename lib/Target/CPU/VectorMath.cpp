//===- VectorMath.cpp - Functions of vectors of f32 -----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::cpu;

Value cpu::emitMax(KernelBuilder &b, Value x, Value y) {
  if (b.target.hasNanMaximum)
    return arith::MaximumFOp::create(b, x, y);
  // This is what maxps does, so it is one instruction.
  return b.select(b.compare(arith::CmpFPredicate::OGT, x, y), x, y);
}

Value cpu::emitMin(KernelBuilder &b, Value x, Value y) {
  if (b.target.hasNanMaximum)
    return arith::MinimumFOp::create(b, x, y);
  return b.select(b.compare(arith::CmpFPredicate::OLT, x, y), x, y);
}

/// Horner's rule, from the constant coefficient up.
static Value emitPolynomial(KernelBuilder &b, Value x,
                            ArrayRef<float> coefficients) {
  Value sum = b.splat(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = b.fma(sum, x, b.splat(coefficient));
  return sum;
}

Value cpu::emitExp2(KernelBuilder &b, Value x) {
  if (b.target.hasReduceScale && b.lanes == 16) {
    // x - floor(x), a polynomial on [0, 1), times 2^floor(x). Infinities come
    // out right: the fraction of one is 0.
    static const float coefficients[] = {9.999999251e-01f, 6.931530732e-01f,
                                         2.401536170e-01f, 5.582631812e-02f,
                                         8.989340024e-03f, 1.877576700e-03f};
    Value zero = b.splat(0.0f);
    Value mask = b.constant(b.getI16IntegerAttr(-1));
    Value rounding = b.constant(b.getI32IntegerAttr(4)); // as it is set
    Value mode = b.constant(b.getI32IntegerAttr(9));     // floor, quietly
    auto call = [&](StringRef name, ArrayRef<Value> operands) {
      return b.callIntrinsic(name, b.vectorType, operands);
    };
    Value fraction = call("llvm.x86.avx512.mask.reduce.ps.512",
                          {x, mode, zero, mask, rounding});
    Value power = emitPolynomial(b, fraction, coefficients);
    return call("llvm.x86.avx512.mask.scalef.ps.512",
                {power, x, zero, mask, rounding});
  }
  // Adding 1.5 * 2^23 rounds to an integer k, which stands in the low bits of
  // the sum. A polynomial gives 2^(x - k) on [-1/2, 1/2], and k is added to its
  // exponent. Its constant coefficient is exactly 1, so that the clamped ends
  // give exactly 0 (an exponent of 0) and infinity (one of 255).
  static const float coefficients[] = {1.0f,
                                       6.931469776e-01f,
                                       2.402224208e-01f,
                                       5.550733744e-02f,
                                       9.671512752e-03f,
                                       1.326472732e-03f};
  x = emitMax(b, b.splat(-127.0f), x);
  x = emitMin(b, b.splat(128.0f), x);
  Value magic = b.splat(12582912.0f);
  Value shifted = b.addf(x, magic);
  Value fraction = b.subf(x, b.subf(shifted, magic));
  Value power = emitPolynomial(b, fraction, coefficients);
  auto integers = VectorType::get({b.lanes}, b.getI32Type());
  Value exponent =
      arith::ShLIOp::create(b, arith::BitcastOp::create(b, integers, shifted),
                            b.splat(b.getI32IntegerAttr(23)));
  return arith::BitcastOp::create(
      b, b.vectorType,
      arith::AddIOp::create(b, arith::BitcastOp::create(b, integers, power),
                            exponent));
}

Value cpu::emitExp(KernelBuilder &b, Value x) {
  return emitExp2(b, b.mulf(x, b.splat(1.44269504088896341f)));
}

Value cpu::emitTanh(KernelBuilder &b, Value x) {
  // Beyond +-7.9053 the nearest float is +-1 in the quotient below, a minimax
  // rational function of degree 13 over 6 (the one of Eigen and XLA).
  static const float numerator[] = {
      4.89352455891786e-03f, 6.37261928875436e-04f,  1.48572235717979e-05f,
      5.12229709037114e-08f, -8.60467152213735e-11f, 2.00018790482477e-13f,
      -2.76076847742355e-16f};
  static const float denominator[] = {
      4.89352518554385e-03f, 2.26843463243900e-03f, 1.18534705686654e-04f,
      1.19825839466702e-06f};
  Value clamped = emitMax(b, b.splat(-7.90531110763549805f), x);
  clamped = emitMin(b, b.splat(7.90531110763549805f), clamped);
  Value square = b.mulf(clamped, clamped);
  Value p = b.mulf(clamped, emitPolynomial(b, square, numerator));
  Value q = emitPolynomial(b, square, denominator);
  return arith::DivFOp::create(b, p, q);
}
