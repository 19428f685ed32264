//===- Assembly.h - Grammar and checks that the ops share -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_POSENC_ASSEMBLY_H
#define DIALECTS_POSENC_ASSEMBLY_H

#include "dialects/PosEnc/PosEnc.h"

namespace mlir::posenc {

/// The arguments of a score region before the captures: score, batch, head, row
/// and key.
inline constexpr unsigned numScoreArguments = 5;

/// Operands with their types in parentheses: `(%a : type, %b : type)`.
struct Clause {
  SmallVector<OpAsmParser::UnresolvedOperand> names;
  SmallVector<Type> types;
  SMLoc loc;

  ParseResult parse(OpAsmParser &parser);
  /// Parses the clause if `keyword` comes next.
  ParseResult parseOptional(OpAsmParser &parser, StringRef keyword);
  ParseResult resolve(OpAsmParser &parser, OperationState &state) const;
  int32_t size() const { return names.size(); }
};
void printClause(OpAsmPrinter &printer, StringRef keyword, ValueRange operands);

/// `#rope (from(...) | at(...))? (length(...))? (freqs(...) | cos_sin(...,
/// ...))?`, the one spelling of a rotation.
struct RotationClause {
  RopeAttr rope;
  Clause position, length, freqs, cosSin;

  ParseResult parse(OpAsmParser &parser);
  ParseResult resolve(OpAsmParser &parser, OperationState &state) const;
  /// Appends how many operands each of position, length, freqs, cos and sin
  /// has.
  void appendSegments(SmallVectorImpl<int32_t> &segments) const;
};
void printRotation(OpAsmPrinter &printer, const Rotation &rotation);

/// The captures and the region of attention and score_mod: `with(%a : type,
/// %b = %c#1 : type)`, then `score(%s, %b, %h, %r, %j) { ... }`. A captured
/// value keeps its name inside, where it is another value. `clauses` names, for
/// the message, those that may stand before `score`.
ParseResult parseCapturesAndRegion(OpAsmParser &parser, StringRef clauses,
                                   Clause &captures, Region &region);
void printCapturesAndRegion(OpAsmPrinter &printer, ValueRange captures,
                            Region &region);
/// Suggests the names s, b, h, r, j for the arguments of a score region.
void nameScoreArguments(Region &region, OpAsmSetValueNameFn setName);

/// Types of scalars in a score region.
bool isRegionScalar(Type type);
/// Whether ops of this kind, on scalars, may stand in a score region.
bool isScoreRegionKind(Operation *op);
/// Whether the op may stand in a score region.
bool isScoreRegionOp(Operation *op);

/// rotate_c1: that the rotation fits `rows`, [B,H,L,D].
LogicalResult verifyRotation(Operation *op, const Rotation &rotation,
                             ShapedType rows);
/// Constraints c8 to c11 of the op with a score region named `name`, and
/// row_scan_c1.
LogicalResult verifyScoreRegion(Operation *op, StringRef name, Region &region,
                                ValueRange captures, unsigned numValueTables);

/// Rewrites that hold for any op with captures and a score region: drops what
/// is captured but not used or captured twice, takes constants inside.
template <typename OpTy>
void populateScoreRegionCanonicalization(RewritePatternSet &patterns);

/// That each of the operand groups, by their numbers, holds one operand: the
/// generic form may give a required operand any number.
template <typename OpTy>
LogicalResult verifyRequired(OpTy op, ArrayRef<unsigned> groups) {
  for (unsigned group : groups)
    if (unsigned size = op.getODSOperandIndexAndLength(group).second; size != 1)
      return op.emitOpError("expected one operand in group ")
             << group << " of its operands, but got " << size;
  return success();
}

/// Two extents agree as far as is known.
inline bool mayAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}
/// Whether `heads` may be a multiple of `keyHeads`.
inline bool mayGroup(int64_t heads, int64_t keyHeads) {
  return ShapedType::isDynamic(heads) || ShapedType::isDynamic(keyHeads) ||
         (keyHeads == 0 ? heads == 0 : heads % keyHeads == 0);
}

} // namespace mlir::posenc

#endif // DIALECTS_POSENC_ASSEMBLY_H
