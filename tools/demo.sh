#!/bin/bash
# Installs what is needed on Debian 12, builds, and runs the main job: the
# self-attention of a T5 encoder, with inputs and output recorded from a
# published implementation, from IR to numbers.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh posenc-opt posenc-run

data=test/golden/t5-t5-encoder demo=build/demo
mkdir -p $demo
export PATH=$PWD/build/bin:$PATH
printf '\n== T5 self-attention, 3 heads, 131 tokens\n'
/usr/bin/python3 test/examples/instantiate.py t5-encoder --H=3 --D=16 >$demo/1-attention.mlir
posenc-opt $demo/1-attention.mlir --posenc-decompose --canonicalize --cse -o $demo/2-linalg.mlir
posenc-opt $demo/1-attention.mlir --posenc-to-reference -o $demo/3-llvm.mlir
cat <<EOF
$demo/1-attention.mlir  the formula as one posenc.attention
$demo/2-linalg.mlir     what it means, as plain loops over tensors
$demo/3-llvm.mlir       the LLVM dialect, which posenc-run compiles and runs
$demo/out.npy           the output
EOF
posenc-run $demo/1-attention.mlir --function=attention --target=reference \
  --input=@$data/q.npy --input=@$data/k.npy --input=@$data/v.npy --input=@$data/bias_table.npy \
  --output=@$demo/out.npy --expected-output=@$data/out.npy --rtol=1e-5
echo "OK, within 1e-5: the expected output is that of transformers' T5Attention, run in float64 ($data/case.json)."
