#!/usr/bin/env python3
"""Runs the example programs on data and compares with what is right.

    check.py golden EXAMPLE --run=posenc-run --target=cpu   captured results of published implementations
    check.py shapes EXAMPLE --run=posenc-run --target=cpu   random data at odd shapes, against an oracle
    check.py all EXAMPLE --run=posenc-run                   both, on every target; the slow ones take small shapes only
    check.py oracle                                         the oracles themselves against the captured results

--run is the path of posenc-run, which gets all other options. --unfused takes attention to its steps first, by the posenc-opt
beside it. --only=TEXT takes the trials whose title contains TEXT; --keep=DIR leaves their files in DIR and prints the
commands.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Dict, List, Optional, Tuple

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
import families  # noqa: E402
import golden  # noqa: E402
import shapes  # noqa: E402
from instantiate import instantiate, signature  # noqa: E402

Array = np.ndarray

DTYPES = {"f32": np.float32, "f16": np.float16, "i1": np.bool_, "i32": np.int32, "i64": np.int64}
TYPES = ("type", "table_type")
UNFUSED = "--unfused"


@dataclass
class Trial:
    title: str
    example: str
    options: Dict[str, object]
    operands: List  # in the file's order
    o: Optional[Array] = None  # what is right; None: what the oracle says
    lse: Optional[Array] = None
    f64: float = golden.EXACT  # tolerance where everything is computed in f64
    oracle: float = 0.0  # tolerance of the oracle
    padded: bool = False  # NaN between the rows of tensors


def bfloat16(x: Array) -> Array:
    """The bits of the nearest bf16, ties to even."""
    bits = x.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(x), 0x7FC0, rounded).astype(np.uint16)


def widened(bits: Array) -> Array:
    """The numbers that the bits of bf16 stand for."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def stored(x: Array, element: str) -> Tuple[Array, Array]:
    """x as the file holds it, and the numbers that this holds."""
    if element == "bf16":
        bits = bfloat16(x)
        return bits, widened(bits)
    y = np.ascontiguousarray(x, DTYPES[element])
    return y, y


def formula(example: str, operands: List, options: Dict[str, object]) -> Tuple[Array, Array]:
    """What an example's oracle says; constants that are set are its options, extents are in the operands."""
    options = {**options, **options.get("set", {})}
    return families.oracle(example)(*operands, **{k: v for k, v in options.items()
                                                  if not (k[0].isupper() or k in TYPES or k == "set")})


def golden_trials(example: Optional[str]) -> List[Trial]:
    trials = []
    for entry in [e for e in families.ENTRIES if example in (None, e.example)]:
        case = golden.Case(entry.case, entry.part)
        (q, k), v = entry.qk(case), case.v
        options = dict(H=q.shape[1], Hkv=k.shape[1], D=q.shape[3], Dv=v.shape[3], **entry.options)
        if "Hkv" not in shapes.Example(shapes.source(entry.example)).sizes:
            del options["Hkv"]
        o = entry.out(case)
        lse = np.where(case.live, case.lse, -np.inf) if entry.lse and case.has("lse") else None
        operands = [q, k, v, *entry.rest(case)]
        exact = entry.f64 == golden.EXACT and entry.qk is not golden.rotated
        trials.append(Trial(entry.title, entry.example, options, operands, o, lse, entry.f64, 1e-14 if exact else entry.f64))
    return trials


def shape_trials(example: str) -> List[Trial]:
    return [Trial(title, example, options, operands, f64=golden.FLOAT_ANGLES, padded=number % 2 == 1)
            for number, (title, options, operands) in enumerate(shapes.trials(example, families.SPECS[example]))]


def pair_trials(example: str) -> List[Trial]:
    """One of several tiles and blocks, grouped heads and odd channels, for an example whose operands may be bf16."""
    spec = families.SPECS[example]
    shape = next((shape for shape in spec.shapes if shape.type == "bf16"), None)
    if shape is None:
        return []
    if not spec.square:
        # What all shapes of the example have in common is part of its formula.
        heads = 1 if all(other.Hkv == 1 for other in spec.shapes) else 2
        channels = 40 if all(other.D == other.Dv for other in spec.shapes) else 20
        shape = shapes.Shape(70, 131, 1, 4, heads, 40, channels, 61, "bf16")
    *trial, _ = shapes.trials(example, replace(spec, shapes=(shape,)))
    return [Trial(title, example, options, operands) for title, options, operands in trial]


def longest(trial: Trial) -> int:
    return max(trial.operands[0].shape[2], trial.operands[1].shape[2])


def all_trials(example: str) -> List[Tuple[List[str], List[Trial]]]:
    """Options of posenc-run, and what runs with them. The naive targets are slow: the reference takes small shapes,
    the loops every other one of those of some tiles, and the other spelling, unfused, a few. Where rotated rows are
    rounded to bf16, so are the scores."""
    captured, drawn = golden_trials(example), shape_trials(example)
    return [
        (["--target=reference"], captured + [t for t in drawn if longest(t) < 128]),
        (["--target=reference", "--compute-type=f64"], captured),
        (["--target=loops"], [t for t in drawn if 16 <= longest(t) <= 131][::2]),
        (["--target=cpu"], captured + drawn),
        (["--target=cpu", "--bf16=pairs", "--rtol=1.2e-2"], pair_trials(example)),
        (["--target=reference", UNFUSED], [t for t in drawn if longest(t) < 64][1::3]),
    ]


