#ifndef PASSES_PASSES_TD
#define PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

// In the order in which a program meets them.

def PosEncDecomposePass : Pass<"posenc-decompose"> {
  let summary = "Take every op of the dialect to plain linalg on tensors";
  let description = [{
    Writes each op as what it means, step by step: rotations, a tensor of N x M scores, the score region on every pair, a
    softmax, the weighted sum of the values. This is the definition that all other lowerings are tested against; it is
    right for every shape, and neither fast nor small. Memref operands are read as tensors, and the results written to
    their destinations at the end.

    With `compute-type=f64` everything is computed in f64, score regions and results passed between the unfused ops too,
    and rounded once where an op outside the dialect uses it. Positions and angles are always computed in f64.

    Before: any ops of the dialect. After: none. Rounding: that of f32 (or f64) arithmetic in the order of the keys.

    ```mlir
    // Before
    func.func @scores(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>) -> tensor<2x8x4x16xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
      return %s : tensor<2x8x4x16xf32>
    }
    // After
    #query = affine_map<(b, h, n, m, d) -> (b, h, n, d)>
    #key = affine_map<(b, h, n, m, d) -> (b, h, m, d)>
    #score = affine_map<(b, h, n, m, d) -> (b, h, n, m)>
    func.func @scores(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>) -> tensor<2x8x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<2x8x4x16xf32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
      %s = linalg.generic {
          indexing_maps = [#query, #key, #score],
          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
          ins(%q, %k : tensor<2x8x4x64xf32>, tensor<2x8x16x64xf32>) outs(%init : tensor<2x8x4x16xf32>) {
      ^bb0(%x: f32, %y: f32, %sum: f32):
        %product = arith.mulf %x, %y : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      } -> tensor<2x8x4x16xf32>
      return %s : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let options = [
    Option<"computeType", "compute-type", "::mlir::posenc::ComputeType", "::mlir::posenc::ComputeType::F32",
           "The float type of all computation",
           [{::llvm::cl::values(
             clEnumValN(::mlir::posenc::ComputeType::F32, "f32", "as the ops say"),
             clEnumValN(::mlir::posenc::ComputeType::F64, "f64", "a reference of twice the digits"))}]>
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::posenc::PosEncDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PosEncMathToLibmPass : Pass<"posenc-math-to-libm", "::mlir::ModuleOp"> {
  let summary = "Call libm for the ops of math that it has";
  let description = [{
    Rewrites each op of `math` that libm has a function for as a call of it, and leaves all others, which
    `convert-math-to-llvm` takes; `isinf` and `isnormal`, which it does not, become comparisons. It is upstream's `convert-math-to-libm`, but for modules that hold both kinds. Its
    results are right to about the last digit; `convert-math-to-llvm` alone would expand `expm1` as exp(x) - 1, which
    loses all digits near 0.

    Before: any ops; score regions are left alone. After: no op of `math` on scalars that libm has, outside score regions.

    ```mlir
    // Before
    module {
      func.func @f(%x: f32) -> f32 {
        %y = math.expm1 %x : f32
        return %y : f32
      }
    }
    // After
    module {
      func.func private @expm1f(f32) -> f32 attributes {llvm.readnone}
      func.func @f(%x: f32) -> f32 {
        %y = call @expm1f(%x) : (f32) -> f32
        return %y : f32
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // PASSES_PASSES_TD
