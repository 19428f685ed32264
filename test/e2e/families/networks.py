"""Scores with a small network of positions, and positions that the scores count."""
from typing import Dict

import numpy as np

from formulas import ALL, Array, Result, attend, dots, grid, root, token_offsets
from golden import FLOAT_ANGLES, Case, Entry
from shapes import SWIN_SHAPES, WINDOWS, Draw, Spec, causal


def silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def network(x: Array, activation, *layers) -> Array:
    """x [...,in] -> [...,out]; layers of (weights [out,in], bias [out] or 0)."""
    for number, (weights, bias) in enumerate(layers):
        x = (activation(x) if number else x) @ np.asarray(weights, float).T + np.asarray(bias, float)
    return x


def by_head(bias: Array) -> Array:
    """[...,H] -> [H,...]"""
    return np.moveaxis(bias, -1, 0)


# The examples


def fire(q, k, v, cmu, w1, b1, w2, b2, past, scale=None) -> Result:
    """Li et al. 2023, equation 3, with the logarithm of the paper. cmu [2]: c and mu L."""
    i, j = grid(q, k, past)
    c, threshold = (float(x) for x in cmu)

    def psi(x: Array) -> Array:
        return np.log1p(np.abs(c * x))

    x = psi(i - j) / (psi(np.maximum(i, abs(threshold))) + 1e-6)
    bias = network(x[..., None], relu, (w1, b1), (w2, b2))
    return attend(root(q, scale) * dots(q, k) + by_head(bias), j <= i, v)


def dynamic_position_bias(q, k, v, w0, b0, w1, b1, w2, b2, scale=None) -> Result:
    """Wang et al. 2021, of the logarithm of the distance."""
    i, j = grid(q, k)
    x = np.sign(i - j) * np.log1p(np.abs(i - j))
    bias = network(x[..., None], silu, (w0, b0), (w1, b1), (w2, b2))
    return attend(root(q, scale) * dots(q, k) + by_head(bias), ALL, v)


def swin_v2(q, k, v, temperature, rows, columns, w1, b1, w2, clip=(-7, 7), clip_other=(-7, 7), w=8) -> Result:
    """Liu et al. 2021; the coordinates of each offset come as rows [2h-1] and columns [2w-1]."""
    height, width = clip[1] + 1, w
    dr, dc = token_offsets(*grid(q, k), width)
    offsets = np.stack([rows[dr + height - 1], columns[dc + width - 1]], -1)
    bias = 16 / (1 + np.exp(-network(offsets.astype(float), relu, (w1, b1), (w2, 0))))
    return attend(temperature.astype(float)[:, None, None] * dots(q, k) + by_head(bias), ALL, v)


def cope(q, k, v, e, past, scale=None, top=63.0) -> Result:
    """Golovneva et al. 2024: gates summed from the key to the query. e [C,D]."""
    i, j = grid(q, k, past)
    t = root(q, scale) * dots(q, k)
    with np.errstate(invalid="ignore", over="ignore"):
        gates = np.where(j <= i, 1 / (1 + np.exp(-t)), 0.0)
    position = np.minimum(np.cumsum(gates[..., ::-1], -1)[..., ::-1], top)
    low, high = np.floor(position).astype(int), np.ceil(position).astype(int)
    z = q.astype(float) @ e.astype(float).T
    weight = position - low
    bias = (1 - weight) * np.take_along_axis(z, low, -1) + weight * np.take_along_axis(z, high, -1)
    return attend(t + bias, j <= i, v)


# Operands


def fire_network(x: Draw) -> list:
    H = x.shape.H
    cmu = np.array([x.pick(0.1, 1.0, -0.3), x.pick(20.0, 3.0, -100.0)])
    return [cmu, x.normal(32, 1), x.normal(32), x.normal(H, 32) / 4, x.normal(H), *causal(x)]


def dynamic_network(x: Draw) -> list:
    H = x.shape.H
    return [x.normal(16, 1), x.normal(16), x.normal(16, 16) / 4, x.normal(16), x.normal(H, 16), x.normal(H)]


GRIDS = {**WINDOWS, 64: (8, 8)}


def continuous(size: int) -> Array:
    """The logarithmic coordinates of the offsets of an axis."""
    d = 8 * np.arange(1 - size, size) / max(size - 1, 1)
    return np.sign(d) * np.log2(1 + np.abs(d)) / 3


def window_network(x: Draw) -> list:
    H, (height, width) = x.shape.H, GRIDS[x.N]
    x.q /= np.linalg.norm(x.q, axis=-1, keepdims=True)
    x.k /= np.linalg.norm(x.k, axis=-1, keepdims=True)
    return [np.exp(x.random.uniform(0, 4, H)), continuous(height), continuous(width), x.normal(512, 2), x.normal(512),
            x.normal(H, 512) / 16]


def window_options(height: int, width: int) -> Dict[str, object]:
    return dict(clip=(1 - height, height - 1), clip_other=(1 - width, width - 1), T=height * width, set=dict(w=width))


def positions(x: Draw) -> int:
    return x.pick(64, 9, 2, 1)


def counted(x: Draw) -> list:
    return [x.normal(positions(x), x.shape.D) / np.sqrt(max(x.shape.D, 1)), *causal(x)]


def up_to(positions: int) -> Dict[str, object]:
    return dict(C=positions, set=dict(top=float(positions - 1)))


SPECS = {
    "fire": Spec(fire_network),
    "dynamic-position-bias": Spec(dynamic_network),
    "swin-v2": Spec(window_network, lambda x: window_options(*GRIDS[x.N]), shapes=SWIN_SHAPES,
                    square="queries and keys are the tokens of one window"),
    "cope": Spec(counted, lambda x: up_to(positions(x))),
}


def swin_normed(c: Case) -> tuple:
    def norm(x: Array) -> Array:
        return x.astype(float) / np.linalg.norm(x.astype(float), axis=-1, keepdims=True)

    return norm(c.q), norm(c.k)


ENTRIES = [
    Entry("dynbias-xtransformers-log", "dynamic-position-bias", lambda c: [c.w0, c.b0, c.w1, c.b1, c.w2, c.b2]),
    Entry("window2d-swinv2-4x6", "swin-v2",
          lambda c: [np.exp(np.minimum(c.logit_scale, np.log(100.0))), continuous(4), continuous(6), c.w1, c.b1, c.w2],
          window_options(4, 6), qk=swin_normed, f64=FLOAT_ANGLES),
    Entry("cope-xtransformers", "cope", lambda c: [c.cope_table, 0], up_to(9)),
]
