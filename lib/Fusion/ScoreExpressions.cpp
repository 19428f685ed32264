//===- ScoreExpressions.cpp - Tensors of scores as one score region -------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Fusion/Scales.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "posenc/Fusion/Fusion.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

void posenc::remarkFused(Location loc, StringRef pass, const Twine &text) {
  remark::passed(loc, remark::RemarkOpts::name(pass).category("posenc"))
      << text.str();
}

void posenc::remarkNotFused(Location loc, StringRef pass, const Twine &text) {
  remark::missed(loc, remark::RemarkOpts::name(pass).category("posenc"))
      << text.str();
}

std::string posenc::describe(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    name += " of line " + std::to_string(loc.getLine());
  return name;
}

//===----------------------------------------------------------------------===//
// What a tensor of scores is made of
//===----------------------------------------------------------------------===//

namespace {
/// The tensors on the way back from a tensor of scores.
struct Expression {
  llvm::SetVector<Value> followed, others;
  /// Of `others`, those that a score_mod takes as its scores.
  llvm::SmallPtrSet<Value, 4> scoreOperands;
  bool slices = false;
};
} // namespace

static Expression collect(TensorReader &reader, Value scores) {
  Expression expression;
  SmallVector<Value> work{scores};
  while (!work.empty()) {
    Value tensor = work.pop_back_val();
    if (expression.followed.contains(tensor) ||
        expression.others.contains(tensor))
      continue;
    if (!reader.canFollow(tensor)) {
      expression.others.insert(tensor);
      continue;
    }
    expression.followed.insert(tensor);
    expression.slices |=
        isa<tensor::ExtractSliceOp, tensor::PadOp, tensor::ConcatOp>(
            tensor.getDefiningOp());
    for (Value source : reader.getSources(tensor)) {
      if (isa<ScoreModOp>(tensor.getDefiningOp()) && !reader.canFollow(source))
        expression.scoreOperands.insert(source);
      work.push_back(source);
    }
  }
  return expression;
}

/// Whether a tensor that is not followed is made of scores: of posenc.scores,
/// by any ops but those after which they are scores no more.
static bool isScoreLike(const Expression &expression, Value other) {
  if (expression.scoreOperands.contains(other))
    return true;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> work{other};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second ||
        isa<SoftmaxOp, ValuesOp, RelativeValuesOp, AttentionOp>(op))
      continue;
    if (isa<ScoresOp, ScoreModOp, RelativeLogitsOp, RelativeBiasOp>(op))
      return true;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return false;
}

/// The followed tensors that scores go through.
static llvm::SmallPtrSet<Value, 8> findScorePath(TensorReader &reader,
                                                 const Expression &expression) {
  llvm::SmallPtrSet<Value, 8> path;
  bool changed = true;
  while (changed) {
    changed = false;
    for (Value tensor : llvm::reverse(expression.followed))
      if (!path.contains(tensor) &&
          llvm::any_of(reader.getSources(tensor), [&](Value source) {
            return path.contains(source) ||
                   (expression.others.contains(source) &&
                    isScoreLike(expression, source));
          }))
        changed |= path.insert(tensor).second;
  }
  return path;
}

/// Whether one may stand for the other as far as is known.
static bool shapesAgree(ShapedType a, ShapedType b, bool exactly) {
  if (a.getRank() != b.getRank())
    return false;
  for (auto [x, y] : llvm::zip(a.getShape(), b.getShape()))
    if (x != y &&
        (exactly || (!ShapedType::isDynamic(x) && !ShapedType::isDynamic(y))))
      return false;
  return !exactly || !ShapedType::isDynamicShape(a.getShape());
}

