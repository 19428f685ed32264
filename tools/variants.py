#!/usr/bin/env python3
"""Prints dialects/PosEnc/Variants.md: a row for each example program, from its comment and from what passes say of it.

    variants.py POSENC_OPT
"""
import glob
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import List

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
EXAMPLES = os.path.join(ROOT, "test", "examples")

INTRODUCTION = """# Variants

One row for each program of [test/examples](../../test/examples), where the operands are described, too.

- **Formula**: the score of query row r and key j of batch b and head h.
- **Models**: released ones whose attention, or that of some layers, has this formula.
- **Extents**: over what the values vary that the region reads or computes from tables, as `posenc-print-extents` says:
  `uniform` (batch and head at most), `row` (query), `key`, `lag` (the distance j - r alone, and the interval in which it
  varies), `pair`; `keep` is the condition.
- **Cost** on the fused road, beside that of plain attention, as `posenc-tile-attention` says. Vectors are by row, by key or by
  distance: an addition per pair.

Absolute positions need no op: sinusoids or rows of a table are added to the tokens before the projections.
[sinusoidal.mlir](../../test/e2e/absolute/sinusoidal.mlir) has the three layouts of sinusoids and a whole layer, from tokens
to heads and back; [learned.mlir](../../test/e2e/absolute/learned.mlir) has the rows that models take.

`tools/docs.sh` writes this page with posenc-opt, and a test compares it.

| Variant | Formula | Source | Models | Extents | Cost |
|---|---|---|---|---|---|
"""


def run(tool: str, path: str, *options: str) -> str:
    done = subprocess.run([tool, path, *options, "-o", os.devnull], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


def paragraphs(text: str) -> List[List[str]]:
    """Those of the comment that begins a file, as lines without slashes."""
    comment = re.match(r"(//.*\n)+", text).group()
    lines = [re.sub(r"^// ?", "", line) for line in comment.splitlines()]
    found = [[]]
    for line in lines:
        if line:
            found[-1].append(line)
        else:
            found.append([])
    return [p for p in found if p]


def cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def formula(description: List[List[str]]) -> str:
    """The lines of the score: indented, up to those of the result."""
    for paragraph in description:
        if paragraph[0].startswith("  ") and not paragraph[0].lstrip().startswith("%"):
            lines: List[str] = []
            for line in paragraph:
                if re.match(r"  (o|lse)\b.*=", line):
                    if lines:
                        break
                    continue
                lines.append(line)
            return "<br>".join(f"`{cell(line)}`" for line in lines)
    return ""


def source(description: List[List[str]]) -> str:
    """The last paragraph but one, links made short; not that of the operands."""
    if description[-2][0].startswith("  "):
        return "-"
    text = cell(" ".join(description[-2]))
    return re.sub(r"(https?://(?:www\.)?([^\s/]+)\S*[^\s.,;)])", r"[\2](\1)", text)


def models(path: str, description: List[List[str]]) -> str:
    """The last paragraph."""
    text = cell(" ".join(description[-1]))
    if not text.startswith("Models: "):
        sys.exit(f"{path}: error: the comment does not end with the models that use it")
    return text[len("Models: "):].rstrip(".")


def extents(report: str, has_condition: bool) -> str:
    """Of the ops that read or compute from tables, and of the condition."""
    found: List[str] = []
    for name, kind, rest in re.findall(r"= posenc\.(lookup|dot|mlp|row_scan): (\w+) \{[^}]*\}(.*)", report):
        interval = re.search(r"varying (\[[^\]]*\])", rest)
        what = f"`{name}` {kind}" + (f" {interval.group(1)}" if interval and kind == "lag" else "")
        if what not in found:
            found.append(what)
    conditions = re.findall(r": (\w+) \{[^}]*\}.*truth", report)
    if conditions and has_condition:  # the last is that of the pair
        found.append(f"keep {conditions[-1]}")
    return ", ".join(found) or "-"


def cost(remarks: str) -> str:
    found: List[str] = []
    for remark in re.findall(r'\] (?!fuse-)[^|]*\|[^\n]*Remark="([^"]*)"', remarks):
        if remark not in found:
            found.append(remark)
    return cell("; ".join(found)) or "vectors"


def row(tool: str, path: str) -> str:
    name = os.path.basename(path)[:-len(".mlir")]
    with open(path) as file:
        text = file.read()
    description = paragraphs(text)
    summary = cell(re.split(r"(?<=[a-z0-9)])[.:;] ", " ".join(description[0]) + " ")[0].rstrip(". "))
    report = run(tool, path, "--posenc-print-extents")
    remarks = run(tool, path, "--posenc-to-llvm", "--remarks-filter=posenc", "--remark-format=emitRemark")
    cells = [f"[{name}](../../test/examples/{name}.mlir): {summary}", formula(description), source(description),
             models(path, description), extents(report, " keep %" in text), cost(remarks)]
    return "| " + " | ".join(cells) + " |"


def main(tool: str) -> None:
    paths = sorted(glob.glob(os.path.join(EXAMPLES, "*.mlir")))
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda path: row(tool, path), paths))
    print(INTRODUCTION + "\n".join(rows))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
