"""Rotations by positions on several axes: text and images, grids of patches."""
from typing import Callable, Dict, List, Optional, Sequence

import numpy as np

from formulas import ALL, Array, Result, attend, dots, frequencies, grid, root, turn
from golden import FLOAT_ANGLES, Case, Entry, Part
from shapes import DEBERTA_SHAPES, Draw, Spec, causal


def blocks(sections: Sequence[int]) -> List[int]:
    """The axis of each pair: the first a pairs have axis 0, the next b axis 1, and so on."""
    return [axis for axis, size in enumerate(sections) for _ in range(size)]


def turns(sections: Sequence[int]) -> List[int]:
    """The same if the axes take turns until each has its share."""
    axes, left = [], list(sections)
    while any(left):
        for axis, size in enumerate(left):
            if size:
                axes.append(axis)
                left[axis] -= 1
    return axes


def angles(positions: Array, axes: Sequence[int], f: Array) -> Array:
    """[B,L,pairs]: positions [axes,B,L] on the axis of each pair, times its frequency."""
    return np.moveaxis(positions.astype(float)[list(axes)], 0, -1) * f


def attention(q: Array, k: Array, v: Array, qids: Array, kids: Array, axes: Sequence[int], f: Array, layout: str,
              scale: Optional[float], keep: Array = ALL) -> Result:
    a, b = angles(qids, axes, f), angles(kids, axes, f)
    S = dots(turn(q, np.cos(a), np.sin(a), layout), turn(k, np.cos(b), np.sin(b), layout))
    return attend(root(q, scale) * S, keep, v)


def restarted(base: float, sections: Sequence[int]) -> Array:
    """Each axis has the frequencies of a rotation of its own."""
    return np.concatenate([frequencies(base, 2 * size) for size in sections])


# The examples


def mrope_qwen2vl(q, k, v, qids, kids, past, scale=None, sections=(8, 12, 12), rope_base=1000000.0) -> Result:
    """Wang et al. 2024; qids [3,B,N], kids [3,B,M]."""
    i, j = grid(q, k, past)
    return attention(q, k, v, qids, kids, blocks(sections), frequencies(rope_base, q.shape[3]), "half", scale, j <= i)


def mrope_qwen3vl(q, k, v, qids, kids, past, scale=None, sections=(12, 10, 10), rope_base=1000000.0) -> Result:
    i, j = grid(q, k, past)
    return attention(q, k, v, qids, kids, turns(sections), frequencies(rope_base, q.shape[3]), "half", scale, j <= i)


def rope2d_qwen2vl_vision(q, k, v, ids, scale=None, sections=(16, 16), rope_base=10000.0) -> Result:
    """ids [2,1,N]."""
    return attention(q, k, v, ids, ids, blocks(sections), restarted(rope_base, sections), "half", scale)


def rope2d_llama4_vision(q, k, v, ids, scale=None, sections=(16, 16), rope_base=10000.0) -> Result:
    return attention(q, k, v, ids, ids, blocks(sections), restarted(rope_base, sections), "interleaved", scale)


def rope2d_pixtral(q, k, v, ids, f, scale=None, sections=(16, 16)) -> Result:
    return attention(q, k, v, ids, ids, blocks(sections), f.astype(float), "half", scale)


def rope2d_dinov3(q, k, v, ids, scale=None, sections=(16, 16), rope_base=100.0) -> Result:
    return attention(q, k, v, ids, ids, blocks(sections), restarted(rope_base, sections), "half", scale)


def rope2d_pixel_bands(q, k, v, ids, f, scale=None, sections=(16, 16)) -> Result:
    return attention(q, k, v, ids, ids, blocks(sections), f.astype(float), "interleaved", scale)


# Operands


def sections(count: int) -> Callable[[Draw], Dict[str, object]]:
    """As many sections as fit in the pairs of D channels, unequal, and fewer if there are fewer pairs."""

    def options(x: Draw) -> Dict[str, object]:
        pairs = x.shape.D // 2
        sizes = [1] * min(count, pairs)
        sizes[x.pick(-1, 0)] += pairs - sum(sizes)
        if len(sizes) > 1 and sizes[0] > 2:  # not all in one
            sizes[0], sizes[1] = sizes[0] - sizes[0] // 3, sizes[1] + sizes[0] // 3
        return dict(sections=tuple(sizes))

    return options


