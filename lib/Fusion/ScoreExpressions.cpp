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
#include "mlir/IR/Matchers.h"
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

std::string posenc::describeOtherUser(Operation *op) {
  return describe(op) +
         " uses them too; to fuse, make them a second time for it";
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

  /// Whether a use of a tensor leads to followed tensors alone.
  bool isInside(OpOperand &use) const {
    Operation *op = use.getOwner();
    if (auto mod = dyn_cast<ScoreModOp>(op); mod && &use != &mod.getSMutable())
      return false; // a capture
    return op->getNumResults() > 0 &&
           llvm::all_of(op->getResults(), [&](Value result) {
             return result.use_empty() || followed.contains(result);
           });
  }
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
static llvm::SetVector<Value> findScorePath(TensorReader &reader,
                                            const Expression &expression) {
  llvm::SetVector<Value> path;
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
        changed |= path.insert(tensor);
  }
  return path;
}

/// The tensors that this one is made of, itself with them, as far as they are
/// followed.
static llvm::SetVector<Value> findFollowedSources(TensorReader &reader,
                                                  const Expression &expression,
                                                  Value tensor) {
  llvm::SetVector<Value> found;
  SmallVector<Value> work{tensor};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (expression.followed.contains(next) && found.insert(next))
      llvm::append_range(work, reader.getSources(next));
  }
  return found;
}

