#!/bin/bash
# Writes the pages that are generated: from the td files, and by posenc-opt, which
# must be built.
set -euo pipefail
cd "$(dirname "$0")/.."
llvm=/usr/lib/llvm-22
tblgen() { "$llvm/bin/mlir-tblgen" -I $llvm/include -I . "$@"; }
tblgen -gen-dialect-doc -dialect=posenc dialects/PosEnc/PosEncOps.td -o dialects/PosEnc/PosEncOps.md
tblgen -gen-dialect-doc -dialect=posenc_tile dialects/PosEncTile/PosEncTileOps.td -o dialects/PosEncTile/PosEncTileOps.md
tblgen -gen-pass-doc passes/Passes.td -o passes/Passes.md
python3 tools/walkthrough.py build/bin/posenc-opt >build/Walkthrough.md
mv build/Walkthrough.md passes/Walkthrough.md
python3 tools/variants.py build/bin/posenc-opt >build/Variants.md
mv build/Variants.md dialects/PosEnc/Variants.md
