"""The formulas of the example files in NumPy, float64, written from the papers: the oracle of the tests.

Nothing here reads the IR. One function per file, `-` written `_`. It takes the operands in the file's order (q [B,H,N,D],
k [B,Hkv,M,D], v [B,Hkv,M,Dv], then as the file's comment says), keyword options named as in instantiate.py with the
file's values as defaults, and returns o [B,H,N,Dv] and lse [B,H,N]. Any extent may be 0; a row without a pair gives
zeros and -inf; what removed pairs hold, NaN included, has no influence.
"""
import math
from functools import lru_cache
from typing import Dict, Optional, Tuple

import numpy as np

Array = np.ndarray
Result = Tuple[Array, Array]


# Shared pieces


def heads(x: Array, like: Array) -> Array:
    """[B,Hkv,M,D] -> [B,H,M,D]: query head h reads key head h // (H / Hkv)."""
    return np.repeat(x, like.shape[1] // x.shape[1], 1)


def dots(q: Array, k: Array) -> Array:
    """q . k, [B,H,N,M]."""
    with np.errstate(invalid="ignore"):
        return q.astype(float) @ heads(k, q).astype(float).swapaxes(-1, -2)


def grid(q: Array, k: Array, past: int = 0) -> Tuple[Array, Array]:
    """Positions of the queries [N,1] and of the keys [1,M]."""
    return np.arange(q.shape[2])[:, None] + int(past), np.arange(k.shape[2])[None]


def root(q: Array, scale: Optional[float], terms: int = 1) -> float:
    return scale if scale is not None else 1 / math.sqrt(terms * q.shape[3])


def softmax(S: Array, keep: Array, sink: Optional[Array] = None) -> Result:
    """P [B,H,N,M] and lse [B,H,N]; sink [H] is one more logit in the denominator of P."""
    S = np.where(keep, S, -np.inf)
    top = S.max(-1, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    weights = np.exp(S - top)
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (top + np.log(total))[..., 0]
    if sink is not None:
        total = total + np.exp(sink.astype(float)[:, None, None] - top)
    return weights / np.where(total > 0, total, 1.0), lse


def values(P: Array, keep: Array, v: Array) -> Array:
    """sum_j P v, [B,H,N,Dv]; a value that no query keeps counts for nothing, whatever it is."""
    used = np.broadcast_to(keep, P.shape).any(2)[..., None]
    return P @ np.where(used, heads(v, P).astype(float), 0.0)


def attend(S: Array, keep: Array, v: Array, sink: Optional[Array] = None) -> Result:
    P, lse = softmax(S, keep, sink)
    return values(P, keep, v), lse


ALL = np.ones((1, 1), bool)


def by_row(x: Array, table: Array, row: Array, there: Array = ALL) -> Array:
    """x . table[row] where the row is there, else 0: x [B,H,N,D], table [C,D] or [H,C,D], row [N,M] or [B,1,N,M]."""
    with np.errstate(invalid="ignore"):
        product = x.astype(float) @ table.astype(float).swapaxes(-1, -2)  # [B,H,N,C]
    row = np.where(there, row, 0)
    return np.where(there, np.take_along_axis(product, np.broadcast_to(row, x.shape[:3] + row.shape[-1:]), -1), 0.0)


def bias_at(table: Array, row: Array) -> Array:
    """table[row], heads first: table [C,H], row [N,M] or [B,N,M]."""
    return np.moveaxis(table.astype(float)[row], -1, -3)


# Index maps


def token_offsets(i: Array, j: Array, width: int) -> Tuple[Array, Array]:
    """Rows and columns from token j to token i, on a grid of that many columns."""
    return i // width - j // width, i % width - j % width


@lru_cache(None)
def t5_starts(exact: int, buckets: int, max_distance: int) -> Tuple[int, ...]:
    """First distance of each bucket beyond the exact ones: the smallest n with
    (n/exact)^(buckets - exact) >= (max_distance/exact)^t, in integers."""
    wide, starts, n = buckets - exact, [], exact
    for t in range(wide):
        while n**wide * exact**t < max_distance**t * exact**wide:
            n += 1
        starts.append(n)
    return tuple(starts)


def t5_bucket(delta: Array, buckets: int, max_distance: int, direction: str) -> Array:
    """T5's bucket of delta = key - query."""
    both = direction == "bidirectional"
    side = buckets // 2 if both else buckets
    n = np.abs(delta) if both else np.maximum(-delta, 0)
    exact = side // 2
    wide = exact - 1 + np.searchsorted(t5_starts(exact, side, max_distance), n, side="right")
    return np.where(n < exact, n, wide) + np.where(both & (delta > 0), side, 0)


@lru_cache(None)
def deberta_wide(n: int, middle: int, most: int) -> int:
    """ceil(ln(n/middle) / ln((most-1)/middle) * (middle-1)) in integers: the smallest t with
    (n/middle)^(middle-1) <= ((most-1)/middle)^t."""
    t = 0
    while n ** (middle - 1) * middle**t > (most - 1) ** t * middle ** (middle - 1):
        t += 1
    return t


def deberta_row(lag: Array, buckets: int, max_position: int, span: int) -> Array:
    """DeBERTa's row of lag = query - key."""
    middle = buckets // 2
    n = np.abs(lag)
    wide = np.array([deberta_wide(int(x), middle, max_position) + middle if x > middle else 0 for x in n.ravel()], int)
    bucket = np.where(n <= middle, lag, np.sign(lag) * wide.reshape(n.shape))
    return np.clip(bucket + span, 0, 2 * span - 1)


def window_row(height: int, width: int) -> Array:
    """Swin's row for each pair of tokens, [T,T]."""
    tokens = np.arange(height * width)
    dr, dc = token_offsets(tokens[:, None], tokens, width)
    return (dr + height - 1) * (2 * width - 1) + dc + width - 1


# Rotations


def frequencies(base: float, width: int) -> Array:
    """Radians per position of each pair, [width/2]."""
    return base ** (-2 * np.arange(width // 2) / width)


def yarn_frequencies(f: Array, base: float, width: int, yarn: Dict) -> Tuple[Array, float]:
    """The frequencies [width/2] blended between f and f / factor, and the factor on cos and sin."""

    def channel(turns: float) -> float:  # where f makes `turns` turns in the original length
        return width * math.log(yarn["original"] / (2 * math.pi * turns)) / (2 * math.log(base))

    low, high = channel(yarn.get("beta_fast", 32.0)), channel(yarn.get("beta_slow", 1.0))
    if yarn.get("truncate", "true") == "true":
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(width // 2) - low) / (high - low), 0, 1)
    return f / yarn["factor"] * ramp + f * (1 - ramp), yarn.get("attention_factor", 0.1 * math.log(yarn["factor"]) + 1)


def turn(x: Array, cos: Array, sin: Array, rope_layout: str = "half", start: int = 0) -> Array:
    """x [B,H,L,D] with the pairs from channel `start` on turned: (a, b) -> (a cos - b sin, b cos + a sin). cos and sin
    are [L,pairs] or [B,L,pairs]."""
    if cos.ndim == 3:
        cos, sin = cos[:, None], sin[:, None]
    x, pairs = x.astype(float), cos.shape[-1]
    first = start + np.arange(pairs) * (2 if rope_layout == "interleaved" else 1)
    second = first + (1 if rope_layout == "interleaved" else pairs)
    result = x.copy()
    with np.errstate(invalid="ignore"):
        result[..., first] = x[..., first] * cos - x[..., second] * sin
        result[..., second] = x[..., second] * cos + x[..., first] * sin
    return result


def rotate(x: Array, position: Array, rope_layout: str, rope_base: float, rope_start: int = 0,
           rope_width: Optional[int] = None, yarn: Optional[Dict] = None) -> Array:
    """x [B,H,L,D] turned by position [L] or [B,L]."""
    width = rope_width or x.shape[3]
    f, factor = frequencies(rope_base, width), 1.0
    if yarn:
        f, factor = yarn_frequencies(f, rope_base, width, yarn)
    angle = np.asarray(position)[..., None] * f
    return turn(x, factor * np.cos(angle), factor * np.sin(angle), rope_layout, rope_start)


# The examples


def plain(q, k, v, scale=None) -> Result:
    """Vaswani et al. 2017: softmax(q k / sqrt(D)) v."""
    return attend(root(q, scale) * dots(q, k), ALL, v)


def causal_bottom_right(q, k, v, scale=None) -> Result:
    """The last query sees the last key."""
    i, j = grid(q, k, k.shape[2] - q.shape[2])
    return attend(root(q, scale) * dots(q, k), j <= i, v)


def window_symmetric(q, k, v, scale=None, sliding=64) -> Result:
    """Longformer's band."""
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k), abs(i - j) <= sliding, v)


def window_causal(q, k, v, past, scale=None, sliding=256) -> Result:
    """Mistral: `sliding` keys, the own one counted."""
    i, j = grid(q, k, past)
    return attend(root(q, scale) * dots(q, k), (j <= i) & (i - j < sliding), v)


GPTOSS = dict(rope_layout="half", rope_base=150000.0, yarn=dict(factor=32.0, original=4096, truncate="false"))


def gptoss_sink_window(q, k, v, sinks, past, scale=None, sliding=128, **rope) -> Result:
    """gpt-oss: rotation with YaRN, window, a sink in the denominator."""
    rope = {**GPTOSS, **rope}
    i, j = grid(q, k, past)
    S = root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope))
    return attend(S, (j <= i) & (i - j < sliding), v, sinks)


def alibi_causal(q, k, v, slopes, past, scale=None) -> Result:
    """Press et al. 2021: minus slope times distance, after the scale."""
    i, j = grid(q, k, past)
    return attend(root(q, scale) * dots(q, k) - slopes.astype(float)[:, None, None] * (i - j), j <= i, v)


def t5_encoder(q, k, v, table, t5=(32, 128, "bidirectional")) -> Result:
    """Raffel et al. 2020; no scale."""
    i, j = grid(q, k)
    return attend(dots(q, k) + bias_at(table, t5_bucket(j - i, *t5)), ALL, v)


memref = t5_encoder


def t5_decoder(q, k, v, table, past, t5=(32, 128, "causal")) -> Result:
    i, j = grid(q, k, past)
    return attend(dots(q, k) + bias_at(table, t5_bucket(j - i, *t5)), j <= i, v)


def layoutlmv2(q, k, v, t1, tx, ty, px, py, scale=None, t5=(32, 128, "bidirectional"),
               t5_box=(64, 256, "bidirectional")) -> Result:
    """Xu et al. 2020: T5's bias by the distance in the text, in x and in y, after the scale. px, py [B,N]."""
    i, j = grid(q, k)
    S = root(q, scale) * dots(q, k) + bias_at(t1, t5_bucket(j - i, *t5))
    for table, p in ((tx, px), (ty, py)):
        delta = p[:, j] - p[:, i]  # [B,N,M]
        S = S + bias_at(table, t5_bucket(delta, *t5_box))
    return attend(S, ALL, v)


def shaw_kv(q, k, v, relv, rel, past, scale=None, clip=(-16, 16)) -> Result:
    """Shaw et al. 2018, equations 3 and 4. rel [C,D]; relv [C,Dv] or None."""
    i, j = grid(q, k, past)
    row = np.clip(j - i, *clip) - clip[0]
    S = root(q, scale) * (dots(q, k) + np.einsum("bhid,ijd->bhij", q.astype(float), rel.astype(float)[row]))
    P, lse = softmax(S, ALL)
    o = values(P, ALL, v)
    return (o if relv is None else o + np.einsum("bhij,ijd->bhid", P, relv.astype(float)[row])), lse


def shaw_k(q, k, v, rel, past, **options) -> Result:
    return shaw_kv(q, k, v, None, rel, past, **options)


def unfused_shaw(q, k, v, relk, relv, past, **options) -> Result:
    return shaw_kv(q, k, v, relv, relk, past, **options)


def rope_half(q, k, v, scale=None, **rope) -> Result:
    """Su et al. 2021, pairs half a row apart."""
    rope = {"rope_layout": "half", "rope_base": 10000.0, **rope}
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope)), ALL, v)


