"""The virtual environment with the peers: made on first use, and entered by a restart."""

import importlib.util
import os
import subprocess
import sys

BASE = ["numpy", "ml_dtypes", "matplotlib"]
PACKAGES = {
    "torch": ["torch"],
    "onnxruntime": ["onnxruntime", "onnx"],
    "openvino": ["openvino"],
    "jax": ["jax"],
}


def install(python: str, packages) -> str:
    """What is wrong, or nothing."""
    print(f"bench-peers: installing {', '.join(packages)}", file=sys.stderr, flush=True)
    run = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = (
        [line for line in run.stdout.splitlines() if "ERROR" in line]
        or run.stdout.splitlines()
        or ["pip failed"]
    )
    return lines[-1] if run.returncode else ""


def make(folder: str) -> None:
    python = os.path.join(folder, "bin", "python")
    if importlib.util.find_spec("ensurepip") is None:
        raise SystemExit(
            "bench-peers: this Python makes no virtual environments: apt-get install python3-venv"
        )
    run = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", folder], capture_output=True, text=True
    )
    problem = (
        run.returncode and f"no virtual environment: {' '.join((run.stdout + run.stderr).split())}"
    )
    problem = problem or install(python, BASE)
    if problem:
        raise SystemExit(f"bench-peers: {problem}")
    with open(os.path.join(folder, "complete"), "w"):
        pass


def is_there(packages) -> bool:
    return all(importlib.util.find_spec(name) for name in packages)


def enter(folder: str, peers) -> None:
    """Returns inside of the environment, with those of these peers that can be installed."""
    if os.path.realpath(sys.prefix) != os.path.realpath(folder):
        if not os.path.exists(os.path.join(folder, "complete")):
            make(folder)
        python = os.path.join(folder, "bin", "python")
        os.execv(python, [python, *sys.argv])
    for peer in peers:
        if not is_there(PACKAGES[peer]):
            problem = install(sys.executable, PACKAGES[peer])
            if problem:
                print(f"bench-peers: without {peer}: {problem}", file=sys.stderr)
    importlib.invalidate_caches()
