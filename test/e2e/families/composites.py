"""Several terms in one score: DeBERTa's kin, absolute and relative positions together, positions in two levels, grids,
trees."""
import numpy as np
from formulas import (ALL, Result, attend, bias_at, by_row, dots, grid, root, softmax, t5_bucket, token_offsets,
                      values)
from golden import Entry, token_mask
from shapes import DEBERTA_SHAPES, FEW, Draw, Shape, Spec, masked_tables, t5



# Oracles


def deberta(q, k, v, kr, qr, mask, scale, clip, terms) -> Result:
    """He et al. 2020 without log buckets; with four terms the positions meet, too."""
    i, j = grid(q, k)
    row = np.clip(i - j, *clip) - clip[0]
    with np.errstate(invalid="ignore"):
        S = dots(q, k) + by_row(q, kr, row) + by_row(k, qr, row.T).swapaxes(-1, -2)
    if terms == 4:
        S = S + (kr.astype(float) * qr).sum(-1)[:, row]
    seen = mask.astype(bool)
    return attend(root(q, scale, terms) * S, seen[:, None, :, None] & seen[:, None, None, :], v)


def deberta_v1(q, k, v, kr, qr, mask, scale=None, clip=(-512, 511)) -> Result:
    return deberta(q, k, v, kr, qr, mask, scale, clip, 3)


def deberta_p2p(q, k, v, kr, qr, mask, scale=None, clip=(-512, 511)) -> Result:
    return deberta(q, k, v, kr, qr, mask, scale, clip, 4)


def tupe(q, k, v, pq, pk, table, scale=None, t5=(32, 128, "bidirectional")) -> Result:
    """Ke et al. 2020: pq [H,N,D], pk [H,M,D], table [33,H]."""
    i, j = grid(q, k)
    bucket = t5_bucket(j - i, *t5)
    bucket[:, :1] = 32  # the order of these two is that of TUPE's code
    bucket[:1] = 16
    S = root(q, scale, 2) * (dots(q, k) + dots(pq[None], pk[None]))
    return attend(S + bias_at(table, bucket), ALL, v)


def gated_absolute_relative(q, k, v, gate, table, pq, pk, scale=None, t5=(32, 128, "bidirectional")) -> Result:
    i, j = grid(q, k)
    g = gate.astype(float)[:, None, None]
    relative = bias_at(table, t5_bucket(j - i, *t5))
    absolute = root(q, scale) * dots(pq[None], pk[None])
    return attend(root(q, scale) * dots(q, k) + g * relative + (1 - g) * absolute, ALL, v)


