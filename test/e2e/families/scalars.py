"""A scalar from a table or an array: by distance, by segment, by pair, by query."""
import math

import numpy as np
from formulas import ALL, attend, bias_at, dots, grid, layoutlmv2, root, t5_bucket
from golden import FLOAT_ANGLES, LAYOUTLM, Entry, Part, boxes
from shapes import DEBERTA_SHAPES, FEW, Draw, Shape, Spec, causal, t5, t5_box, t5_causal
from shapes import boxes as page


# Oracles


def learned_causal(q, k, v, table, past, scale=None, clip=(0, 1023)):
    """table [H,C] by distance; the last number for all that are farther."""
    i, j = grid(q, k, past)
    bias = table.astype(float)[:, np.clip(i - j, 0, clip[1])]
    return attend(root(q, scale) * dots(q, k) + bias, j <= i, v)


def t5_neox(q, k, v, table, past, scale=None, t5=(32, 128, "causal"), g=8.0):
    """Scaled, and the table by sqrt(D)."""
    i, j = grid(q, k, past)
    bias = bias_at(table, t5_bucket(j - i, *t5))
    return attend(root(q, scale) * dots(q, k) + g * bias, j <= i, v)


def mpnet(q, k, v, table, scale=None, t5=(32, 128, "bidirectional")):
    """Song et al. 2020: T5's bias, the product scaled."""
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k) + bias_at(table, t5_bucket(j - i, *t5)), ALL, v)


def layoutlmv3(q, k, v, t1, tx, ty, px, py, scale=None, **maps):
    """Huang et al. 2022: LayoutLMv2, its biases scaled, too."""
    return layoutlmv2(q, k, v, *(root(q, scale) * t.astype(float) for t in (t1, tx, ty)), px, py, scale, **maps)


def wavlm_gated(q, k, v, table, gate, scale=None, t5=(320, 800, "bidirectional")):
    """Chen et al. 2021: a gate [B,H,N] before the bias."""
    i, j = grid(q, k)
    bias = bias_at(table, t5_bucket(j - i, *t5))
    return attend(root(q, scale) * dots(q, k) + gate.astype(float)[..., None] * bias, ALL, v)


def segment_scalar(q, k, v, seg, table, scale=None):
    """seg [B,N]; table [P,P,H]."""
    bias = table.astype(float)[seg[:, :, None], seg[:, None]]
    return attend(root(q, scale) * dots(q, k) + np.moveaxis(bias, -1, 1), ALL, v)


def alphafold_pair_bias(q, k, v, pair, mask, scale=None):
    """Jumper et al. 2021: pair [H,N,M] for the whole batch; mask [B,M]."""
    with np.errstate(invalid="ignore"):
        S = root(q, scale) * dots(q, k) + pair.astype(float)
    return attend(S, mask[:, None, None].astype(bool), v)


def captures_renamed(q, k, v, both):
    """T5's encoder; the first half of the table counts once, the second twice."""
    i, j = grid(q, k)
    table = both[:32].astype(float) + 2 * both[32:]
    return attend(dots(q, k) + bias_at(table, t5_bucket(j - i, 32, 128, "bidirectional")), ALL, v)


def unpublished_forgetting_time(q, k, v, forget, time, past, scale=None):
    """forget [B,H,L], time [B,L], of the positions."""
    i, j = grid(q, k, past)

    def change(x):  # from each key to each query; anything where the query has no position
        x = x.astype(float)
        return x[..., np.maximum(i, 0)] - x[..., j]

    with np.errstate(invalid="ignore", divide="ignore"):
        S = root(q, scale) * dots(q, k) + change(forget) - np.log1p(change(time))[:, None]
    return attend(S, j <= i, v)


# Operands


def reach(x: Draw) -> tuple:
    return x.pick((0, 1023), (0, 3), (0, 40), (0, 0))


def neox(x: Draw) -> list:
    return [x.normal(t5_causal(x)[0], x.shape.H) / math.sqrt(x.shape.D), *causal(x)]


def speech(x: Draw) -> tuple:
    return x.pick((320, 800, "bidirectional"), (4, 3, "bidirectional"), (20, 50, "bidirectional"))


