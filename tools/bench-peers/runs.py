"""Compiles the kernels and runs a worker for each case and peer."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field

import environment
from cases import Case
from ours import compile_example

WAYS = {
    "torch": ["sdpa", "compiled sdpa", "compiled naive", "flex_attention"],
    "onnxruntime": ["MultiHeadAttention", "Attention", "separate ops"],
    "openvino": ["sdpa"],
    "jax": ["dot_product_attention", "naive"],
}
WORKER_SECONDS = 1800
HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Results:
    """`ours` by case, a list of what each worker said, and `ways` by case, peer and way."""

    load: float
    compile_seconds: dict = field(default_factory=dict)
    ours: dict = field(default_factory=dict)
    ways: dict = field(default_factory=dict)
    versions: dict = field(default_factory=dict)


def worker(case: Case, peer: str, kernel: str, samples: int, folder: str):
    """The lines that a worker writes, and how it ended if not well."""
    job, output = os.path.join(folder, "job.json"), os.path.join(folder, "results.jsonl")
    with open(job, "w") as file:
        json.dump(
            {
                "case": asdict(case),
                "peer": peer,
                "ways": WAYS[peer],
                "kernel": kernel,
                "samples": samples,
            },
            file,
        )
    with open(output, "w"):
        pass
    # A cache would hide what a first call costs. Threads of OpenMP sleep when they have no work.
    variables = {
        "OMP_NUM_THREADS": str(case.threads),
        "KMP_BLOCKTIME": "0",
        "JAX_PLATFORMS": "cpu",
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor"),
    }
    problem = ""
    try:
        run = subprocess.run(
            [sys.executable, os.path.join(HERE, "worker.py"), job, output],
            capture_output=True,
            text=True,
            env={**os.environ, **variables},
            timeout=WORKER_SECONDS,
        )
        if run.returncode:
            last = (run.stderr.strip() or "no message").splitlines()[-1]
            problem = f"the process ended with {run.returncode}: {last}"
    except subprocess.TimeoutExpired:
        problem = f"stopped after {WORKER_SECONDS} s"
    with open(output) as file:
        return [json.loads(line) for line in file], problem


def run_peer(
    case: Case, peer: str, kernel: str, samples: int, folder: str, results: Results
) -> None:
    lines, problem = worker(case, peer, kernel, samples, folder)
    said = {}
    for line in lines:
        if "ours" in line:
            results.ours.setdefault(case, []).append(line["ours"])
            results.versions[peer] = line["version"]
            if "wrong" in line["ours"]:
                problem = "posenc: " + line["ours"]["wrong"]
        elif "missing" in line and "way" not in line:
            said = {way: {"missing": line["missing"]} for way in WAYS[peer]}
        else:
            said[line["way"]] = line
    for way in WAYS[peer]:
        results.ways[case, peer, way] = said.get(way, {"failed": problem})


def run(tool: str, arguments, results: Results) -> None:
    grid = itertools.product(
        arguments.dtypes, arguments.sizes, arguments.threads, arguments.variants
    )
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as folder:
        kernels = {}
        for dtype, size, threads, variant in grid:
            case = Case(variant, dtype, size, threads)
            print(f"bench-peers: {case}", file=sys.stderr, flush=True)
            if (variant, dtype) not in kernels:
                kernels[variant, dtype] = compile_example(tool, variant, dtype, folder)
            kernel, results.compile_seconds[case] = kernels[variant, dtype]
            for peer in arguments.peers:
                if environment.is_there(environment.PACKAGES[peer]):
                    run_peer(case, peer, kernel, arguments.samples, folder, results)
                else:
                    results.ways.update(
                        {(case, peer, way): {"missing": "not installed"} for way in WAYS[peer]}
                    )
