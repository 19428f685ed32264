"""Random operands for each example at shapes where compilers go wrong; ../examples/formulas.py says what is right.

Lengths that are 0, 1, odd, equal, different; grouped heads; odd channels; queries before the first key (a negative
`past`: rows that see nothing), in its middle, far beyond the last; asymmetric tables; and NaN or infinity in every key
and value row that no query sees. In every other trial there is NaN between the rows of all tensors, and in all trials
before and behind them.
"""
import os
import sys
from dataclasses import dataclass
from typing import Callable, Dict, Iterator, List, Tuple

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
from instantiate import Example, source  # noqa: E402

Array = np.ndarray


@dataclass
class Shape:
    N: int
    M: int
    B: int
    H: int
    Hkv: int
    D: int
    Dv: int
    past: int  # position of query row 0
    type: str = "f32"
    static: bool = False  # B, N and M are in the types


SHAPES = [
    #     N   M   B  H Hkv  D  Dv  past
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(7, 5, 2, 6, 2, 20, 12, -2),
    Shape(7, 5, 2, 6, 2, 20, 12, -1, "bf16"),
    Shape(0, 3, 1, 2, 1, 20, 20, 3),
    Shape(3, 0, 2, 2, 2, 7, 20, 0),
    Shape(1, 37, 3, 4, 2, 16, 5, 36, static=True),  # heads with the same keys as rows of one tile
    Shape(37, 37, 1, 3, 1, 33, 33, 0),
    Shape(16, 131, 2, 4, 4, 20, 20, 115),
    Shape(16, 131, 1, 4, 2, 64, 64, 104, "f16"),
    Shape(16, 131, 1, 2, 1, 20, 1, 1000, static=True),
    Shape(0, 0, 1, 1, 1, 1, 1, 0),
    Shape(128, 128, 1, 4, 1, 8, 8, 0),
    Shape(131, 128, 1, 2, 2, 80, 64, -3),
    Shape(37, 131, 1, 2, 1, 128, 128, 94),
    Shape(131, 131, 1, 2, 2, 256, 80, 0, static=True),
    Shape(1, 1040, 2, 6, 2, 16, 20, 1030, static=True),  # the same, in parts of the keys
    Shape(11, 600, 1, 4, 2, 32, 32, 100, "bf16", static=True),
    Shape(700, 700, 1, 2, 1, 8, 8, 0),  # far pairs on both sides, with DeBERTa's buckets too
]

# For an example that is another one with a small difference.
FEW = tuple(SHAPES[i] for i in (1, 2, 3, 4, 5, 6, 8, 9, 12, 14, 15, 17))


class Draw:
    """The operands of one trial: q, k, v and what an example asks for."""

    def __init__(self, shape: Shape, number: int, file: bool):
        self.shape, self.number, self.file = shape, number, file
        self.random = np.random.default_rng([shape.N, shape.M, number])
        s = shape
        self.q, self.k = self.normal(s.B, s.H, s.N, s.D), self.normal(s.B, s.Hkv, s.M, s.D)
        self.v = self.normal(s.B, s.Hkv, s.M, s.Dv)
        self.N, self.M, self.past = s.N, s.M, s.past
        self.last = s.past + s.N - 1  # position of the last query
        self.j = np.arange(s.M)

    def normal(self, *shape: int) -> Array:
        return self.random.standard_normal(shape)

    def pick(self, *choices):
        """One after the other, by the number of the trial; the first, which is the file's, for the file itself."""
        return choices[0 if self.file else self.number % len(choices)]

    def unscaled(self) -> None:
        """Scores of order 1 for a formula without a scale."""
        self.q /= np.sqrt(max(self.shape.D, 1))

    def seen(self, keep: Array) -> None:
        """Keys [M] or [B,M] that some query keeps; NaN and infinity go into all others."""
        keep = np.broadcast_to(keep & (self.N > 0), (self.shape.B, self.M))
        for b, j in zip(*np.nonzero(~keep)):
            self.k[b, :, j], self.v[b, :, j] = [(np.nan, np.nan), (np.inf, -np.inf), (1.0, np.nan)][j % 3]


@dataclass
class Spec:
    """rest gives the operands after q, k and v; it may change those."""

    rest: Callable[[Draw], list] = lambda x: []
    options: Callable[[Draw], Dict[str, object]] = lambda x: {}
    even: bool = False  # D must be even
    square: str = ""  # N = M only, and why
    shapes: Tuple[Shape, ...] = tuple(SHAPES)


def causal(x: Draw) -> list:
    x.seen(x.j <= x.last)
    return [x.past]


def near(x: Draw) -> int:
    return x.pick(256, 1, 4)


