"""What is written of the results: a table, and files of all numbers."""

import csv
import os
import platform
import statistics
from dataclasses import asdict

SHORT = {"flex_attention": "flex", "dot_product_attention": "dpa", "MultiHeadAttention": "MHA"}
INSTRUCTIONS = {"avx2": "AVX2", "avx512f": "AVX-512", "avx512_bf16": "AVX-512 BF16"}
INSTRUCTIONS.update(amx_bf16="AMX", asimd="NEON", bf16="BF16")
LEGEND = """\
posenc and the best peer, side by side: median time, growth of memory, time to compile (of a peer:
how much longer its first call takes). The rest: a peer's time as a multiple of posenc's."""


def machine() -> str:
    """The CPU, those of its instructions that matter, and its cores."""
    about = {}
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            pairs = (line.split(":", 1) for line in file if ":" in line)
            about = {key.strip(): value.strip() for key, value in pairs}
    flags = about.get("flags", about.get("Features", "")).split()
    has = [name for flag, name in INSTRUCTIONS.items() if flag in flags]
    cores = f"{len(os.sched_getaffinity(0))} cores"
    return ", ".join([about.get("model name", platform.machine()), *has, cores])


def name(key) -> str:
    peer, way = key
    return f"{peer} {SHORT.get(way, way)}"


def median_of(said: dict, column: int) -> float:
    return statistics.median(sample[column] for sample in said["samples"])


def describe(seconds: float, memory: float, compile_seconds: float) -> str:
    digits = ".3g" if seconds < 1 else ".0f"
    return f"{seconds * 1e3:{digits}} ms, {memory:.0f} MiB, {compile_seconds:.1f} s"


class Table:
    """A row for each case, a column for each way that has a time in some row."""

    def __init__(self, results):
        self.results = results
        self.cases = list(dict.fromkeys(case for case, _, _ in results.ways))
        keys = dict.fromkeys((peer, way) for _, peer, way in results.ways)
        told = lambda key: any(
            self.said(case, key).keys() & {"samples", "failed"} for case in self.cases
        )
        self.columns = [key for key in keys if told(key)]

    def said(self, case, key) -> dict:
        return self.results.ways.get((case, *key), {"missing": "not timed"})

    def timed(self, case) -> dict:
        said = {key: self.said(case, key) for key in self.columns}
        return {key: x for key, x in said.items() if "samples" in x}

    def best(self, case):
        timed = self.timed(case)
        return min(timed, key=lambda key: timed[key]["ratio"], default=None)

    def varies(self, setting: str) -> bool:
        return len({getattr(case, setting) for case in self.cases}) > 1

    def ours(self, case) -> str:
        told = self.results.ours.get(case, [])
        if any("wrong" in x for x in told):
            return "wrong"
        best = self.best(case)
        if not best:
            return "–"
        memory = max(x["memory_mib"] for x in told)
        seconds = median_of(self.said(case, best), 0)
        return describe(seconds, memory, self.results.compile_seconds[case])

    def best_cell(self, case) -> str:
        key = self.best(case)
        if not key:
            return "–"
        said = self.said(case, key)
        return f"{name(key)}: {describe(median_of(said, 1), said['memory_mib'], said['compile_s'])}"

    def cell(self, case, key) -> str:
        said = self.said(case, key)
        if "samples" not in said:
            return "failed" if "failed" in said else "–"
        text = f"{said['ratio']:.2f}"
        return f"**{text}**" if key == self.best(case) else text

    def markdown(self) -> str:
        settings = [x for x in ("dtype", "size", "threads") if self.varies(x)]
        head = ["variant", *settings, "posenc", "best peer", *map(name, self.columns)]
        rows = [head, ["---"] * len(head)]
        for case in self.cases:
            about = [case.variant, *(str(getattr(case, x)) for x in settings)]
            cells = [self.cell(case, key) for key in self.columns]
            rows.append([*about, self.ours(case), self.best_cell(case), *cells])
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)

    def where(self, cases) -> str:
        """What these of the table's cases have in common."""
        parts = []
        for setting in ("variant", "dtype", "size", "threads"):
            some = {str(getattr(case, setting)): None for case in cases}
            others = {str(getattr(case, setting)): None for case in self.cases}
            others = [value for value in others if value not in some]
            if 0 < len(others) < len(some):
                parts.append(f"all but {', '.join(others)}")
            elif others:
                parts.append(", ".join(some))
        return "; ".join(parts) or "all"

    def notes(self) -> str:
        """Why there is no time, a line for each reason."""
        reasons = {}
        for (case, peer, way), said in self.results.ways.items():
            reason = said.get("missing") or "failed" in said and f"failed: {said['failed']}"
            if reason:
                reasons.setdefault(reason, {}).setdefault(name((peer, way)), []).append(case)
        lines = []
        for reason, cases_of in reasons.items():
            # Ways that lack the same are named together.
            who = {}
            for way, cases in cases_of.items():
                who.setdefault(self.where(cases), []).append(way)
            lines += [f"- {where}: {', '.join(ways)}: {reason}" for where, ways in who.items()]
        return "\n".join(lines)

    def caption(self) -> str:
        case, load = self.cases[0], self.results.load
        settings = [x for x in ("dtype", "size", "threads") if not self.varies(x)]
        shown = {
            "dtype": case.dtype,
            "size": f"{case.size} tokens",
            "threads": f"threads: {case.threads}",
        }
        versions = ", ".join(" ".join(pair) for pair in self.results.versions.items())
        problem = ", ".join(["8 heads of 64 channels", *(shown[x] for x in settings)])
        return f"{machine()}; load {load:.1f} before the run. {problem}. {versions}.\n{LEGEND}"


def write_numbers(results, folder: str) -> None:
    """samples.csv, and ways.csv with a line of medians for each way."""
    key = ["variant", "dtype", "size", "threads", "peer", "way"]
    numbers = ["ratio", "memory_mib", "compile_s", "error"]
    with open(os.path.join(folder, "samples.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*key, "posenc_s", "peer_s"])
        for (case, *way), said in results.ways.items():
            about = [*asdict(case).values(), *way]
            writer.writerows([*about, *sample] for sample in said.get("samples", []))
    with open(os.path.join(folder, "ways.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*key, "posenc_s", "peer_s", *numbers, "why_not"])
        for (case, *way), said in results.ways.items():
            times = [median_of(said, i) for i in (0, 1)] if "samples" in said else ["", ""]
            why_not = said.get("missing", said.get("failed", ""))
            values = [said.get(x, "") for x in numbers]
            writer.writerow([*asdict(case).values(), *way, *times, *values, why_not])


def write(table: Table, folder: str) -> str:
    """Writes all files; the text of table.md."""
    write_numbers(table.results, folder)
    text = "\n\n".join(filter(None, [table.caption(), table.markdown(), table.notes()]))
    with open(os.path.join(folder, "table.md"), "w") as file:
        file.write(text + "\n")
    return text
