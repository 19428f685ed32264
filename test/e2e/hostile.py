"""Data of a head that is hostile to a softmax which sees one block of keys at a time.

MAGNITUDES says how large the largest |logit| is. The functions change normal data in place, that of the heads of a
kind: q [B,H,N,D], k [B,Hkv,M,D], v [B,Hkv,M,Dv].
"""
import numpy as np

Array = np.ndarray

MAGNITUDES = (1, 30, 300)


def normal(q: Array, k: Array, v: Array) -> None:
    pass


def ascending(q: Array, k: Array, v: Array) -> None:
    """Keys in the order of their logits, about the same for all queries: the maximum grows to the end."""
    q[:] = q[:, :1, :1] + q / 8
    k[:] = np.take_along_axis(k, np.argsort(k @ q[:, :1, 0, :, None], 2), 2)


def descending(q: Array, k: Array, v: Array) -> None:
    ascending(q, k, v)
    k[:] = k[:, :, ::-1].copy()


def equal(q: Array, k: Array, v: Array) -> None:
    """All keys are the same."""
    k[:] = k[:, :, :1]


def last(q: Array, k: Array, v: Array) -> None:
    """The last key has a large logit, all others have small ones."""
    q[:] = q[:, :1, :1] + q / 8
    k /= 100
    k[:, :, -1] = q[:, :1, 0]


def offset(q: Array, k: Array, v: Array) -> None:
    """What the values have in common is large."""
    v += 1000


def aligned(q: Array, k: Array, v: Array) -> None:
    """All products of channels are positive, so that the partial sums of a logit are as large as it."""
    q[:], k[:] = 1 + q / 8, 1 + k / 8


ALL = (normal, ascending, descending, equal, last, offset, aligned)
LONG = (normal, ascending, equal, offset)
