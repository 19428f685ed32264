#!/usr/bin/env python3
"""Takes each example apart and together again.

    unfused.py FOLDER --opt=posenc-opt

The fuse passes give back what posenc-unfuse took apart, up to canonicalize and cse. Examples that the separate ops cannot
say stay, with a remark.
"""
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Optional, Tuple

APART = ["--posenc-unfuse", "--remarks-filter=posenc", "--remark-format=emitRemark"]
TOGETHER = ["--posenc-fuse-bias", "--posenc-fuse-relative-gather", "--posenc-fuse-attention", "--posenc-fuse-rotation"]
SIMPLIFY = ["--canonicalize", "--cse"]


def opt(tool: str, text: str, *options: str) -> Tuple[str, str]:
    done = subprocess.run([tool, "-", *options], input=text, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr)
    return done.stdout, done.stderr


def try_example(tool: str, text: str) -> Tuple[Optional[str], Optional[str]]:
    """What went wrong, and why the example stayed; or None."""
    before, _ = opt(tool, text, *SIMPLIFY)
    apart, remarks = opt(tool, text, *APART)
    after, _ = opt(tool, apart, *TOGETHER, *SIMPLIFY)
    left = re.search(r'\[Missed\].*Remark="([^"]*)"', remarks)
    if not left and re.search(r"\bposenc\.attention q", apart):
        return "stays without a remark", None
    if before != after:
        return f"became\n{after}\nwhere it was\n{before}", None
    return None, left and left[1]


def main() -> int:
    folder, tool = sys.argv[1], sys.argv[2].split("=", 1)[1]
    texts = {path.stem: path.read_text() for path in sorted(pathlib.Path(folder).glob("*.mlir"))}
    texts = {name: text for name, text in texts.items() if re.search(r"^\s*(%.* = )?posenc\.attention", text, re.M)}
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda text: try_example(tool, text), texts.values()))
    for name, (wrong, left) in zip(texts, outcomes):
        if wrong or left:
            print(f"{name}: {wrong or left}")
    failed = sum(wrong is not None for wrong, _ in outcomes)
    left = sum(left is not None for _, left in outcomes)
    print(f"{len(texts) - failed} of {len(texts)} examples are the same, {left} of them never apart")
    return 1 if failed or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
