#!/usr/bin/env python3
"""Compares @layer of sinusoidal.mlir with NumPy, on every target.

    layer.py FILE --run=posenc-run
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

Array = np.ndarray
TARGETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "targets.py")


def layer(x: Array, wq: Array, wk: Array, wv: Array, past: int) -> Array:
    B, N, E = x.shape
    angle = (past + np.arange(N))[:, None] * 10000.0 ** (-np.arange(0, E, 2) / E)
    tokens = x + np.stack([np.sin(angle), np.cos(angle)], -1).reshape(N, E)
    q, k, v = ((tokens @ w).reshape(B, N, 2, 2).transpose(0, 2, 1, 3) for w in (wq, wk, wv))
    s = q @ k.swapaxes(2, 3) / np.sqrt(2)
    s[..., np.triu(np.ones((N, N), bool), 1)] = -np.inf
    p = np.exp(s - s.max(-1, keepdims=True))
    o = p / p.sum(-1, keepdims=True) @ v
    return o.transpose(0, 2, 1, 3).reshape(B, N, E)


def main(file: str, run: str) -> int:
    random = np.random.default_rng(4)
    x, weights = random.standard_normal((3, 50, 4)), [random.standard_normal((4, 4)) for _ in "qkv"]
    with tempfile.TemporaryDirectory() as folder:
        def save(name: str, value: Array, type=np.float32) -> str:
            np.save(os.path.join(folder, name), value.astype(type))
            return f"@{folder}/{name}.npy"
        inputs = [f"--input={save(name, value)}" for name, value in zip(["x", "wq", "wk", "wv"], [x, *weights])]
        expected = save("o", layer(x, *weights, 7), np.float64)
        return subprocess.run([sys.executable, TARGETS, run, file, "--function=layer", *inputs, "--input=index=7",
                               f"--expected-output={expected}"]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2].split("=", 1)[1]))
