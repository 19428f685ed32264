"""A bias that is an analytic function of the distance: ALiBi's kin, KERPLE, Sandwich."""

import numpy as np
from formulas import ALL, attend, dots, grid, root
from golden import FLOAT_ANGLES, Entry, Part, last
from shapes import FEW, Draw, Spec, causal


def by_head(x):
    return x.astype(float)[:, None, None]


# Oracles


def alibi_bloom(q, k, v, slopes, pos, mask, past, scale=None):
    """BLOOM: plus slope times place of the key. pos, mask [B,M]."""
    i, j = grid(q, k, past)
    S = root(q, scale) * dots(q, k) + by_head(slopes) * pos[:, None, None]
    return attend(S, (j <= i) & mask[:, None, None].astype(bool), v)


def alibi_falcon(q, k, v, bias, past, scale=None):
    """Falcon: the bias is inside the scale. bias [B,H,M]."""
    i, j = grid(q, k, past)
    with np.errstate(invalid="ignore"):
        return attend(root(q, scale) * (dots(q, k) + bias.astype(float)[:, :, None]), j <= i, v)


def alibi_mpt(q, k, v, slopes, scale=None):
    """MPT: the distance from the last key."""
    N, M = q.shape[2], k.shape[2]
    i, j = grid(q, k, M - N)
    return attend(root(q, scale) * dots(q, k) - by_head(slopes) * (M - 1 - j), j <= i, v)


def alibi_symmetric(q, k, v, slopes, scale=None):
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k) - by_head(slopes) * abs(i - j), ALL, v)


def alibi_two_sided(q, k, v, left, right, scale=None):
    i, j = grid(q, k)
    loss = np.where(j <= i, by_head(left) * (i - j), by_head(right) * (j - i))
    return attend(root(q, scale) * dots(q, k) - loss, ALL, v)


def kerple_log(q, k, v, kp, ka, past, scale=None):
    """Chi et al. 2022: -p ln(1 + a lag)."""
    i, j = grid(q, k, past)
    lag = np.maximum(i - j, 0)
    return attend(root(q, scale) * dots(q, k) - by_head(kp) * np.log1p(by_head(ka) * lag), j <= i, v)


def kerple_power(q, k, v, kp, ka, past, scale=None):
    """-a lag^p."""
    i, j = grid(q, k, past)
    lag = np.maximum(i - j, 0).astype(float)
    return attend(root(q, scale) * dots(q, k) - by_head(ka) * lag ** by_head(kp), j <= i, v)


def kerple_multiplicative(q, k, v, kp, ka, past, scale=None):
    """exp(-a lag^p) as a factor of the scaled product."""
    i, j = grid(q, k, past)
    lag = np.maximum(i - j, 0).astype(float)
    return attend(root(q, scale) * dots(q, k) * np.exp(-by_head(ka) * lag ** by_head(kp)), j <= i, v)


def sandwich(q, k, v, by_lag, inv, past, scale=None):
    """Chi et al. 2023: one curve by_lag [L], a factor inv [H]."""
    i, j = grid(q, k, past)
    bias = by_head(inv) * by_lag.astype(float)[np.clip(i - j, 0, len(by_lag) - 1)]
    return attend(root(q, scale) * dots(q, k) + bias, j <= i, v)


# Operands


def slopes(x: Draw):
    """From a quarter; small ones where there are many keys, since f32 keeps few digits of a large score."""
    return [2.0 ** -np.arange(2, x.shape.H + 2) * min(1.0, 16 / max(x.M, 1))]


