"""A function of the ops of a schedule: its text, the data it is called with, and what it should write."""

import os
import subprocess
import tempfile
from typing import Callable, Dict, List, Optional, Tuple

import numpy as np

Array = np.ndarray
ELEMENTS = {"float32": "f32", "float16": "f16", "float64": "f64", "bool": "i1", "int64": "index", "uint16": "bf16"}
# Sums of up to a few hundred f32 products, near 1.
TOLERANCE = {"f32": 2e-5, "f16": 2e-3, "bf16": 1e-2}
FAR = 2**59


class Program:
    """A function, the data it is called with, and what it should write."""

    def __init__(self, title: str, seed: int = 0):
        self.title = title
        self.random = np.random.default_rng(seed)
        self.arguments: List[str] = []
        self.inputs: List[object] = []
        self.outputs: List[str] = []
        self.expected: Callable[[Dict[str, Array]], Dict[str, Tuple[Array, Array]]]
        self.body = ""
        self.tolerance: Optional[float] = None  # of everything, else that of the type

    def argument(self, name: str, value, dynamic: Tuple[int, ...] = ()) -> None:
        """A scalar, or a memref whose dimensions `dynamic` are not in its type."""
        if isinstance(value, np.ndarray):
            sizes = ["?" if i in dynamic else str(n) for i, n in enumerate(value.shape)]
            type = f"memref<{'x'.join(sizes + [ELEMENTS[value.dtype.name]])}>"
        else:
            type = "index" if isinstance(value, int) else "f32"
        self.arguments.append(f"%{name}: {type}")
        self.inputs.append(value)

    def normal(self, name: str, *shape: int, dynamic: Tuple[int, ...] = ()) -> Array:
        x = self.random.standard_normal(shape).astype(np.float32)
        self.argument(name, x, dynamic)
        return x

    def integers(self, name: str, low: int, high: int, *shape: int, dynamic: Tuple[int, ...] = ()) -> Array:
        x = self.random.integers(low, high, shape)
        self.argument(name, x, dynamic)
        return x

    def output(self, name: str, shape, dtype="float32", dynamic: Tuple[int, ...] = ()) -> Array:
        """What is there before."""
        if dtype == "bool":
            before = np.ones(shape, bool)
        elif dtype == "uint16":
            before = np.full(shape, 0x40E0, np.uint16)
        else:
            before = np.full(shape, 7, dtype)
        # First of all: a lowering may seem to write to other arguments too.
        self.argument(name, before, dynamic)
        self.arguments.insert(len(self.outputs), self.arguments.pop())
        self.inputs.insert(len(self.outputs), self.inputs.pop())
        self.outputs.append(name)
        return before.copy()

    def expect(self, **expected: Array) -> None:
        self.expected = lambda got: {name: (got[name], value) for name, value in expected.items()}

    def text(self) -> str:
        return f"func.func @f({', '.join(self.arguments)}) {{\n{self.body}\nreturn\n}}\n"


def widen(x: Array) -> Array:
    if x.dtype == np.uint16:
        return (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return x.astype(np.float64)


def to_bf16(x: Array) -> Array:
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def check(p: Program, opt: str, run: str, lowering: str) -> Optional[str]:
    with tempfile.TemporaryDirectory() as folder:
        source, lowered = os.path.join(folder, "tile.mlir"), os.path.join(folder, "loops.mlir")
        with open(source, "w") as file:
            file.write(p.text())
        command = [run, lowered, "--function=f"]
        for i, value in enumerate(p.inputs):
            if isinstance(value, np.ndarray):
                np.save(os.path.join(folder, f"{i}.npy"), value)
                command.append(f"--input=@{folder}/{i}.npy")
            else:
                command.append(f"--input={'index' if isinstance(value, int) else 'f32'}={value}")
        command += [f"--output=@{folder}/{name}.npy" for name in p.outputs]
        done = subprocess.run([opt, source, f"--{lowering}"], capture_output=True, text=True)
        if done.returncode:
            return f"{done.stderr}\n{p.text()}"
        # posenc-run frees what a function allocates, and takes none that does so itself.
        lines = [line for line in done.stdout.splitlines() if "memref.dealloc" not in line]
        if any("posenc" in line for line in lines):
            return "an op of posenc is left"
        with open(lowered, "w") as file:
            file.write("\n".join(lines))
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{done.stderr}\n{p.text()}"
        got = {name: np.load(os.path.join(folder, f"{name}.npy")) for name in p.outputs}
    worst = []
    with np.errstate(invalid="ignore", over="ignore"):
        for name, (have, want) in p.expected(got).items():
            tolerance = p.tolerance or TOLERANCE.get(ELEMENTS[have.dtype.name], 0.0)
            have, want = widen(have), want.astype(np.float64)
            wrong = ~np.isclose(have, want, rtol=tolerance, atol=tolerance, equal_nan=True)
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                worst.append(f"{name}{list(at)} = {have[at]}, not {want[at]} ({wrong.sum()} wrong)")
    return "; ".join(worst) or None