def rope_gqa_causal_decode(q, k, v, past, lengths, scale=None, **rope) -> Result:
    """lengths [B]: keys that exist."""
    rope = {"rope_layout": "half", "rope_base": 500000.0, **rope}
    i, j = grid(q, k, past)
    S = root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope))
    return attend(S, (j <= i) & (j < lengths[:, None, None, None]), v)


def rope_interleaved_partial(q, k, v, past, scale=None, **rope) -> Result:
    rope = {"rope_layout": "interleaved", "rope_base": 10000.0, "rope_width": 32, **rope}
    i, j = grid(q, k, past)
    return attend(root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope)), j <= i, v)


def rope_ids_left_padded(q, k, v, qids, kids, starts, past, scale=None, **rope) -> Result:
    """qids [B,N], kids [B,M]: positions; starts [B]: first token."""
    rope = {"rope_layout": "half", "rope_base": 10000.0, **rope}
    i, j = grid(q, k, past)
    S = root(q, scale) * dots(rotate(q, qids, **rope), rotate(k, kids, **rope))
    return attend(S, (j <= i) & (j >= starts[:, None, None, None]), v)


def transformer_xl(q, k, v, u, v_bias, rel, mem, scale=None) -> Result:
    """Dai et al. 2019: (q + u) k + (q + v) R_(i-j). u, v_bias [H,D], rel [H,L,D]."""
    i, j = grid(q, k, mem)
    with np.errstate(invalid="ignore"):
        content = dots(q + u.astype(float)[:, None], k)
    by_lag = by_row(q + v_bias.astype(float)[:, None], rel, np.clip(i - j, 0, rel.shape[1] - 1))
    return attend(root(q, scale) * (content + by_lag), j <= i, v)


