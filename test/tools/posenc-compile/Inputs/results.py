"""Compiled examples against their oracles, and functions of all forms.

    results.py POSENC_COMPILE TESTS FOLDER [OPTION...]
"""
import ctypes
import os
import sys

import numpy as np

tool, tests, folder, *options = sys.argv[1:]
sys.path.insert(0, os.path.join(tests, "e2e"))
from check import formula, stored  # noqa: E402
from instantiate import instantiate  # noqa: E402
from library import Library, describe  # noqa: E402

random = np.random.default_rng(7)
TOLERANCE = {"f32": 2e-6, "bf16": 8e-3}
DTYPES = {"f32": np.float32, "bf16": np.uint16}


def floats(x, element):
    return x if element == "f32" else (x.astype(np.uint32) << 16).view(np.float32)


def strided(x):
    """The same numbers, where other numbers stand between the rows and the order of heads and rows is another."""
    wide = np.empty((x.shape[0], x.shape[2], x.shape[1], x.shape[3] + 3), x.dtype)
    view = wide.swapaxes(1, 2)[..., : x.shape[3]]
    view[...] = x
    return view


def example(name, element, shapes, *more):
    """Compiles an example, calls it with contiguous arrays and with views, and compares."""
    path = os.path.join(folder, f"{name}-{element}")
    with open(path + ".mlir", "w") as file:
        file.write(instantiate(name, type=element))
    library = Library(tool, path + ".mlir", path + ".so", *options)
    arrays, exact = zip(*(stored(random.standard_normal(shape), element) for shape in shapes))
    expected, _ = formula(name, [*exact, *more], {})
    for view in (np.ascontiguousarray, lambda x: strided(x) if x.ndim == 4 else x):
        result = view(np.zeros(expected.shape, DTYPES[element]))
        text = library.attention(*map(view, arrays), *more, result)
        assert text is None, text
        error = np.abs(floats(np.ascontiguousarray(result), element) - expected).max() / np.abs(expected).max()
        assert error < TOLERANCE[element], (name, element, error)
    print(f"{name} of {element} is right")


def forms():
    library = Library(tool, os.path.join(os.path.dirname(__file__), "programs.mlir"), os.path.join(folder, "programs.so"),
                      *options)
    q, k, v = (random.standard_normal((2, 2, n, 8)).astype(np.float32) for n in (3, 5, 5))
    o, lse = np.zeros_like(q), np.zeros((2, 2, 3), np.float32)
    assert library.attend(q, k, v, o, lse) is None
    s = np.einsum("bhnd,bhmd->bhnm", q.astype(float), k.astype(float))
    assert np.allclose(lse, np.log(np.exp(s).sum(-1)), atol=1e-5)
    assert np.allclose(o, np.einsum("bhnm,bhmd->bhnd", np.exp(s) / np.exp(s).sum(-1, keepdims=True), v), atol=1e-5)

    x, y = random.standard_normal((3, 4)).astype(np.float32), random.standard_normal((4, 4)).astype(np.float32)
    z = np.zeros((3, 4), np.float32)
    assert library.twice(x, y, z) is None
    assert np.allclose(z, x @ y @ y, atol=1e-5)

    numbers, total, truth, seven = np.arange(5.0), np.zeros(()), np.zeros((), np.uint8), np.zeros((), np.int64)
    assert library.sum(numbers, ctypes.c_uint8(1), ctypes.c_float(0.5), total, truth, seven) is None
    assert (total, truth, seven) == (20.5, 1, 7) and (numbers == np.arange(5.0)).all()

    a, b = np.arange(3, dtype=np.uint16), np.arange(3, 6, dtype=np.uint16)
    c, d = np.zeros(6, np.uint16)[::2], np.zeros(3, np.uint16)
    assert library.swap(a, b, c, d[::-1]) is None
    assert (c == b).all() and (d[::-1] == a).all()

    into, by = np.zeros((2, 3), np.int32), np.arange(10, dtype=np.int32).reshape(2, 5)[:, 1:4]
    assert library.increase(into, by, ctypes.c_int32(10)) is None
    assert (into == by + 10).all()

    element = np.zeros((), np.int64)
    assert library.first(np.array([4, 5, 6]), 2, element) is None and element == 6
    taken = np.zeros(4, np.float32)
    assert library.gather(np.arange(9, dtype=np.float32), np.array([8, 0, 3, 3]), taken) is None
    assert (taken == [8, 0, 3, 3]).all()
    assert library.clear(taken, taken[::-1].copy()) is None and (taken == [8, 0, 3, 3]).all()
    assert library.nothing() is None
    # Nothing is read or written of what is empty.
    empty = np.zeros((2, 2, 0, 8), np.float32)
    assert library.attend(empty, k, v, empty, lse[:, :, :0]) is None
    nowhere = describe(empty)
    nowhere.data = None
    assert library.attend(nowhere, k, v, nowhere, lse[:, :, :0]) is None
    print("all forms are right")


def conversions():
    library = Library(tool, os.path.join(os.path.dirname(__file__), "math.mlir"), os.path.join(folder, "math.so"), *options)
    x, exact = stored(np.linspace(-4, 4, 9), "bf16")
    y = np.linspace(-1, 1, 9).astype(np.float16)
    # Ties, what is next to them, what overflows, and NaN.
    z = np.array([1.0, 1 + 2**-8, 1 + 2**-8 + 2**-40, 1 + 3 * 2**-8, 1 + 3 * 2**-8 - 2**-40, -1e39, 3.4e38, 1e-50, np.nan])
    a, b, c, d = (np.zeros(9, t) for t in (np.uint16, np.float16, np.float64, np.uint16))
    s, t = np.zeros((), np.uint16), np.zeros((), np.float16)
    bits = 0x3FC0  # 1.5
    text = library.f(x, y, z, ctypes.c_uint16(bits), ctypes.c_uint16(0x3E00), a, b, c, d, s, t)
    assert text is None, text
    assert np.allclose(floats(a, "bf16"), np.exp(exact), rtol=4e-3)
    assert np.allclose(b, np.expm1(y.astype(float)), rtol=1e-3) and np.allclose(c, np.tanh(z), rtol=1e-12, equal_nan=True)
    expected = [1, 1, 1 + 2**-7, 1 + 2**-6, 1 + 2**-7, -np.inf, np.inf, 0, np.nan]
    assert np.array_equal(floats(d, "bf16"), np.array(expected, np.float32), equal_nan=True), floats(d, "bf16")
    assert floats(s[None], "bf16") == 3 and t == 1.5
    print("all conversions are right")


example("causal-bottom-right", "f32", [(2, 8, 5, 64), (2, 2, 130, 64), (2, 2, 130, 64)])
example("causal-bottom-right", "bf16", [(2, 8, 5, 64), (2, 2, 9, 64), (2, 2, 9, 64)])
if not options:
    example("shaw-kv", "f32", [(1, 8, 70, 64), (1, 8, 90, 64), (1, 8, 90, 64), (33, 64), (33, 64)], 20)
    example("rope-gqa-causal-decode", "bf16", [(2, 32, 1, 128), (2, 8, 40, 128), (2, 8, 40, 128)], 30, np.array([25, 40]))
forms()
conversions()
