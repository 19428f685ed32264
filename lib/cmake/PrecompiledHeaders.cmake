# Most of what a source file costs to compile are MLIR's headers. They are
# compiled once, here, and a full build takes about half the time.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON does without, and shows a file that
# forgot to include one of them.
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/PrecompiledHeaders.cpp CONTENT "")
add_library(PosEncPrecompiledHeaders OBJECT ${PROJECT_BINARY_DIR}/PrecompiledHeaders.cpp)
llvm_update_compile_flags(PosEncPrecompiledHeaders)
target_precompile_headers(PosEncPrecompiledHeaders PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/Pass.h>)

# Libraries compile their sources in an object library beside them.
foreach(target ${POSENC_LIBRARIES} PosEncPrograms PosEncRun
    posenc-bench posenc-compile posenc-opt posenc-reduce posenc-run)
  if(TARGET obj.${target})
    target_precompile_headers(obj.${target} REUSE_FROM PosEncPrecompiledHeaders)
  elseif(TARGET ${target})
    target_precompile_headers(${target} REUSE_FROM PosEncPrecompiledHeaders)
  endif()
endforeach()
