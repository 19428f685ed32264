//===- PosEnc.h - The attention dialect -------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_POSENC_POSENC_H
#define DIALECTS_POSENC_POSENC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"
#include <optional>

namespace mlir {
class ImplicitLocOpBuilder;
} // namespace mlir

namespace mlir::posenc {

/// A double that can be a parameter of an attribute: hashed and compared by its
/// bits, printed with all of them.
struct Real {
  explicit Real(double value = 0) : value(value) {}
  uint64_t bits() const { return llvm::bit_cast<uint64_t>(value); }
  bool operator==(const Real &other) const { return bits() == other.bits(); }
  double value;
};
inline llvm::hash_code hash_value(const Real &real) {
  return llvm::hash_value(real.bits());
}
AsmPrinter &operator<<(AsmPrinter &printer, const Real &real);
inline AsmPrinter &operator<<(AsmPrinter &printer,
                              const std::optional<Real> &real) {
  return real ? printer << *real : printer;
}

/// An interval of integers; a side without a bound is open.
struct Interval {
  std::optional<int64_t> lo, hi;
};

class RowMapAttr;

/// Emits the row of the one integer `x[0]` as a load from a constant table of
/// the rows between the ends of the map's varying interval. Null if the map has
/// more inputs or varies over more than 65536 integers.
Value emitRowTable(OpBuilder &builder, Location loc, RowMapAttr map,
                   ValueRange x);

/// Emits the row of `x`, where the rows of a map are runs: `rows[i]` from
/// `starts[i]` up to the next start (`starts` ascends, and its first run also
/// takes everything below). A binary search, for maps that vary too far for a
/// table.
Value emitRowRuns(OpBuilder &builder, Location loc, ArrayRef<int64_t> starts,
                  ArrayRef<int64_t> rows, Value x);

/// Emits a constant float, or a tensor of f64.
Value emitConstant(ImplicitLocOpBuilder &b, FloatType type, double value);
Value emitConstants(ImplicitLocOpBuilder &b, ArrayRef<double> values);

/// Emits whether all indices lie inside the leading dimensions of a tensor or
/// memref.
Value emitInside(ImplicitLocOpBuilder &b, Value table, ValueRange indices);
/// Emits an element of a tensor or memref.
Value emitLoad(ImplicitLocOpBuilder &b, Value table, ValueRange indices);
/// Emits an element of a table as a score region sees it: `compute`, index or
/// i1.
Value emitElement(ImplicitLocOpBuilder &b, Value table, ValueRange indices,
                  FloatType compute);
/// Emits `body()` where `inside` holds, else the values `outside`; what is not
/// inside is not executed. `body` inserts by `b`.
SmallVector<Value> emitGuarded(ImplicitLocOpBuilder &b, Value inside,
                               ValueRange outside,
                               function_ref<SmallVector<Value>()> body);

/// Emits a float as `type`, by way of f32 between 16 and 64 bits: the
/// conversions that every processor and run-time library has.
Value emitFloatCast(OpBuilder &builder, Location loc, Value value,
                    FloatType type);

/// Lets upstream's bufferization take attention from tensors to memrefs, and
/// its deallocation handle what is around it.
void registerBufferizationModels(DialectRegistry &registry);

} // namespace mlir::posenc

namespace mlir {
template <> struct FieldParser<posenc::Real> {
  static FailureOr<posenc::Real> parse(AsmParser &parser);
};
template <> struct FieldParser<std::optional<posenc::Real>> {
  static FailureOr<std::optional<posenc::Real>> parse(AsmParser &parser);
};
} // namespace mlir

#include "dialects/PosEnc/PosEncAttrInterfaces.h.inc"
#include "dialects/PosEnc/PosEncDialect.h.inc"
#include "dialects/PosEnc/PosEncEnums.h.inc"
#include "dialects/PosEnc/PosEncOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/PosEnc/PosEncAttrs.h.inc"

namespace mlir::posenc {

/// A rotation as an op spells it: the rope and its operands, null where they
/// are not given.
struct Rotation {
  RopeAttr rope;
  Value position, length, freqs, cos, sin;

  explicit operator bool() const { return bool(rope); }
  /// Whether `position` holds one position per row ("at"), not an offset of
  /// them all ("from").
  bool hasPositionPerRow() const;
  /// Whether rows have a position on each of several axes.
  bool hasAxes() const { return rope && !rope.getSections().empty(); }
};

} // namespace mlir::posenc

#define GET_OP_CLASSES
#include "dialects/PosEnc/PosEncOps.h.inc"

namespace mlir::posenc {

/// Whether a score region sums over the keys of its row: posenc.row_scan.
inline bool hasRowScan(Block &score) {
  return !score.getOps<RowScanOp>().empty();
}

} // namespace mlir::posenc

#endif // DIALECTS_POSENC_POSENC_H
