"""Transformer-XL's kin: Conformer, XLNet."""
import numpy as np
from formulas import ALL, Array, attend, bias_at, by_row, dots, grid, root
from golden import Entry, Part, last
from shapes import DEBERTA_SHAPES, FEW, Draw, Spec



def plus(q: Array, bias: Array) -> Array:
    """A vector per head [H,D] added to every query."""
    return q.astype(float) + bias.astype(float)[:, None]


def content(q: Array, k: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return dots(q, k)


# Oracles


def conformer(q, k, v, u, v_bias, rel, zero_row, scale=None):
    """Gulati et al. 2020: (q + u) k + (q + v) R, rows by key minus query."""
    i, j = grid(q, k)
    S = content(plus(q, u), k) + by_row(plus(q, v_bias), rel, j - i + int(zero_row))
    return attend(root(q, scale) * S, ALL, v)


def conformer_legacy(q, k, v, rel, zero_row, scale=None):
    """Transformer-XL's shift as its code does it: one column of zeros before the N x N products, the rows then
    split anew at N + 1 columns less one row. Only for N = M = L."""
    B, H, N, _ = q.shape
    by_lag = q.astype(float) @ rel.astype(float)[:, ::-1].swapaxes(-1, -2)  # columns: lag N-1, ..., 0
    padded = np.concatenate([np.zeros((B, H, N, 1)), by_lag], -1)
    shifted = padded.reshape(B, H, N + 1, N)[:, :, 1:]
    return attend(root(q, scale) * (dots(q, k) + shifted), ALL, v)


def transformer_xl_clamp_same_length(q, k, v, u, v_bias, rel, mem, scale=None, clip=(0, 400)):
    i, j = grid(q, k, mem)
    S = content(plus(q, u), k) + by_row(plus(q, v_bias), rel, np.clip(i - j, *clip) - clip[0])
    return attend(root(q, scale) * S, (j <= i) & (i - j <= int(mem)), v)


def transformer_xl_learned(q, k, v, u, rel, bias, mem, scale=None, clip=(0, 511)):
    """attn_type 1: rel [C,H,D], bias [C,H]."""
    i, j = grid(q, k, mem)
    row = np.clip(i - j, *clip) - clip[0]
    by_lag = by_row(q, np.moveaxis(rel, 1, 0), row) + bias_at(bias, row)
    return attend(root(q, scale) * (content(plus(q, u), k) + by_lag), j <= i, v)


def xlnet(q, k, v, u, v_bias, rel, mem, zero_row, w, seg_embed, qseg, kseg, scale=None):
    """Yang et al. 2019: and (q + w) E[0 in the same segment, else 1]. qseg [B,N], kseg [B,M]."""
    i, j = grid(q, k, mem)
    other = (qseg[:, None, :, None] != kseg[:, None, None, :]).astype(int)
    S = content(plus(q, u), k) + by_row(plus(q, v_bias), rel, i - j + int(zero_row))
    return attend(root(q, scale) * (S + by_row(plus(q, w), seg_embed, other)), ALL, v)


def xlnet_query_stream(q, k, v, past, scale=None):
    i, j = grid(q, k, past)
    return attend(root(q, scale) * dots(q, k), j != i, v)


# Operands


def biases(x: Draw, count: int) -> list:
    return [x.normal(x.shape.H, x.shape.D) for _ in range(count)]


def conformer_rest(x: Draw) -> list:
    zero = max(x.N - 1, 0) + x.pick(0, 2)
    return [*biases(x, 2), x.normal(x.shape.H, zero + x.M + x.pick(0, 3, 1), x.shape.D), zero]


def memory(x: Draw):
    return x.pick((0, 400), (0, 20), (3, 9))


def same_length(x: Draw) -> list:
    x.seen((x.j <= x.last) & (x.past >= 0))
    lo, hi = memory(x)
    return [*biases(x, 2), x.normal(x.shape.H, hi - lo + 1, x.shape.D), x.past]


def learned(x: Draw):
    return x.pick((0, 511), (0, 12), (2, 30))


def learned_rest(x: Draw) -> list:
    x.seen(x.j <= x.last)
    s, (lo, hi) = x.shape, learned(x)
    return [*biases(x, 1), x.normal(hi - lo + 1, s.H, s.D), x.normal(hi - lo + 1, s.H), x.past]


def xlnet_rest(x: Draw) -> list:
    s, zero = x.shape, max(x.M - 1 - x.past, 0) + x.pick(0, 3)
    rel = x.normal(s.H, zero + max(x.last, 0) + 1 + x.pick(0, 2), s.D)
    segments = [x.random.integers(-1, 2, (s.B, n)) for n in (s.N, s.M)]
    return [*biases(x, 2), rel, x.past, zero, *biases(x, 1), x.normal(s.H, 2, s.D), *segments]


def query_stream(x: Draw) -> list:
    x.seen((x.N > 1) | (x.j != x.past))
    return [x.past]


SPECS = {
    "conformer": Spec(conformer_rest),
    "conformer-legacy": Spec(lambda x: [x.normal(x.shape.H, x.N, x.shape.D), x.N - 1], shapes=DEBERTA_SHAPES,
                             square="the shift of rows is that of one sequence"),
    "transformer-xl-clamp-same-length": Spec(same_length, lambda x: dict(clip=memory(x)), shapes=FEW),
    "transformer-xl-learned": Spec(learned_rest, lambda x: dict(clip=learned(x)), shapes=FEW),
    "xlnet": Spec(xlnet_rest),
    "xlnet-query-stream": Spec(query_stream, shapes=FEW),
}


# Captured cases


def segments(c) -> list:
    """Two segments that differ where the case says so; the queries are the last keys."""
    other = c.seg_diff[:, 0]
    kseg = other[:, 0]
    qseg = kseg[:, c.M - c.N :]
    assert ((qseg[:, :, None] != kseg[:, None]) == (other != 0)).all()
    return [qseg, kseg]


CONFORMERS = (("xl-fastspeech2conformer", {}), ("xl-parakeet", {}), ("xl-wav2vec2conformer", {}),
              ("xl-speechbrain-embed-scale", dict(scale=0.125)))


def xl(c) -> list:
    return [c.u, c.v_bias, c.r[:, ::-1], c.M - c.N]


ENTRIES = [
    *(Entry(case, "conformer", lambda c: [c.u, c.v_bias, c.r, c.N - 1], options) for case, options in CONFORMERS),

    # The first query sees all of the memory, the last one all keys.
    Entry("xl-transfoxl-memory", "transformer-xl-clamp-same-length", xl, dict(clip=(0, 60)),
          Part(queries=slice(1), keys=slice(25)), note="first query"),
    Entry("xl-transfoxl-memory", "transformer-xl-clamp-same-length", lambda c: [c.u, c.v_bias, c.r[:, ::-1], 60],
          dict(clip=(0, 60)), Part(queries=last(1)), note="last query"),

    # The numbers are what the second bias makes of the vectors.
    Entry("xl-transfoxl-memory", "transformer-xl-learned",
          lambda c: [c.u, np.moveaxis(c.r[:, ::-1], 1, 0), np.einsum("hd,hcd->ch", c.v_bias, c.r[:, ::-1], dtype=float),
                     c.M - c.N], dict(clip=(0, 60))),

    Entry("xl-xlnet-bi-memory-segments", "xlnet",
          lambda c: [*xl(c), c.N - 1, c.w, c.seg_embed, *segments(c)], part=Part(batch=[0])),

    # Queries that stand behind all keys.
    Entry("t5-t5-cross", "xlnet-query-stream", lambda c: [c.M], dict(scale=1.0), Part(batch=[0]), note="no own key"),
]
