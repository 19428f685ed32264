"""Rotations: where their angles come from, what is rotated, what stands beside them."""
from dataclasses import replace

import numpy as np
from formulas import Array, attend, bias_at, dots, grid, rotate, root, t5_bucket, turn
from golden import FLOAT_ANGLES, Entry, Part, last, minus_infinity, quarter
from shapes import FEW, SHAPES, Draw, Spec, causal, partial, rope, t5_causal, t5_decoder

HALF = dict(rope_layout="half", rope_base=10000.0)


# Oracles


def rope_cos_sin(q, k, v, cos, sin, past, scale=None, rope_layout="half"):
    """cos, sin [P,D/2]; a query in front of the first key sees none, so that its angles don't matter."""
    i, j = grid(q, k, past)
    at, cos, sin = np.maximum(i[:, 0], 0), cos.astype(float), sin.astype(float)
    S = dots(turn(q, cos[at], sin[at], rope_layout), turn(k, cos[j[0]], sin[j[0]], rope_layout))
    return attend(root(q, scale) * S, j <= i, v)


def rope_freqs(q, k, v, f, past, scale=None, rope_layout="half"):
    """f [D/2]."""
    i, j = grid(q, k, past)
    a, b = i * f.astype(float), j.T * f.astype(float)
    S = dots(turn(q, np.cos(a), np.sin(a), rope_layout), turn(k, np.cos(b), np.sin(b), rope_layout))
    return attend(root(q, scale) * S, j <= i, v)


def rope_rotated_cache(q, k, v, past, scale=None, **rope):
    i, j = grid(q, k, past)
    return attend(root(q, scale) * dots(rotate(q, i[:, 0], **{**HALF, **rope}), k), j <= i, v)


def rope_causal(q, k, past, **rope):
    i, j = grid(q, k, past)
    return dots(rotate(q, i[:, 0], **rope), rotate(k, j[0], **rope)), j <= i


def rope_yarn(q, k, v, past, scale=None, **rope):
    S, keep = rope_causal(q, k, past, **{**HALF, "yarn": dict(factor=16.0, original=4096), **rope})
    return attend(root(q, scale) * S, keep, v)


def mscale(factor: float, m: float) -> float:
    return 0.1 * m * np.log(factor) + 1


MLA = dict(rope_layout="interleaved", rope_base=10000.0, rope_start=128, rope_width=64,
           yarn=dict(factor=40.0, original=4096, attention_factor=mscale(40, 1) / mscale(40, 0.707)))


def mla(q, k, v, past, scale=None, **rope):
    """DeepSeek-V2: mscale_all_dim = 0.707 goes into the scale."""
    S, keep = rope_causal(q, k, past, **{**MLA, **rope})
    return attend(root(q, scale or mscale(40, 0.707) ** 2 / np.sqrt(q.shape[3])) * S, keep, v)


def mla_absorbed(q, k, v, ql, past, scale=None, **rope):
    """ql [B,H,N,Dv] meets the values; keys are rotated."""
    i, j = grid(q, k, past)
    S = dots(rotate(q, i[:, 0], **{**HALF, "rope_layout": "interleaved", **rope}), k) + dots(ql, v)
    return attend(root(q, scale, 3) * S, j <= i, v)


def qk_norm(q, k, v, wq, wk, past, scale=None, part=None, **rope):
    """RMS over the channels, then the rotation."""

    def norm(x: Array, w: Array) -> Array:
        x = x.astype(float)
        with np.errstate(invalid="ignore"):
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w

    S, keep = rope_causal(norm(q, wq), norm(k, wk), past, **{**HALF, **rope})
    return attend(root(q, scale) * S, keep, v)


def self_extend(q, k, v, qids, kids, past, scale=None, group=4, w=1024, **rope):
    """Jin et al. 2024: other positions for keys at w or more."""
    rope = {**HALF, **rope}
    i, j = grid(q, k, past)
    near, keep = rope_causal(q, k, past, **rope)
    S = np.where(i - j < w, near, dots(rotate(q, qids, **rope), rotate(k, kids, **rope)))
    return attend(root(q, scale) * S, keep, v)


