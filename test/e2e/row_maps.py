"""The rows of the index maps: row_maps.py POSENC_OPT POSENC_RUN.

A map is computed twice by posenc: by the host, which folds constants, and by the code that it emits. Both must give the
rows of the papers and their released code at the places below, and agree everywhere else.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Dict, List, Sequence, Tuple

import numpy as np

LEAST, MOST = -(2**63), 2**63 - 1

# Map, then {x: row}.
GOLDEN: List[Tuple[str, Dict[object, int]]] = [
    # Raffel et al. 2020, 32 buckets to 128: the ends of the buckets of a side.
    ("t5<32, 128, bidirectional>",
     {LEAST: 15, -200: 15, -128: 15, -91: 15, -90: 14, -64: 14, -63: 13, -46: 13, -45: 12, -32: 12, -31: 11, -23: 11,
      -22: 10, -16: 10, -15: 9, -12: 9, -11: 8, -8: 8, -7: 7, -1: 1, 0: 0, 1: 17, 2: 18, 7: 23, 8: 24, 11: 24, 12: 25,
      15: 25, 16: 26, 22: 26, 23: 27, 31: 27, 32: 28, 45: 28, 46: 29, 63: 29, 64: 30, 90: 30, 91: 31, 200: 31,
      MOST: 31}),
    ("t5<32, 128, causal>",
     {LEAST: 31, -200: 31, -113: 31, -112: 30, -99: 30, -98: 29, -87: 29, -86: 28, -77: 28, -76: 27, -67: 27, -66: 26,
      -59: 26, -58: 25, -52: 25, -51: 24, -46: 24, -45: 23, -40: 23, -39: 22, -35: 22, -34: 21, -31: 21, -30: 20,
      -27: 20, -26: 19, -24: 19, -23: 18, -21: 18, -20: 17, -19: 17, -18: 16, -16: 16, -15: 15, -1: 1, 0: 0, 1: 0,
      MOST: 0}),
    # WavLM.
    ("t5<320, 800, bidirectional>",
     {-801: 159, -778: 159, -777: 158, -200: 111, -128: 96, -81: 80, -80: 80, -79: 79, 0: 0, 1: 161, 80: 240, 82: 240,
      83: 241, 84: 241, 85: 242, 87: 242, 88: 243, 800: 319}),
    # Too far for a table: the same rows by a search. Bucket 3 begins at sqrt(2) 10^4.5 = 44721.4.
    ("t5<4, 1000000000, causal>", {-1: 1, -2: 2, -44721: 2, -44722: 3, LEAST: 3, 0: 0, 5: 0}),
    ("t5<8, 1000000000, bidirectional>", {-1: 1, -2: 2, -44721: 2, -44722: 3, 1: 5, 44721: 6, 44722: 7}),
    # He et al. 2021 as released.
    ("deberta<buckets = 256, max_position = 512, span = 256>",
     {LEAST: 0, -512: 0, -511: 1, -510: 1, -400: 23, -200: 87, -129: 127, -128: 128, -127: 129, -8: 248, -1: 255,
      0: 256, 1: 257, 8: 264, 127: 383, 128: 384, 129: 385, 130: 386, 200: 425, 400: 489, 505: 510, 506: 511, 511: 511,
      MOST: 511}),
    # Shaw et al. 2018; wav2vec2-BERT; Music Transformer.
    ("clip<-16, 16>", {LEAST: 0, -200: 0, -17: 0, -16: 0, -9: 7, 0: 16, 8: 24, 16: 32, 17: 32, MOST: 32}),
    ("clip<-64, 8>", {-200: 0, -65: 0, -64: 0, -63: 1, 0: 64, 7: 71, 8: 72, 200: 72}),
    (f"clip<{LEAST}, {LEAST + 5}>", {LEAST: 0, LEAST + 4: 4, 0: 5, MOST: 5}),
    ("band<-3, 0>", {LEAST: -1, -6: -1, -4: -1, -3: 0, -2: 1, 0: 3, 1: -1, MOST: -1}),
    (f"band<{MOST - 1}, {MOST}>", {LEAST: -1, 0: -1, MOST - 1: 0, MOST: 1}),
    # Wu et al. 2021; then with g = 1 + log2(n) / 2, whose halves at 2, 8, 32 and 128 go to the even neighbour.
    ("irpe<1.9, 3.8, 15.2>",
     {LEAST: 0, -20: 0, -4: 0, -3: 1, -2: 1, -1: 2, 0: 3, 1: 4, 2: 5, 3: 5, 4: 6, 5: 6, 8: 6, 13: 6, 20: 6, MOST: 6}),
    ("irpe<1.0, 5.0, 256.0>",
     {-8: 3, -4: 3, -3: 3, -2: 3, -1: 4, 0: 5, 1: 6, 2: 7, 4: 7, 5: 7, 8: 7, 11: 8, 15: 8, 16: 8, 31: 8, 32: 9, 33: 9,
      64: 9, 90: 9, 127: 9, 128: 9, 129: 10, 256: 10, MOST: 10}),
    ("irpe<0.5, 2.5, 8.0>", {0: 2, 1: 3, 2: 4, 3: 4, 4: 4, 100: 4, -1: 1, -4: 0}),
    ("irpe<1.5, 1.5, 3.0>", {0: 1, 1: 2, 2: 2, 9: 2, -1: 0, -9: 0}),
    # Liu et al. 2021, a square window and one that is not; tokens outside are clipped.
    ("window<2, 2>", {(i, j): row for i, line in enumerate([[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]])
                      for j, row in enumerate(line)} | {(-5, 9): 0, (9, -5): 8, (LEAST, MOST): 0}),
    ("window<2, 3>", {(0, 0): 7, (0, 1): 6, (0, 2): 5, (0, 3): 2, (0, 5): 0, (5, 0): 14, (5, 2): 12, (5, 5): 7}),
]

# Maps whose two computations must agree on many integers.
AGREE = ["t5<32, 128, bidirectional>", "t5<7, 50, causal>", "t5<320, 800, bidirectional>",
         "t5<64, 70000000, bidirectional>", "t5<2, 3, causal>", "t5<4, 2, bidirectional>",
         "deberta<buckets = 256, max_position = 512, span = 256>", "deberta<buckets = 8, max_position = 20, span = 8>",
         "deberta<buckets = 9, max_position = 1000000, span = 30>", "deberta<buckets = 2, max_position = 4, span = 5>",
         "deberta<buckets = 64, max_position = 34, span = 1000>", "clip<3, 9>", "band<-100, -90>",
         "irpe<1.9, 3.8, 15.2>", "irpe<1.0, 5.0, 256.0>", "irpe<0.3, 4000.5, 1000000000.0>", "irpe<1.0, 60.0, 1.0e+300>"]


def places() -> List[int]:
    """Small distances all, larger ones around the powers of two."""
    large = [sign * (2**bit + near) for bit in range(10, 62) for near in (-1, 0, 1) for sign in (1, -1)]
    return sorted({*range(-1100, 1101), *large, LEAST, LEAST + 1, MOST})


def module(body: str, captures: str) -> str:
    names = ", ".join(f"{c.split(':')[0]}: {c.split(':')[1]}" for c in captures.split(", "))
    return f"""func.func @rows(%s: tensor<1x1x1x?xf32>, {names}) -> tensor<1x1x1x?xf32> {{
  %o = posenc.score_mod s(%s : tensor<1x1x1x?xf32>) with({captures}) score(%x, %b, %h, %r, %j) {{
{body}
  }}
  return %o : tensor<1x1x1x?xf32>
}}
"""


def by_host(opt: str, name: str, xs: Sequence) -> List[int]:
    """The rows as the constants that they fold to."""
    lines, total = [], "%x"
    for i, x in enumerate(xs):
        inputs = x if isinstance(x, tuple) else (x,)
        for n, value in enumerate(inputs):
            lines.append(f"%x{i}_{n} = arith.constant {value} : index")
        lines.append(f"%r{i} = posenc.row #posenc.{name}({', '.join(f'%x{i}_{n}' for n in range(len(inputs)))})")
        lines.append(f"%e{i} = posenc.lookup %t[%r{i}] else 0.0 : tensor<?xf32>")
        lines.append(f"%s{i} = arith.addf {total}, %e{i} : f32")
        total = f"%s{i}"
    text = module("\n".join([*lines, f"posenc.yield {total} : f32"]), "%t : tensor<?xf32>")
    out = subprocess.run([opt, "--canonicalize"], input=text, capture_output=True, text=True, check=True).stdout
    constants = dict(re.findall(r"(%\S+) = arith.constant (-?\d+) : index", out))
    return [int(constants[index]) for index in re.findall(r"posenc.lookup %\w+\[(%[^\]]+)\]", out)]


def by_code(run: str, name: str, xs: Sequence) -> List[int]:
    """The rows as the emitted code computes them."""
    array = np.array(xs, np.int64).reshape(len(xs), -1)
    lines = [f"%c{n} = arith.constant {n} : index\n%x{n} = posenc.lookup %xs[%j, %c{n}] : tensor<?x?xi64>"
             for n in range(array.shape[1])]
    lines.append(f"%row = posenc.row #posenc.{name}({', '.join(f'%x{n}' for n in range(array.shape[1]))})")
    lines.append("%i = arith.index_cast %row : index to i64\n%f = arith.sitofp %i : i64 to f32\nposenc.yield %f : f32")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "rows.mlir").write_text(module("\n".join(lines), "%xs : tensor<?x?xi64>"))
        np.save(path / "xs.npy", array)
        subprocess.run([run, path / "rows.mlir", "--function=rows", "--target=reference",
                        f"--input=1x1x1x{len(xs)}xf32", f"--input=@{path}/xs.npy", f"--output=@{path}/out.npy"],
                       check=True, stdout=subprocess.DEVNULL)
        return np.load(path / "out.npy").reshape(-1).astype(int).tolist()


def main() -> int:
    opt, run = sys.argv[1:]
    bad = 0

    def compare(name: str, how: str, xs: Sequence, rows: List[int], expected: List[int]) -> None:
        nonlocal bad
        wrong = [(x, got, row) for x, got, row in zip(xs, rows, expected) if got != row]
        if wrong or len(rows) != len(expected):
            bad += 1
            print(f"{name} by {how}: x, row, expected: {wrong[:10]}")

    for name, rows in GOLDEN:
        compare(name, "the host", list(rows), by_host(opt, name, list(rows)), list(rows.values()))
        compare(name, "its code", list(rows), by_code(run, name, list(rows)), list(rows.values()))
    for name in AGREE:
        compare(name, "its code and the host", places(), by_code(run, name, places()), by_host(opt, name, places()))
    print(f"{len(GOLDEN)} maps of known rows, {len(AGREE)} compared, {bad} wrong")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
