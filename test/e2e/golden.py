"""Which captured case tests which example: the instance, and how its operands are made from the case's arrays.

../golden holds the cases and ../golden/README.md says what they are. A case belongs to an example if the example's
formula, resized, gives the case's result, or that of a part of its queries. Often a step stands between: a table in the
other order, a slice that leaves out padded keys, a scale that goes into q, a rotation that the library recorded.
"""
import os
import sys
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Sequence, Union

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "golden")
sys.path.insert(0, os.path.join(HERE, "..", "examples"))

Array = np.ndarray
Rows = Union[slice, Sequence[int]]

# Largest |result - out| / max|out| where everything is computed in f64. Inputs, constants and the result are still f32.
EXACT = 2e-7
# The same where the library had its angles or tables in f32.
FLOAT_ANGLES = 1e-6

# Which axis of an array is which: batch, heads, queries, keys.
AXES = {"q": "bhq", "k": "bhk", "v": "bhk", "out": "bhq", "lse": "bhq", "mask": "b.qk", "q_rot": "bhq", "k_rot": "bhk",
        "x": "b", "y": "b", "seg_diff": "b.qk"}


@dataclass
class Part:
    """The part of a case that is compared; None is all."""

    batch: Optional[Rows] = None
    heads: Optional[Rows] = None  # where every head has its own key head
    queries: Optional[Rows] = None
    keys: Optional[Rows] = None

    def of(self, name: str, array: Array) -> Array:
        axes = AXES.get(name, "")
        rows = {"b": self.batch, "h": self.heads, "q": self.queries, "k": self.keys}
        for axis, letter in enumerate(axes):
            if rows.get(letter) is not None:
                array = array[(slice(None),) * axis + (rows[letter],)]
        return array


class Case:
    """The arrays of a case, cut to a part where they have a batch, heads, queries or keys: `case.q`, `case.bias_table`."""

    def __init__(self, name: str, part: Part):
        self.name, self.part = name, part

    def has(self, array: str) -> bool:
        return os.path.exists(os.path.join(CASES, self.name, array + ".npy"))

    def __getattr__(self, array: str) -> Array:
        if not self.has(array):
            raise AttributeError(f"case {self.name} has no {array}.npy")
        return self.part.of(array, np.load(os.path.join(CASES, self.name, array + ".npy")))

    @property
    def N(self) -> int:
        return self.q.shape[2]

    @property
    def M(self) -> int:
        return self.k.shape[2]

    @property
    def live(self) -> Array:
        """[B or 1,1,N]: queries that see a key. The others must give zeros here; the libraries differ."""
        return (self.mask != 0).any(-1) if self.has("mask") else np.ones((1, 1, self.N), bool)


@dataclass
class Entry:
    case: str
    example: str
    # The operands after q, k and v, in the file's order.
    rest: Callable[[Case], list] = lambda c: []
    # Beyond H, Hkv, D and Dv, which follow from the arrays.
    options: Dict[str, object] = field(default_factory=dict)
    part: Part = field(default_factory=Part)
    # What takes the place of the case's q and k.
    qk: Callable[[Case], tuple] = lambda c: (c.q, c.k)
    # The result; zeros where a query sees no key.
    out: Callable[[Case], Array] = lambda c: np.where(c.live[..., None], c.out, 0.0)
    f64: float = EXACT
    # Whether the case's log-sum-exp, if it has one, is that of the same scores.
    lse: bool = True
    note: str = ""

    @property
    def title(self) -> str:
        return self.case + (f" ({self.note})" if self.note else "")


def rotated(c: Case) -> tuple:
    """q and k as the library rotated them, for examples without a rotation."""
    return c.q_rot, c.k_rot


def quarter(c: Case) -> tuple:
    """The scale 1/4 goes into q, without a rounding."""
    return c.q / 4, c.k


def rms_normed(c: Case) -> tuple:
    def norm(x: Array, weight: Array) -> Array:
        x = x.astype(float)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight

    return norm(c.q, c.q_norm_w), norm(c.k, c.k_norm_w)


def layer_normed(c: Case) -> tuple:
    def norm(x: Array, weight: Array, bias: Array) -> Array:
        x = x.astype(float)
        y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return y * weight[:, None] + bias[:, None]

    return norm(c.q, c.q_norm_w, c.q_norm_b), norm(c.k, c.k_norm_w, c.k_norm_b)


def zero_ends(table: Array) -> Array:
    """A zero row before the first and after the last: a clipped map then gives zero outside."""
    zero = np.zeros_like(table[:1])
    return np.concatenate([zero, table, zero])


