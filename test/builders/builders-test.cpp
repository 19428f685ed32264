//===- builders-test.cpp - Prints attention that the builders build -------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//   builders-test            functions that verify, as IR, if the builder's
//                            listener heard of every op
//   builders-test --faults   what the verifier says of functions that do not
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "posenc/Builders.h"
#include "posenc/Register.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Hears of the ops that are inserted.
struct Listener : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    heard.insert(op);
  }
  DenseSet<Operation *> heard;
};

/// A function of a module, whose arguments are added when they are used.
class Function {
public:
  Function(ModuleOp module, StringRef name, Listener *listener = nullptr)
      : b(OpBuilder::atBlockEnd(module.getBody(), listener)),
        loc(b.getUnknownLoc()) {
    function = func::FuncOp::create(b, loc, name, b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(function.addEntryBlock());
  }

  Value argument(StringRef type) {
    return function.getBody().addArgument(parseType(type, b.getContext()), loc);
  }
  /// Returns the results of the op.
  void finish(AttentionOp op) {
    func::ReturnOp::create(b, loc, op->getResults());
    function.setFunctionType(b.getFunctionType(
        function.getBody().getArgumentTypes(), op->getResultTypes()));
  }
  template <typename AttrTy> AttrTy attribute(StringRef text) {
    return cast<AttrTy>(parseAttribute(text, b.getContext()));
  }

  OpBuilder b;
  Location loc;
  func::FuncOp function;
};
} // namespace

static constexpr StringLiteral rowsType = "tensor<2x8x?x64xf32>";
static constexpr StringLiteral keysType = "tensor<2x2x?x64xf32>";

//===----------------------------------------------------------------------===//
// Functions that verify
//===----------------------------------------------------------------------===//

static void buildDecoder(Function &f) {
  Value q = f.argument(rowsType), k = f.argument(rowsType),
        v = f.argument(rowsType), table = f.argument("tensor<32x8xf32>"),
        past = f.argument("index");
  AttentionBuilder attention(f.b, f.loc, q, k, v);
  ScoreBuilder &score = attention.score();
  auto buckets =
      T5Attr::get(f.b.getContext(), 32, 128, BucketDirection::Causal);
  Value row = score.tableRow(buckets, score.delta(past));
  Value bias = score.lookup(table, {row, score.head()});
  Value keep = arith::CmpIOp::create(score, arith::CmpIPredicate::sle,
                                     score.key(), score.position(past));
  f.finish(attention.create(score.add(score.score(), bias), keep));
}

static void buildRotations(Function &f) {
  Value q = f.argument(rowsType), k = f.argument(keysType),
        v = f.argument("tensor<2x2x?x32xbf16>"), past = f.argument("index"),
        length = f.argument("index"), ids = f.argument("tensor<1x?xi64>"),
        freqs = f.argument("tensor<32xf32>"),
        sinks = f.argument("tensor<8xf32>");
  auto scaling = f.attribute<RopeScalingAttr>(
      "#posenc.dynamic_ntk<factor = 2.0, original = 4096>");
  AttentionBuilder attention(f.b, f.loc, q, k, v);
  attention
      .rotateQueries(
          RotationBuilder(f.b.getContext(), RopeLayout::Half, 10000.0, scaling)
              .from(past)
              .length(length))
      .rotateKeys(RotationBuilder(f.attribute<RopeAttr>("#posenc.rope<half>"))
                      .at(ids)
                      .freqs(freqs))
      .sink(sinks)
      .lse();
  ScoreBuilder &score = attention.score();
  f.finish(attention.create(score.mul(score.score(), score.constant(0.125))));
}

static void buildCosSin(Function &f) {
  Value q = f.argument(rowsType), cos = f.argument("tensor<?x32xf32>"),
        sin = f.argument("tensor<?x32xf32>"),
        starts = f.argument("tensor<2xi32>");
  Rotation rotation =
      RotationBuilder(f.attribute<RopeAttr>("#posenc.rope<interleaved>"))
          .from(starts)
          .cosSin(cos, sin);
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  attention.rotateQueries(rotation).rotateKeys(rotation);
  // The offsets [B] shift distances, too.
  ScoreBuilder &score = attention.score();
  Value width = score.constantIndex(128);
  Value keep = arith::CmpIOp::create(score, arith::CmpIPredicate::slt,
                                     score.lag(starts), width);
  f.finish(attention.create(score.score(), keep));
}

