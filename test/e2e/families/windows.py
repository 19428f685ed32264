"""Windows and blocks: local attention, with keys besides that all see."""
import numpy as np
from formulas import ALL, attend, bias_at, dots, grid, root, rotate, t5_bucket
from golden import FLOAT_ANGLES, Case, Entry, Part
from shapes import FEW, Draw, Shape, Spec, rope, t5

from .masks import real_keys


# Oracles


def gemma2_softcap(q, k, v, past, scale=None, w=4096, cap=50.0, **rope):
    """Gemma 2: cap, then window."""
    rope = {"rope_layout": "half", "rope_base": 10000.0, **rope}
    i, j = grid(q, k, past)
    S = root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope))
    return attend(cap * np.tanh(S / cap), (j <= i) & (i - j < w), v)


def longformer(q, k, v, everywhere, scale=None, w=256):
    """everywhere [B,M]: keys for all queries."""
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k), (abs(i - j) <= w) | everywhere[:, None, None].astype(bool), v)


def longformer_dilated(q, k, v, everywhere, scale=None, w=256, dilation=2):
    """A band of every second key, or third, ..."""
    i, j = grid(q, k)
    band = (abs(i - j) <= w * dilation) & ((i - j) % dilation == 0)
    return attend(root(q, scale) * dots(q, k), band | everywhere[:, None, None].astype(bool), v)


def longformer_global_rows(q, k, v, everywhere, qg, kg, vg, rows, scale=None, w=256):
    """The rows of global tokens over all keys, by their own projections."""
    o, lse = longformer(q, k, v, everywhere, scale, w)
    o[:, :, rows], lse[:, :, rows] = attend(root(q, scale) * dots(qg, kg), ALL, vg)
    return o, lse


