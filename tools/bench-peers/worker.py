"""Times one library's ways of one case against our kernel: worker.py JOB.json RESULTS.jsonl

A process of its own for each keeps the libraries' thread pools and memory apart. A sample is our
kernel, then the way, each after a pause in which the other's threads fall asleep; the ratio is the
median of the samples'.
"""

import ctypes
import gc
import importlib
import json
import os
import statistics
import sys
import time

PAUSE = 0.03
# A sample lasts at least so long, all samples of a way at most about so long, but there are three.
SAMPLE_SECONDS, WAY_SECONDS, LEAST_SAMPLES = 0.02, 20.0, 3


def pick_cores(threads: int):
    """The last cores of the machine, one hardware thread of each."""
    first_of_core = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") as file:
                core = file.read()
        except OSError:
            core = cpu
        first_of_core.setdefault(core, cpu)
    if len(first_of_core) < threads:
        raise NotImplementedError(f"{len(first_of_core)} cores for {threads} threads")
    return list(first_of_core.values())[-threads:]


def resident(field: str) -> float:
    """VmRSS, or its peak VmHWM, in MiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(field))


class Growth:
    """How much the resident memory grows, at most, until it is asked, in MiB."""

    def __init__(self):
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        self.before = resident("VmRSS")

    def peak(self) -> float:
        return max(0.0, resident("VmHWM") - self.before)


def seconds(call, times: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def repeats(duration: float) -> int:
    return max(1, round(SAMPLE_SECONDS / duration))


def measure(module, name: str, case, operands: dict, kernel, reference, samples: int) -> dict:
    set_up = Growth()
    start = time.perf_counter()
    way = module.Way(name, case, operands)
    result = way()
    first = time.perf_counter() - start
    error = reference.check(way.to_numpy(result))
    del result
    growth = set_up if way.keeps_buffers else Growth()
    duration = seconds(way)
    memory = growth.peak()
    samples = min(samples, max(LEAST_SAMPLES, int(WAY_SECONDS / duration)))
    our_repeats, repeats_of_way = repeats(seconds(kernel)), repeats(duration)
    taken = []
    for _ in range(samples):
        time.sleep(PAUSE)
        ours = seconds(kernel, our_repeats)
        time.sleep(PAUSE)
        taken.append((ours, seconds(way, repeats_of_way)))
    return {
        "error": error,
        "compile_s": max(0.0, first - duration),
        "memory_mib": memory,
        "samples": taken,
        "ratio": statistics.median(peer / ours for ours, peer in taken),
    }


def main() -> int:
    with open(sys.argv[1]) as file:
        job = json.load(file)
    output = open(sys.argv[2], "w")

    def report(**line):
        output.write(json.dumps(line) + "\n")
        output.flush()

    # Libraries count the cores when they are loaded.
    try:
        os.sched_setaffinity(0, pick_cores(job["case"]["threads"]))
        module = importlib.import_module("peer_" + job["peer"])
    except (NotImplementedError, ImportError, OSError) as error:
        report(missing=str(error).splitlines()[0])
        return 0
    from cases import Case, Reference, WrongResult, operands
    from ours import Kernel

    case = Case(**job["case"])
    x = operands(case)
    reference = Reference(case, x)
    kernel = Kernel(job["kernel"], x, case.dtype)
    growth = Growth()
    kernel()
    memory = growth.peak()
    try:
        report(
            ours={"error": reference.check(kernel.to_numpy()), "memory_mib": memory},
            version=module.VERSION,
        )
    except WrongResult as error:
        report(ours={"wrong": str(error)}, version=module.VERSION)
        return 0
    for name in job["ways"]:
        try:
            report(way=name, **measure(module, name, case, x, kernel, reference, job["samples"]))
        except NotImplementedError as error:
            report(way=name, missing=str(error))
        except WrongResult as error:
            report(way=name, failed=str(error))
        except Exception as error:  # whatever a library throws
            report(way=name, failed=f"{type(error).__name__}: {error}".splitlines()[0])
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Some libraries crash when they are unloaded.
    os._exit(status)
