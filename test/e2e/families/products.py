"""A product of the query, or of the key, with a vector for the distance: Shaw's kin and Music Transformer."""
from dataclasses import replace

import numpy as np
from formulas import ALL, Array, attend, by_row, dots, grid, root, shaw_k, shaw_kv, softmax, t5_bucket, values
from golden import Entry, Part, last, quarter
from shapes import FEW, Draw, Spec, clip, rows, t5



# Oracles


def bert_relative_key(q, k, v, rel, past, scale=None, origin=511):
    """Huang et al. 2020: rows by query minus key. rel [C,D]."""
    i, j = grid(q, k, past)
    return attend(root(q, scale) * (dots(q, k) + by_row(q, rel, i - j + origin)), ALL, v)


def bert_relative_key_query(q, k, v, rel, past, scale=None, origin=511):
    """The same row of the same table for the key."""
    i, j = grid(q, k, past)
    row = i - j + origin
    both = by_row(q, rel, row) + by_row(k, rel, row.T).swapaxes(-1, -2)
    return attend(root(q, scale) * (dots(q, k) + both), ALL, v)


def shaw_speecht5(q, k, v, rel, scale=None, clip=(-160, 159)):
    """By query minus key."""
    i, j = grid(q, k)
    return attend(root(q, scale) * (dots(q, k) + by_row(q, rel, np.clip(i - j, *clip) - clip[0])), ALL, v)


def w2v_bert(q, k, v, rel, clip=(-64, 8), **options):
    return shaw_k(q, k, v, rel, 0, clip=clip, **options)


def shaw_tied_kv(q, k, v, rel, **options):
    return shaw_kv(q, k, v, rel, rel, 0, **options)


def shaw_vits(q, k, v, relv, rel, scale=None, band=(-4, 4)):
    """Zero outside the band, on both sides."""
    i, j = grid(q, k)
    there = (j - i >= band[0]) & (j - i <= band[1])
    row = np.where(there, j - i - band[0], 0)
    P, lse = softmax(root(q, scale) * (dots(q, k) + by_row(q, rel, row, there)), ALL)
    vectors = np.where(there[..., None], relv.astype(float)[row], 0.0)
    return values(P, ALL, v) + np.einsum("bhij,ijd->bhid", P, vectors), lse


def t5_contextual(q, k, v, w, t5=(32, 128, "bidirectional")):
    """w [H,C,D]; no scale."""
    i, j = grid(q, k)
    return attend(dots(q, k) + by_row(q, w, t5_bucket(j - i, *t5)), ALL, v)


def local_relative(q, k, v, rel, scale=None, clip=(-8, 8), sliding=8):
    i, j = grid(q, k)
    S = root(q, scale) * (dots(q, k) + by_row(q, rel, np.clip(j - i, *clip) - clip[0]))
    return attend(S, abs(j - i) <= sliding, v)


def low_rank(q, k, v, qw, u, scale=None, clip=(-64, 64)):
    """qw [B,H,N,R], u [C,R]."""
    i, j = grid(q, k)
    return attend(root(q, scale) * (dots(q, k) + by_row(qw, u, np.clip(j - i, *clip) - clip[0])), ALL, v)


def music(q, k, v, rel, keep, scale, band):
    """Huang et al. 2018, rel [H,C,D] by key minus query, zero beyond."""
    i, j = grid(q, k)
    there = (j - i >= band[0]) & (j - i <= band[1])
    return attend(root(q, scale) * (dots(q, k) + by_row(q, rel, j - i - band[0], there)), keep(i, j), v)


def music_transformer(q, k, v, rel, scale=None, band=(-511, 0)):
    return music(q, k, v, rel, lambda i, j: j <= i, scale, band)


def music_unmasked(q, k, v, rel, scale=None, band=(-511, 511)):
    return music(q, k, v, rel, lambda i, j: ALL, scale, band)


