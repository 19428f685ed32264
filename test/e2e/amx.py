#!/usr/bin/env python3
"""Runs code for AMX on any x86-64 with AVX2: LLVM writes its tile operations as loops.

    amx.py POSENC_OPT LLVM_BIN CC [TEXT]       TEXT: only the programs whose title contains it

Each example runs on bf16 of odd shapes against its oracle: once where the system permits tiles, and once where it does
not, and none may be touched.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import List, Optional

import numpy as np

import check
import families
import shapes
from instantiate import instantiate, signature
from shapes import Shape

EXAMPLES = ("plain", "causal-bottom-right", "alibi-causal", "shaw-kv", "t5-decoder", "deberta-v2", "transformer-xl",
            "rope-half", "window-causal", "gemma2-softcap")
SHAPES = (Shape(37, 131, 1, 4, 2, 64, 64, 94, "bf16"), Shape(70, 70, 1, 2, 2, 40, 20, 0, "bf16"))
# Of bf16 results, weights, and, where rows are added or rotated, these.
TOLERANCE = 1e-2

# LLVM's loops know no register that is set to zero.
TILE = "(i16 16, i16 64"
ZERO = (f"@llvm.x86.tilezero.internal{TILE})", f"@llvm.x86.tileloadd64.internal{TILE}, ptr @zeros, i64 64)")
ZEROS = "@zeros = internal constant [1024 x i8] zeroinitializer\n"
# What asks the system is asked once, for the state of tiles.
SYSCALL = """#include <stdlib.h>
int asked;
long syscall(long number, long code, long feature) {
  if (number != 158 || code != 0x1023 || feature != 18 || asked++) abort();
  return ANSWER;
}
"""


def build(text: str, folder: str, opt: str, tools: str, cc: str) -> List[str]:
    """The libraries of a program: where the system permits tiles, and where it does not."""
    path = os.path.join(folder, "program.")

    def write(suffix: str, content: str) -> str:
        with open(path + suffix, "w") as file:
            file.write(content)
        return path + suffix

    def run(*command: str) -> str:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    target = "triple=x86_64-linux-gnu cpu=x86-64-v3 features=+amx-tile,+amx-bf16"
    run(opt, write("mlir", text), f"--posenc-to-llvm={target} c-interface", "-o", path + "lowered")
    code = run(os.path.join(tools, "mlir-translate"), "--mlir-to-llvmir", path + "lowered")
    assert "@llvm.x86.tdpbf16ps" in code, "no tiles"
    lines = [line.replace(*ZERO) for line in code.splitlines() if not line.startswith("declare x86_amx @llvm.x86.tilezero")]
    run(os.path.join(tools, "llc"), "-O0", "-enable-x86-scalar-amx", "-mcpu=x86-64-v3", "-relocation-model=pic",
        "-filetype=obj", write("ll", "\n".join(lines) + "\n" + ZEROS), "-o", path + "o")
    source, libraries = write("c", SYSCALL), []
    for answer in ("0", "-1"):
        libraries.append(f"{path}{answer}.so")
        # libc has the name, too.
        run(cc, f"-DANSWER={answer}", "-shared", "-fPIC", "-Wl,-Bsymbolic", source, path + "o", "-o", libraries[-1], "-lm")
    return libraries


def call(library: str, operands: List, text: str) -> np.ndarray:
    """The first result."""
    loaded, arguments = ctypes.CDLL(library), []
    function = loaded.attention
    function.restype = ctypes.c_char_p

    def add(x) -> None:
        if isinstance(x, int):
            arguments.append(ctypes.c_int64(x))
            return
        numbers = [0, *x.shape, *(stride // x.itemsize for stride in x.strides)]
        arguments.extend([*[ctypes.c_void_p(x.ctypes.data)] * 2, *map(ctypes.c_int64, numbers)])

    q, v = operands[0], operands[2]
    results = [np.zeros(q.shape[:3] + v.shape[3:] if i == 0 else q.shape[:3], check.DTYPES.get(type.element, np.uint16))
               for i, type in enumerate(signature(text)[1])]
    for x in operands + results:
        add(x)
    message = function(*arguments)
    assert message is None, message
    assert ctypes.c_int.in_dll(loaded, "asked").value == 1, "the system was not asked"
    return check.widened(results[0])


def run(trial: check.Trial, tools: List[str]) -> Optional[str]:
    """None, or what went wrong."""
    text = instantiate(trial.example, **trial.options)
    operands, numbers = [], []
    for (_, type), x in zip(signature(text)[0], trial.operands):
        x, number = (int(x), int(x)) if type == "index" else check.stored(np.asarray(x), type.element)
        operands.append(x)
        numbers.append(number)
    right = check.formula(trial.example, numbers, trial.options)[0]
    with tempfile.TemporaryDirectory() as folder:
        for library in build(text, folder, *tools):
            error = np.abs(call(library, operands, text) - right).max() / np.abs(right).max()
            if not error <= TOLERANCE:
                return f"{trial.title}, {os.path.basename(library)}: error {error:.1e}"
    return None


def main(arguments: List[str]) -> int:
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 1
    tools, trials = arguments[:3], []
    for example in EXAMPLES:
        spec = replace(families.SPECS[example], shapes=SHAPES)
        for title, options, operands in list(shapes.trials(example, spec))[:-1]:  # the last is the file itself
            trials.append(check.Trial(f"{example}, {title}", example, options, operands))
    trials = [t for t in trials if "".join(arguments[3:]) in t.title]
    with ThreadPoolExecutor(2) as pool:
        failures = [f for f in pool.map(lambda t: run(t, tools), trials) if f]
    print("\n".join(failures))
    print(f"{len(trials)} programs, {len(failures)} wrong")
    return 1 if failures or not trials else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
