#!/usr/bin/env python3
"""Runs examples at a length whose N x M scores do not fit in memory.

    memory.py --run=posenc-run [--length=8192] [--limit=512] [--target=cpu] EXAMPLE...

One batch, 8 heads of 64 channels, as many keys as queries. `limit` is in MiB; the process may not get more for its data
(RLIMIT_DATA). One head's scores take 256 MiB at length 8192, all of them 2 GiB. Prints time and peak memory.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict, List

import numpy as np

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")
HEADS, CHANNELS = 8, 64


def draw(folder: str, name: str, *shape: int) -> str:
    path = os.path.join(folder, name + ".npy")
    array = np.lib.format.open_memmap(path, "w+", np.float32, shape)
    random = np.random.default_rng(len(name))
    rows = array.reshape(-1, shape[-1])
    for first in range(0, len(rows), 4096):
        part = rows[first:first + 4096]
        part[...] = random.standard_normal(part.shape, np.float32)
    return f"--input=@{path}"


# The operands after q, k and v.
OPERANDS: Dict[str, Callable[[str, int], List[str]]] = {
    "plain": lambda folder, n: [],
    "shaw-kv": lambda folder, n: [draw(folder, "relv", 33, CHANNELS), draw(folder, "rel", 33, CHANNELS), "--input=index=0"],
    "t5-encoder": lambda folder, n: [draw(folder, "table", 32, HEADS)],
    "transformer-xl": lambda folder, n: [draw(folder, "u", HEADS, CHANNELS), draw(folder, "v_bias", HEADS, CHANNELS),
                                         draw(folder, "rel", HEADS, n, CHANNELS), "--input=index=0"],
}


def main(arguments: List[str]) -> int:
    flags = {"length": "8192", "limit": "512", "target": "cpu"}
    flags.update(a.lstrip("-").split("=", 1) for a in arguments if a.startswith("--"))
    names = [a for a in arguments if not a.startswith("--")]
    if "run" not in flags or not names or any(name not in OPERANDS for name in names):
        print(__doc__, file=sys.stderr)
        return 1
    length, limit, failed = int(flags["length"]), int(flags["limit"]) << 20, False
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            inputs = [draw(folder, x, 1, HEADS, length, CHANNELS) for x in ("q", "k", "v")] + OPERANDS[name](folder, length)
            command = [flags["run"], os.path.join(EXAMPLES, name + ".mlir"), "--function=attention",
                       f"--target={flags['target']}", *inputs, f"--output=@{folder}/out.npy"]
            begin = time.time()
            process = subprocess.Popen(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
            _, status, usage = os.wait4(process.pid, 0)
            right = status == 0 and bool(np.isfinite(np.load(f"{folder}/out.npy", "r")).all())
            print(f"{name}: {'passed' if right else 'FAILED'} at length {length}, {time.time() - begin:.1f} s, "
                  f"peak {usage.ru_maxrss >> 10} MiB")
            failed |= not right
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