def levels(q, k, past, bs, clip, clip_other):
    """Whether in one block of bs, and the rows of the fine and the coarse table."""
    i, j = grid(q, k, past)
    fine = np.clip(j - i, *clip) - clip[0]
    coarse = np.clip(j // bs - i // bs, *clip_other) - clip_other[0]
    return i // bs == j // bs, fine, coarse


def hierarchical(q, k, v, fine, coarse, past, scale=None, clip=(-32, 32), clip_other=(-8, 8), bs=64) -> Result:
    same, f, c = levels(q, k, past, bs, clip, clip_other)
    bias = np.where(same, fine.astype(float)[:, f], coarse.astype(float)[:, c])
    return attend(root(q, scale) * dots(q, k) + bias, ALL, v)


def hierarchical_vector(q, k, v, fine, coarse, past, scale=None, clip=(-32, 32), clip_other=(-8, 8), bs=64) -> Result:
    same, f, c = levels(q, k, past, bs, clip, clip_other)
    return attend(root(q, scale) * (dots(q, k) + np.where(same, by_row(q, fine, f), by_row(q, coarse, c))), ALL, v)


def music_2d(q, k, v, rh, rw, scale=None, clip=(-15, 15), clip_other=(-15, 15), w=16) -> Result:
    """Key minus query."""
    dr, dc = token_offsets(*grid(q, k), w)
    by_offset = by_row(q, rh, np.clip(-dr, *clip) - clip[0]) + by_row(q, rw, np.clip(-dc, *clip_other) - clip_other[0])
    return attend(root(q, scale) * (dots(q, k) + by_offset), ALL, v)


def sam_decomposed(q, k, v, rh, rw, scale=None, clip=(-13, 13), clip_other=(-13, 13), w=14) -> Result:
    """Query minus key; the content alone is scaled."""
    dr, dc = token_offsets(*grid(q, k), w)
    by_offset = by_row(q, rh, np.clip(dr, *clip) - clip[0]) + by_row(q, rw, np.clip(dc, *clip_other) - clip_other[0])
    return attend(root(q, scale) * dots(q, k) + by_offset, ALL, v)


def unpublished_tree(q, k, v, relv, depth, rel, gate, scale=None, clip=(-8, 8)) -> Result:
    row = np.clip(depth[:, None] - depth[:, :, None], *clip) - clip[0]  # [B,N,M]
    gated = gate.astype(float)[:, None, None] * by_row(q, rel, row[:, None])
    P, lse = softmax(root(q, scale) * (dots(q, k) + gated), ALL)
    return values(P, ALL, v) + np.einsum("bhij,bijd->bhid", P, relv.astype(float)[row]), lse


# Operands


def span(x: Draw):
    return x.pick((-512, 511), (-24, 23), (-3, 5))


def deberta_tables(x: Draw) -> list:
    return masked_tables(x, span(x)[1] - span(x)[0] + 1)


def absolute(x: Draw) -> list:
    s = x.shape
    return [x.normal(s.H, s.N, s.D), x.normal(s.H, s.M, s.D)]


def gated(x: Draw) -> list:
    return [x.random.random(x.shape.H), x.normal(t5(x)[0], x.shape.H), *absolute(x)]


def clips(x: Draw) -> dict:
    if x.file:
        return {}
    return dict(clip=x.pick((-32, 32), (-3, 5), (-9, 9)), clip_other=x.pick((-8, 8), (-2, 1), (-1, 3)),
                set=dict(bs=x.pick(64, 4, 7, 16)))


def levels_rest(x: Draw, leading: bool) -> list:
    options = {"clip": (-32, 32), "clip_other": (-8, 8), **clips(x)}
    counts = [options[name][1] - options[name][0] + 1 for name in ("clip", "clip_other")]
    return [x.normal(x.shape.H, n) if leading else x.normal(n, x.shape.D) for n in counts] + [max(x.past, 0)]


def grid_2d(x: Draw) -> dict:
    if x.file:
        return {}
    return dict(clip=x.pick((-15, 15), (-2, 3), (-30, 30)), clip_other=x.pick((-15, 15), (-1, 4)),
                set=dict(w=x.pick(16, 5, 3, 131)))


def grid_rest(x: Draw) -> list:
    options = {"clip": (-15, 15), "clip_other": (-15, 15), **grid_2d(x)}
    return [x.normal(options[n][1] - options[n][0] + 1, x.shape.D) for n in ("clip", "clip_other")]


GRIDS = {1: (1, 1), 6: (2, 3), 5: (5, 1), 25: (5, 5), 132: (11, 12), 196: (14, 14)}


def sam(x: Draw) -> dict:
    height, width = GRIDS[x.N]
    clips = dict(clip=(1 - height, height - 1), clip_other=(1 - width, width - 1))
    return dict(T=x.N, set=dict(w=width), **clips)


def sam_rest(x: Draw) -> list:
    height, width = GRIDS[x.N]
    return [x.normal(2 * height - 1, x.shape.D), x.normal(2 * width - 1, x.shape.D)]


def depths(x: Draw):
    return x.pick((-8, 8), (-2, 3), (1, 4))


def tree(x: Draw) -> list:
    s, rows = x.shape, depths(x)[1] - depths(x)[0] + 1
    depth = x.random.integers(-3, 12, (s.B, s.N))
    return [x.normal(rows, s.Dv), depth, x.normal(rows, s.D), x.normal(s.H)]


SAM_SHAPES = (
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(6, 6, 3, 2, 2, 7, 20, 0),
    Shape(5, 5, 2, 3, 3, 20, 7, 0, "bf16"),
    Shape(25, 25, 2, 3, 3, 33, 16, 0, static=True),
    Shape(132, 132, 1, 2, 2, 16, 16, 0),
)

SPECS = {
    "deberta-v1": Spec(deberta_tables, lambda x: dict(clip=span(x)), shapes=DEBERTA_SHAPES,
                       square="one mask serves the queries and the keys"),
    "deberta-p2p": Spec(deberta_tables, lambda x: dict(clip=span(x)), shapes=DEBERTA_SHAPES,
                        square="one mask serves the queries and the keys"),
    "tupe": Spec(lambda x: [*absolute(x), x.normal(33, x.shape.H)]),
    "gated-absolute-relative": Spec(gated, lambda x: dict(t5=t5(x)), shapes=FEW),
    "hierarchical": Spec(lambda x: levels_rest(x, True), clips),
    "hierarchical-vector": Spec(lambda x: levels_rest(x, False), clips, shapes=FEW),
    "music-2d": Spec(grid_rest, grid_2d, shapes=FEW),
    "sam-decomposed": Spec(sam_rest, sam, shapes=SAM_SHAPES, square="queries and keys are the tokens of one window"),
    "unpublished-tree": Spec(tree, lambda x: dict(clip=depths(x)), shapes=DEBERTA_SHAPES,
                             square="one depth serves the queries and the keys"),
}


# Captured cases


def only_keys(c) -> list:
    """A table for all heads, and nothing on the other side."""
    kr = np.repeat(c.rel_k[None], c.q.shape[1], 0)
    return [kr, np.zeros_like(kr), token_mask(c)]


def relative_alone(c) -> list:
    H, D = c.q.shape[1], c.q.shape[3]
    return [np.ones(H), c.bias_table, np.ones((H, c.N, D)), np.ones((H, c.M, D))]


def one_block(c) -> list:
    """T5's buckets written out by distance."""
    by_distance = c.bias_table[t5_bucket(np.arange(-69, 70), 32, 128, "bidirectional")].T
    return [by_distance, np.ones((c.q.shape[1], 3)), 0]


ENTRIES = [
    Entry("deberta-v1-c2p-p2c", "deberta-v1", lambda c: [c.kr, c.qr, token_mask(c)], dict(clip=(-24, 23))),
    Entry("shaw-speecht5-lag", "deberta-p2p", only_keys, dict(clip=(-9, 8), scale=20 ** -0.5),
          note="one position term"),
    Entry("t5-mpnet-scaled", "gated-absolute-relative", relative_alone, note="gates 1"),

    Entry("t5-mpnet-scaled", "hierarchical", one_block, dict(clip=(-69, 69), clip_other=(-1, 1), set=dict(bs=128)),
          note="one block"),
    Entry("shaw-speecht5-lag", "hierarchical-vector", lambda c: [c.rel_k[::-1], np.ones((3, c.q.shape[3])), 0],
          dict(clip=(-8, 9), clip_other=(-1, 1), set=dict(bs=64)), note="one block"),

    Entry("rel2d-sam-decomposed", "sam-decomposed", lambda c: [c.rel_h, c.rel_w],
          dict(T=25, clip=(-4, 4), clip_other=(-4, 4), set=dict(w=5))),
    # The positions are scaled, too, by 1/4; key minus query.
    Entry("rel2d-sam-decomposed", "music-2d", lambda c: [4 * c.rel_h[::-1], 4 * c.rel_w[::-1]],
          dict(clip=(-4, 4), clip_other=(-4, 4), set=dict(w=5))),

    # A chain is a tree whose depths are the positions.
    Entry("shaw-t2t-kv", "unpublished-tree",
          lambda c: [c.rel_v, np.tile(np.arange(c.N), (c.q.shape[0], 1)), c.rel_k, np.ones(c.q.shape[1])],
          dict(clip=(-5, 5)), note="a chain"),
]