def prepare(trial: Trial, folder: str, run: List[str]) -> List[str]:
    """Writes the program and its data; returns the command."""
    program = os.path.join(folder, trial.example + ".mlir")
    text = instantiate(trial.example, **trial.options)
    with open(program, "w") as file:
        file.write(text)
    if UNFUSED in run:
        opt = os.path.join(os.path.dirname(run[0]), "posenc-opt")
        subprocess.run([opt, program, "--posenc-unfuse", "-o", program], check=True)
        run = [option for option in run if option != UNFUSED]
    command = [run[0], program, "--function=attention", *run[1:], *["--pad-inputs"] * trial.padded]
    operands, numbers, elements = iter(trial.operands), [], []
    arguments, results = signature(text)
    for name, type in arguments:
        if type == "index":
            numbers.append(int(next(operands)))
            command.append(f"--input=index={numbers[-1]}")
            continue
        if name in ("out", "lse"):  # memory to write into; what is not written will be seen
            q, v = numbers[0].shape, numbers[2].shape
            x = np.full(q[:3] + v[3:] if name == "out" else q[:3], np.nan)
            elements.append(type.element)
        else:
            x = np.asarray(next(operands))
        x, number = stored(x, type.element)
        if name not in ("out", "lse"):
            numbers.append(number)
        np.save(os.path.join(folder, name + ".npy"), x)
        command.append(f"--input=@{os.path.join(folder, name)}.npy")
    elements += [type.element for type in results]

    expected = [trial.o, trial.lse]
    if trial.o is None:
        expected = list(formula(trial.example, numbers, trial.options))
    for number, (x, element) in enumerate(zip(expected, elements)):
        path = os.path.join(folder, f"expected{number}.npy")
        if x is not None:
            np.save(path, x.astype(np.float64))
            command.append(f"--expected-output=@{path}")
    if "--compute-type=f64" in run and elements[0] == "f32":  # otherwise posenc-run's tolerance for the type
        command.append(f"--rtol={trial.f64}")
    return command


def evaluate(trial: Trial, run: List[str], keep: Optional[str]) -> Optional[str]:
    """None, or what went wrong."""
    with tempfile.TemporaryDirectory() as temporary:
        if keep:
            temporary = os.path.join(keep, re.sub(r"\W+", "-", trial.title))
            os.makedirs(temporary, exist_ok=True)
        command = prepare(trial, temporary, run)
        if keep:
            print(" ".join(command))
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        if done.returncode == 0:
            return None
        errors = [line for line in done.stdout.splitlines() if "error" in line]
        return "\n".join(errors) or done.stdout.strip() or f"exit code {done.returncode}"


def check(trials: List[Trial], run: List[str], example: str, keep: Optional[str] = None) -> Tuple[int, int]:
    """Runs all; returns how many there were and how many failed."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda t: evaluate(t, run, keep), trials))
    for trial, outcome in zip(trials, outcomes):
        if outcome is not None:
            mode = "golden" if trial.o is not None else "shapes"
            print(f"FAILED: {example}: {trial.title}\n{outcome}\n  repeat with: {sys.executable} "
                  f"{os.path.abspath(__file__)} {mode} {example} --run={' '.join(run)} --only='{trial.title}' --keep=DIR")
    return len(trials), sum(o is not None for o in outcomes)


def oracle() -> int:
    """The oracles on the operands before they are rounded: only the f32 of some libraries remains."""
    failed, trials = 0, golden_trials(None)
    for trial in trials:
        o, lse = formula(trial.example, trial.operands, trial.options)
        error = np.abs(o - trial.o).max() / np.abs(trial.o).max()
        if trial.lse is not None:
            live = np.isfinite(trial.lse)
            error = max(error, np.abs(lse[live] - trial.lse[live]).max() / np.abs(trial.lse[live]).max())
            error = error if (np.isfinite(lse) == live).all() else np.inf
        if not error <= trial.oracle:
            failed += 1
            print(f"FAILED: {trial.example}: {trial.title}: {error:.1e}")
    print(f"oracle: {len(trials) - failed} of {len(trials)} passed")
    return 1 if failed or not trials else 0


def main(arguments: List[str]) -> int:
    if arguments == ["oracle"]:
        return oracle()
    modes = {"golden": golden_trials, "shapes": shape_trials, "all": all_trials}
    flags = dict(a.lstrip("-").split("=", 1) for a in arguments if "=" in a)
    if len(arguments) < 3 or arguments[0] not in modes or "run" not in flags:
        print(__doc__, file=sys.stderr)
        return 1
    mode, example = arguments[:2]
    options = [a for a in arguments[2:] if not re.match("--(run|only|keep)=", a)]
    if example not in families.SPECS:
        print(f"check.py: error: no example '{example}'", file=sys.stderr)
        return 1
    if not os.access(flags["run"], os.X_OK):
        print(f"check.py: error: cannot run '{flags['run']}'", file=sys.stderr)
        return 1
    found = modes[mode](example)
    total = failures = 0
    for more, trials in found if mode == "all" else [([], found)]:
        trials = [t for t in trials if flags.get("only", "") in t.title]
        count, failed = check(trials, [flags["run"], *more, *options], example, flags.get("keep"))
        total, failures = total + count, failures + failed
    print(f"{mode} {example}: {total - failures} of {total} passed")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