def bigbird(q, k, v, blocks, scale=None, w=64):
    """blocks [H,P,L]: whether blocks of w tokens meet."""
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k), blocks.astype(bool)[:, i // w, j // w], v)


def longt5_local(q, k, v, table, lengths, t5=(32, 128, "bidirectional"), w=128):
    """Guo et al. 2021: T5's bias, less than w tokens away; no scale. lengths [B]."""
    i, j = grid(q, k)
    S = dots(q, k) + bias_at(table, t5_bucket(j - i, *t5))
    return attend(S, (abs(i - j) < w) & (j < lengths[:, None, None, None]), v)


def longt5_transient_global(q, k, v, table, side, block, local, t5=(32, 128, "bidirectional"), w=128):
    """Keys from `local` on stand for blocks: all see them, with a bias by the distance in blocks. block [B,N]."""
    i, j = grid(q, k)
    near = np.broadcast_to(bias_at(table, t5_bucket(j - i, *t5)), dots(q, k).shape)
    far = bias_at(side, t5_bucket((j - local) - block[:, :, None], *t5))
    S = dots(q, k) + np.where(j >= local, far, near)
    return attend(S, (j >= local) | (abs(i - j) < w), v)


# Operands


def window(x: Draw) -> int:
    return x.pick(4096, 4, 30)


def softcap(x: Draw) -> list:
    x.seen((x.j <= x.last) & (x.j > x.past - window(x)))
    return [x.past]


def band(x: Draw) -> int:
    return x.pick(256, 0, 5)


def some_everywhere(x: Draw) -> list:
    everywhere = x.random.random((x.shape.B, x.M)) < 0.1
    x.seen((x.j < x.N + band(x)) | everywhere)
    return [everywhere]


def dilation(x: Draw) -> int:
    return x.pick(2, 1, 3)


def dilated(x: Draw) -> list:
    everywhere = x.random.random((x.shape.B, x.M)) < 0.1
    distance = np.arange(x.N)[:, None] - x.j
    near = (abs(distance) <= band(x) * dilation(x)) & (distance % dilation(x) == 0)
    x.seen(near.any(0) | everywhere)
    return [everywhere]


def global_rows(x: Draw) -> list:
    """Some rows, in any order; none in every third trial."""
    s = x.shape
    rows = x.random.permutation(x.N)[: x.pick(2, 0, 5)]
    everywhere = np.zeros((1, x.M), bool)
    everywhere[0, rows] = True
    kg, vg = x.normal(s.B, s.H, x.M, s.D), x.normal(s.B, s.H, x.M, s.Dv)
    if not len(rows):
        kg[:], vg[:] = np.nan, np.inf
    return [everywhere, x.normal(s.B, s.H, len(rows), s.D), kg, vg, rows]


def block(x: Draw) -> int:
    return x.pick(64, 1, 5, 20)


def blocks(x: Draw) -> list:
    w = block(x)
    meet = x.random.random((x.shape.H, -(-x.N // w), -(-x.M // w))) < 0.4
    x.seen(meet.any((0, 1))[x.j // w])
    return [meet]


def radius(x: Draw) -> int:
    return x.pick(128, 1, 9)


def local(x: Draw) -> list:
    x.unscaled()
    n = x.random.integers(0, x.M + 1, x.shape.B)
    n[-1] = x.M
    x.seen((x.j < x.N + radius(x) - 1) & (x.j < n[:, None]))
    return [x.normal(t5(x)[0], x.shape.H), n]


def transient_global(x: Draw) -> list:
    """The last keys stand for blocks, at worst all or none."""
    x.unscaled()
    s, first = x.shape, x.pick(x.M * 3 // 4, x.M, 0, x.M // 2)
    x.seen((x.j >= first) | (x.j < x.N + radius(x) - 1))
    tables = [x.normal(t5(x)[0], s.H) for _ in "nf"]
    return [*tables, x.random.integers(-1, max(x.M - first, 1), (s.B, x.N)), first]


GLOBAL_SHAPES = (
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(37, 37, 1, 3, 3, 33, 33, 0),
    Shape(131, 131, 1, 2, 2, 20, 20, 0),
    Shape(0, 0, 1, 1, 1, 8, 8, 0),
    Shape(37, 37, 1, 3, 3, 7, 7, 0),
    Shape(64, 64, 1, 2, 2, 64, 64, 0),
)

SPECS = {
    "gemma2-softcap": Spec(softcap, lambda x: dict(set=dict(w=window(x), cap=x.pick(50.0, 2.0, 0.5)), **rope(x)), even=True),
    "longformer": Spec(some_everywhere, lambda x: dict(set=dict(w=band(x)))),
    "longformer-dilated": Spec(dilated, lambda x: dict(set=dict(w=band(x), dilation=dilation(x))), shapes=FEW),
    "longformer-global-rows": Spec(global_rows, lambda x: dict(set=dict(w=band(x))), shapes=GLOBAL_SHAPES,
                                   square="queries and keys are the same tokens"),
    "bigbird": Spec(blocks, lambda x: dict(set=dict(w=block(x)))),
    "longt5-local": Spec(local, lambda x: dict(t5=t5(x), set=dict(w=radius(x)))),
    "longt5-transient-global": Spec(transient_global, lambda x: dict(t5=t5(x), set=dict(w=radius(x)))),
}


def band_global(case: Case):
    """[1,M]: the two global tokens of the recorded Longformer."""
    return np.isin(np.arange(48)[case.part.keys], (0, 17))[None]


def global_case() -> Case:
    """The other rows of the same run."""
    return Case("mask-longformer-global-rows", Part(queries=[0, 17], keys=slice(45)))


def both_cases(c: Case) -> list:
    full = global_case()
    return [band_global(c), full.q, full.k, full.v, np.array([0, 17])]


def out_of_both(c: Case) -> np.ndarray:
    out = c.out.copy()
    out[:, :, [0, 17]] = global_case().out
    return out


WINDOW_12 = dict(scale=24**-0.5, set=dict(w=12, cap=3.0))
LONGT5 = dict(t5=(32, 20, "bidirectional"), set=dict(w=10))

ENTRIES = [
    Entry("mask-gemma2-softcap-window", "gemma2-softcap", lambda c: [0], WINDOW_12, f64=FLOAT_ANGLES),
    Entry("mask-gemma2-softcap-window", "gemma2-softcap", lambda c: [c.M - 3], WINDOW_12, Part(queries=slice(-3, None)),
          f64=FLOAT_ANGLES, note="last queries"),
    Entry("softcap-xtransformers-rope", "gemma2-softcap", lambda c: [0],
          dict(rope_layout="interleaved", rope_width=8, set=dict(cap=4.0)), f64=FLOAT_ANGLES),

    # Rows 0 and 17 belong to the other case, so those between them and behind them are taken, with their keys in an order
    # that keeps the distances: key 0 to the end, where all see it, or all of them backwards.
    Entry("mask-longformer-band-global", "longformer", lambda c: [band_global(c)], dict(set=dict(w=6)),
          Part(queries=slice(1, 17), keys=[*range(1, 45), 0]), note="between the global rows"),
    Entry("mask-longformer-band-global", "longformer", lambda c: [band_global(c)], dict(set=dict(w=6)),
          Part(queries=slice(44, 17, -1), keys=slice(44, None, -1)), note="behind the global rows"),
    Entry("mask-longformer-band-global", "longformer-dilated", lambda c: [band_global(c)], dict(set=dict(w=6, dilation=1)),
          Part(queries=slice(1, 17), keys=[*range(1, 45), 0]), note="not dilated"),
    Entry("mask-longformer-band-global", "longformer-global-rows", both_cases, dict(set=dict(w=6)),
          Part(queries=slice(45), keys=slice(45)), out=out_of_both),
    # Blocks of one token are any mask.
    Entry("mask-longformer-band-global", "bigbird", lambda c: [np.repeat(c.mask[0], 3, 0)], dict(set=dict(w=1))),

    Entry("t5-longt5-local", "longt5-local", lambda c: [c.bias_table, real_keys(c)], LONGT5, Part(batch=[0])),
    Entry("t5-longt5-local", "longt5-local", lambda c: [c.bias_table, real_keys(c)], LONGT5,
          Part(batch=[1], queries=slice(64)), note="padded row"),
    Entry("t5-longt5-local", "longt5-transient-global",
          lambda c: [c.bias_table, c.bias_table, np.zeros((1, c.N), np.int64), c.M], LONGT5, Part(batch=[0]),
          note="no blocks"),
]