def music_local(q, k, v, rel, scale=None, band=(-511, 0), bl=128):
    """The own block of bl and the one before."""
    return music(q, k, v, rel, lambda i, j: (j <= i) & (i // bl - j // bl <= 1), scale, band)


# Operands


def by_lag(x: Draw) -> list:
    return [x.normal(lag_rows(x)["C"], x.shape.D), x.past]


def lag_rows(x: Draw) -> dict:
    """A row for every lag, and for some more."""
    if x.file:
        return dict(C=1023)
    origin = max(x.M - 1 - x.past, 0) + x.pick(0, 2)
    return dict(C=origin + max(x.last, 0) + 1 + x.pick(0, 1, 3), set=dict(origin=origin))


def one_table(x: Draw, clip: tuple) -> list:
    return [x.normal(clip[1] - clip[0] + 1, x.shape.D)]


def lag_clip(x: Draw):
    return x.pick((-160, 159), (-8, 9), (3, 7))


def early_clip(x: Draw):
    return x.pick((-64, 8), (-12, 4), (-3, 0))


def vits_band(x: Draw):
    return x.pick((-4, 4), (-3, 8), (2, 5), (-200, -100))


def vits(x: Draw) -> list:
    lo, hi = vits_band(x)
    return [x.normal(hi - lo + 1, x.shape.Dv), x.normal(hi - lo + 1, x.shape.D)]


def contextual(x: Draw) -> list:
    x.unscaled()
    return [x.normal(x.shape.H, t5(x)[0], x.shape.D)]


def near(x: Draw) -> int:
    return x.pick(8, 2, 0, 20)


def local(x: Draw) -> list:
    x.seen(x.j < x.N + near(x))
    return [x.normal(2 * near(x) + 1, x.shape.D)]


def rank(x: Draw) -> int:
    return x.pick(4, 1, 7)


def wide_clip(x: Draw):
    return (-64, 64) if x.file else clip(x)


def projected(x: Draw) -> list:
    s, (lo, hi) = x.shape, wide_clip(x)
    return [x.normal(s.B, s.H, s.N, rank(x)), x.normal(hi - lo + 1, rank(x))]


def far(x: Draw):
    return x.pick((-511, 0), (-9, 0), (-40, 0))


def music_causal(x: Draw) -> list:
    x.seen(x.j < x.N)
    return [x.normal(x.shape.H, 1 - far(x)[0], x.shape.D)]


def both(x: Draw):
    return x.pick((-511, 511), (-9, 9), (-30, 12))


def music_both(x: Draw) -> list:
    return [x.normal(x.shape.H, both(x)[1] - both(x)[0] + 1, x.shape.D)]


SQUARE_VALUES = tuple(replace(s, Dv=s.D) for s in FEW)

SPECS = {
    "bert-relative-key": Spec(by_lag, lag_rows),
    "bert-relative-key-query": Spec(by_lag, lag_rows, shapes=FEW),
    "shaw-speecht5": Spec(lambda x: one_table(x, lag_clip(x)), lambda x: dict(clip=lag_clip(x)), shapes=FEW),
    "w2v-bert": Spec(lambda x: one_table(x, early_clip(x)), lambda x: dict(clip=early_clip(x)), shapes=FEW),
    "shaw-tied-kv": Spec(lambda x: [x.normal(rows(x), x.shape.D)], lambda x: dict(clip=clip(x)), shapes=SQUARE_VALUES),
    "shaw-vits": Spec(vits, lambda x: dict(band=vits_band(x))),
    "t5-contextual": Spec(contextual, lambda x: dict(t5=t5(x)), shapes=FEW),
    "local-relative": Spec(local, lambda x: dict(clip=(-near(x), near(x)), sliding=near(x))),
    "low-rank": Spec(projected, lambda x: dict(clip=wide_clip(x), R=rank(x)), shapes=FEW),
    "music-transformer": Spec(music_causal, lambda x: dict(band=far(x))),
    "music-unmasked": Spec(music_both, lambda x: dict(band=both(x)), shapes=FEW),
    "music-local": Spec(music_causal, lambda x: dict(band=far(x), set=dict(bl=x.pick(128, 5, 16, 64))), shapes=FEW),
}


# Captured cases


def per_head(c, table: Array) -> Array:
    """A table for all heads as one for each."""
    return np.repeat(table[None], c.q.shape[1], 0)


def exact_buckets(c) -> list:
    """40 exact buckets a side, behind and then ahead, with a vector in the first ten."""
    w = np.zeros((3, 160, 16))
    w[:, :10], w[:, 80:90] = c.rel_k[:, 9::-1], c.rel_k[:, 9:]
    return [w]



ENTRIES = [
    Entry("shaw-bert-relative-key", "bert-relative-key", lambda c: [c.dist, 0], dict(C=159, set=dict(origin=79))),
    Entry("shaw-bert-relative-key", "bert-relative-key", lambda c: [c.dist, 66], dict(C=159, set=dict(origin=79)),
          Part(queries=last(4)), note="last queries"),
    Entry("shaw-electra-relative-key-query", "bert-relative-key-query", lambda c: [c.dist, 0],
          dict(C=79, set=dict(origin=39)), Part(batch=[0])),

    Entry("shaw-speecht5-lag", "shaw-speecht5", lambda c: [c.rel_k], dict(clip=(-9, 8))),
    Entry("shaw-wav2vec2bert-asymmetric", "w2v-bert", lambda c: [c.rel_k], dict(clip=(-12, 4)), Part(keys=slice(64))),
    Entry("shaw-onmt-tied-kv", "shaw-tied-kv", lambda c: [c.rel], dict(clip=(-6, 6)), Part(batch=[0])),
    Entry("shaw-onmt-tied-kv", "shaw-tied-kv", lambda c: [c.rel], dict(clip=(-6, 6)), Part(batch=[1], keys=slice(29)),
          note="padded row"),
    Entry("shaw-vits-kv-window", "shaw-vits", lambda c: [c.rel_v, c.rel_k]),

    Entry("shaw-bert-relative-key", "local-relative", lambda c: [c.dist[::-1]], dict(clip=(-79, 79), sliding=79),
          note="a window wider than the sequence"),

    # With the projection 1, the narrow vectors are the vectors.
    Entry("shaw-wav2vec2bert-asymmetric", "low-rank", lambda c: [c.q, c.rel_k], dict(clip=(-12, 4), R=16),
          Part(keys=slice(64))),

    Entry("music-t2t-v2-perhead", "music-transformer", lambda c: [c.rel_k], dict(band=(-11, 0))),
    Entry("music-t2t-v2-long-table", "music-transformer", lambda c: [per_head(c, c.rel_k)], dict(band=(-39, 0))),
    Entry("music-t2t-unmasked-v2", "t5-contextual", exact_buckets, dict(t5=(160, 128, "bidirectional")), qk=quarter),
    Entry("music-t2t-unmasked-v2", "music-unmasked", lambda c: [c.rel_k], dict(band=(-9, 9))),
    # One block, and two.
    Entry("music-t2t-v2-perhead", "music-local", lambda c: [c.rel_k], dict(band=(-11, 0), set=dict(bl=64))),
    Entry("music-t2t-v2-perhead", "music-local", lambda c: [c.rel_k], dict(band=(-11, 0), set=dict(bl=19)),
          note="two blocks"),
]