def causal_window(x: Draw) -> list:
    x.seen((x.j <= x.last) & (x.j > x.past - near(x)))
    return [x.past]


def symmetric_window(x: Draw) -> list:
    x.seen(x.j < x.N + x.pick(64, 0, 3))
    return []


def alibi(x: Draw) -> list:
    """Slopes; small ones where distances are large, since f32 keeps few digits of a score like -500.123."""
    return [2.0 ** -np.arange(1, x.shape.H + 1) / (64 if x.last > 500 else 1), *causal(x)]


def t5(x: Draw) -> Tuple[int, int, str]:
    return x.pick((32, 128, "bidirectional"), (4, 3, "bidirectional"), (20, 50, "bidirectional"))


def t5_causal(x: Draw) -> Tuple[int, int, str]:
    return x.pick((32, 128, "causal"), (2, 5, "causal"), (15, 40, "causal"))


def t5_table(x: Draw) -> list:
    x.unscaled()
    return [x.normal(t5(x)[0], x.shape.H)]


def t5_decoder(x: Draw) -> list:
    x.unscaled()
    return [x.normal(t5_causal(x)[0], x.shape.H), *causal(x)]


def t5_box(x: Draw) -> Tuple[int, int, str]:
    return x.pick((64, 256, "bidirectional"), (20, 100, "bidirectional"), (4, 3, "bidirectional"))


def boxes(x: Draw) -> list:
    """Coordinates of a page, or of one line, where many are close or equal; nothing forbids negative ones."""
    s, (low, high) = x.shape, x.pick((0, 1001), (-20, 20))
    tables = [x.normal(rows, s.H) for rows in (t5(x)[0], t5_box(x)[0], t5_box(x)[0])]
    return tables + [x.random.integers(low, high, (s.B, s.N)) for _ in "xy"]


def clip(x: Draw) -> Tuple[int, int]:
    return x.pick((-16, 16), (-3, 8), (2, 5), (-1, -1))


def rows(x: Draw) -> int:
    return clip(x)[1] - clip(x)[0] + 1


def rope(x: Draw) -> Dict[str, object]:
    return x.pick({}, dict(rope_layout="interleaved"), dict(rope_base=500.0, yarn=dict(factor=8.0, original=16)))