def token_mask(c: Case) -> Array:
    """[B,N] of the mask [B,1,N,N]."""
    mask = (c.mask != 0).any(2)[:, 0] if c.has("mask") else np.ones(c.q.shape[::2], bool)
    return mask


def regions(c: Case) -> Array:
    """[W,T]: the first token of its region, from the mask [W,1,T,T]."""
    return c.mask[:, 0].argmax(-1).astype(np.int32) if c.has("mask") else np.zeros((1, c.N), np.int32)


def by_distance(height: int, width: int) -> Callable[[Case], list]:
    """A table by (|dr|, |dc|) as a window's table by (dr, dc), and one region."""

    def rest(c: Case) -> list:
        dr, dc = np.meshgrid(np.arange(1 - height, height), np.arange(1 - width, width), indexing="ij")
        return [c.bias_table[(abs(dr) * width + abs(dc)).ravel()], regions(c), 1]

    return rest


def longer(table: Array, rows: int) -> Array:
    """Rows of zeros that no distance reaches."""
    return np.concatenate([table, np.zeros((rows - len(table),) + table.shape[1:])])


def boxes(c: Case) -> list:
    return [c.t1, c.tx, c.ty, c.x, c.y]


def minus_infinity(c: Case) -> Array:
    """Sinks that are none."""
    return np.full(c.q.shape[1], -np.inf, np.float32)


def last(count: int) -> slice:
    return slice(-count, None)


def longest(c: Case) -> Array:
    return np.full(c.q.shape[0], c.M, np.int64)


GPTOSS_YARN = dict(factor=4.0, original=64, beta_fast=8.0, truncate="false")
LAYOUTLM = dict(t5=(16, 24, "bidirectional"), t5_box=(20, 100, "bidirectional"))
NO_YARN: Dict[str, object] = {}
KV_EXAMPLES = ("shaw-kv", "unfused-shaw")


def shaw_both_sides(example: str) -> List[Entry]:
    def rest(k: str, v: str, past: int = 0, change: Callable = lambda t: t) -> Callable[[Case], list]:
        def tables(c: Case) -> list:
            rel, relv = change(getattr(c, k)), change(getattr(c, v))
            return [relv, rel, past] if example == "shaw-kv" else [rel, relv, past]

        return tables

    return [
        Entry("shaw-t2t-kv", example, rest("rel_k", "rel_v"), dict(clip=(-5, 5))),
        Entry("shaw-t2t-kv", example, rest("rel_k", "rel_v", past=30), dict(clip=(-5, 5)), Part(queries=slice(30, 34)),
              note="four queries amid the keys"),
        Entry("shaw-onmt-tied-kv", example, rest("rel", "rel"), dict(clip=(-6, 6)), Part(batch=[0])),
        Entry("shaw-onmt-tied-kv", example, rest("rel", "rel"), dict(clip=(-6, 6)), Part(batch=[1], keys=slice(29)),
              note="padded row"),
        Entry("shaw-vits-kv-window", example, rest("rel_k", "rel_v", change=zero_ends), dict(clip=(-5, 5)),
              note="nothing outside the window"),
    ]