def pair(x: Draw) -> list:
    s = x.shape
    mask = x.random.random((s.B, x.M)) < 0.8
    mask[0, : x.M // 3] = False
    x.seen(mask)
    pair = x.normal(s.H, x.N, x.M)
    pair[:, :, ~mask.any(0)] = np.nan
    return [pair, mask]


def halves(x: Draw) -> list:
    x.unscaled()
    return [x.normal(64, 8)]


def fading(x: Draw) -> list:
    """Positions are those of the keys and of the queries; what comes after the last query is NaN."""
    s, length = x.shape, max(x.M, x.last + 1, 1)
    forget = np.cumsum(np.log(x.random.uniform(0.8, 1.0, (s.B, s.H, length))), -1) / (8 if x.last > 100 else 1)
    time = np.cumsum(x.random.integers(0, 5, (s.B, length)), -1).astype(float)
    forget[..., max(x.last + 1, 0) :], time[..., max(x.last + 1, 0) :] = np.nan, np.inf
    return [forget, time, *causal(x)]


EIGHT_HEADS = (
    Shape(7, 5, 2, 8, 8, 20, 12, 0),
    Shape(0, 3, 1, 8, 8, 20, 20, 0),
    Shape(37, 37, 1, 8, 8, 33, 33, 0, "f16"),
    Shape(16, 131, 1, 8, 8, 64, 5, 0, static=True),
)

SPECS = {
    "learned-causal": Spec(lambda x: [x.normal(x.shape.H, reach(x)[1] + 1), *causal(x)], lambda x: dict(clip=reach(x))),
    "t5-neox": Spec(neox, lambda x: dict(t5=t5_causal(x), set=dict(g=math.sqrt(x.shape.D))), shapes=FEW),
    "mpnet": Spec(lambda x: [x.normal(t5(x)[0], x.shape.H)], lambda x: dict(t5=t5(x)), shapes=FEW),
    "layoutlmv3": Spec(page, lambda x: dict(t5=t5(x), t5_box=t5_box(x)), shapes=DEBERTA_SHAPES,
                       square="the same boxes are those of the queries and the keys"),
    "wavlm-gated": Spec(lambda x: [x.normal(speech(x)[0], x.shape.H), x.normal(x.shape.B, x.shape.H, x.N)],
                        lambda x: dict(t5=speech(x))),
    "segment-scalar": Spec(lambda x: [x.random.integers(0, 4, (x.shape.B, x.N)), x.normal(4, 4, x.shape.H)],
                           shapes=DEBERTA_SHAPES, square="the same segments are those of the queries and the keys"),
    "alphafold-pair-bias": Spec(pair),
    "captures-renamed": Spec(halves, shapes=EIGHT_HEADS),
    "unpublished-forgetting-time": Spec(fading),
}


def by_distance(table, count: int):
    """A causal table by buckets as one by distance, [H,count]."""
    return table[t5_bucket(-np.arange(count), 32, 128, "causal")].T


def unscaled_boxes(c) -> list:
    """LayoutLMv2's tables before a division by sqrt(D)."""
    *tables, px, py = boxes(c)
    return [table.astype(float) * math.sqrt(c.q.shape[3]) for table in tables] + [px, py]


def kerple(c):
    """NeMo's kernel, which has one exponent more than the paper's, by distance."""
    lag = np.arange(c.M)
    p, a, power = (x.astype(float)[:, None] for x in (c.kp, c.ka, c.kpow))
    return -p * np.log1p(a * lag**power)


def times_four(c):
    """The other way round a scale of 1/4."""
    return c.q * 4, c.k


def alibi(c):
    return [-c.slopes[None, :, None] * np.arange(c.M), np.zeros((1, c.M)), 0]


ENTRIES = [
    Entry("t5-t5-decoder", "learned-causal", lambda c: [by_distance(c.bias_table, 114), 0], dict(clip=(0, 113), scale=1.0)),
    Entry("t5-umt5-decoder-chunk", "learned-causal", lambda c: [by_distance(c.bias_table, 114), c.M - c.N],
          dict(clip=(0, 113), scale=1.0)),
    Entry("sandwich-nemo", "learned-causal", lambda c: [c.by_lag.T, 0], dict(clip=(0, 69)), f64=FLOAT_ANGLES),
    Entry("kerple-nemo-causal-chunk", "learned-causal", lambda c: [kerple(c), c.M - c.N], dict(clip=(0, 69))),

    Entry("t5-t5-decoder", "t5-neox", lambda c: [c.bias_table / 4, 0], dict(set=dict(g=4.0)), qk=times_four),
    Entry("t5-umt5-decoder-chunk", "t5-neox", lambda c: [c.bias_table, c.M - c.N], dict(scale=1.0, set=dict(g=1.0))),

    Entry("t5-mpnet-scaled", "mpnet", lambda c: [c.bias_table]),
    Entry("t5-layoutlmv2-1d-xy", "layoutlmv3", unscaled_boxes, LAYOUTLM, Part(batch=[0])),
    Entry("t5-layoutlmv2-1d-xy", "layoutlmv3", unscaled_boxes, LAYOUTLM, Part(batch=[1], keys=slice(32)), note="padded row"),

    Entry("t5-wavlm-gated", "wavlm-gated", lambda c: [c.bias_table, c.gate], dict(t5=(32, 100, "bidirectional"))),
    Entry("t5-t5-encoder", "wavlm-gated", lambda c: [c.bias_table, np.ones(c.q.shape[:3])],
          dict(t5=(32, 128, "bidirectional"), scale=1.0), note="open gates"),

    Entry("dense-esmfold-pair-bias", "alphafold-pair-bias", lambda c: [c.bias[0], np.ones((1, 37), bool)],
          part=Part(batch=[0])),
    Entry("dense-esmfold-pair-bias", "alphafold-pair-bias", lambda c: [c.bias[1], c.mask[:, 0, 0]],
          part=Part(batch=[1]), note="padded row"),

    # Gates that forget at one rate are ALiBi.
    Entry("alibi-mpt-3heads", "unpublished-forgetting-time", alibi, lse=False),
]