def partial(x: Draw) -> Dict[str, object]:
    width = max(2, x.shape.D // 4 * 2)
    more = x.pick({}, dict(rope_start=x.shape.D - width), dict(rope_layout="half"))
    return dict(rope_width=width, **more)


def lengths(x: Draw) -> list:
    n = x.random.integers(0, x.M + 1, x.shape.B)
    n[-1] = x.M
    x.seen((x.j <= x.last) & (x.j < n[:, None]))
    return [x.past, n]


def left_padded(x: Draw) -> list:
    starts = x.random.integers(0, x.M + 1, x.shape.B)
    starts[0] = 0
    x.seen((x.j <= x.last) & (x.j >= starts[:, None]))
    kids = np.maximum(x.j - starts[:, None], 0)
    qids = np.maximum(x.past + np.arange(x.N) - starts[:, None], 0) - x.pick(0, 3)  # positions may be negative
    return [qids, kids, starts, x.past]


def transformer_xl(x: Draw) -> list:
    s = x.shape
    return [x.normal(s.H, s.D), x.normal(s.H, s.D), x.normal(s.H, max(x.last, 0) + 1, s.D), *causal(x)]


def deberta(x: Draw) -> Tuple[int, int, int]:
    return x.pick((256, 512, 256), (2, 4, 1), (8, 20, 8))


def masked_tables(x: Draw, rows: int) -> list:
    """A mask of the tokens, and tables of so many rows for both sides of DeBERTa."""
    s = x.shape
    mask = x.random.random((s.B, x.M)) < 0.7
    mask[0, :1] = True
    x.seen(mask)
    return [x.normal(s.H, rows, s.D), x.normal(s.H, rows, s.D), mask]


def deberta_tables(x: Draw) -> list:
    return masked_tables(x, 2 * deberta(x)[2])


WINDOWS = {1: (1, 1), 6: (2, 3), 5: (5, 1), 49: (7, 7)}


def regions(x: Draw) -> list:
    height, width = WINDOWS[x.N]
    windows = x.pick(2, 3)
    region = x.random.integers(-1, 2, (windows, x.N)).astype(np.int32)
    return [x.normal((2 * height - 1) * (2 * width - 1), x.shape.H), region, windows]


SWIN_SHAPES = (
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(6, 6, 5, 3, 3, 7, 20, 0),
    Shape(5, 5, 2, 3, 3, 20, 7, 0, "bf16"),
    Shape(49, 49, 3, 2, 2, 32, 32, 0, static=True),
)

DEBERTA_SHAPES = (
    Shape(1, 1, 1, 1, 1, 1, 1, 0),
    Shape(7, 7, 2, 3, 3, 20, 12, 0),
    Shape(37, 37, 3, 2, 2, 7, 20, 0, "f16"),
    Shape(37, 37, 1, 3, 3, 33, 33, 0, static=True),
    Shape(0, 0, 1, 1, 1, 1, 1, 0),
    Shape(131, 131, 1, 2, 2, 20, 20, 0),
)

SPECS = {
    "plain": Spec(options=lambda x: x.pick({}, dict(scale=-0.5))),
    "causal-bottom-right": Spec(),
    "window-symmetric": Spec(symmetric_window, lambda x: dict(sliding=x.pick(64, 0, 3))),
    "window-causal": Spec(causal_window, lambda x: dict(sliding=near(x))),
    "gptoss-sink-window": Spec(lambda x: [x.normal(x.shape.H), *causal_window(x)],
                               lambda x: dict(sliding=near(x), **rope(x)), even=True),
    "alibi-causal": Spec(alibi),
    "t5-encoder": Spec(t5_table, lambda x: dict(t5=t5(x))),
    "memref": Spec(t5_table, lambda x: dict(t5=t5(x))),
    "t5-decoder": Spec(t5_decoder, lambda x: dict(t5=t5_causal(x))),
    "layoutlmv2": Spec(boxes, lambda x: dict(t5=t5(x), t5_box=t5_box(x)), shapes=DEBERTA_SHAPES,
                       square="the same boxes are those of the queries and the keys"),
    "shaw-k": Spec(lambda x: [x.normal(rows(x), x.shape.D), x.past], lambda x: dict(clip=clip(x))),
    "shaw-kv": Spec(lambda x: [x.normal(rows(x), x.shape.Dv), x.normal(rows(x), x.shape.D), x.past],
                    lambda x: dict(clip=clip(x))),
    "unfused-shaw": Spec(lambda x: [x.normal(rows(x), x.shape.D), x.normal(rows(x), x.shape.Dv), x.past],
                         lambda x: dict(clip=clip(x))),
    "rope-half": Spec(options=rope, even=True),
    "rope-gqa-causal-decode": Spec(lengths, rope, even=True),
    "rope-interleaved-partial": Spec(causal, partial, even=True),
    "rope-ids-left-padded": Spec(left_padded, rope, even=True),
    "transformer-xl": Spec(transformer_xl),
    "deberta-v2": Spec(deberta_tables, lambda x: dict(deberta=deberta(x)), shapes=DEBERTA_SHAPES,
                       square="one mask serves the queries and the keys"),
    "swin-shifted": Spec(regions, lambda x: dict(window=WINDOWS[x.N]), shapes=SWIN_SHAPES,
                         square="queries and keys are the tokens of one window"),
    "unpublished-periodic": Spec(lambda x: [x.normal(x.shape.H, 7), *alibi(x)]),
}


def trials(example: str, spec: Spec) -> Iterator[Tuple[str, Dict[str, object], List]]:
    """Title, options and operands of each trial of an example, the file as it is being the last."""
    file = Example(source(example))
    letters, N = file.sizes, file.sizes.get("T") or file.sizes["N"] or 9
    own = Shape(N, N if spec.square else 13, letters.get("B") or 2, letters["H"], letters.get("Hkv", 0), letters["D"],
                letters["Dv"], 4, file.types["q"].element)
    for number, shape in enumerate([*spec.shapes, own]):
        if spec.square and shape.N != shape.M:
            continue
        shape = Shape(**vars(shape))
        shape.D += shape.D % 2 if spec.even else 0
        shape.Hkv = shape.Hkv if "Hkv" in letters else shape.H
        x = Draw(shape, number, number == len(spec.shapes))
        rest = spec.rest(x)  # may change q, k and v
        operands = [x.q, x.k, x.v, *rest]
        if x.file:
            yield "the file itself", {}, operands
            continue
        extents = dict(B=shape.B, N=shape.N, M=shape.M) if shape.static else dict(N=None)
        extents.update(H=shape.H, Hkv=shape.Hkv, D=shape.D, Dv=shape.Dv, type=shape.type)
        options = {k: v for k, v in extents.items() if k in letters or k == "type"}
        options.update(spec.options(x))
        title = f"{shape.N}x{shape.M}, past {shape.past}, {shape.type}" + (", static" if shape.static else "")
        yield title, options, operands
