#!/bin/bash
# Writes the pages that are generated from the td files.
set -euo pipefail
cd "$(dirname "$0")/.."
llvm=/usr/lib/llvm-22
tblgen() { "$llvm/bin/mlir-tblgen" -I $llvm/include -I . "$@"; }
tblgen -gen-dialect-doc -dialect=posenc dialects/PosEnc/PosEncOps.td -o dialects/PosEnc/PosEncOps.md
tblgen -gen-pass-doc passes/Passes.td -o passes/Passes.md
