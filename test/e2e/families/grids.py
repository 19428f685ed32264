"""Tokens of an image: a bias by the offset in rows and columns."""
import numpy as np
from formulas import ALL, attend, bias_at, dots, grid, root, softmax, token_offsets, values, window_row
from golden import FLOAT_ANGLES, Entry, Part
from shapes import SWIN_SHAPES, WINDOWS, Draw, Shape, Spec


# Oracles


def swin(q, k, v, table, scale=None, window=(7, 7)):
    """Liu et al. 2021. table [C,H]."""
    return attend(root(q, scale) * dots(q, k) + bias_at(table, window_row(*window)), ALL, v)


def beit(q, k, v, table, scale=None, window=(14, 14), **numbers):
    """Bao et al. 2021: the class token has the last three rows, by row, by column, the corner last."""
    row = np.full(2 * q.shape[2:3], len(table) - 3)
    row[1:, 1:] = window_row(*window)
    row[:, 0] = len(table) - 2
    row[0, 0] = len(table) - 1
    return attend(root(q, scale) * dots(q, k) + bias_at(table, row), ALL, v)


def levit(q, k, v, table, scale=None, w=14):
    """Graham et al. 2021. table [T,H] by |dr|, |dc|."""
    dr, dc = token_offsets(*grid(q, k), w)
    return attend(root(q, scale) * dots(q, k) + bias_at(table, abs(dr) * w + abs(dc)), ALL, v)


def convit(q, k, v, rho, gate, scale=None, w=14, **middle):
    """d'Ascoli et al. 2021: two softmaxes, mixed. rho [H,2h-1,2w-1] by key minus query."""
    content, lse = softmax(root(q, scale) * dots(q, k), ALL)
    dr, dc = token_offsets(*grid(q, k), w)
    height, width = np.array(rho.shape[1:]) // 2
    position, _ = softmax(rho.astype(float)[None, :, height - dr, width - dc], ALL)
    position = np.broadcast_to(position, content.shape)
    gate = gate.astype(float)
    return (1 - gate) * values(content, ALL, v) + gate * values(position, ALL, v), lse


# Operands


def table(x: Draw) -> list:
    height, width = WINDOWS[x.N]
    return [x.normal((2 * height - 1) * (2 * width - 1), x.shape.H)]


PATCHES = {2: (1, 1), 7: (2, 3), 6: (5, 1), 50: (7, 7), 197: (14, 14)}


def beit_rows(N: int) -> int:
    height, width = PATCHES[N]
    return (2 * height - 1) * (2 * width - 1) + 3


def beit_options(N: int) -> dict:
    rows = beit_rows(N)
    return dict(window=PATCHES[N], T=N, C=rows, set=dict(n3=rows - 3, n2=rows - 2, n1=rows - 1))


GRIDS = {**WINDOWS, 196: (14, 14)}


def rho(x: Draw) -> list:
    s, (height, width) = x.shape, GRIDS[x.N]
    return [x.normal(s.H, 2 * height - 1, 2 * width - 1), x.random.random((s.B, s.H, x.N, s.Dv))]


def middle(height: int, width: int) -> dict:
    return dict(w=width, below=height - 1, right=width - 1)


BEIT_SHAPES = (
    Shape(2, 2, 1, 1, 1, 1, 1, 0),
    Shape(7, 7, 5, 3, 3, 7, 20, 0),
    Shape(6, 6, 2, 3, 3, 20, 7, 0, "bf16"),
    Shape(50, 50, 3, 2, 2, 32, 32, 0, static=True),
)

# Its steps between the two ops have the type of the result, which is that of the queries here.
CONVIT_SHAPES = (
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(6, 6, 5, 3, 3, 7, 7, 0),
    Shape(5, 5, 2, 3, 3, 20, 20, 0),
    Shape(49, 49, 3, 2, 2, 32, 32, 0, static=True),
)

TOKENS = "queries and keys are the tokens of one image"

SPECS = {
    "swin": Spec(table, lambda x: dict(window=WINDOWS[x.N]), shapes=SWIN_SHAPES, square=TOKENS),
    "beit": Spec(lambda x: [x.normal(beit_rows(x.N), x.shape.H)], lambda x: beit_options(x.N), shapes=BEIT_SHAPES,
                 square=TOKENS),
    "levit": Spec(lambda x: [x.normal(x.N, x.shape.H)], lambda x: dict(T=x.N, set=dict(w=GRIDS[x.N][1])),
                  shapes=SWIN_SHAPES, square=TOKENS),
    "convit": Spec(rho, lambda x: dict(T=x.N, set=middle(*GRIDS[x.N])), shapes=CONVIT_SHAPES, square=TOKENS),
}


def convit_operands(c) -> list:
    """rho = v . (dx, dy, dx^2 + dy^2) + b on 6 x 6 patches; the gate as often as the result has numbers."""
    dy, dx = np.meshgrid(np.arange(-5.0, 6), np.arange(-5.0, 6), indexing="ij")
    scores = np.moveaxis(np.stack([dx, dy, dx**2 + dy**2], -1) @ c.pos_w.T + c.pos_b, -1, 0)
    gate = 1 / (1 + np.exp(-c.gate.astype(float)))
    return [scores, np.broadcast_to(gate[:, None, None], c.v.shape)]


ENTRIES = [
    Entry("window2d-swin-7x7", "swin", lambda c: [c.bias_table]),
    Entry("window2d-timm-swin-3x5", "swin", lambda c: [c.bias_table], dict(window=(3, 5)), Part(batch=[0]),
          note="the window that holds one region"),
    Entry("window2d-beit-cls", "beit", lambda c: [c.bias_table],
          dict(window=(5, 5), T=26, C=84, set=dict(n3=81, n2=82, n1=83))),
    Entry("window2d-levit-abs", "levit", lambda c: [c.bias_table], dict(T=25, set=dict(w=5))),
    Entry("window2d-levit-abs-6x6", "levit", lambda c: [c.bias_table], dict(T=36, set=dict(w=6))),
    Entry("mix-timm-convit-gpsa", "convit", convit_operands, dict(T=36, set=middle(6, 6)), f64=FLOAT_ANGLES),
]