def bloom(x: Draw) -> list:
    """Padding in front and between; its place is 0."""
    mask = x.random.random((x.shape.B, x.M)) < 0.7
    mask[0] = True
    mask[1:, : x.M // 3] = False
    x.seen(mask & (x.j <= x.last))
    return [*slopes(x), np.maximum(mask.cumsum(1) - 1, 0) * mask, mask, x.past]


def falcon(x: Draw) -> list:
    operands = causal(x)
    bias = x.normal(x.shape.B, x.shape.H, x.M)
    bias[:, :, x.j > x.last] = np.nan
    return [bias, *operands]


def bottom_right(x: Draw) -> list:
    x.past, x.last = x.M - x.N, x.M - 1
    return slopes(x)


def kernel(x: Draw) -> list:
    """Exponents up to 2; factors that make the farthest key lose 8 at most."""
    p = x.random.uniform(0.01, 2.0, x.shape.H)
    return [p, x.random.uniform(0.1, 8.0, x.shape.H) / np.maximum(x.last, 1.0) ** p, *causal(x)]


def logarithm(x: Draw) -> list:
    return [x.random.uniform(0.01, 2.0, x.shape.H), x.random.uniform(0.01, 1.0, x.shape.H), *causal(x)]


def curve(x: Draw) -> list:
    """Of another length than the keys, with NaN at distances that no pair has."""
    by_lag = np.where(np.arange(max(x.last, 0) + x.pick(1, 6)) <= x.last, x.normal(max(x.last, 0) + x.pick(1, 6)), np.nan)
    return [by_lag, x.normal(x.shape.H), *causal(x)]


SPECS = {
    "alibi-bloom": Spec(bloom),
    "alibi-falcon": Spec(falcon, shapes=FEW),
    "alibi-mpt": Spec(bottom_right, shapes=FEW),
    "alibi-symmetric": Spec(slopes, shapes=FEW),
    "alibi-two-sided": Spec(lambda x: [*slopes(x), slopes(x)[0][::-1] * 1.5], shapes=FEW),
    "kerple-log": Spec(logarithm),
    "kerple-power": Spec(kernel),
    "kerple-multiplicative": Spec(kernel, shapes=FEW),
    "sandwich": Spec(curve, shapes=FEW),
}


def divisors(heads: int):
    return heads / (8 * np.arange(1, heads + 1))


def cosines(length: int, width: int):
    """The curve in closed form."""
    t = np.arange(1, width // 2 + 1)
    return np.cos(np.arange(length)[:, None] * 10000.0 ** (-2 * t / width)).sum(-1) - width / 2


def every_key(c):
    return np.ones((c.q.shape[0], c.M), bool)


def ones(c):
    return np.ones(c.q.shape[1])


ENTRIES = [
    Entry("alibi-bloom-6heads-leftpad", "alibi-bloom",
          lambda c: [c.slopes, c.k_pos, (c.mask != 0).any(2)[:, 0], 0]),
    Entry("alibi-bloom-6heads-leftpad", "alibi-bloom",
          lambda c: [c.slopes, c.k_pos[:1], every_key(c), c.M - 5], part=Part(batch=[0], queries=last(5)),
          note="last queries"),
    Entry("alibi-falcon-scaled", "alibi-falcon", lambda c: [c.alibi[:, :, 0], 0]),
    Entry("alibi-falcon-scaled", "alibi-falcon", lambda c: [c.alibi[:, :, 0], c.M - 1], part=Part(queries=last(1)),
          note="last query"),

    Entry("alibi-mpt-3heads", "alibi-mpt", lambda c: [c.slopes]),
    Entry("alibi-mpt-5heads", "alibi-mpt", lambda c: [c.slopes]),
    Entry("alibi-mpt-3heads", "alibi-mpt", lambda c: [c.slopes], part=Part(queries=last(9)), note="last queries"),

    Entry("alibi-xtransformers-bidirectional", "alibi-symmetric", lambda c: [c.slopes], part=Part(batch=[0])),
    Entry("alibi-xtransformers-bidirectional", "alibi-symmetric", lambda c: [c.slopes],
          part=Part(batch=[1], keys=slice(29)), note="padded row"),
    Entry("alibi-xtransformers-bidirectional", "alibi-two-sided", lambda c: [c.slopes, c.slopes], part=Part(batch=[0])),

    # The first power is ALiBi.
    Entry("alibi-mpt-3heads", "kerple-power", lambda c: [ones(c), c.slopes, 0], lse=False),
    Entry("alibi-mpt-5heads", "kerple-power", lambda c: [ones(c), c.slopes, 0], lse=False),

    Entry("sandwich-nemo", "sandwich", lambda c: [cosines(c.M, 16), divisors(6), 0], f64=FLOAT_ANGLES),
    Entry("sandwich-nemo", "sandwich", lambda c: [cosines(c.M, 16), divisors(6), c.M - 3], part=Part(queries=last(3)),
          f64=FLOAT_ANGLES, note="last queries"),
]
