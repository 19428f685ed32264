"""What is written of the results: a table, a plot, and files of all numbers."""
import csv
import os
import platform
import statistics
from dataclasses import asdict

import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

COLORS = {"torch": "#d95f02", "onnxruntime": "#1b9e77", "openvino": "#7570b3", "jax": "#e7298a"}
MARKERS = "osD^v"
SHORT = {"flex_attention": "flex", "dot_product_attention": "dpa", "MultiHeadAttention": "MHA"}


def machine() -> str:
    """The CPU, what of its instructions matters, and its cores."""
    try:
        with open("/proc/cpuinfo") as file:
            lines = dict(line.split(":", 1) for line in file.read().splitlines() if ":" in line)
    except OSError:
        lines = {}
    about = {key.strip(): value.strip() for key, value in lines.items()}
    flags = set(about.get("flags", about.get("Features", "")).split())
    names = [("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_bf16", "AVX-512 BF16"), ("amx_bf16", "AMX"),
             ("asimd", "NEON"), ("bf16", "BF16")]
    parts = [about.get("model name", platform.machine()), *(name for flag, name in names if flag in flags)]
    return ", ".join([*parts, f"{len(os.sched_getaffinity(0))} cores"])


def median_of(way: dict, column: int) -> float:
    return statistics.median(sample[column] for sample in way["samples"])


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds * 1e3:.0f} ms"


def describe(seconds: float, memory: float, compile_seconds: float) -> str:
    return f"{milliseconds(seconds)}, {memory:.0f} MiB, {compile_seconds:.1f} s"


class Table:
    """The rows of the results, a case each."""

    def __init__(self, results):
        self.results = results
        self.cases = list(dict.fromkeys(case for case, _, _ in results.ways))
        self.columns = [key for key in dict.fromkeys((peer, way) for _, peer, way in results.ways)
                        if any("samples" in way or "failed" in way for way in self.of(*key))]

    def of(self, peer, way):
        return [self.results.ways[case, peer, way] for case in self.cases]

    def timed(self, case) -> dict:
        return {key: way for key in self.columns
                if "samples" in (way := self.results.ways[case, *key])}

    def best(self, case):
        timed = self.timed(case)
        return min(timed, key=lambda key: timed[key]["ratio"], default=None)

    def ours(self, case) -> str:
        samples = [ours for way in self.timed(case).values() for ours, _ in way["samples"]]
        told = self.results.ours.get(case, [])
        if any("wrong" in x for x in told):
            return "wrong"
        if not samples:
            return "–"
        return describe(statistics.median(samples), max(x["memory_mib"] for x in told), told[0]["compile_s"])

    def cell(self, case, key) -> str:
        way = self.results.ways[case, *key]
        if "samples" not in way:
            return "failed" if "failed" in way else "–"
        text = f"{way['ratio']:.2f}"
        return f"**{text}**" if key == self.best(case) else text

    def row(self, case, settings) -> list:
        best = self.best(case)
        text = "–"
        if best:
            way = self.timed(case)[best]
            text = f"{name(best)}: " + describe(median_of(way, 1), way["memory_mib"], way["compile_s"])
        return [case.variant, *(str(getattr(case, x)) for x in settings), self.ours(case), text,
                *(self.cell(case, key) for key in self.columns)]

    def markdown(self) -> str:
        settings = [x for x in ("dtype", "size", "threads") if len({getattr(c, x) for c in self.cases}) > 1]
        rows = [["variant", *settings, "posenc", "best peer", *(name(key) for key in self.columns)]]
        rows += [["---"] * len(rows[0])] + [self.row(case, settings) for case in self.cases]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)

    def notes(self) -> str:
        """Why there is no time, a line for each reason."""
        reasons = {}
        for (case, peer, way), said in self.results.ways.items():
            for kind in ("missing", "failed"):
                if kind in said:
                    reasons.setdefault((name((peer, way)), kind, said[kind]), []).append(case)
        lines = []
        for (who, kind, reason), cases in reasons.items():
            names = list(dict.fromkeys(case.variant for case in cases))
            where = "everywhere" if len(cases) == len(self.cases) else ", ".join(names)
            dtypes = {case.dtype for case in cases}
            if len(dtypes) < len({case.dtype for case in self.cases}):
                where = f"{dtypes.pop()}, {where}" if len(names) < len({c.variant for c in self.cases}) else dtypes.pop()
            lines.append(f"- {who}, {where}: {'failed: ' if kind == 'failed' else ''}{reason}")
        return "\n".join(lines)


def name(key) -> str:
    return f"{key[0]} {SHORT.get(key[1], key[1])}"


