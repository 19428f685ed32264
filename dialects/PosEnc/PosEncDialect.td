#ifndef DIALECTS_POSENC_POSENCDIALECT_TD
#define DIALECTS_POSENC_POSENCDIALECT_TD

include "mlir/IR/OpBase.td"

def PosEnc_Dialect : Dialect {
  let name = "posenc";
  let cppNamespace = "::mlir::posenc";
  let summary = "Attention whose scores depend on positions";
  let description = [{
    An attention op with a **score region**: straight-line code that computes, for one pair of a query row and a key,
    the final score, whether the pair is kept, and which row of a value table goes with it. Positions are values in that
    region, so a sign is the order of a subtraction, a mask union is an `ori`, a class token is a `select`; no variant
    has a name.

    Notation of all pages: B batch, H query heads, Hkv key heads, N query rows, M keys, D channels of queries and keys,
    Dv channels of values. `delta` is key minus query, `lag` is query minus key. A constraint has a label
    (`attention_c4`), which its diagnostic begins with.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  // What the interfaces of ops and attributes emit: scalar code of a region, and run-time checks.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect"
  ];
}

#endif // DIALECTS_POSENC_POSENCDIALECT_TD