/// Whether a tensor's op may remove pairs, once its elements are a region's.
static bool mayRemovePairs(Value tensor, double maskValue) {
  Operation *op = tensor.getDefiningOp();
  if (isMaskConstant(tensor, maskValue))
    return true;
  return op
      ->walk([&](Operation *inner) {
        auto yield = dyn_cast<YieldOp>(inner);
        bool removes = (yield && yield.getKeep()) ||
                       llvm::any_of(inner->getOperands(), [&](Value operand) {
                         return isMaskConstant(operand, maskValue);
                       });
        return removes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A row_scan sums over the pairs that its region keeps: it can share a region
/// neither with what removes pairs before or after, nor with what moves them;
/// and where it removes some itself, with nothing after. The scores between the
/// two, or null.
static Value findScanBoundary(TensorReader &reader,
                              const Expression &expression,
                              const llvm::SetVector<Value> &path,
                              double maskValue) {
  auto removesPairs = [&](Value tensor) {
    return mayRemovePairs(tensor, maskValue);
  };
  for (Value tensor : expression.followed) {
    auto mod = tensor.getDefiningOp<ScoreModOp>();
    if (!mod || !hasRowScan(mod.getScore().front()))
      continue;
    bool isRoot = tensor == expression.followed.front();
    if (mod.getYield().getKeep() && !isRoot)
      return tensor;
    auto before = findFollowedSources(reader, expression, mod.getS());
    if (llvm::any_of(before, removesPairs))
      return mod.getS();
    for (Value other : expression.followed) {
      if (other == tensor || before.contains(other))
        continue;
      bool moves = path.contains(other) &&
                   !isa<ScoreModOp>(other.getDefiningOp()) &&
                   !other.getDefiningOp()->hasTrait<OpTrait::Elementwise>();
      if (moves || removesPairs(other))
        return tensor;
    }
  }
  return {};
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
static Value chooseBase(const Expression &expression, const TensorReader &trial,
                        Value root) {
  Value base;
  auto rank = [&](Value other) -> int64_t {
    auto type = cast<RankedTensorType>(other.getType());
    if (!trial.hasReadAtPair(other) || !type.getElementType().isF32() ||
        type.getEncoding() ||
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

/// What scores are made of, without what others read or a row_scan bars: that
/// stays in memory, joins `stops`, and is read from there.
static Expression collectUnshared(ScoreRegion &region, ImplicitLocOpBuilder &b,
                                  Follow follow, Value scores,
                                  llvm::SmallPtrSetImpl<Value> &stops,
                                  StringRef pass, DenseSet<Value> &remarked) {
  auto stop = [&](Value tensor, const Twine &reason) {
    if (!stops.insert(tensor).second)
      return false;
    if (remarked.insert(tensor).second)
      remarkNotFused(tensor.getLoc(), pass,
                     "these scores stay in memory: " + reason);
    return true;
  };
  while (true) {
    TensorReader reader(region, b, follow);
    reader.stops.insert(stops.begin(), stops.end());
    Expression expression = collect(reader, scores);
    llvm::SetVector<Value> path = findScorePath(reader, expression);
    bool stopped = false;
    for (Value tensor : path)
      for (OpOperand &use : tensor.getUses())
        if (tensor != scores && !expression.isInside(use))
          stopped |= stop(tensor, describeOtherUser(use.getOwner()));
    if (!stopped)
      if (Value tensor =
              findScanBoundary(reader, expression, path, follow.maskValue))
        stopped = stop(tensor, "posenc.row_scan sums over the kept keys of its "
                               "own score_mod, which no region can be that "
                               "removes or moves pairs besides");
    if (!stopped)
      return expression;
  }
}

/// Says of scores that are read from memory which op is in the way.
static void remarkOthers(const Expression &expression,
                         const llvm::SmallPtrSetImpl<Value> &stops,
                         StringRef pass, DenseSet<Value> &remarked) {
  for (Value other : expression.others) {
    Operation *op = other.getDefiningOp();
    if (op && !isa_and_nonnull<PosEncDialect>(op->getDialect()) &&
        !stops.contains(other) && !expression.scoreOperands.contains(other) &&
        isScoreLike(expression, other) && remarked.insert(other).second)
      remarkNotFused(other.getLoc(), pass,
                     "scores before " + describe(op) +
                         " stay in memory: it is no op on elements that a "
                         "score region can say");
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Whether scores are one score_mod of their base already.
static bool isFused(Value scores, Value base) {
  if (scores == base)
    return true;
  auto mod = scores.getDefiningOp<ScoreModOp>();
  if (!mod)
    return false;
  auto cast = mod.getS().getDefiningOp<tensor::CastOp>();
  return mod.getS() == base || (cast && cast.getSource() == base);
}

/// The factors of the queries and keys of the base that can move to the
/// scores: those of products that nothing else uses, except as scores.
static SmallVector<Scale> findBaseScales(const Expression &expression,
                                         Value base, Value scores,
                                         Operation *mod) {
  auto product = base.getDefiningOp<ScoresOp>();
  if (!product)
    return {};
  for (OpOperand &use : base.getUses())
    if (base != scores && use.getOwner() != mod && !expression.isInside(use))
      return {};
  SmallVector<Scale> scales = findScales(product.getQMutable());
  llvm::append_range(scales, findScales(product.getKMutable()));
  return scales;
}

void posenc::fuseScoreExpression(Value scores, Follow follow,
                                 IRRewriter &rewriter, StringRef pass,
                                 DenseSet<Value> &remarked) {
  if (!scores.getDefiningOp() || !isInOrder(scores.getDefiningOp()))
    return;
  Location loc = scores.getLoc();
  follow.scans = true;

  // The reader needs a region from the start. It is dropped where nothing is
  // to be fused.
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(scores.getDefiningOp());
  ScoreRegion region = ScoreRegion::createScoreMod(rewriter, loc, scores);
  auto mod = cast<ScoreModOp>(region.getOp());
  ImplicitLocOpBuilder b(loc, rewriter);
  b.setInsertionPointToEnd(region.getBlock());
  TensorReader reader(region, b, follow);
  Expression expression =
      collectUnshared(region, b, follow, scores, reader.stops, pass, remarked);
  if (follow.elementwise)
    remarkOthers(expression, reader.stops, pass, remarked);
  // A trial shows what is read for the pair itself: such a tensor can be the
  // region's score.
  TensorReader trial(region, b, follow);
  trial.stops.insert(reader.stops.begin(), reader.stops.end());
  trial.read(scores, trial.pair);
  region.simplify();
  Value base = chooseBase(expression, trial, scores);
  SmallVector<Scale> scales;
  if (base && follow.elementwise && !reader.stops.contains(base))
    scales = findBaseScales(expression, base, scores, mod);
  // A softmax of what has no scores in it has no base, and stays.
  if (!base || (scales.empty() && isFused(scores, base)))
    return rewriter.eraseOp(mod);

  // Innermost first, so that each reads what is left of the next.
  for (Scale &scale : llvm::reverse(scales)) {
    rewriter.modifyOpInPlace(scale.use->getOwner(),
                             [&] { scale.use->set(scale.unscaled->get()); });
    remarkFused(scale.unscaled->getOwner()->getLoc(), pass,
                "moved a factor of the rows to the scores");
  }
  Value from = base;
  if (from.getType() != scores.getType()) {
    OpBuilder::InsertionGuard castGuard(rewriter);
    rewriter.setInsertionPoint(mod);
    from = tensor::CastOp::create(rewriter, loc, scores.getType(), base);
  }
  rewriter.modifyOpInPlace(mod, [&] { mod.getSMutable().assign(from); });
  SmallVector<TensorReader::BaseFactor> factors;
  for (const Scale &scale : scales)
    factors.push_back(
        {emitFactor(region, b, scale.factor), scale.factor.divides});
  reader.setBase(base, factors);
  Value score = reader.read(scores, reader.pair);
  assert(score && "what can be followed can be read");
  bool scans = hasRowScan(*region.getBlock());
  MaskedScore masked = scans ? MaskedScore{score, reader.scanKeep}
                             : splitMask(b, score, follow.maskValue);
  YieldOp::create(b, masked.score, masked.keep, ValueRange());
  region.simplify();
  unsigned ops =
      llvm::count_if(findScorePath(reader, expression), [](Value tensor) {
        return !tensor.getDefiningOp<ScoreModOp>();
      });
  rewriter.replaceAllUsesExcept(scores, mod.getResult(), mod);
  if (base != scores)
    remarkFused(loc, pass,
                ops == 0 ? Twine("wrote adjacent score_mods as one")
                         : "wrote " + Twine(ops) + (ops == 1 ? " op" : " ops") +
                               " on scores as a score_mod");
}
