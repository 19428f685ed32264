"""run_examples.py MLIR_OPT FOLDER PIPELINE: takes every example of the folder through the pipeline with the command
MLIR_OPT, a stock mlir-opt with the plugin; its output must hold the LLVM dialect alone."""

import pathlib
import re
import shlex
import subprocess
import sys

command, folder = shlex.split(sys.argv[1]), pathlib.Path(sys.argv[2])
command.append(f"--pass-pipeline=builtin.module({sys.argv[3]})")
examples = sorted(folder.glob("*.mlir"))
passed = 0
for example in examples:
    run = subprocess.run([*command, str(example)], capture_output=True, text=True)
    left = sorted(set(re.findall(r"^\s*(?:%[\w:, %]+ = )?\"?(\w+)\.\w", run.stdout, re.M)) - {"llvm"})
    if run.returncode == 0 and not left:
        passed += 1
    else:
        print(f"{example.name}: exit status {run.returncode}, dialects left: {left}\n{run.stderr}")
print(f"{passed} of {len(examples)} examples")
sys.exit(passed != len(examples))
