#!/usr/bin/env python3
"""Takes each example apart and together again.

    unfused.py FOLDER --opt=posenc-opt

The passes posenc-unfuse, posenc-fuse-attention and posenc-fuse-rotation give back what was there, up to canonicalize and
cse; examples on memrefs, which the separate ops cannot say, stay, with a remark.
"""
import pathlib
import re
import subprocess
import sys
from typing import Tuple

APART = ["--posenc-unfuse", "--remarks-filter=posenc", "--remark-format=emitRemark"]
TOGETHER = ["--posenc-fuse-bias", "--posenc-fuse-relative-gather", "--posenc-fuse-attention", "--posenc-fuse-rotation"]
SIMPLIFY = ["--canonicalize", "--cse"]


def opt(tool: str, text: str, *options: str) -> Tuple[str, str]:
    done = subprocess.run([tool, "-", *options], input=text, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr)
    return done.stdout, done.stderr


def main() -> int:
    folder, tool = sys.argv[1], sys.argv[2].split("=", 1)[1]
    same = failed = left = 0
    for path in sorted(pathlib.Path(folder).glob("*.mlir")):
        text = path.read_text()
        if not re.search(r"^\s*(%.* = )?posenc\.attention", text, re.M):
            continue
        before, _ = opt(tool, text, *SIMPLIFY)
        apart, remarks = opt(tool, text, *APART)
        after, _ = opt(tool, apart, *TOGETHER, *SIMPLIFY)
        if "[Missed]" in remarks:
            left += 1
            print(f"{path.stem}: {remarks[remarks.index('[Missed]'):].strip()}")
        elif re.search(r"\bposenc\.attention q", apart):
            failed += 1
            print(f"{path.stem}: stays without a remark")
        if before == after:
            same += 1
        else:
            failed += 1
            print(f"{path.stem}: became\n{after}\nwhere it was\n{before}")
    print(f"{same} of {same + failed} examples are the same, {left} of them never apart")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
