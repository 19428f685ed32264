"""The ops of a schedule on random data, against their formulas.

    check.py POSENC_OPT POSENC_RUN PASS [--by-block]     PASS takes the ops to loops: posenc-tile-to-loops, ...

A lowering may decide by block which pairs are near: --by-block leaves out the trials whose near and far terms disagree.

Every trial is a function of one op or a few, run by posenc-run, and the formula of the dialect's page in float64. What
is written is not as the op finds it: it holds other numbers before.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from preparations import preparations
from program import check
from sweeps import sweeps


def main() -> int:
    opt, run, lowering = sys.argv[1:4]
    programs = [*preparations(), *sweeps(by_block="--by-block" in sys.argv)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        reports = list(pool.map(lambda p: check(p, opt, run, lowering), programs))
    for program, report in zip(programs, reports):
        if report:
            print(f"{program.title}: {report}")
    print(f"{len(programs)} trials, {sum(map(bool, reports))} wrong")
    return any(reports)


if __name__ == "__main__":
    sys.exit(main())
