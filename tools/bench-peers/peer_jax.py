"""Attention as users of JAX write it, under jit: XLA compiles the position term with the rest."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from cases import CLIP, DEBERTA, HEADS, T5, WINDOW, Case, deberta_row, queries_and_keys

VERSION = jax.__version__


def lags(size):
    position = jnp.arange(size)
    return position[:, None] - position


def t5_bucket_of(delta):
    half, exact = T5[0] // 2, T5[0] // 4
    distance = jnp.abs(delta)
    wide = exact + (
        jnp.log(jnp.maximum(distance, 1) / exact) / math.log(T5[1] / exact) * (half - exact)
    ).astype(jnp.int32)
    return (delta > 0) * half + jnp.where(distance < exact, distance, jnp.minimum(wide, half - 1))


def bias(case: Case, x):
    """What is added to the scaled scores, [H, S, S], or None."""
    q, k, size = x["q"][0], x["k"][0], case.size
    take = lambda y, row: jnp.take_along_axis(y, jnp.broadcast_to(row, (HEADS, size, size)), 2)
    if case.variant == "alibi-causal":
        return -x["slopes"][:, None, None] * lags(size).astype(q.dtype)
    if case.variant == "t5-encoder":
        return jnp.transpose(x["table"][t5_bucket_of(-lags(size))], (2, 0, 1))
    if case.variant in ("shaw-k", "shaw-kv"):
        row = jnp.clip(-lags(size), -CLIP, CLIP) + CLIP
        return take(q @ x["rel"].T, row) * case.scale
    if case.variant == "deberta-v2":
        # The rows of DeBERTa are an array of constants of the program.
        by_lag = jnp.asarray(deberta_row(np.arange(1 - size, size), *DEBERTA))
        row = by_lag[lags(size) + size - 1]
        return (take(q @ x["kr"].mT, row) + take(k @ x["qr"].mT, row.T).mT) * case.scale
    if case.variant == "transformer-xl":
        by_distance = (q + x["v_bias"][:, None]) @ x["farthest_first"].mT * case.scale
        padded = jnp.pad(by_distance, ((0, 0), (0, 0), (1, 0))).reshape(HEADS, size + 1, size)
        return padded[:, 1:].reshape(HEADS, size, size)
    return None


def rotate(x, cos, sin):
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1).astype(x.dtype)


def dot_product_attention(case: Case, x):
    q, k = queries_and_keys(case, x, rotate)
    added = bias(case, x)
    swap = lambda y: jnp.swapaxes(y, 1, 2)
    return swap(
        jax.nn.dot_product_attention(
            swap(q),
            swap(k),
            swap(x["v"]),
            bias=None if added is None else added[None],
            is_causal=case.causal,
            scale=case.scale,
            local_window_size=(WINDOW - 1, 0) if case.variant == "window-causal" else None,
        )
    )


def naive(case: Case, x):
    q, k = queries_and_keys(case, x, rotate)
    scores = (q @ k.mT) * case.scale
    added = bias(case, x)
    if added is not None:
        scores = scores + added
    if case.causal:
        scores = jnp.where(lags(case.size) < 0, -jnp.inf, scores)
    if case.variant == "window-causal":
        scores = jnp.where(lags(case.size) >= WINDOW, -jnp.inf, scores)
    weights = jax.nn.softmax(scores, -1)
    result = weights @ x["v"]
    if case.variant == "shaw-kv":
        row = jnp.clip(-lags(case.size), -CLIP, CLIP) + CLIP
        heads, queries = jnp.arange(HEADS)[:, None, None], jnp.arange(case.size)[:, None]
        # In bf16 the many small weights of the outermost rows would be lost.
        sums = jnp.zeros((HEADS, case.size, 2 * CLIP + 1)).at[heads, queries, row].add(weights[0])
        result = result + sums.astype(result.dtype) @ x["relv"]
    return result


class Way:
    keeps_buffers = False

    def __init__(self, name: str, case: Case, operands: dict):
        if case.variant == "shaw-kv" and name != "naive":
            raise NotImplementedError("the op has one product with the values")
        dtype = {"f32": jnp.float32, "bf16": jnp.bfloat16}[case.dtype]
        self.x = {
            key: jnp.asarray(y, dtype) for key, y in operands.items() if isinstance(y, np.ndarray)
        }
        if case.variant == "transformer-xl":
            self.x["farthest_first"] = self.x["rel"][:, ::-1]
        if case.variant == "rope-half":
            self.x["cos"], self.x["sin"] = (jnp.asarray(y) for y in case.turns())
        function = naive if name == "naive" else dot_product_attention
        self.function = jax.jit(lambda x: function(case, x))

    def __call__(self):
        return self.function(self.x).block_until_ready()

    def to_numpy(self, result) -> np.ndarray:
        return np.asarray(result[0].astype(jnp.float32))
