#!/usr/bin/env python3
"""Compares the functions of a file with the reference, on random operands.

    regions.py FILE --run=posenc-run --target=cpu [--only=NAME]

The reference computes in f64; the target may differ by the rounding of f32. Operands follow from the types of a function:
floats are normal, i1 mostly true, integers, also those of type index, lie between -20 and 170.
"""
import os
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Dict, List, Optional, Tuple

import numpy as np

INTEGERS = {"i32": np.int32, "i64": np.int64}


def functions(text: str) -> Dict[str, Tuple[str, List[Tuple[str, str]]]]:
    """Each function as a program of its own, and its arguments: name and type, aliases replaced."""
    head = "".join(re.findall(r"^[!#]\w+ = .*\n", text, re.M))
    aliases = dict(re.findall(r"^(!\w+) = (\S+)$", text, re.M))
    found = {}
    for function, name, arguments in re.findall(r"^(func\.func @(\w+)\((.*?)\) ->.*?^}\n)", text, re.M | re.S):
        pairs = re.findall(r"%(\w+): (!\w+|index|tensor<[^>]*>)", arguments)
        found[name] = head + function, [(argument, aliases.get(type, type)) for argument, type in pairs]
    return found


def draw(type: str, random: np.random.Generator) -> np.ndarray:
    *shape, element = re.match(r"tensor<(.*)>", type)[1].split("x")
    sizes = [int(size) for size in shape]
    if element == "f32":
        return random.standard_normal(sizes).astype(np.float32)
    if element == "i1":
        return random.random(sizes) < 0.8
    return random.integers(-20, 170, sizes, INTEGERS[element])


def run(command: List[str]) -> Optional[str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    return None if done.returncode == 0 else done.stdout.strip() or f"exit code {done.returncode}"


def compare(name: str, program: str, arguments: List[Tuple[str, str]], tool: str, options: List[str]) -> Optional[str]:
    """None, or what went wrong."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    with tempfile.TemporaryDirectory() as folder:
        path, inputs = os.path.join(folder, "program.mlir"), []
        with open(path, "w") as file:
            file.write(program)
        for argument, type in arguments:
            if type == "index":
                inputs.append(f"--input=index={random.integers(40, 90)}")
                continue
            file = os.path.join(folder, argument + ".npy")
            np.save(file, draw(type, random))
            inputs.append(f"--input=@{file}")
        expected = os.path.join(folder, "expected.npy")
        command = [tool, path, f"--function={name}", *inputs]
        return run(command + ["--target=reference", "--compute-type=f64", f"--output=@{expected}"]) or run(
            command + options + [f"--expected-output=@{expected}"])


def main(arguments: List[str]) -> int:
    flags = dict(a.lstrip("-").split("=", 1) for a in arguments[1:] if "=" in a)
    if "run" not in flags or "target" not in flags:
        print(__doc__, file=sys.stderr)
        return 1
    path = arguments[0]
    options = [a for a in arguments[1:] if not re.match("--(run|only)=", a)]
    with open(path) as file:
        found = {n: a for n, a in functions(file.read()).items() if flags.get("only", "") in n}
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda name: compare(name, *found[name], flags["run"], options), found))
    for name, outcome in zip(found, outcomes):
        if outcome is not None:
            print(f"FAILED: {name}\n{outcome}")
    failed = sum(outcome is not None for outcome in outcomes)
    print(f"{os.path.basename(path)}: {len(found) - failed} of {len(found)} functions agree with the reference")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
