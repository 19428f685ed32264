"""The plot of the ratios: a bar for the fastest peer, a mark for each way."""

import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

from report import machine, name  # noqa: E402

COLORS = {"torch": "#d95f02", "onnxruntime": "#1b9e77", "openvino": "#7570b3", "jax": "#e7298a"}
MARKERS = "osD^"
TICKS = (0.2, 0.5, 1, 2, 3, 5, 10, 20, 50, 100)


def style(table, key) -> dict:
    """A color for each peer, a marker for each of its ways."""
    of_peer = [x for x in table.columns if x[0] == key[0]]
    marker = MARKERS[of_peer.index(key)]
    return {"color": COLORS[key[0]], "marker": marker, "linestyle": "", "markeredgecolor": "white"}


def panel(axes, table, cases) -> None:
    for y, case in enumerate(reversed(cases)):
        best, timed = table.best(case), table.timed(case)
        ratio, color = timed[best]["ratio"], COLORS[best[0]]
        axes.barh(y, ratio - 1, left=1, height=0.62, color=color, alpha=0.35)
        for key, said in timed.items():
            axes.plot(said["ratio"], y, markersize=6, **style(table, key))
        place = {"transform": axes.get_yaxis_transform(), "va": "center"}
        axes.text(0.01, y, f"{ratio:.2f}", fontsize=8, fontweight="bold", **place)
    axes.axvline(1, color="#222222", linewidth=1.2)
    axes.set_yticks(range(len(cases)), [case.variant for case in reversed(cases)])
    axes.set_xscale("log")
    # The ratios are written on the left.
    left, right = axes.get_xlim()
    left = min(0.75, left / 1.3)
    axes.set_xlim(left, right)
    ticks = [tick for tick in TICKS if left <= tick <= right]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(cases[0].setting, fontsize=10)
    axes.set_xlabel("time of the peer / time of posenc (bar: the fastest peer)", fontsize=9)


def draw(table, path: str) -> None:
    panels = {}
    for case in filter(table.best, table.cases):
        panels.setdefault(case.setting, []).append(case)
    if not panels:
        return
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    height = 1.2 + 0.34 * max(map(len, panels.values()))
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(8 * columns, height * rows + 0.9),
        squeeze=False,
        facecolor="white",
        dpi=120,
        layout="constrained",
    )
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, cases in zip(grid.flat, panels.values()):
        panel(axes, table, cases)
    marks = [plt.Line2D([], [], label=name(key), **style(table, key)) for key in table.columns]
    figure.legend(handles=marks, loc="outside lower center", ncols=5, fontsize=8, frameon=False)
    figure.suptitle(machine(), fontsize=9, color="#444444")
    figure.canvas.draw()
    # Few colors make a small file.
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    image.quantize(64).save(path, optimize=True)
