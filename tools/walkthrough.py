#!/usr/bin/env python3
"""Prints passes/Walkthrough.md: an example after each pass.

    walkthrough.py POSENC_OPT
"""
import os
import re
import subprocess
import sys
from typing import List

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "test", "examples"))
from instantiate import instantiate  # noqa: E402

INTRODUCTION = """# Attention with relative keys and values, pass by pass

What `posenc-to-llvm` makes of [shaw-kv](../test/examples/shaw-kv.mlir) (Shaw et al. 2018, arXiv:1803.02155), for 8 heads of
64 channels and a distance clipped to 16. `tools/docs.sh` writes this page with posenc-opt, and a test compares it.
"""

# What to say before the IR, and the passes that lead to it from the IR before.
SCHEDULE = "func.func(posenc-tile-attention{panel=16}),canonicalize,cse"
KERNELS = "posenc-tile-to-cpu{triple=x86_64 cpu=haswell},canonicalize,cse"
STEPS = [
    ("The program", """The score region says what one pair of a query row and a key adds: the product of the query and a row of
`rel`, found by the clipped distance, which is also the row of the value table.""", ""),
    ("posenc-print-extents", "What each value of the region varies over. Everything that follows is decided by this.", None),
    ("one-shot-bufferize", "Tensors become memrefs; the region stays as it is.",
     "one-shot-bufferize{bufferize-function-boundaries}"),
    ("posenc-tile-attention", """The schedule. The relative keys are packed once. Each tile of 48 query rows multiplies them once
(`product`), and reads the products along the distance (`strip`): near the diagonal an element per pair, left and right of it
one number per row. Weights are summed by distance (`buckets`), and meet the value table at the end (`finish`).""",
     SCHEDULE),
    ("posenc-tile-to-cpu", """Vector code, here for AVX2. It is long; this is the product of six query rows and sixteen keys,
which runs for most of the time: two vectors of keys, six numbers of queries, twelve sums.""", KERNELS),
    ("posenc-parallel-to-workers", """Tiles are taken one by one by workers, each with memory of its own. These are the loops
over the items of a wave, heads of a group and tiles, with `openmp`.""", "posenc-parallel-to-workers{openmp}"),
]


def run(tool: str, text: str, *options: str) -> subprocess.CompletedProcess:
    done = subprocess.run([tool, *options], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done


def pipeline(tool: str, text: str, passes: str) -> str:
    return run(tool, text, f"--pass-pipeline=builtin.module({passes})").stdout


def block_of(lines: List[str], start: int) -> List[str]:
    """The lines of the op with a region that begins at a line, without its indentation."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = next(i for i in range(start + 1, len(lines)) if re.match(rf" {{{indent}}}}}", lines[i]))
    return [line[indent:] for line in lines[start:end + 1]]


def innermost_product(text: str) -> str:
    """The first innermost loop that carries a step's sums."""
    lines = text.splitlines()
    loops = [block_of(lines, i) for i, line in enumerate(lines) if "scf.for" in line and "iter_args" in line]
    product = next(loop for loop in loops if sum("vector.fma" in line for line in loop) >= 12
                   and not any("scf.for" in line for line in loop[1:]))
    return "\n".join(product) + "\n"


def workers(text: str) -> str:
    """The last parallel region, without what is in its tiles and what frees the memory."""
    lines = text.splitlines()
    start = max(i for i, line in enumerate(lines) if "omp.parallel" in line)
    block = block_of(lines, start)
    nest = next(i for i, line in enumerate(block) if "omp.loop_nest" in line)
    end = nest + len(block_of(block, nest))
    kept = [line for line in block[end - 2:] if "memref.dealloc" not in line]
    return "\n".join(block[:nest + 1] + [" " * 6 + "..."] + kept) + "\n"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    tool = sys.argv[1]
    text = instantiate("shaw-kv")
    text = text[text.index("!x ="):] if "!x =" in text else text
    print(INTRODUCTION)
    for title, comment, passes in STEPS:
        language, shown = "mlir", text
        if passes is None:
            language, shown = "", run(tool, text, "--posenc-print-extents", "-o", os.devnull).stderr
        elif passes:
            text = shown = pipeline(tool, text, passes)
        if passes == KERNELS:
            shown = innermost_product(text)
        elif passes and "openmp" in passes:
            shown = workers(text)
        print(f"## {title}\n\n{comment}\n\n```{language}\n{shown}```\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
