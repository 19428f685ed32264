#!/bin/bash
# Installs what is needed on Debian 12, builds, and runs the main job: the
# self-attention of a T5 encoder, with inputs and output recorded from a
# published implementation, from IR to numbers; then the time and the memory that
# it takes at length 4096, beside those of the plain decomposition.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh posenc-opt posenc-run

data=test/golden/t5-t5-encoder demo=build/demo
mkdir -p $demo
export PATH=$PWD/build/bin:$PATH
printf '\n== T5 self-attention, 3 heads, 131 tokens\n'
/usr/bin/python3 test/examples/instantiate.py t5-encoder --H=3 --D=16 >$demo/1-attention.mlir
posenc-opt $demo/1-attention.mlir -o $demo/2-schedule.mlir --pass-pipeline="builtin.module(
  one-shot-bufferize{bufferize-function-boundaries},func.func(posenc-tile-attention),canonicalize,cse)"
posenc-opt $demo/1-attention.mlir --posenc-to-llvm -o $demo/3-llvm.mlir
cat <<EOF
$demo/1-attention.mlir  the formula as one posenc.attention
$demo/2-schedule.mlir   the schedule: tiles of queries, blocks of keys, a vector of biases
$demo/3-llvm.mlir       the LLVM dialect, which posenc-run compiles and runs
$demo/out.npy           the output
EOF
posenc-run $demo/1-attention.mlir --function=attention --target=cpu \
  --input=@$data/q.npy --input=@$data/k.npy --input=@$data/v.npy --input=@$data/bias_table.npy \
  --output=@$demo/out.npy --expected-output=@$data/out.npy --rtol=1e-5
echo "OK, within 1e-5: the expected output is that of transformers' T5Attention, run in float64 ($data/case.json)."

printf '\n== The same with 2 heads of 64 channels, 4096 tokens\n'
/usr/bin/python3 test/examples/instantiate.py t5-encoder --H=2 >$demo/long.mlir
/usr/bin/python3 - $demo <<'EOF'
import os, re, subprocess, sys
import numpy as np

folder = sys.argv[1]
random = np.random.default_rng(0)
for name in ("q", "k", "v"):
    np.save(f"{folder}/{name}.npy", random.standard_normal((1, 2, 4096, 64), np.float32) / (2 if name == "q" else 1))
np.save(f"{folder}/table.npy", random.standard_normal((32, 2), np.float32))
inputs = [f"--input=@{folder}/{name}.npy" for name in ("q", "k", "v", "table")]
print("target          call   peak memory of the process")
for target in ("reference", "cpu"):
    run = subprocess.Popen(["posenc-run", f"{folder}/long.mlir", "--function=attention", f"--target={target}", "--timing",
                            f"--output=@{folder}/{target}.npy", *inputs],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    if status:
        sys.exit(text)
    seconds = float(re.search(r"([0-9.]+) \(.*\) +run$", text, re.M)[1])
    print(f"{target:10} {seconds:7.3f} s   {usage.ru_maxrss / 1024:4.0f} MiB")
x, y = (np.load(f"{folder}/{target}.npy") for target in ("reference", "cpu"))
print(f"The largest difference is {np.abs(x - y).max():.1e}, of outputs up to {np.abs(x).max():.2f}.")
EOF
