#!/usr/bin/env python3
"""A chunk of the queries, called alone at its position, gives those rows of the result of all queries.

    chunk.py --run=posenc-run [--target=cpu] [--only=EXAMPLE]

The two differ by rounding, of other tiles and other maxima: by at most 2e-6 of the largest element.
"""
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import List, Tuple

import numpy as np

import check
import shapes
from accuracy import result

EXAMPLES = ("plain", "causal-bottom-right", "gptoss-sink-window", "alibi-causal", "t5-decoder", "shaw-kv",
            "rope-gqa-causal-decode", "rope-interleaved-partial", "rope-ids-left-padded", "transformer-xl")
N, M, B, H, D = 200, 531, 2, 4, 64
TOLERANCE = 2e-6
CHUNKS = ((37, 199), (199, 200))


def chunk(trial: check.Trial, first: int, last: int) -> check.Trial:
    """The rows from first to last."""
    operands = []
    for (name, _), x in zip(check.signature(shapes.source(trial.example))[0], trial.operands):
        if name == "q":
            x = x[:, :, first:last]
        elif name == "qids":
            x = x[:, first:last]
        elif name in ("past", "mem"):
            x = x + first
        elif name in ("k", "v") and trial.example == "causal-bottom-right":  # the last query sees the last key
            x = x[:, :, :M - N + last]
        operands.append(x)
    o = trial.o[:, :, first:last]
    return check.Trial(f"{trial.example}, rows {first} to {last}", trial.example, trial.options, operands, o)


def differences(example: str, run: List[str]) -> List[Tuple[str, float]]:
    """Of each chunk, over the largest element of the whole."""
    sizes = shapes.Example(shapes.source(example)).sizes
    extents = dict(H=H, Hkv=2) if "Hkv" in sizes else dict(H=H)
    x = shapes.Draw(shapes.Shape(N, M, B, H, extents.get("Hkv", H), D, D, M - N), 0, True)
    x.q /= 4  # logits of order 1: rounding of large ones would show
    options = dict(N=None, D=D, type="f32", **extents)
    whole = check.Trial(example, example, options, [x.q, x.k, x.v, *shapes.SPECS[example].rest(x)])
    whole.o = result(whole, run)
    parts = [chunk(whole, *rows) for rows in CHUNKS]
    return [(p.title, np.abs(result(p, run) - p.o).max() / np.abs(whole.o).max()) for p in parts]


def main(arguments: List[str]) -> int:
    flags = dict(a.lstrip("-").split("=", 1) for a in arguments if "=" in a)
    if "run" not in flags:
        print(__doc__, file=sys.stderr)
        return 1
    run = [flags["run"], f"--target={flags.get('target', 'cpu')}"]
    with ThreadPoolExecutor(2) as pool:
        found = sum(pool.map(lambda x: differences(x, run), [x for x in EXAMPLES if flags.get("only", "") in x]), [])
    failed = [(title, difference) for title, difference in found if not difference <= TOLERANCE]
    for title, difference in failed:
        print(f"FAILED: {title}: they differ by {difference:.1e}")
    print(f"largest difference {max(x for _, x in found):.1e}; {len(found) - len(failed)} of {len(found)} passed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