/// The tensor whose elements become the region's score: products of the longest
/// queries and keys, or what a score_mod takes, or else what has scores in it.
static Value chooseBase(const Expression &expression, Value root) {
  Value base;
  auto rank = [&](Value other) -> int64_t {
    auto type = cast<RankedTensorType>(other.getType());
    if (!type.getElementType().isF32() || type.getEncoding() ||
        !shapesAgree(type, cast<ShapedType>(root.getType()), expression.slices))
      return 0;
    if (auto scores = other.getDefiningOp<ScoresOp>())
      return 2 + cast<ShapedType>(scores.getQ().getType()).getDimSize(3);
    return isScoreLike(expression, other) ? 2 : 1;
  };
  for (Value other : expression.others)
    if (rank(other) > 0 && (!base || rank(other) > rank(base)))
      base = other;
  return base && isScoreLike(expression, base) ? base : Value();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void posenc::fuseScoreExpression(Value scores, Follow follow,
                                 IRRewriter &rewriter, StringRef pass) {
  Location loc = scores.getLoc();
  Operation *rootOp = scores.getDefiningOp();
  auto type = cast<RankedTensorType>(scores.getType());
  if (!rootOp)
    return;

  // The reader needs a region from the start. It is dropped where nothing is
  // to be fused.
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(rootOp);
  ScoreRegion region = ScoreRegion::createScoreMod(rewriter, loc, scores);
  auto mod = cast<ScoreModOp>(region.getOp());
  ImplicitLocOpBuilder b(loc, rewriter);
  b.setInsertionPointToEnd(region.getBlock());
  TensorReader reader(region, b, follow);

  // What others read stays in memory, and is read from there.
  Expression expression;
  while (true) {
    TensorReader fresh(region, b, follow);
    fresh.stops = reader.stops;
    expression = collect(fresh, scores);
    auto path = findScorePath(fresh, expression);
    bool stopped = false;
    for (Value tensor : path) {
      if (tensor == scores)
        continue;
      for (Operation *user : tensor.getUsers()) {
        bool inside = llvm::any_of(user->getResults(), [&](Value result) {
          return expression.followed.contains(result);
        });
        if (inside)
          continue;
        if (reader.stops.insert(tensor).second) {
          stopped = true;
          remarkNotFused(tensor.getLoc(), pass,
                         "these scores stay in memory: " + describe(user) +
                             " uses them too");
        }
      }
    }
    if (!stopped)
      break;
  }

  for (Value other : expression.others)
    if (follow.elementwise && !reader.stops.contains(other) &&
        !isa_and_nonnull<PosEncDialect>(
            other.getDefiningOp() ? other.getDefiningOp()->getDialect()
                                  : nullptr) &&
        isScoreLike(expression, other) &&
        !expression.scoreOperands.contains(other))
      remarkNotFused(other.getLoc(), pass,
                     "scores before " + describe(other.getDefiningOp()) +
                         " stay in memory: it is no op on elements that a "
                         "score region can say");
  Value base = chooseBase(expression, scores);
  auto drop = [&] { rewriter.eraseOp(mod); };
  if (!base) {
    // A softmax of what has no scores in it is none of our business.
    return drop();
  }
  SmallVector<Scale> scales;
  if (auto op = base.getDefiningOp<ScoresOp>();
      op && follow.elementwise && !reader.stops.contains(base)) {
    bool shared = llvm::any_of(base.getUsers(), [&](Operation *user) {
      return user != mod &&
             llvm::none_of(user->getResults(), [&](Value result) {
               return expression.followed.contains(result);
             });
    });
    if (!shared || base == scores) {
      scales = findScales(op.getQMutable());
      llvm::append_range(scales, findScales(op.getKMutable()));
    }
  }
  if (scales.empty()) {
    if (base == scores)
      return drop();
    if (auto own = dyn_cast<ScoreModOp>(rootOp)) {
      auto cast = own.getS().getDefiningOp<tensor::CastOp>();
      if (own.getS() == base || (cast && cast.getSource() == base))
        return drop();
    }
  }

  // Innermost first, so that each reads what is left of the next.
  for (Scale &scale : llvm::reverse(scales)) {
    rewriter.modifyOpInPlace(scale.use->getOwner(),
                             [&] { scale.use->set(scale.unscaled->get()); });
  }
  Value from = base;
  if (from.getType() != type) {
    OpBuilder::InsertionGuard castGuard(rewriter);
    rewriter.setInsertionPoint(mod);
    from = tensor::CastOp::create(rewriter, loc, type, base);
  }
  rewriter.modifyOpInPlace(mod, [&] { mod.getSMutable().assign(from); });
  reader.base = base;
  reader.baseScore = region.score();
  for (const Scale &scale : scales) {
    Value factor = emitFactor(region, b, scale.factor);
    reader.baseScore =
        scale.factor.divides
            ? arith::DivFOp::create(b, reader.baseScore, factor).getResult()
            : arith::MulFOp::create(b, reader.baseScore, factor).getResult();
  }
  Value score =
      base == scores ? reader.baseScore : reader.read(scores, reader.pair);
  assert(score && "what can be followed can be read");
  MaskedScore masked = splitMask(b, score);
  YieldOp::create(b, masked.score, masked.keep, ValueRange());
  region.simplify();
  rewriter.replaceAllUsesExcept(scores, mod.getResult(), mod);

  for (const Scale &scale : scales)
    remarkFused(scale.unscaled->getOwner()->getLoc(), pass,
                "moved a factor of the rows to the scores");
  unsigned ops = 0;
  auto path = findScorePath(reader, expression);
  for (Value tensor : path)
    ops += !isa<ScoreModOp>(tensor.getDefiningOp());
  if (base != scores)
    remarkFused(loc, pass,
                ops == 0 ? Twine("wrote adjacent score_mods as one")
                         : "wrote " + Twine(ops) + (ops == 1 ? " op" : " ops") +
                               " on scores as a score_mod");
}
