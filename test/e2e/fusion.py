#!/usr/bin/env python3
"""Compares the functions of a file before and after the fuse passes, on random operands.

    fusion.py FILE --opt=posenc-opt --run=posenc-run [--only=NAME] [--mask-value=X]

Every function becomes one posenc.attention, with no other step left. The reference gives the same numbers before and after,
and so does the code for this machine, unless the function's name ends in _reference. Operands are as in regions.py.
"""
import os
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import List, Optional, Tuple

import numpy as np
from regions import draw, functions, run

def passes(mask_value: str) -> List[str]:
    mask = f"mask-value={mask_value}"
    return [f"--posenc-fuse-bias={mask}", f"--posenc-fuse-relative-gather={mask}", "--posenc-fuse-attention",
            "--posenc-fuse-rotation"]


STEPS = r"posenc\.(rotate|scores|score_mod|softmax|values|relative_\w+)"


def fuse(program: str, opt: str, mask_value: str) -> str:
    done = subprocess.run([opt, "-", *passes(mask_value)], input=program, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr)
    if len(re.findall(r"posenc\.attention", done.stdout)) != 1 or re.search(STEPS, done.stdout):
        raise ValueError(f"is not one attention, but\n{done.stdout}")
    return done.stdout


def compare(name: str, program: str, arguments: List[Tuple[str, str]], opt: str, tool: str,
            mask_value: str) -> Optional[str]:
    """None, or what went wrong."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "before.mlir"), os.path.join(folder, "after.mlir")
        inputs = []
        for argument, type in arguments:
            if type == "index":
                inputs.append(f"--input=index={random.integers(10, 30)}")
                continue
            file = os.path.join(folder, argument + ".npy")
            np.save(file, draw(type, random))
            inputs.append(f"--input=@{file}")
        try:
            fused = fuse(program, opt, mask_value)
        except ValueError as error:
            return str(error)
        for path, text in [(before, program), (after, fused)]:
            with open(path, "w") as file:
                file.write(text)
        expected = os.path.join(folder, "expected.npy")
        rest = [f"--function={name}", *inputs]
        outcome = run([tool, before, *rest, "--target=reference", "--compute-type=f64", f"--output=@{expected}"])
        targets = [(before, "reference"), (after, "reference"), (after, "cpu")]
        for path, target in targets[:2] if name.endswith("_reference") else targets:
            outcome = outcome or run([tool, path, *rest, f"--target={target}", f"--expected-output=@{expected}"])
        return outcome


def main(arguments: List[str]) -> int:
    flags = dict(a.lstrip("-").split("=", 1) for a in arguments[1:] if "=" in a)
    if "run" not in flags or "opt" not in flags:
        print(__doc__, file=sys.stderr)
        return 1
    with open(arguments[0]) as file:
        found = {n: a for n, a in functions(file.read()).items() if flags.get("only", "") in n}
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda name: compare(name, *found[name], flags["opt"], flags["run"],
                                                         flags.get("mask-value", "-inf")), found))
    for name, outcome in zip(found, outcomes):
        if outcome is not None:
            print(f"FAILED: {name}\n{outcome}")
    failed = sum(outcome is not None for outcome in outcomes)
    print(f"{os.path.basename(arguments[0])}: {len(found) - failed} of {len(found)} functions agree")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
