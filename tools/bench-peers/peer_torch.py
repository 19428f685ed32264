"""Attention as users of PyTorch write it.

The dense bias of a position term is made by each call, from the table, the slopes or the queries,
as the models of Hugging Face do. What FlexAttention is given ready is its block mask and the bucket
of each distance.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from cases import CHANNELS, CLIP, DEBERTA, HEADS, T5, WINDOW
from cases import Case, deberta_row, queries_and_keys, t5_bucket

VERSION = torch.__version__
torch.set_grad_enabled(False)


def lags(size):
    position = torch.arange(size)
    return position[:, None] - position


def t5_bucket_of(delta):
    """As in Hugging Face's modeling_t5.py."""
    half, exact = T5[0] // 2, T5[0] // 4
    side, distance = (delta > 0).long() * half, delta.abs()
    wide = (
        exact
        + (torch.log(distance.float() / exact) / math.log(T5[1] / exact) * (half - exact)).long()
    )
    return side + torch.where(distance < exact, distance, wide.clamp(max=half - 1))


def deberta_row_of(lag):
    """As in Hugging Face's modeling_deberta_v2.py."""
    middle, (_, most, span) = DEBERTA[0] // 2, DEBERTA
    distance = torch.where((lag < middle) & (lag > -middle), middle - 1, lag.abs())
    wide = torch.ceil(torch.log(distance / middle) / math.log((most - 1) / middle) * (middle - 1))
    bucket = torch.where(distance <= middle, lag.float(), (wide + middle) * torch.sign(lag))
    return (bucket.long() + span).clamp(0, 2 * span - 1)


def shift(x):
    """Transformer-XL's: [H, S, S] by distance, the farthest first, becomes [H, S, S] by key."""
    heads, size, _ = x.shape
    return F.pad(x, (1, 0)).view(heads, size + 1, size)[:, 1:].reshape(heads, size, size)


def bias(case: Case, x):
    """What is added to the scaled scores, [H, S, S] or smaller, or None."""
    q, k, size = x["q"][0], x["k"][0], case.size
    pairs = lambda row: row.expand(HEADS, size, size)
    if case.variant == "alibi-causal":
        return -x["slopes"][:, None, None] * lags(size)
    if case.variant == "t5-encoder":
        return F.embedding(t5_bucket_of(-lags(size)), x["table"]).permute(2, 0, 1)
    if case.variant in ("shaw-k", "shaw-kv"):
        row = (-lags(size)).clamp(-CLIP, CLIP) + CLIP
        return torch.gather(q @ x["rel"].T, 2, pairs(row)) * case.scale
    if case.variant == "deberta-v2":
        row = deberta_row_of(lags(size))
        return (
            torch.gather(q @ x["kr"].mT, 2, pairs(row))
            + torch.gather(k @ x["qr"].mT, 2, pairs(row.T)).mT
        ) * case.scale
    if case.variant == "transformer-xl":
        return shift((q + x["v_bias"][:, None]) @ x["farthest_first"].mT) * case.scale
    return None


def keep(case: Case):
    lag = lags(case.size)
    return (lag >= 0) & (lag < WINDOW) if case.variant == "window-causal" else lag >= 0


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


def sdpa(case: Case, x):
    q, k = queries_and_keys(case, x, rotate)
    mask = bias(case, x)
    is_causal = case.variant == "causal-bottom-right"
    if case.causal and not is_causal:
        mask = keep(case) if mask is None else mask.masked_fill(~keep(case), -math.inf)
    return F.scaled_dot_product_attention(
        q, k, x["v"], attn_mask=mask, is_causal=is_causal, scale=case.scale
    )


