"""Runs the examples of the generated pages.

    examples.py ops POSENC_OPT PosEncOps.md    every example of an op parses and verifies
    examples.py passes POSENC_OPT Passes.md    what a pass makes of its "Before" is its "After"
"""

import pathlib
import re
import subprocess
import sys
from typing import Iterator, List, Tuple

# An example of an op of a score region is some of the region's lines: they are read inside this program.
REGION = """
func.func @example(%x: tensor<2x8x128x64xf32>, %table: tensor<32x8xf32>, %window: tensor<9x8xf32>,
                   %q: tensor<2x8x128x64xf32>, %rel: tensor<33x64xf32>, %w1: tensor<32x2xf32>, %b1: tensor<32xf32>,
                   %w2: tensor<8x32xf32>) -> tensor<2x8x128x64xf32> {
  %o = posenc.attention q(%x : tensor<2x8x128x64xf32>) k(%x : tensor<2x8x128x64xf32>) v(%x : tensor<2x8x128x64xf32>)
      value_tables(%rel : tensor<33x64xf32>)
      with(%table : tensor<32x8xf32>, %window : tensor<9x8xf32>, %q : tensor<2x8x128x64xf32>,
           %rel : tensor<33x64xf32>, %w1 : tensor<32x2xf32>, %b1 : tensor<32xf32>, %w2 : tensor<8x32xf32>)
      score(%score, %b, %h, %r, %j) {
    %delta = arith.subi %j, %r : index
    %row = posenc.row #posenc.clip<-16, 16>(%delta)
    %visible = arith.cmpi sle, %j, %r : index
    BODY
  } -> tensor<2x8x128x64xf32>
  return %o : tensor<2x8x128x64xf32>
}
"""

# An example of an op of a schedule is a line of the schedule: it is read inside this program.
SCHEDULE = """
func.func @example(
    %table: memref<32x8xf32>, %q: memref<2x8x128x64xf32>, %k: memref<2x8x128x64xf32>, %v: memref<?x64xf32>,
    %u: memref<8x64xf32>, %cos: memref<?x32xf32>, %sin: memref<?x32xf32>, %qp: memref<48x64xf32>,
    %qu: memref<48x64xf32>, %kp: memref<?x64x64xf32>, %tp: memref<1x64x64xf32>, %t: memref<48x33xf32>,
    %s: memref<512x64xf32>, %tile: memref<48x64xf32>, %e: memref<48x?xf32>, %numbers: memref<?xindex>,
    %distances: memref<?xindex>, %bias: memref<?xf32>, %m: memref<48xf32>, %l: memref<48xf32>, %o: memref<48x64xf32>,
    %ms: memref<?x48xf32>, %ls: memref<?x48xf32>, %os: memref<?x48x64xf32>, %out: memref<?x64xf32>, %sink: f32,
    %b: index, %h: index, %i0: index, %i1: index, %zero: index, %n: index, %lo: index, %hi: index, %dlo: index,
    %from: index, %past: index, %first: index) {
  BODY
  return
}
"""


def examples(page: str) -> Iterator[Tuple[str, str]]:
    """The op or pass, and the text, of each block of MLIR."""
    for section in re.split(r"^### ", page, flags=re.M)[1:]:
        name = section.split()[0].strip("`")
        for block in re.findall(r"^ *```mlir\n(.*?)^ *```", section, re.M | re.S):
            yield name, block


def opt(tool: str, text: str, *options: str) -> str:
    run = subprocess.run([tool, *options], input=text, capture_output=True, text=True)
    if run.returncode:
        raise ValueError(run.stderr or f"exit status {run.returncode}")
    return run.stdout


def check_op(tool: str, name: str, text: str) -> None:
    if "func.func" in text:
        pass
    elif name.startswith("posenc_tile."):
        text = SCHEDULE.replace("BODY", text)
    else:
        row = "" if "%c = " in text else "%c = arith.addi %row, %j : index\n"
        end = "" if "posenc.yield" in text else "posenc.yield %score : f32 value_rows(%row)"
        text = REGION.replace("BODY", row + text + end)
    if name not in opt(tool, text, "--verify-roundtrip"):
        raise ValueError(f"the example does not hold {name}")


def check_pass(tool: str, name: str, text: str) -> None:
    before, after = text.split("// After\n")
    options = re.search("// Before, with (.*)", before)
    name += f"={options[1]}" if options else ""
    simplify: List[str] = ["--canonicalize", "--cse"]
    got = opt(tool, opt(tool, before, name), *simplify)
    expected = opt(tool, after, *simplify)
    if got != expected:
        raise ValueError(f"the pass gives\n{got}\nwhere the example says\n{expected}")


def main() -> int:
    kind, tool, page = sys.argv[1:]
    check = {"ops": check_op, "passes": check_pass}[kind]
    text_of_page = pathlib.Path(page).read_text()
    prefix = {"ops": ("`posenc.", "`posenc_tile."), "passes": "`-posenc-"}[kind]
    missing = {name.strip("`") for name in re.findall(r"^### (\S+)", text_of_page, re.M) if name.startswith(prefix)}
    names = []
    for name, text in examples(text_of_page):
        try:
            check(tool, name, text)
        except ValueError as error:
            print(f"{page}: {name}: {error}\n{text}")
            return 1
        names.append(name)
        missing.discard(name)
    if missing:
        print(f"{page}: no example of {', '.join(sorted(missing))}")
        return 1
    print(f"{len(names)} examples of {len(set(names))} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
