#!/usr/bin/env python3
"""targets.py POSENC_RUN ARGUMENTS...: runs posenc-run with these arguments once for each target; fails if any run does."""
import subprocess
import sys

TARGETS = ("reference", "loops", "cpu")

failed = False
for target in TARGETS:
    run = subprocess.run([*sys.argv[1:], f"--target={target}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode != 0:
        print(f"--target={target}: exit status {run.returncode}\n{run.stdout}")
        failed = True
sys.exit(failed)