def naive(case: Case, x):
    q, k = queries_and_keys(case, x, rotate)
    scores = (q @ k.mT) * case.scale
    added = bias(case, x)
    if added is not None:
        scores = scores + added
    if case.causal:
        scores = scores.masked_fill(~keep(case), -math.inf)
    weights = torch.softmax(scores, -1)
    result = weights @ x["v"]
    if case.variant == "shaw-kv":
        row = ((-lags(case.size)).clamp(-CLIP, CLIP) + CLIP).expand(weights.shape)
        # In bf16 the many small weights of the outermost rows would be lost.
        sums = torch.zeros(*weights.shape[:3], 2 * CLIP + 1).scatter_add_(3, row, weights.float())
        result = result + sums.to(result.dtype) @ x["relv"]
    return result


def flex_terms(case: Case):
    """The score_mod of what a call prepares, the preparation, and whether a pair is kept."""
    size, scale = case.size, case.scale
    kept = (lambda b, h, i, j: i >= j) if case.causal else None
    added, before = None, lambda x: None
    if case.variant == "window-causal":
        kept = lambda b, h, i, j: (i >= j) & (i - j < WINDOW)
    elif case.variant == "alibi-causal":
        before = lambda x: x["slopes"]
        added = lambda p: lambda s, b, h, i, j: s - p[h] * (i - j)
    elif case.variant == "t5-encoder":
        bucket = torch.from_numpy(t5_bucket(np.arange(1 - size, size), *T5))
        before = lambda x: x["table"]
        added = lambda p: lambda s, b, h, i, j: s + p[bucket[j - i + size - 1], h]
    elif case.variant == "shaw-k":
        before = lambda x: x["q"] @ x["rel"].T
        added = lambda p: lambda s, b, h, i, j: (
            s + p[b, h, i, (j - i).clamp(-CLIP, CLIP) + CLIP] * scale
        )
    elif case.variant == "deberta-v2":
        row = torch.from_numpy(deberta_row(np.arange(1 - size, size), *DEBERTA))
        before = lambda x: (x["q"] @ x["kr"].mT, x["k"] @ x["qr"].mT)
        added = lambda p: lambda s, b, h, i, j: (
            s
            + (p[0][b, h, i, row[i - j + size - 1]] + p[1][b, h, j, row[i - j + size - 1]]) * scale
        )
    elif case.variant == "transformer-xl":
        before = lambda x: (x["q"] + x["v_bias"][:, None]) @ x["rel"].mT
        added = lambda p: lambda s, b, h, i, j: s + p[b, h, i, (i - j).clamp(min=0)] * scale
    return added, before, kept


def flex(case: Case):
    if case.variant == "shaw-kv":
        raise NotImplementedError("the op has one product with the values")
    added, before, kept = flex_terms(case)
    mask = kept and create_block_mask(kept, None, None, case.size, case.size, device="cpu")

    def call(x):
        q, k = queries_and_keys(case, x, rotate)
        prepared = before(x)
        return flex_attention(
            q, k, x["v"], score_mod=added and added(prepared), block_mask=mask, scale=case.scale
        )

    return call


class Way:
    keeps_buffers = False

    def __init__(self, name: str, case: Case, operands: dict):
        torch.set_num_threads(case.threads)
        if case.variant == "shaw-kv" and "sdpa" in name:
            raise NotImplementedError("the op has one product with the values")
        dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[case.dtype]
        self.x = {
            key: torch.from_numpy(y).to(dtype)
            for key, y in operands.items()
            if isinstance(y, np.ndarray)
        }
        if case.variant == "transformer-xl":
            self.x["farthest_first"] = self.x["rel"].flip(1)
        if case.variant == "rope-half":
            self.x["cos"], self.x["sin"] = (torch.from_numpy(y) for y in case.turns())
        function = {
            "sdpa": lambda x: sdpa(case, x),
            "compiled sdpa": lambda x: sdpa(case, x),
            "compiled naive": lambda x: naive(case, x),
        }.get(name) or flex(case)
        self.function = (
            function if name == "sdpa" else torch.compile(function, dynamic=False, fullgraph=True)
        )

    def __call__(self):
        return self.function(self.x)

    def to_numpy(self, result) -> np.ndarray:
        return result[0].float().numpy()
