"""Which keys a query sees, and what a query's position does to its scores."""

import numpy as np
from formulas import attend, dots, grid, root, rotate
from golden import FLOAT_ANGLES, Entry, Part, last, rotated
from shapes import FEW, Draw, Spec, causal, rope


def by_batch(x):
    return x[:, None, None, None]


# Oracles


def causal_top_left(q, k, v, scale=None):
    """Query row r sees key r at most."""
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k), j <= i, v)


def padding(q, k, v, lengths, scale=None):
    """lengths [B]: keys that exist."""
    _, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k), j < by_batch(lengths), v)


def t5_cross(q, k, v, lengths):
    return padding(q, k, v, lengths, scale=1.0)


def mask_array(q, k, v, mask, scale=None):
    """mask [B,N,M]."""
    return attend(root(q, scale) * dots(q, k), mask[:, None].astype(bool), v)


def prefix_lm(q, k, v, prefix, scale=None):
    """prefix [B]: keys that all see."""
    i, j = grid(q, k)
    return attend(root(q, scale) * dots(q, k), (j < by_batch(prefix)) | (j <= i), v)


def llama4_chunked(q, k, v, past, scale=None, w=8192, **rope):
    """Causal inside chunks of w."""
    rope = {"rope_layout": "interleaved", "rope_base": 500000.0, **rope}
    i, j = grid(q, k, past)
    S = root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope))
    return attend(S, (j <= i) & (i // w == j // w), v)


def llama4_temperature(q, k, v, past, scale=None, w=8192):
    """A query at position i counts 1 + 0.1 ln(1 + floor((i + 1) / w)) times."""
    i, j = grid(q, k, past)
    factor = 1 + 0.1 * np.log1p(np.maximum(i + 1, 0) // w)
    return attend(root(q, scale) * factor * dots(q, k), j <= i, v)


def streaming_llm(q, k, v, past, scale=None, **rope):
    """Positions are places in the cache."""
    rope = {"rope_layout": "half", "rope_base": 10000.0, **rope}
    i, j = grid(q, k, past)
    return attend(root(q, scale) * dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope)), j <= i, v)


# Operands


def top_left(x: Draw) -> list:
    x.seen(x.j < x.N)
    return []


def lengths(x: Draw) -> list:
    n = x.random.integers(0, x.M + 1, x.shape.B)
    n[-1] = x.pick(x.M, 0, x.M // 2)
    x.seen(x.j < n[:, None])
    return [n]


def cross(x: Draw) -> list:
    x.unscaled()
    return lengths(x)


def any_mask(x: Draw) -> list:
    mask = x.random.random((x.shape.B, x.N, x.M)) < x.pick(0.5, 0.1, 0.95)
    mask[:, :1] = False
    x.seen(mask.any(1))
    return [mask]


def prefixes(x: Draw) -> list:
    n = x.random.integers(0, x.M + 1, x.shape.B)
    n[0] = x.pick(x.M // 2, 0, x.M)
    x.seen((x.j < n[:, None]) | (x.j < x.N))
    return [n]


def chunk(x: Draw) -> int:
    return x.pick(8192, 16, 5)


def chunked(x: Draw) -> list:
    x.seen((x.j <= x.last) & (x.j >= max(x.past, 0) // chunk(x) * chunk(x)))
    return [x.past]


SPECS = {
    "causal-top-left": Spec(top_left, shapes=FEW),
    "padding": Spec(lengths, shapes=FEW),
    "t5-cross": Spec(cross, shapes=FEW),
    "mask-array": Spec(any_mask),
    "prefix-lm": Spec(prefixes),
    "llama4-chunked": Spec(chunked, lambda x: dict(set=dict(w=chunk(x))), even=True),
    "llama4-temperature": Spec(causal, lambda x: dict(set=dict(w=x.pick(8192, 4, 50))), shapes=FEW),
    "streaming-llm": Spec(causal, rope, even=True, shapes=FEW),
}


def real_keys(c):
    """[B]: keys of each row of a batch padded at the end."""
    return (c.mask != 0).any((1, 2)).sum(-1)


def unit(c):
    """Llama 4's norm comes after the rotation, which changes no length: it may come before."""

    def norm(x):
        return x / np.sqrt((x.astype(float) ** 2).mean(-1, keepdims=True) + 1e-5)

    return norm(c.q), norm(c.k)


ENTRIES = [
    Entry("mask-torch-causal-upper-left", "causal-top-left"),
    Entry("t5-t5-cross", "padding", lambda c: [real_keys(c)], dict(scale=1.0)),
    Entry("t5-t5-cross", "t5-cross", lambda c: [real_keys(c)]),

    Entry("mask-longformer-band-global", "mask-array", lambda c: [c.mask[:, 0]]),
    Entry("mask-modernbert-local", "mask-array", lambda c: [c.mask[:, 0]], qk=rotated),
    Entry("t5-t5-cross", "mask-array", lambda c: [c.mask[:, 0]], dict(scale=1.0)),

    Entry("mask-torch-causal-upper-left", "prefix-lm", lambda c: [np.array([0])], note="no prefix"),
    Entry("mask-longformer-global-rows", "prefix-lm", lambda c: [np.array([c.M])],
          part=Part(queries=[0, 17], keys=slice(45)), note="all keys in the prefix"),

    Entry("rope-llama4-l2norm-chunked", "llama4-chunked", lambda c: [0], dict(rope_base=10000.0, set=dict(w=24)), qk=unit,
          f64=FLOAT_ANGLES),
    Entry("rope-llama4-l2norm-chunked", "llama4-chunked", lambda c: [c.M - 20], dict(rope_base=10000.0, set=dict(w=24)),
          Part(queries=last(20)), unit, f64=FLOAT_ANGLES, note="last queries"),
    # For the first 8191 queries the temperature is 1.
    Entry("mask-torch-causal-lower-right", "llama4-temperature", lambda c: [c.M - c.N]),
    Entry("gqa-xtransformers-mod", "llama4-temperature", lambda c: [0]),

    Entry("rope-llama-gqa", "streaming-llm", lambda c: [0], part=Part(batch=[0]), f64=FLOAT_ANGLES),
    Entry("rope-llama-gqa", "streaming-llm", lambda c: [c.M - 1], part=Part(batch=[0], queries=last(1)), f64=FLOAT_ANGLES,
          note="last query"),
]