static void buildValueTables(Function &f) {
  Value q = f.argument(rowsType), rel = f.argument("tensor<33x64xf32>"),
        relV = f.argument("tensor<33x64xf32>"),
        perHead = f.argument("tensor<8x9x64xf32>");
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  ScoreBuilder &score = attention.score();
  Value delta = score.delta();
  Value row = score.tableRow(ClipAttr::get(f.b.getContext(), -16, 16), delta);
  Value near = score.tableRow(BandAttr::get(f.b.getContext(), -4, 4), delta);
  Value product =
      score.dot(q, {score.batch(), score.head(), score.row()}, rel, row);
  Value banded =
      score.dot(q, {score.batch(), score.head(), score.row()}, perHead,
                {score.head(), near}, f.b.getF64FloatAttr(0.0));
  Value z = score.sub(score.add(score.score(), product), banded);
  attention.valueTable(relV, row).valueTable(perHead, near);
  f.finish(attention.create(z));
}

static void buildMemRefs(Function &f) {
  StringRef type = "memref<2x8x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>";
  Value q = f.argument(type), out = f.argument(type),
        lse = f.argument("memref<2x8x?xf32>"),
        mask = f.argument("memref<2x?xi1>");
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  attention.into(out, lse);
  ScoreBuilder &score = attention.score();
  Value keep =
      score.lookup(mask, {score.batch(), score.key()}, f.b.getBoolAttr(false));
  f.finish(attention.create(score.score(), keep));
}

static void buildDestinations(Function &f) {
  Value q = f.argument(rowsType), out = f.argument("tensor<2x8x?x64xf16>");
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  attention.into(out);
  f.finish(attention.create(attention.score().score()));
}

static void buildNetwork(Function &f) {
  Value q = f.argument(rowsType), w1 = f.argument("tensor<32x2xf32>"),
        b1 = f.argument("tensor<32xf32>"), w2 = f.argument("tensor<8x32xf32>"),
        scale = f.argument("f32");
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  ScoreBuilder &score = attention.score();
  // Ops of arith and math use the outer scale as it is, also twice.
  Value scaled = arith::MulFOp::create(score, score.score(), scale);
  Value sum = score.rowScan(math::TanhOp::create(score, scaled));
  Value bias = score.mlp(Activation::Silu, {sum, scale}, score.head(),
                         {{w1, b1}, {w2, Value()}});
  f.finish(attention.create(score.add(scaled, bias)));
}

static void buildResultTypes(Function &f) {
  Value q = f.argument("tensor<?x8x?x64xbf16>");
  Type f32 = f.b.getF32Type();
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  attention.resultTypes(RankedTensorType::get({2, 8, 16, 64}, f32),
                        RankedTensorType::get({2, 8, 16}, f32));
  f.finish(attention.create(attention.score().score()));
}

//===----------------------------------------------------------------------===//
// Functions that do not
//===----------------------------------------------------------------------===//

/// Attention of `q` with the score that `write` gives.
static void buildWith(Function &f, Value q,
                      function_ref<Value(ScoreBuilder &)> write) {
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  f.finish(attention.create(write(attention.score())));
}
static Value plain(ScoreBuilder &score) { return score.score(); }