def axes_of(x: Draw, count: int) -> int:
    return len(sections(count)(x)["sections"]) if not x.file else count


def tokens(x: Draw) -> list:
    """Times, rows and columns; rows of queries and keys are not the same here."""
    count = axes_of(x, 3)
    ids = [x.random.integers(-5, 60, (count, x.shape.B, n)) for n in (x.N, x.M)]
    return [*ids, *causal(x)]


def patches(x: Draw) -> list:
    return [x.random.integers(0, 30, (axes_of(x, 2), 1, x.N))]


def coordinates(x: Draw) -> list:
    return [2 * np.pi * x.random.uniform(-1, 1, (axes_of(x, 2), 1, x.N))]


def bands(x: Draw) -> list:
    return [x.random.uniform(-1, 1, (axes_of(x, 2), 1, x.N)), np.linspace(np.pi, 5 * np.pi, x.shape.D // 2)]


def alternating(channels: int) -> Array:
    """Pixtral: the even frequencies, then the odd ones."""
    f = frequencies(10000.0, channels)
    return np.concatenate([f[0::2], f[1::2]])


def patch_spec(rest) -> Spec:
    return Spec(rest, sections(2), even=True, shapes=DEBERTA_SHAPES, square="the patches are queries and keys")


SPECS = {
    "mrope-qwen2vl": Spec(tokens, sections(3), even=True),
    "mrope-qwen3vl": Spec(tokens, sections(3), even=True),
    "rope2d-qwen2vl-vision": patch_spec(patches),
    "rope2d-llama4-vision": patch_spec(patches),
    "rope2d-pixtral": patch_spec(lambda x: [*patches(x), alternating(x.shape.D)]),
    "rope2d-dinov3": patch_spec(coordinates),
    "rope2d-pixel-bands": patch_spec(bands),
}


# Recorded grids


def cells(height: int, width: int) -> Array:
    """Row and column of each cell, [2,cells], row by row."""
    return np.array(np.divmod(np.arange(height * width), width))


def with_tokens(grid: Array, before: int = 0, after: int = 0) -> list:
    """Positions [2,1,N] with tokens at 0, 0 around them."""
    return [np.pad(grid, ((0, 0), (before, after)))[:, None]]


def centres(height: int, width: int) -> Array:
    return 2 * np.pi * np.array([2 * (axis + 0.5) / size - 1 for axis, size in zip(cells(height, width), (height, width))])


def ends(height: int, width: int) -> Array:
    return np.array([2 * axis / (size - 1) - 1 for axis, size in zip(cells(height, width), (height, width))])


def at_recorded(c: Case) -> list:
    return [c.q_pos, c.k_pos, 0]


ENTRIES = [
    Entry("mrope-qwen2vl-sections", "mrope-qwen2vl", at_recorded, dict(sections=(2, 3, 3), rope_base=10000.0),
          f64=FLOAT_ANGLES),
    # Text: one position is all three.
    Entry("rope-llama-gqa", "mrope-qwen3vl", lambda c: [np.stack([c.q_pos[:1]] * 3), np.stack([c.k_pos[:1]] * 3), 0],
          dict(sections=(4, 2, 2), rope_base=10000.0), part=Part(batch=[0]), f64=FLOAT_ANGLES, note="text"),
    Entry("rope2d-llama4-vision", "rope2d-llama4-vision", lambda c: with_tokens(cells(5, 5)[::-1] + 1, after=1),
          dict(sections=(5, 5)), f64=FLOAT_ANGLES),
    Entry("rope2d-timm-eva", "rope2d-llama4-vision", lambda c: with_tokens(cells(4, 6), before=1), dict(sections=(4, 4)),
          f64=FLOAT_ANGLES),
    Entry("rope2d-pixtral", "rope2d-pixtral", lambda c: [*with_tokens(cells(5, 7)), alternating(16)],
          dict(sections=(4, 4)), f64=FLOAT_ANGLES),
    Entry("rope2d-dinov3", "rope2d-dinov3", lambda c: with_tokens(centres(4, 6), before=3), dict(sections=(4, 4)),
          f64=FLOAT_ANGLES),
    Entry("rope2d-lucidrains-axial-pixel", "rope2d-pixel-bands",
          lambda c: [*with_tokens(ends(4, 5)), np.tile(np.linspace(np.pi, 5 * np.pi, 8), 2)], dict(sections=(8, 8)),
          f64=FLOAT_ANGLES),
]
