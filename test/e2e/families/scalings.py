"""Rotations whose frequencies are scaled to stretch a trained context."""
from typing import Dict, Optional, Sequence

import numpy as np

from formulas import Array, Result, attend, dots, frequencies, grid, root, turn
from golden import FLOAT_ANGLES, Case, Entry
from shapes import Draw, Spec, causal


def ntk_frequencies(base: float, width: int, factor: float) -> Array:
    """Those of the base times factor^(width / (width - 2)); a single pair turns by 1 whatever the base."""
    return frequencies(base * factor ** (width / (width - 2)), width) if width > 2 else np.ones(1)


def rotated(q: Array, k: Array, v: Array, past: int, f: Array, scale: Optional[float] = None, factor: float = 1.0,
            rope_layout: str = "half") -> Result:
    """Causal attention of the rotated queries and keys."""
    i, j = grid(q, k, past)

    def turned(x: Array, position: Array) -> Array:
        return turn(x, factor * np.cos(position * f), factor * np.sin(position * f), rope_layout)

    S = dots(turned(q, i[:, :1]), turned(k, j[0][:, None]))
    return attend(root(q, scale) * S, j <= i, v)


# The examples


def rope_linear(q, k, v, past, scale=None, scaling=dict(factor=4.0), rope_base=10000.0) -> Result:
    """Chen et al. 2023."""
    return rotated(q, k, v, past, frequencies(rope_base, q.shape[3]) / scaling["factor"], scale)


def rope_ntk(q, k, v, past, scale=None, scaling=dict(factor=2.0), rope_base=10000.0) -> Result:
    """Peng et al. 2023, section 3.1."""
    return rotated(q, k, v, past, ntk_frequencies(rope_base, q.shape[3], scaling["factor"]), scale)


def rope_dynamic_ntk(q, k, v, n, past, scale=None, scaling=dict(factor=2.0, original=2048), rope_base=10000.0) -> Result:
    """Peng et al. 2023, appendix B.3; n tokens in all."""
    factor, original = scaling["factor"], scaling["original"]
    stretch = factor * max(n, original) / original - (factor - 1)
    return rotated(q, k, v, past, ntk_frequencies(rope_base, q.shape[3], stretch), scale)


LLAMA3 = dict(factor=8.0, low=1.0, high=4.0, original=8192)


def rope_llama3(q, k, v, past, scale=None, scaling=LLAMA3, rope_base=500000.0) -> Result:
    """Llama Team 2024: by the wavelength."""
    f, s = frequencies(rope_base, q.shape[3]), scaling
    wavelength = 2 * np.pi / f
    t = (s["original"] / wavelength - s["low"]) / (s["high"] - s["low"])
    blended = (1 - t) * f / s["factor"] + t * f
    f = np.where(wavelength < s["original"] / s["high"], f,
                 np.where(wavelength > s["original"] / s["low"], f / s["factor"], blended))
    return rotated(q, k, v, past, f, scale)


def rope_proportional(q, k, v, past, scale=None, scaling=dict(fraction=0.5), rope_base=10000.0) -> Result:
    """Gemma 4."""
    f = frequencies(rope_base, q.shape[3])
    f[np.arange(len(f)) >= scaling["fraction"] * len(f)] = 0
    return rotated(q, k, v, past, f, scale)


LONGROPE: Dict[str, object] = dict(short=[1.0, 1.05], long=[1.1, 2.5], original=4096, attention_factor=1.19023807)


def rope_longrope(q, k, v, n, past, scale=None, scaling=LONGROPE, rope_width=4, rope_base=10000.0) -> Result:
    """Ding et al. 2024 as in Phi-3; n tokens in all."""
    factors = np.array(scaling["long" if n > scaling["original"] else "short"])
    f = 1 / (factors * rope_base ** (2 * np.arange(rope_width // 2) / rope_width))
    return rotated(q, k, v, past, f, scale, scaling["attention_factor"])


# Operands


def lengths(x: Draw) -> list:
    return [x.pick(5000, 2048, 100, 40), *causal(x)]


def factors(x: Draw) -> Dict[str, object]:
    pairs = x.shape.D // 2
    return dict(rope_width=2 * pairs, scaling=dict(short=list(x.random.uniform(1, 2, pairs)),
                                                   long=list(x.random.uniform(1, 9, pairs)), original=100,
                                                   attention_factor=x.pick(1.0, 1.25)))


SPECS = {
    "rope-linear": Spec(causal, lambda x: x.pick({}, dict(scaling=dict(factor=0.5))), even=True),
    "rope-ntk": Spec(causal, lambda x: x.pick({}, dict(scaling=dict(factor=7.5), rope_base=500.0)), even=True),
    "rope-dynamic-ntk": Spec(lengths, lambda x: x.pick({}, dict(scaling=dict(factor=1.5, original=64))), even=True),
    "rope-llama3": Spec(causal, lambda x: x.pick({}, dict(scaling=dict(factor=4.0, low=0.5, high=8.0, original=100))),
                        even=True),
    "rope-proportional": Spec(causal, lambda x: x.pick({}, dict(scaling=dict(fraction=0.3)),
                                                       dict(scaling=dict(fraction=1.0))), even=True),
    "rope-longrope": Spec(lambda x: [x.pick(5000, 101, 100, 99), *causal(x)], factors, even=True),
}


def long_factors(factors: Sequence[float]) -> Dict[str, object]:
    """The short ones are not used, and differ."""
    return dict(short=[f + 1 for f in factors], long=list(factors), original=64, attention_factor=1.1547005383792517)


def total(c: Case) -> list:
    return [c.M, 0]


ENTRIES = [
    Entry("rope-llama-linear", "rope-linear", lambda c: [0], f64=FLOAT_ANGLES),
    Entry("rope-llama-dynamic-ntk", "rope-dynamic-ntk", total, dict(scaling=dict(factor=2.0, original=32)),
          f64=FLOAT_ANGLES),
    Entry("rope-llama-dynamic-ntk", "rope-ntk", lambda c: [0], dict(scaling=dict(factor=2 * 70 / 32 - 1)),
          f64=FLOAT_ANGLES, note="at one length, a static factor"),
    Entry("rope-llama-llama3", "rope-llama3", lambda c: [0],
          dict(scaling=dict(factor=8.0, low=1.0, high=4.0, original=512)), f64=FLOAT_ANGLES),
    Entry("rope-llama-proportional", "rope-proportional", lambda c: [0], f64=FLOAT_ANGLES),
    Entry("rope-phi3-longrope-long", "rope-longrope", total,
          dict(rope_width=16, scaling=long_factors([1.5, 2.2, 2.9, 3.6, 4.3, 5.0, 5.7, 6.4])), f64=FLOAT_ANGLES),
]
