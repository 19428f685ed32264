#!/usr/bin/env python3
"""Compares the kernels that posenc-compile writes with what people use for attention on CPUs today.

    tools/bench-peers.py                                     # the table and the plot of the README
    tools/bench-peers.py --variants plain,shaw-k --sizes 512 --peers torch,jax
    tools/bench-peers.py --all                               # the whole grid: hours

It installs PyTorch, onnxruntime, OpenVINO and JAX from PyPI into an environment of its own,
build/bench-peers/venv, and leaves out what cannot be installed. The forward pass of one batch, 8
heads of 64 channels, as many queries as keys, is timed by turns with each peer in one process, and
every result is first compared with NumPy's in float64. The table, the plot and all samples are in
--output.
"""

import argparse
import glob
import os
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools", "bench-peers"))
import environment  # noqa: E402

VARIANTS = [
    "plain",
    "causal-bottom-right",
    "alibi-causal",
    "t5-encoder",
    "shaw-k",
    "shaw-kv",
    "deberta-v2",
    "transformer-xl",
    "rope-half",
    "window-causal",
]
ALL = {"dtypes": ["f32", "bf16"], "sizes": [512, 2048, 4096], "threads": [1, 2]}


def parse():
    def choices(of):
        def split(text):
            values = [type(of[0])(x) for x in text.split(",")]
            for x in values:
                if isinstance(x, str) and x not in of:
                    raise argparse.ArgumentTypeError(f"no '{x}', there are {', '.join(of)}")
                if isinstance(x, int) and x < 1:
                    raise argparse.ArgumentTypeError(f"{x} is not positive")
            return values

        return split

    def option(name, of, default, text):
        parser.add_argument(name, type=choices(of), default=default, metavar="A,B", help=text)

    peers = list(environment.PACKAGES)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    option(
        "--variants", VARIANTS, VARIANTS, "names of test/examples, default: " + ", ".join(VARIANTS)
    )
    option("--dtypes", ALL["dtypes"], ["f32"], "f32 (default), bf16")
    option("--sizes", ALL["sizes"], [2048], "queries and keys, default: 2048")
    option("--threads", ALL["threads"], [1], "cores, default: 1")
    option("--peers", peers, peers, "default: " + ", ".join(peers))
    parser.add_argument(
        "--samples",
        type=int,
        default=5,
        help="of each pair, default: 5; at least 3 where they are slow",
    )
    parser.add_argument("--all", action="store_true", help="all types, sizes and threads")
    parser.add_argument(
        "--output",
        default=os.path.join(ROOT, "build", "bench-peers", "results"),
        help="the folder of results, default: build/bench-peers/results",
    )
    arguments = parser.parse_args()
    if arguments.samples < 1:
        parser.error("--samples is at least 1")
    if arguments.all:
        vars(arguments).update(ALL)
    return arguments


def find_tool() -> str:
    folders = glob.glob(os.path.join(ROOT, "build*", "bin"))
    tool = shutil.which("posenc-compile") or shutil.which(
        "posenc-compile", path=os.pathsep.join(folders)
    )
    if not tool:
        raise SystemExit(
            "bench-peers: no posenc-compile: build it (tools/demo.sh does), or have it in PATH"
        )
    return tool


def main() -> int:
    arguments = parse()
    tool = find_tool()
    environment.enter(os.path.join(ROOT, "build", "bench-peers", "venv"), arguments.peers)
    import plot
    import report
    import runs

    os.makedirs(arguments.output, exist_ok=True)
    results = runs.Results(os.getloadavg()[0])
    try:
        runs.run(tool, arguments, results)
    finally:
        if results.ways:
            table = report.Table(results)
            print(report.write(table, arguments.output))
            plot.draw(table, os.path.join(arguments.output, "ratios.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