def caption(table: Table) -> str:
    case, results = table.cases[0], table.results
    same = [text for field, text in (("dtype", case.dtype), ("size", f"{case.size} queries and keys"),
                                     ("threads", f"{case.threads} thread" + "s" * (case.threads > 1)))
            if len({getattr(c, field) for c in table.cases}) == 1]
    versions = ", ".join(f"{peer} {version}" for peer, version in results.versions.items())
    return (f"{machine()}; load {results.load:.1f} before the run. {', '.join(['8 heads of 64 channels', *same])}. "
            f"{versions}.\nposenc and the best peer: median time, growth of memory, time to compile (of a peer: how much "
            "longer its first call takes). The rest: a peer's time as a multiple of posenc's, median of paired samples.")


def panel(axes, table: Table, cases) -> None:
    for y, case in enumerate(reversed(cases)):
        timed, best = table.timed(case), table.best(case)
        if not best:
            continue
        ratio = timed[best]["ratio"]
        axes.barh(y, ratio - 1, left=1, height=0.62, color=COLORS[best[0]], alpha=0.85)
        axes.annotate(f"{ratio:.2f}", (max(ratio, 1), y), (5, 8), textcoords="offset points", fontsize=8,
                      fontweight="bold", color=COLORS[best[0]])
        for key, way in timed.items():
            siblings = [k for k in table.columns if k[0] == key[0]]
            axes.plot(way["ratio"], y, MARKERS[siblings.index(key)], color=COLORS[key[0]], markersize=5,
                      markeredgecolor="white", markeredgewidth=0.6)
    axes.axvline(1, color="#222222", linewidth=1.2)
    axes.set_yticks(range(len(cases)), [case.variant for case in reversed(cases)])
    axes.set_xscale("log")
    ticks = [t for t in (0.5, 1, 2, 3, 5, 10, 20, 50, 100) if t <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    case = cases[0]
    axes.set_title(f"{case.dtype}, {case.size} tokens, {case.threads} thread" + "s" * (case.threads > 1), fontsize=10)
    axes.set_xlabel("time of the peer / time of posenc (bar: the fastest peer)")


def plot(table: Table, path: str) -> None:
    panels = {}
    for case in table.cases:
        panels.setdefault((case.dtype, case.size, case.threads), []).append(case)
    rows = -(-len(panels) // 2) if len(panels) > 1 else 1
    columns = min(2, len(panels))
    height = 1.6 + 0.34 * max(map(len, panels.values()))
    figure, axes = plt.subplots(rows, columns, figsize=(8 * columns, height * rows + 0.7), squeeze=False,
                                facecolor="white", layout="constrained")
    for slot in axes.flat[len(panels):]:
        slot.remove()
    for slot, cases in zip(axes.flat, panels.values()):
        panel(slot, table, cases)
    marks = [plt.Line2D([], [], linestyle="", color=COLORS[peer], label=name((peer, way)),
                        marker=MARKERS[[k for k in table.columns if k[0] == peer].index((peer, way))])
             for peer, way in table.columns]
    figure.legend(handles=marks, loc="outside lower center", ncols=5, fontsize=8, frameon=False)
    figure.suptitle(machine(), fontsize=9, color="#444444")
    figure.savefig(path, dpi=130)


def write_numbers(results, folder: str) -> None:
    with open(os.path.join(folder, "samples.csv"), "w", newline="") as samples, \
            open(os.path.join(folder, "ways.csv"), "w", newline="") as ways:
        samples, ways = csv.writer(samples), csv.writer(ways)
        key = ["variant", "dtype", "size", "threads", "peer", "way"]
        samples.writerow([*key, "posenc_s", "peer_s"])
        ways.writerow([*key, "ratio", "posenc_s", "peer_s", "memory_mib", "compile_s", "error", "why_not"])
        for (case, peer, way), said in results.ways.items():
            about = [*asdict(case).values(), peer, way]
            samples.writerows([*about, *sample] for sample in said.get("samples", []))
            if "samples" in said:
                ways.writerow([*about, said["ratio"], median_of(said, 0), median_of(said, 1), said["memory_mib"],
                               said["compile_s"], said["error"], ""])
            else:
                ways.writerow([*about, *[""] * 6, said.get("missing", said.get("failed"))])


def write(results, folder: str) -> str:
    """Writes all files; the text of table.md."""
    table = Table(results)
    write_numbers(results, folder)
    text = "\n\n".join(filter(None, [caption(table), table.markdown(), table.notes()]))
    with open(os.path.join(folder, "table.md"), "w") as file:
        file.write(text + "\n")
    if any(table.best(case) for case in table.cases):
        plot(table, os.path.join(folder, "ratios.png"))
    return text
