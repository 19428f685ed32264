#!/usr/bin/env python3
"""How far the f32 results of the CPU's code are from the formulas in f64.

    accuracy.py --run=posenc-run [--target=cpu] [--bound=1] [--seed=0] [--only=TEXT]

o64 is the result of formulas.py in f64 on the same f32 operands, and L the largest |logit|; o32 is that of formulas.py
in f32, a softmax in two passes (only angles and multiples of slopes stay f64). For each head, both of these must hold:

    max|o - o64|  <= (3e-6 + 1e-7 L) max|o64|
    mean|o - o64| <= 2 mean|o32 - o64| + 2^-25 max|o64|

Of two largest errors, which is larger is chance, hence the means; the last term is the rounding of o, of which o32 may
be free. --bound multiplies what is allowed, --seed draws other data, --only=TEXT takes the programs whose title
contains TEXT.
"""
import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterator, List, Sequence, Tuple
from unittest import mock

import numpy as np

import check
import formulas
import shapes
from hostile import ALL, LONG, MAGNITUDES

Array = np.ndarray

# What the logits are linear in, and is scaled for their magnitude.
LINEAR = {"t5-encoder": ("q", "table"), "alibi-causal": ("q", "slopes"), "deberta-v2": ("q", "qr"),
          "transformer-xl": ("q", "u", "v_bias")}


def programs() -> Iterator[Tuple]:
    """Example, B, N, M, D, and the kinds of data."""
    for example in ("plain", "causal-bottom-right", "shaw-kv", "t5-encoder", "rope-half", "alibi-causal",
                    "transformer-xl"):
        yield example, 8, 37, 131, 64, ALL
        yield example, 2, 64, 1024, 64, ALL
    yield "deberta-v2", 2, 131, 131, 64, ALL
    yield "deberta-v2", 1, 400, 400, 64, ALL
    for example in ("plain", "causal-bottom-right", "t5-encoder"):
        yield example, 1, 16, 65536, 8, LONG


def draw(seed: int, example: str, B: int, N: int, M: int, D: int, kinds: Sequence[Callable]) -> check.Trial:
    """A head for each kind of data and each magnitude; those of a kind share keys where heads of the example can."""
    text, H = shapes.Example(shapes.source(example)), len(kinds) * len(MAGNITUDES)
    extents = dict(H=H, Hkv=len(kinds)) if "Hkv" in text.sizes else dict(H=H)
    x = shapes.Draw(shapes.Shape(N, M, B, H, extents.get("Hkv", H), D, D, M - N), seed, True)
    for kind, *views in zip(kinds, *(np.split(part, len(kinds), 1) for part in (x.q, x.k, x.v))):
        kind(*views)
    operands = [x.q, x.k, x.v, *shapes.SPECS[example].rest(x)]
    trial = check.Trial("", example, dict(N=None, D=D, **extents), operands)
    factors = np.tile(MAGNITUDES, len(kinds)) / by_formula(trial, np.float32)[1]
    for number, (name, _) in enumerate(check.signature(text.text)[0]):
        if name in LINEAR.get(example, ("q",)):
            operands[number] = operands[number] * factors.reshape([-1 if x == "H" else 1 for x in text.letters[name]])
    trial.operands = [np.float32(x) if np.asarray(x).dtype == np.float64 else x for x in operands]
    return trial


def by_formula(trial: check.Trial, type: type) -> Tuple[Array, Array]:
    """What formulas.py gives where its `float` is this type, and the largest |logit| of each head."""
    largest, softmax = [], formulas.softmax

    def watched(S, keep, sink=None):
        largest.append(np.abs(np.where(keep, S, 0)).max((0, 2, 3)))
        return softmax(S.astype(type), keep, sink)

    with mock.patch.multiple(formulas, create=True, softmax=watched, float=type):
        o, _ = check.formula(trial.example, trial.operands, trial.options)
    assert o.dtype == type
    return o, largest[0]


def result(trial: check.Trial, run: List[str]) -> Array:
    """What the program gives, whether right or wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.npy")
        command = check.prepare(trial, folder, run) + [f"--output=@{path}"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        if not os.path.exists(path):
            raise RuntimeError(f"{trial.title}: exit code {done.returncode}\n{done.stdout}")
        return np.load(path)


def ratios(errors: Array, errors32: Array, largest: float, logit: float) -> Array:
    """How much of what is allowed the errors are: of the bound, and of two passes."""
    errors, errors32 = np.abs(errors), np.abs(errors32)
    return np.array([errors.max() / ((3e-6 + 1e-7 * logit) * largest),
                     errors.mean() / (2 * errors32.mean() + 2**-25 * largest)])


def main(arguments: List[str]) -> int:
    flags = {"target": "cpu", "bound": "1", "seed": "0", "only": ""}
    flags.update(a.lstrip("-").split("=", 1) for a in arguments if "=" in a)
    if "run" not in flags:
        print(__doc__, file=sys.stderr)
        return 1
    run, bound, computed = [flags["run"], f"--target={flags['target']}"], float(flags["bound"]), []
    with ThreadPoolExecutor(1) as pool:
        for example, B, N, M, D, kinds in programs():
            title = f"{example}, {N}x{M}"
            if flags["only"] in title:
                trial = draw(int(flags["seed"]), example, B, N, M, D, kinds)
                trial.o, logits = by_formula(trial, np.float64)
                running = pool.submit(result, trial, run)
                computed.append((title, kinds, trial.o, logits, by_formula(trial, np.float32)[0], running))
    total, failed, worst = 0, 0, {magnitude: np.zeros(2) for magnitude in MAGNITUDES}
    for title, kinds, o64, logits, o32, running in computed:
        errors, errors32 = running.result() - o64, o32 - o64
        for h, (kind, magnitude) in enumerate(itertools.product(kinds, MAGNITUDES)):
            of = ratios(errors[:, h], errors32[:, h], np.abs(o64[:, h]).max(), logits[h]) / bound
            worst[magnitude] = np.maximum(worst[magnitude], of)  # NaN stays
            total += 1
            if not of.max() <= 1:
                failed += 1
                print(f"FAILED: {title}, {kind.__name__}, logits to {magnitude}: {of[0]:.2f} of the bound, "
                      f"{of[1]:.2f} of two passes")
    for magnitude, of in worst.items():
        print(f"logits to {magnitude}: at most {of[0]:.2f} of the bound, {of[1]:.2f} of two passes")
    print(f"{total - failed} of {total} heads passed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