ENTRIES = [
    Entry("t5-t5-cross", "plain", options=dict(scale=1.0), part=Part(batch=[0])),
    Entry("t5-t5-cross", "plain", options=dict(scale=1.0), part=Part(batch=[1], keys=slice(28)), note="padded row"),
    Entry("mask-longformer-global-rows", "plain", part=Part(queries=[0, 17], keys=slice(45))),

    Entry("mask-torch-causal-lower-right", "causal-bottom-right"),
    Entry("mask-torch-causal-upper-left", "causal-bottom-right", part=Part(keys=slice(21)), note="keys that are seen"),
    Entry("gqa-xtransformers-mod", "causal-bottom-right"),

    Entry("mask-modernbert-local", "window-symmetric", options=dict(sliding=7), qk=rotated),

    Entry("mask-mistral-window", "window-causal", lambda c: [0], dict(sliding=20), qk=rotated),
    Entry("mask-mistral-window", "window-causal", lambda c: [c.M - 3], dict(sliding=20), Part(queries=last(3)), rotated,
          note="last queries"),
    Entry("mask-torch-causal-upper-left", "window-causal", lambda c: [0], note="a window wider than the sequence"),

    Entry("sink-gptoss-window", "gptoss-sink-window", lambda c: [c.sinks, 0], dict(sliding=16, yarn=GPTOSS_YARN),
          f64=FLOAT_ANGLES),
    Entry("sink-gptoss-full", "gptoss-sink-window", lambda c: [c.sinks, 0], dict(yarn=GPTOSS_YARN), f64=FLOAT_ANGLES),
    Entry("mask-mistral-window", "gptoss-sink-window", lambda c: [minus_infinity(c), 0],
          dict(sliding=20, rope_base=10000.0, yarn=NO_YARN), f64=FLOAT_ANGLES, note="no sink"),
    Entry("rope-llama-yarn", "gptoss-sink-window", lambda c: [minus_infinity(c), 0],
          dict(sliding=200, rope_base=10000.0, yarn=dict(factor=4.0, original=64)), f64=FLOAT_ANGLES, note="no sink"),

    # MPT counts the distance from the last key and BLOOM from the first: weights as ours, scores not.
    Entry("alibi-mpt-3heads", "alibi-causal", lambda c: [c.slopes, 0], lse=False),
    Entry("alibi-mpt-3heads", "alibi-causal", lambda c: [c.slopes, c.M - 1], part=Part(queries=last(1)),
          note="last query"),
    Entry("alibi-mpt-5heads", "alibi-causal", lambda c: [c.slopes, 0], lse=False),
    Entry("alibi-bloom-6heads-leftpad", "alibi-causal", lambda c: [c.slopes, 0], part=Part(batch=[0]), lse=False),
    Entry("alibi-bloom-6heads-leftpad", "alibi-causal", lambda c: [c.slopes, 0],
          part=Part(batch=[1], queries=slice(7, None), keys=slice(7, None)), lse=False, note="padded row"),

    # For the last query, every key is behind it.
    Entry("alibi-xtransformers-bidirectional", "alibi-causal", lambda c: [c.slopes, 36],
          part=Part(batch=[0], queries=last(1)), note="last query"),

    Entry("t5-t5-encoder", "t5-encoder", lambda c: [c.bias_table]),
    Entry("t5-mpnet-scaled", "t5-encoder", lambda c: [c.bias_table], qk=quarter),
    Entry("t5-t5-encoder", "memref", lambda c: [c.bias_table]),
    Entry("t5-mpnet-scaled", "memref", lambda c: [c.bias_table], qk=quarter),
    Entry("t5-t5-decoder", "t5-decoder", lambda c: [c.bias_table, 0]),
    Entry("t5-t5-decoder", "t5-decoder", lambda c: [c.bias_table, c.M - 1], part=Part(queries=last(1)),
          note="last query"),
    Entry("t5-umt5-decoder-chunk", "t5-decoder", lambda c: [c.bias_table, c.M - c.N]),

    # With more exact buckets than distances, the table is one by distance.
    Entry("sandwich-nemo", "t5-decoder", lambda c: [longer(c.by_lag, 160), 0], dict(t5=(160, 128, "causal")), qk=quarter,
          f64=FLOAT_ANGLES),

    Entry("t5-layoutlmv2-1d-xy", "layoutlmv2", boxes, LAYOUTLM, Part(batch=[0])),
    Entry("t5-layoutlmv2-1d-xy", "layoutlmv2", boxes, LAYOUTLM, Part(batch=[1], keys=slice(32)), note="padded row"),

    Entry("shaw-wav2vec2bert-asymmetric", "shaw-k", lambda c: [c.rel_k, 0], dict(clip=(-12, 4)), Part(keys=slice(64))),
    # A table by lag is one by delta in the other order.
    Entry("shaw-speecht5-lag", "shaw-k", lambda c: [c.rel_k[::-1], 0], dict(clip=(-8, 9))),
    Entry("shaw-bert-relative-key", "shaw-k", lambda c: [c.dist[::-1], 0], dict(clip=(-79, 79))),
    *(Entry("music-t2t-unmasked-v2", "shaw-k", lambda c, h=h: [zero_ends(c.rel_k[h]), 0], dict(clip=(-10, 10)),
            Part(heads=[h]), note=f"head {h}, a table of its own") for h in range(3)),
    *(entry for example in KV_EXAMPLES for entry in shaw_both_sides(example)),

    Entry("rope-esm2-bidirectional", "rope-half", part=Part(batch=[0]), f64=FLOAT_ANGLES),
    Entry("rope-esm2-bidirectional", "rope-half", part=Part(batch=[1], queries=slice(5, None), keys=slice(5, None)),
          f64=FLOAT_ANGLES, note="padded row"),
    Entry("rope-roformer-interleaved", "rope-half", options=dict(rope_layout="interleaved"), f64=FLOAT_ANGLES),

    Entry("rope-llama-gqa", "rope-gqa-causal-decode", lambda c: [c.M - 1, longest(c)], dict(type="f32", rope_base=10000.0),
          Part(batch=[0], queries=last(1)), f64=FLOAT_ANGLES, note="last query"),
    Entry("rope-llama-gqa", "rope-gqa-causal-decode", lambda c: [0, longest(c)],
          dict(type="f32", rope_base=10000.0, N=None), Part(batch=[1], queries=slice(13, None), keys=slice(13, None)),
          f64=FLOAT_ANGLES, note="padded row"),
    Entry("scale-granite-mup", "rope-gqa-causal-decode", lambda c: [0, longest(c)],
          dict(type="f32", rope_base=10000.0, N=None, scale=0.0625), f64=FLOAT_ANGLES),
    Entry("rope-llama-yarn", "rope-gqa-causal-decode", lambda c: [0, longest(c)],
          dict(type="f32", rope_base=10000.0, N=None, yarn=dict(factor=4.0, original=64)), f64=FLOAT_ANGLES),

    Entry("rope-codegen-interleaved-partial", "rope-interleaved-partial", lambda c: [0], dict(rope_width=12),
          f64=FLOAT_ANGLES),
    Entry("rope-gptj-interleaved-partial", "rope-interleaved-partial", lambda c: [0], dict(rope_width=8),
          f64=FLOAT_ANGLES),
    Entry("rope-cohere-interleaved", "rope-interleaved-partial", lambda c: [0], dict(rope_width=20), f64=FLOAT_ANGLES),
    Entry("rope-lucidrains-cached-partial", "rope-interleaved-partial", lambda c: [c.M - c.N], dict(rope_width=12)),
    Entry("rope-gptneox-partial", "rope-interleaved-partial", lambda c: [0], dict(rope_layout="half", rope_width=8),
          f64=FLOAT_ANGLES),
    Entry("rope-deepseekv3-mla-yarn", "rope-interleaved-partial", lambda c: [0],
          dict(rope_start=12, rope_width=8, scale=0.2695866568315511,
               yarn=dict(factor=4.0, original=64, beta_fast=4.0, attention_factor=1.036992729910394)),
          f64=FLOAT_ANGLES),

    Entry("rope-llama-gqa", "rope-ids-left-padded", lambda c: [c.q_pos, c.k_pos, np.array([0, 13]), 0],
          f64=FLOAT_ANGLES),
    # At one length, dynamic scaling is another base.
    Entry("rope-llama-dynamic-ntk", "rope-ids-left-padded", lambda c: [c.q_pos, c.k_pos, np.array([0]), 0],
          dict(rope_base=10000.0 * (2 * 70 / 32 - 1) ** (16 / 14)), f64=FLOAT_ANGLES),
    Entry("qknorm-qwen3", "rope-ids-left-padded", lambda c: [c.q_pos, c.k_pos, np.array([0]), 0], qk=rms_normed,
          f64=FLOAT_ANGLES),
    Entry("qknorm-chameleon-layernorm", "rope-ids-left-padded", lambda c: [c.q_pos, c.k_pos, np.array([0]), 0],
          qk=layer_normed, f64=FLOAT_ANGLES),

    Entry("xl-transfoxl-memory", "transformer-xl", lambda c: [c.u, c.v_bias, c.r[:, ::-1], c.M - c.N]),

    *(Entry(case, "transformer-xl", lambda c: [c.u, c.v_bias, c.r[:, : c.M][:, ::-1], c.M - 1], options,
            Part(queries=last(1)), note="last query of a Conformer")
      for case, options in (("xl-fastspeech2conformer", {}), ("xl-parakeet", {}), ("xl-wav2vec2conformer", {}),
                            ("xl-speechbrain-embed-scale", dict(scale=0.125)))),

    Entry("deberta-v2-c2p-p2c-shared", "deberta-v2", lambda c: [c.kr, c.qr, token_mask(c)], dict(deberta=(8, 20, 8))),
    Entry("deberta-v2-256-512-buckets", "deberta-v2", lambda c: [c.kr, c.qr, token_mask(c)]),
    # No log buckets: the exact range is as wide as the span.
    Entry("deberta-v1-c2p-p2c", "deberta-v2", lambda c: [c.kr, c.qr, token_mask(c)], dict(deberta=(48, 64, 24))),

    Entry("window2d-swin-7x7", "swin-shifted", lambda c: [c.bias_table, regions(c), 1]),
    Entry("window2d-timm-swin-3x5", "swin-shifted", lambda c: [c.bias_table, regions(c), 2], dict(window=(3, 5))),
    Entry("window2d-levit-abs", "swin-shifted", by_distance(5, 5), dict(window=(5, 5))),
    Entry("window2d-levit-abs-6x6", "swin-shifted", by_distance(6, 6), dict(window=(6, 6))),

    # A table of zeros leaves ALiBi.
    Entry("alibi-mpt-3heads", "unpublished-periodic", lambda c: [np.zeros((3, 7)), c.slopes, 0], lse=False),
]