static void buildThreeDimensions(Function &f) {
  buildWith(f, f.argument("tensor<8x?x64xf32>"), plain);
}
static void buildScalarRows(Function &f) {
  buildWith(f, f.argument("f32"), plain);
}
static void buildUnrankedRows(Function &f) {
  buildWith(f, f.argument("tensor<*xf32>"), plain);
}
static void buildMemRefsWithoutInto(Function &f) {
  buildWith(f, f.argument("memref<2x8x?x64xf32>"), plain);
}
static void buildScalarTable(Function &f) {
  Value q = f.argument(rowsType), x = f.argument("f32");
  buildWith(f, q,
            [&](ScoreBuilder &score) { return score.lookup(x, score.head()); });
}
static void buildTooFewIndices(Function &f) {
  Value q = f.argument(rowsType), table = f.argument("tensor<32x8xf32>");
  buildWith(f, q, [&](ScoreBuilder &score) {
    return score.lookup(table, score.head());
  });
}
static void buildMixedSum(Function &f) {
  Value q = f.argument(rowsType), past = f.argument("index");
  buildWith(f, q, [&](ScoreBuilder &score) {
    return score.add(score.score(), past);
  });
}
static void buildVectorCapture(Function &f) {
  Value q = f.argument(rowsType), x = f.argument("vector<4xf32>");
  buildWith(f, q, [&](ScoreBuilder &score) { return score.add(x, x); });
}
static void buildMissingRope(Function &f) {
  Value q = f.argument(rowsType), past = f.argument("index");
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  attention.rotateQueries(RotationBuilder(RopeAttr()).from(past));
  f.finish(attention.create(attention.score().score()));
}
static void buildKeepOfFloat(Function &f) {
  AttentionBuilder attention(f.b, f.loc, f.argument(rowsType),
                             f.argument(rowsType), f.argument(rowsType));
  Value s = attention.score().score();
  f.finish(attention.create(s, s));
}
static void buildLseWithoutDestination(Function &f) {
  Value q = f.argument(rowsType);
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  attention.into(f.argument(rowsType)).lse();
  f.finish(attention.create(attention.score().score()));
}
static void buildLaterValue(Function &f) {
  Value q = f.argument(rowsType);
  AttentionBuilder attention(f.b, f.loc, q, q, q);
  ScoreBuilder &score = attention.score();
  OpBuilder later(f.b);
  auto placeholder =
      arith::ConstantOp::create(later, f.loc, later.getF32FloatAttr(1));
  AttentionOp op = attention.create(score.add(score.score(), placeholder));
  placeholder->moveAfter(op);
  f.finish(op);
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

namespace {
struct Case {
  const char *name;
  void (*build)(Function &);
};
} // namespace

static const Case goodCases[] = {
    {"decoder", buildDecoder}, {"rotations", buildRotations},
    {"cos_sin", buildCosSin},  {"value_tables", buildValueTables},
    {"memrefs", buildMemRefs}, {"destinations", buildDestinations},
    {"network", buildNetwork}, {"result_types", buildResultTypes},
};
static const Case faultyCases[] = {
    {"three_dimensions", buildThreeDimensions},
    {"scalar_rows", buildScalarRows},
    {"unranked_rows", buildUnrankedRows},
    {"memrefs_without_into", buildMemRefsWithoutInto},
    {"scalar_table", buildScalarTable},
    {"too_few_indices", buildTooFewIndices},
    {"mixed_sum", buildMixedSum},
    {"vector_capture", buildVectorCapture},
    {"missing_rope", buildMissingRope},
    {"keep_of_float", buildKeepOfFloat},
    {"lse_without_destination", buildLseWithoutDestination},
    {"later_value", buildLaterValue},
};

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerPosEnc(registry);
  MLIRContext context(registry);
  context.loadDialect<func::FuncDialect, PosEncDialect>();
  Builder b(&context);
  bool faults = argc == 2 && StringRef(argv[1]) == "--faults";

  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  if (!faults) {
    Listener listener;
    for (const Case &good : goodCases) {
      Function function(*module, good.name, &listener);
      good.build(function);
    }
    if (failed(verify(*module)))
      return 1;
    WalkResult result = module->getBodyRegion().walk([&](Operation *op) {
      if (listener.heard.contains(op))
        return WalkResult::advance();
      op->emitError("inserted without a word to the listener");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return 1;
    module->print(llvm::outs());
    return 0;
  }
  for (const Case &faulty : faultyCases) {
    OwningOpRef<ModuleOp> own = ModuleOp::create(b.getUnknownLoc());
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::outs() << faulty.name << ": " << diagnostic << "\n";
    });
    Function function(*own, faulty.name);
    faulty.build(function);
    if (succeeded(verify(*own)))
      llvm::outs() << faulty.name << ": no diagnostic\n";
  }
  // A region that no op gets goes with its builder.
  Function unused(*module, "unused");
  Value q = unused.argument(rowsType), table = unused.argument("tensor<8xf32>");
  AttentionBuilder attention(unused.b, unused.loc, q, q, q);
  (void)attention.score().lookup(table, attention.score().head());
  return 0;
}
