"""iRPE: the piecewise index of the rows and columns between the tokens of a grid."""
import math
from typing import Dict

import numpy as np

from formulas import ALL, Array, Result, attend, by_row, dots, grid, root, softmax, token_offsets, values
from shapes import Draw, Shape, Spec

ALPHA, BETA, GAMMA = 1.9, 3.8, 15.2
RANGE = int(BETA)  # g lies between -3 and 3


def piecewise(x: Array) -> Array:
    """g of Wu et al. 2021, equation 18, as released: rounded, then no more than beta."""

    def g(n: int) -> int:
        if n <= ALPHA:
            return round(n)
        wide = ALPHA + math.log(n / ALPHA) / math.log(GAMMA / ALPHA) * (BETA - ALPHA)
        return int(min(round(wide), BETA))

    return np.sign(x) * np.vectorize(g, otypes=[int])(np.abs(x))


def product(q: Array, k: Array, width: int) -> Array:
    dr, dc = token_offsets(*grid(q, k), width)
    return (piecewise(dr) + RANGE) * (2 * RANGE + 1) + piecewise(dc) + RANGE


# The examples. w: columns of the grid.


def irpe_bias(q, k, v, table, scale=None, w=14) -> Result:
    """Section 3.2: bias mode, product method. table [H,49]."""
    bias = table.astype(float)[:, product(q, k, w)]
    return attend(root(q, scale) * dots(q, k) + bias, ALL, v)


def irpe_euclidean(q, k, v, table, scale=None, w=14) -> Result:
    dr, dc = token_offsets(*grid(q, k), w)
    row = piecewise(np.round(np.sqrt(dr * dr + dc * dc)).astype(int)) + RANGE
    return attend(root(q, scale) * dots(q, k) + table.astype(float)[:, row], ALL, v)


def irpe_cross(q, k, v, wr, wc, scale=None, w=14) -> Result:
    dr, dc = (piecewise(d) + RANGE for d in token_offsets(*grid(q, k), w))
    return attend(root(q, scale) * (dots(q, k) + by_row(q, wr, dr) + by_row(q, wc, dc)), ALL, v)


def irpe_contextual_qkv(q, k, v, wv, wk, wq, scale=None, w=14) -> Result:
    """The key's side reads the offset as the key sees it: of key minus query."""
    row = product(q, k, w)
    S = root(q, scale) * (dots(q, k) + by_row(q, wk, row) + by_row(k, wq, row).swapaxes(-1, -2))
    P, lse = softmax(S, ALL)
    added = np.einsum("bhij,hijd->bhid", P, wv.astype(float)[:, row])
    return values(P, ALL, v) + added, lse


# Operands

WIDTHS = {1: 1, 7: 7, 6: 3, 35: 5, 40: 40, 196: 14}

GRID_SHAPES = (
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(7, 7, 1, 2, 2, 20, 12, 0),
    Shape(6, 6, 3, 3, 3, 7, 20, 0, "bf16"),
    Shape(35, 35, 2, 2, 2, 16, 16, 0, static=True),
    Shape(40, 40, 1, 3, 3, 33, 33, 0),
)


def grid_spec(rest) -> Spec:
    def options(x: Draw) -> Dict[str, object]:
        return dict(T=x.N, set=dict(w=WIDTHS[x.N]))

    return Spec(rest, options, shapes=GRID_SHAPES, square="queries and keys are the tokens of one grid")


SPECS = {
    "irpe-bias": grid_spec(lambda x: [x.normal(x.shape.H, 49)]),
    "irpe-euclidean": grid_spec(lambda x: [x.normal(x.shape.H, 7)]),
    "irpe-cross": grid_spec(lambda x: [x.normal(7, x.shape.D), x.normal(7, x.shape.D)]),
    "irpe-contextual-qkv": grid_spec(lambda x: [x.normal(x.shape.H, 49, x.shape.Dv), x.normal(x.shape.H, 49, x.shape.D),
                                                x.normal(x.shape.H, 49, x.shape.D)]),
}

ENTRIES: list = []