def xpos(q, k, v, past, scale=None, rope_base=10000.0, rope_layout="interleaved", rope_xpos=512.0):
    """Sun et al. 2022, pair by pair, so that no power of a far position stands alone."""
    i, j = grid(q, k, past)
    D, S = q.shape[3], 0.0
    first = np.arange(0, D, 2) if rope_layout == "interleaved" else np.arange(D // 2)
    second = first + (1 if rope_layout == "interleaved" else D // 2)
    for m, pair in enumerate(zip(first, second)):
        angle = [p * rope_base ** (-2 * m / D) for p in (i, j.T)]
        a, b = [turn(x[..., list(pair)], np.cos(y), np.sin(y)) for x, y in zip((q, k), angle)]
        S = S + dots(a, b) * ((2 * m / D + 0.4) / 1.4) ** (np.maximum(i - j, 0) / rope_xpos)
    return attend(root(q, scale) * S, j <= i, v)


def unfused_rope_t5_sink(q, k, v, table, sinks, past, t5=(32, 128, "causal"), **rope):
    """No scale; the sink is a term of the denominator."""
    i, j = grid(q, k, past)
    S, keep = rope_causal(q, k, past, **{**HALF, **rope})
    return attend(S + bias_at(table, t5_bucket(j - i, *t5)), keep, v, sinks)


# Operands


def angles(x: Draw) -> list:
    """Tables of a rotation that is none of ours, and NaN in rows that no position has."""
    rows = max(x.last + 1, x.M, 1)
    angle = x.random.uniform(-np.pi, np.pi, (rows + x.pick(0, 3), x.shape.D // 2))
    angle[rows:] = np.nan
    return [np.cos(angle), np.sin(angle), *causal(x)]


def layout(x: Draw) -> dict:
    return x.pick({}, dict(rope_layout="interleaved"))


def frequencies(x: Draw) -> list:
    return [x.random.uniform(-1, 1, x.shape.D // 2) / (20 if x.last > 500 else 1), *causal(x)]


def yarn(x: Draw) -> dict:
    return x.pick({}, dict(rope_base=500.0, yarn=dict(factor=8.0, original=16)),
                  dict(yarn=dict(factor=4.0, original=64, beta_fast=4.0)))


def mla_options(x: Draw) -> dict:
    width = partial(x)["rope_width"]
    scaling = x.pick(dict(factor=4.0, original=64, attention_factor=1.1), dict(factor=8.0, original=16))
    return dict(rope_start=x.shape.D - width, rope_width=width, scale=x.pick(0.3, 0.1), yarn=scaling)


def latent(x: Draw) -> list:
    s = x.shape
    ql = x.normal(s.B, s.H, s.N, s.Dv) / np.sqrt(max(s.Dv, 1))
    return [ql, *causal(x)]


def weights(x: Draw) -> list:
    return [x.normal(x.shape.D), x.normal(x.shape.D), *causal(x)]


def window(x: Draw) -> int:
    return x.pick(1024, 9, 1, 40)


def grouped(x: Draw) -> list:
    """Positions in groups of G, as the paper makes them, other ones for each row of the batch."""
    rest, w, G = causal(x), window(x), np.arange(2, 2 + x.shape.B)[:, None]
    i = x.past + np.arange(x.N)
    return [i // G + w - w // G, x.j // G, *rest]


def self_extend_options(x: Draw) -> dict:
    return dict(set=dict(group=x.shape.H // x.shape.Hkv, w=window(x)), **rope(x))


def grow(x: Draw) -> dict:
    return x.pick({}, dict(rope_xpos=64.0), dict(rope_layout="half", rope_base=500.0))


def sinks(x: Draw) -> list:
    table, *rest = t5_decoder(x)
    return [table, x.normal(x.shape.H), *rest]


ONE_KEY_HEAD = tuple(replace(s, Hkv=1) for s in FEW)
F32 = tuple(replace(s, type="f32", static=False) for s in FEW)  # posenc.rotate rounds to a narrow type, lse is f32
NEAR = tuple(s for s in SHAPES if s.past + s.N < 500)

SPECS = {
    "rope-cos-sin": Spec(angles, layout, even=True),
    "rope-freqs": Spec(frequencies, layout, even=True, shapes=FEW),
    "rope-rotated-cache": Spec(causal, rope, even=True, shapes=FEW),
    "rope-yarn": Spec(causal, yarn, even=True, shapes=FEW),
    "mla": Spec(causal, mla_options, even=True, shapes=FEW),
    "mla-absorbed": Spec(latent, lambda x: dict(table_type=x.shape.type), even=True, shapes=ONE_KEY_HEAD),
    "qk-norm": Spec(weights, lambda x: dict(set=dict(part=1 / x.shape.D), **rope(x)), even=True, shapes=F32),
    "self-extend": Spec(grouped, self_extend_options, even=True, shapes=FEW),
    "xpos": Spec(causal, grow, even=True, shapes=NEAR),
    "unfused-rope-t5-sink": Spec(sinks, lambda x: dict(t5=t5_causal(x), **rope(x)), even=True, shapes=F32),
}


# Captured cases


def cos_sin(c, factor: float = 1.0) -> list:
    angle = np.arange(c.M)[:, None] * c.inv_freq.astype(float)
    return [factor * np.cos(angle), factor * np.sin(angle), c.M - c.N]


def freqs(c) -> list:
    return [c.inv_freq, c.M - c.N]


def cached(c) -> tuple:
    return c.q, c.k_rot


def positions(c) -> list:
    return [c.q_pos[:1], c.k_pos[:1], 0]


FIRST = Part(batch=[0])
LLAMA = ("rope-llama-gqa", "rope-llama-linear", "rope-llama-llama3", "rope-llama-proportional",
         "rope-llama-dynamic-ntk")
DEEPSEEK = dict(type="f32", rope_start=12, rope_width=8, scale=0.2695866568315511,
                yarn=dict(factor=4.0, original=64, beta_fast=4.0, attention_factor=1.036992729910394))

ENTRIES = [
    Entry("rope-llama-gqa", "rope-cos-sin", cos_sin, part=FIRST, f64=FLOAT_ANGLES),
    Entry("rope-phi3-longrope-long", "rope-cos-sin", lambda c: cos_sin(c, 1.1547005383792517), f64=FLOAT_ANGLES),
    Entry("rope-cohere-interleaved", "rope-cos-sin", cos_sin, dict(rope_layout="interleaved"), f64=FLOAT_ANGLES),
    *(Entry(case, "rope-freqs", freqs, part=FIRST, f64=FLOAT_ANGLES) for case in LLAMA),
    Entry("rope-cohere-interleaved", "rope-freqs", freqs, dict(rope_layout="interleaved"), f64=FLOAT_ANGLES),
    Entry("rope-llama-gqa", "rope-rotated-cache", lambda c: [0], part=FIRST, qk=cached, f64=FLOAT_ANGLES),
    Entry("rope-llama-gqa", "rope-rotated-cache", lambda c: [c.M - 3], part=Part(batch=[0], queries=last(3)), qk=cached,
          f64=FLOAT_ANGLES, note="last queries"),
    Entry("rope-llama-yarn", "rope-yarn", lambda c: [0], dict(yarn=dict(factor=4.0, original=64)), f64=FLOAT_ANGLES),
    Entry("rope-deepseekv3-mla-yarn", "mla", lambda c: [0], DEEPSEEK, f64=FLOAT_ANGLES),
    # No latent content.
    Entry("rope-cohere-interleaved", "mla-absorbed", lambda c: [np.zeros(c.q.shape), 0],
          dict(type="f32", table_type="f32", scale=20 ** -0.5), qk=cached, f64=FLOAT_ANGLES),
    # A head that has a key head of the same number.
    Entry("qknorm-qwen3", "qk-norm", lambda c: [c.q_norm_w, c.k_norm_w, 0], dict(set=dict(part=1 / 16)),
          Part(heads=[0]), f64=FLOAT_ANGLES),

    # All near, all far, and the same positions on both sides.
    *(Entry("rope-llama-gqa", "self-extend", positions, dict(set=dict(group=2, w=w)), FIRST, f64=FLOAT_ANGLES,
            note=f"window {w}") for w in (1024, 0, 20)),

    Entry("xpos-torchscale", "xpos", lambda c: [0], f64=FLOAT_ANGLES),
    Entry("xpos-xtransformers", "xpos", lambda c: [0], dict(rope_xpos=64.0), f64=FLOAT_ANGLES),

    Entry("rope-llama-gqa", "unfused-rope-t5-sink", lambda c: [np.zeros((32, c.q.shape[1])), minus_infinity(c), 0],
          part=FIRST, qk=quarter, f64=FLOAT_ANGLES, note="neither bias nor sink"),
    Entry("sink-gptoss-full", "unfused-rope-t5-sink", lambda c: [np.zeros((32, c.q.shape[1])), c.sinks, 0],
          dict(rope_base=150000.0, yarn=dict(factor=4.0, original=64, beta_fast=8.0, truncate="false")),
          qk=lambda c: (c.q / np.sqrt(32), c.k), f64=FLOAT_ANGLES, note="no bias"),
]