def deberta_v2(q, k, v, kr, qr, mask, scale=None, deberta=(256, 512, 256)) -> Result:
    """He et al. 2020 with the released index of both terms. kr, qr [H,C,D], mask [B,N]."""
    i, j = grid(q, k)
    row = deberta_row(i - j, *deberta)
    with np.errstate(invalid="ignore"):
        S = root(q, scale, 3) * (dots(q, k) + by_row(q, kr, row) + by_row(k, qr, row.T).swapaxes(-1, -2))
    seen = mask.astype(bool)
    return attend(S, seen[:, None, :, None] & seen[:, None, None, :], v)


def swin_shifted(q, k, v, table, region, windows, scale=None, window=(7, 7)) -> Result:
    """Liu et al. 2021. table [C,H]; region [W,T]: tokens of different regions don't meet."""
    own = region[np.arange(q.shape[0]) % int(windows)]
    S = root(q, scale) * dots(q, k) + bias_at(table, window_row(*window))
    return attend(S, (own[:, :, None] == own[:, None])[:, None], v)


def unpublished_periodic(q, k, v, table, slopes, past, scale=None) -> Result:
    """table [H,7] by the phase of the distance, slopes [H]."""
    i, j = grid(q, k, past)
    lag = i - j
    bias = table.astype(float)[:, lag % 7] - slopes.astype(float)[:, None, None] * lag
    return attend(root(q, scale) * dots(q, k) + bias, j <= i, v)
