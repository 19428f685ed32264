"""What is compared: the variants, their operands, and their results in float64."""

import os
import sys
from dataclasses import dataclass

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "examples"))
from formulas import deberta_row, frequencies, t5_bucket, turn  # noqa: E402

HEADS, CHANNELS = 8, 64
T5 = (32, 128, "bidirectional")
CLIP, WINDOW = 16, 256
DEBERTA = (256, 512, 256)
# The largest error of a row, as a part of the row's length.
TOLERANCE = {"f32": 1e-4, "bf16": 5e-2}


@dataclass(frozen=True)
class Case:
    """One batch of HEADS heads of CHANNELS channels, `size` queries and keys, `threads` cores."""

    variant: str
    dtype: str
    size: int
    threads: int

    def __str__(self) -> str:
        return f"{self.variant}, {self.setting}"

    @property
    def setting(self) -> str:
        threads = f"{self.threads} thread" + "s" * (self.threads > 1)
        return f"{self.dtype}, {self.size} tokens, {threads}"

    @property
    def scale(self) -> float:
        return {"t5-encoder": 1.0, "deberta-v2": (3 * CHANNELS) ** -0.5}.get(
            self.variant, CHANNELS**-0.5
        )

    @property
    def causal(self) -> bool:
        return self.variant in (
            "causal-bottom-right",
            "alibi-causal",
            "transformer-xl",
            "window-causal",
        )

    def lags(self) -> np.ndarray:
        """Position of the query minus that of the key, [size, size]."""
        position = np.arange(self.size)
        return position[:, None] - position

    def clipped(self) -> np.ndarray:
        """Shaw's row for each pair."""
        return np.clip(-self.lags(), -CLIP, CLIP) + CLIP

    def turns(self):
        """cos and sin of RoPE's angles, [size, CHANNELS / 2]."""
        angles = np.arange(self.size)[:, None] * frequencies(10000.0, CHANNELS)
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def operands(case: Case) -> dict:
    """Those of the example file in its order; floats are f32 that the element type can hold."""
    random, heads, size, channels = np.random.default_rng(0), HEADS, case.size, CHANNELS

    def draw(*shape, deviation=1.0):
        x = (random.standard_normal(shape) * deviation).astype(np.float32)
        if case.dtype == "f32":
            return x
        import ml_dtypes

        return x.astype(ml_dtypes.bfloat16).astype(np.float32)

    # T5 has the scale in its weights.
    x = {
        "q": draw(1, heads, size, channels, deviation=0.125 if case.variant == "t5-encoder" else 1)
    }
    x["k"], x["v"] = draw(1, heads, size, channels), draw(1, heads, size, channels)
    if case.variant == "alibi-causal":
        x["slopes"] = 2.0 ** -(np.arange(heads, dtype=np.float32) + 1)
    if case.variant == "t5-encoder":
        x["table"] = draw(T5[0], heads)
    if case.variant == "shaw-kv":
        x["relv"] = draw(2 * CLIP + 1, channels, deviation=0.5)
    if case.variant in ("shaw-k", "shaw-kv"):
        x["rel"] = draw(2 * CLIP + 1, channels, deviation=0.5)
    if case.variant == "deberta-v2":
        x["kr"], x["qr"] = (draw(heads, 2 * DEBERTA[2], channels, deviation=0.5) for _ in range(2))
        x["mask"] = np.ones((1, size), bool)
    if case.variant == "transformer-xl":
        x["u"], x["v_bias"] = (draw(heads, channels, deviation=0.3) for _ in range(2))
        x["rel"] = draw(heads, size, channels, deviation=0.5)
        x["mem"] = 0
    if case.variant in ("alibi-causal", "shaw-k", "shaw-kv", "window-causal"):
        x["past"] = 0
    return x


class WrongResult(Exception):
    pass


def queries_and_keys(case: Case, x: dict, rotate):
    """What the first product takes, of a library's arrays; `rotate` turns one by cos and sin."""
    if case.variant == "rope-half":
        return rotate(x["q"], x["cos"], x["sin"]), rotate(x["k"], x["cos"], x["sin"])
    if case.variant == "transformer-xl":
        return x["q"] + x["u"][:, None], x["k"]
    return x["q"], x["k"]


class Reference:
    """The result of some rows in float64."""

    def __init__(self, case: Case, x: dict):
        size = case.size
        self.limit = TOLERANCE[case.dtype]
        self.rows = np.unique(np.r_[0:8, 8 : size : max(1, size // 29), size - 3 : size])
        self.result = np.stack([self.head(case, x, h) for h in range(HEADS)])

    def head(self, case: Case, x: dict, h: int) -> np.ndarray:
        q, k, v = (x[name][0, h].astype(float) for name in "qkv")
        lag = self.rows[:, None] - np.arange(case.size)
        if case.variant == "rope-half":
            q, k = (turn(y[None, None], *case.turns())[0, 0] for y in (q, k))
        q = q[self.rows]
        clipped = np.clip(-lag, -CLIP, CLIP) + CLIP
        by_row = lambda y, table, row: np.take_along_axis(y @ table.astype(float).T, row, 1)
        scores = q @ k.T
        if case.variant in ("shaw-k", "shaw-kv"):
            scores += by_row(q, x["rel"], clipped)
        if case.variant == "deberta-v2":
            row = deberta_row(lag, *DEBERTA)
            scores += by_row(q, x["kr"][h], row) + by_row(k, x["qr"][h], row.T).T
        if case.variant == "transformer-xl":
            scores = (q + x["u"][h]) @ k.T
            scores += by_row(q + x["v_bias"][h], x["rel"][h], np.maximum(lag, 0))
        scores *= case.scale
        if case.variant == "t5-encoder":
            scores += x["table"].astype(float)[t5_bucket(-lag, *T5), h]
        if case.variant == "alibi-causal":
            scores -= x["slopes"][h] * lag
        if case.causal:
            scores[lag < 0] = -np.inf
        if case.variant == "window-causal":
            scores[lag >= WINDOW] = -np.inf
        weights = np.exp(scores - scores.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        result = weights @ v
        if case.variant == "shaw-kv":
            for i, row in enumerate(clipped):
                result[i] += np.bincount(row, weights[i], 2 * CLIP + 1) @ x["relv"]
        return result

    def check(self, result: np.ndarray) -> float:
        """The error of a result [HEADS, size, CHANNELS]; WrongResult if it is too large."""
        difference = np.linalg.norm(result[:, self.rows].astype(float) - self.result, axis=-1)
        error = float((difference / np.linalg.norm(self.result, axis=-1)).max())
        if not error <= self.limit:
            raise WrongResult(f"wrong result: error {error:.1e} in a row, allowed {self.limit:.0e}")
        return error
