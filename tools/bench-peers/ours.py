"""The kernels of posenc: compiled ahead of time, called through ctypes."""

import ctypes
import os
import subprocess
import sys
import time

import numpy as np

from cases import HEADS, ROOT

sys.path.insert(0, os.path.join(ROOT, "test", "tools", "posenc-compile", "Inputs"))
sys.path.insert(0, os.path.join(ROOT, "test", "examples"))
from instantiate import instantiate, source  # noqa: E402
from library import describe  # noqa: E402


def compile_example(tool: str, variant: str, dtype: str, folder: str):
    """The shared library, for all sizes and any number of threads, and how many seconds it took."""
    path = os.path.join(folder, f"{variant}-{dtype}")
    options = {} if dtype == "f32" else {"type": dtype, "table_type": dtype}
    if "Hkv" in source(variant):
        options["Hkv"] = HEADS
    with open(path + ".mlir", "w") as file:
        file.write(instantiate(variant, **options))
    start = time.perf_counter()
    run = subprocess.run([tool, path + ".mlir", "-o", path + ".so"], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"bench-peers: posenc-compile {path}.mlir failed: {run.stderr.strip()}")
    return path + ".so", time.perf_counter() - start


class Kernel:
    """A compiled function with its operands."""

    def __init__(self, path: str, operands: dict, dtype: str):
        self.function = ctypes.CDLL(path).attention
        self.function.restype = ctypes.c_char_p
        element = np.float32
        if dtype == "bf16":
            import ml_dtypes

            element = ml_dtypes.bfloat16
        is_float = lambda x: isinstance(x, np.ndarray) and x.dtype == np.float32
        self.arrays = [x.astype(element) if is_float(x) else x for x in operands.values()]
        # Its pages are there before a call is measured.
        self.result = np.ones(operands["q"].shape, element)
        self.descriptions = [
            describe(x) if isinstance(x, np.ndarray) else ctypes.c_int64(x)
            for x in self.arrays + [self.result]
        ]
        self.arguments = [
            ctypes.byref(x) if isinstance(x, ctypes.Structure) else x for x in self.descriptions
        ]

    def __call__(self) -> None:
        text = self.function(*self.arguments)
        if text:
            raise RuntimeError(text.decode())

    def to_numpy(self) -> np.ndarray:
        return self.result[0].astype(np.float32)
