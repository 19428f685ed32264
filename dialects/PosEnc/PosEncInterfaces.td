#ifndef DIALECTS_POSENC_POSENCINTERFACES_TD
#define DIALECTS_POSENC_POSENCINTERFACES_TD

include "mlir/IR/OpBase.td"

def RowMapAttr : AttrInterface<"RowMapAttr"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    A total function from one or more integers to a row of a table. Any integers give a row in [0, rows), or, if the map
    is partial, -1: no row. A new map is an attribute with this interface and nothing else; no pass knows the maps.
  }];
  let methods = [
    InterfaceMethod<"How many integers the map takes.", "unsigned", "getNumInputs", (ins), "", "return 1;">,
    InterfaceMethod<"Rows of the table that the map indexes, at least one.", "int64_t", "getNumRows", (ins)>,
    InterfaceMethod<"Whether some integers give -1, no row.", "bool", "isPartial", (ins), "", "return false;">,
    InterfaceMethod<"The row of `x`, which holds getNumInputs() integers, any of the 64-bit ones.",
      "int64_t", "evaluate", (ins "::llvm::ArrayRef<int64_t>":$x)>,
    InterfaceMethod<[{
      Where a map of one integer varies: it is constant for all x <= lo, and constant for all x >= hi. A side without
      a bound varies without end.
    }], "::mlir::posenc::Interval", "getVarying", (ins), "", "return {};">,
    InterfaceMethod<[{
      Emits the row of `x` (values of type index) as IR of `arith`, `scf` and `tensor`. By default a map of one integer
      that varies in a short interval reads a constant table made by `evaluate`; other maps emit their arithmetic
      themselves. Null if the map cannot be emitted.
    }], "::mlir::Value", "emit",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$x), "",
      "return ::mlir::posenc::emitRowTable(builder, loc, $_attr, x);">
  ];
}

def RopeScalingAttr : AttrInterface<"RopeScalingAttr"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    A change of the frequencies of a rotation, made to stretch a trained context. A new scaling is an attribute with
    this interface. It changes the frequencies when the program is compiled, or it needs the length of the sequence,
    known at run time, and emits them.
  }];
  let methods = [
    InterfaceMethod<[{
      Changes the frequencies, radians per position. On entry `frequencies[m]` is `base^(-2 m / width)`, for each of the
      `width / 2` channel pairs m. Called unless the scaling needs the length.
    }], "void", "scaleFrequencies",
      (ins "::llvm::MutableArrayRef<double>":$frequencies, "double":$base, "int64_t":$width), "", "return;">,
    InterfaceMethod<"Whether the frequencies depend on the length of the sequence, queries and past together.",
      "bool", "needsLength", (ins), "", "return false;">,
    InterfaceMethod<[{
      Emits the frequency of channel pair `pair`, f64. `frequencies[m]` is `base^(-2 m / width)` as above; `length` and
      `pair` are index. Called if the scaling needs the length.
    }], "::mlir::Value", "emitFrequency",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::llvm::ArrayRef<double>":$frequencies,
           "::mlir::Value":$length, "::mlir::Value":$pair), "", "return {};">,
    InterfaceMethod<"The factor of cos and sin, so that a logit grows by its square.",
      "double", "getMagnitude", (ins), "", "return 1.0;">,
    InterfaceMethod<"How many channel pairs the scaling is for; nullopt: any number.",
      "std::optional<int64_t>", "getNumPairs", (ins), "", "return std::nullopt;">
  ];
}

def ScoreRegionOpInterface : OpInterface<"ScoreRegionOpInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    An op whose regions may hold score ops. It has no methods: it says that the op emits them, by `emitScalar`.
  }];
}

def ScoreOpInterface : OpInterface<"ScoreOpInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    An op of a score region beyond `arith` and `math`: it has one result and no side effects, and says what it means as
    scalar code.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the op for one pair. `operands` stand for the op's operands, with floats of type `compute` in place of every
      scalar float; the result is of the op's result type, `compute` if that is a float. Nothing outside a captured
      tensor is read, whatever the indices. Null, after a diagnostic, if it cannot be emitted.
    }], "::mlir::Value", "emitScalar",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$operands,
           "::mlir::FloatType":$compute)>
  ];
}

#endif // DIALECTS_POSENC_POSENCINTERFACES_TD
