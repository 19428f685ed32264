"""Trials of all ops but the sweep."""

from typing import List

import numpy as np

from program import ELEMENTS, FAR, Program, to_bf16, widen


def fills() -> Program:
    p = Program("fill: a vector, a matrix, numbers; what is outside the ranges is left alone")
    table = p.normal("table", 9, 3)
    for name, value in dict(h=2, lo=-7, hi=6, r0=3, r1=7, j0=2, j1=7).items():
        p.argument(name, value)
    bias = p.output("bias", 20, dynamic=(0,))
    rows, keep = p.output("rows", 13, "int64"), p.output("keep", (5, 6), "bool")
    p.body = """
      posenc_tile.fill %bias over(%d = %lo to %hi) {
        %c = posenc.row #posenc.clip<-4, 4>(%d)
        %x = posenc.lookup %table[%c, %h] : memref<9x3xf32>
        posenc_tile.yield %x : f32
      } : memref<?xf32>
      posenc_tile.fill %rows over(%d = %lo to %hi) {
        %c = posenc.row #posenc.band<-2, 1>(%d)
        posenc_tile.yield %c : index
      } : memref<13xindex>
      posenc_tile.fill %rows over(%d = %hi to %lo) { posenc_tile.yield %h : index } : memref<13xindex>
      posenc_tile.fill %keep over(%r = %r0 to %r1, %j = %j0 to %j1) {
        %k = arith.cmpi sle, %j, %r : index
        posenc_tile.yield %k : i1
      } : memref<5x6xi1>"""
    d = np.arange(-7, 6)
    bias[:13] = table[np.clip(d, -4, 4) + 4, 2]
    keep[:4, :5] = np.arange(2, 7) <= np.arange(3, 7)[:, None]
    rows[:] = np.where((d >= -2) & (d <= 1), d + 2, -1)
    p.expect(bias=bias, rows=rows, keep=keep)
    return p


def angles(kind: str) -> Program:
    p = Program(f"angles: {kind}")
    pairs, n = 4, 6
    p.argument("n", n)
    position = np.arange(n) + 5.0
    region = "%five = arith.constant 5 : index\n%p = arith.addi %i, %five : index\nposenc_tile.yield %p : index"
    rope, source, factor = "half", "", 1.0
    frequencies = 100.0 ** (-np.arange(pairs) / pairs)
    if kind == "base":
        rope = "half, base = 100.0"
    elif kind == "xpos":
        rope = "interleaved, base = 100.0, xpos = 8.0"
        factor = ((np.arange(pairs) * 2 / (2 * pairs) + 0.4) / 1.4) ** (position[:, None] / 8)
    elif kind == "frequencies and float positions":
        frequencies = p.random.standard_normal(pairs)
        p.argument("freqs", frequencies)
        position = p.normal("positions", n, dynamic=(0,)).astype(np.float64)
        source = "freqs(%freqs : memref<4xf64>)"
        region = "%p = memref.load %positions[%i] : memref<?xf32>\nposenc_tile.yield %p : f32"
    angle = position[:, None] * frequencies
    cos, sin = np.cos(angle) * factor, np.sin(angle) * factor
    if kind == "tables":
        tables = p.normal("c", 4, pairs, dynamic=(0,)), p.normal("s", 3, pairs, dynamic=(0,))
        positions = np.array([0, 2, -1, 3, 1, FAR])
        p.argument("positions", positions)
        source = "cos_sin(%c : memref<?x4xf32>, %s : memref<?x4xf32>)"
        region = "%p = memref.load %positions[%i] : memref<6xindex>\nposenc_tile.yield %p : index"
        inside = (positions >= 0) & (positions < 3)
        cos, sin = (np.where(inside[:, None], t[np.where(inside, positions, 0)], 0) for t in tables)
    for name, value in (("cos", cos), ("sin", sin)):
        before = p.output(name, (n + 1, pairs), dynamic=(0,))
        before[:n] = value
        if name == "cos":
            all_cos = before
    p.body = f"""
      posenc_tile.angles %cos, %sin rotate #posenc.rope<{rope}> to(%n) {source} by(%i) {{
        {region}
      }} : memref<?x4xf32>, memref<?x4xf32>"""
    p.expect(cos=all_cos, sin=before)
    return p


def pack_rows(layout: str) -> Program:
    p = Program(f"pack: rows of two tables, rotated ({layout}) and scaled, in channels from 3 on")
    x, u = p.normal("x", 2, 6, 7), p.normal("u", 4, 7, dynamic=(0,))
    cos, sin = p.normal("cos", 12, 2), p.normal("sin", 12, 2)
    lo, hi = 2, 8
    p.argument("lo", lo)
    p.argument("hi", hi)
    p.argument("b", 1)
    before = p.output("dest", (8, 12), dynamic=(0,))
    p.body = f"""
      posenc_tile.pack %x, %u into %dest channel(3)
          rotate #posenc.rope<{layout}, base = 100.0, start = 1, width = 4>
          by(%cos : memref<12x2xf32>, %sin : memref<12x2xf32>) over(%i = %lo to %hi) scaled {{
        %six = arith.constant 6 : index
        %scale = arith.constant 0.5 : f32
        %row = arith.subi %i, %six : index
        posenc_tile.yield %b, %i, %row, %scale : index, index, index, f32
      }} : memref<2x6x7xf32>, memref<?x7xf32> into memref<?x12xf32>"""
    first = np.array([1, 2]) if layout == "half" else np.array([1, 3])
    second = first + (2 if layout == "half" else 1)
    before[:, 3:] = 0
    for i in range(lo, hi):
        row = np.zeros(7)
        if i < 6:
            row = x[1, i].astype(np.float64)
            a, b = row[first], row[second]
            row[first], row[second] = a * cos[i] - b * sin[i], b * cos[i] + a * sin[i]
        if 0 <= i - 6 < 4:
            row = row + u[i - 6]
        before[i - lo, 3:10] = 0.5 * row
    p.expect(dest=before)
    return p


def pack_columns() -> Program:
    p = Program("pack: bf16 columns, some not there, more than there is room for")
    x, v = to_bf16(p.random.standard_normal((20, 3))), p.random.standard_normal(3).astype(np.float16)
    p.argument("x", x)
    p.argument("v", v)
    p.argument("lo", 2)
    p.argument("hi", 15)
    before = p.output("dest", (3, 5, 4), dynamic=(0,))
    p.body = """
      posenc_tile.pack %x, %v into %dest channel(1) over(%j = %lo to %hi) conditional {
        %seven = arith.constant 7 : index
        %minus = arith.constant -1 : index
        %there = arith.cmpi ne, %j, %seven : index
        %row = arith.select %there, %j, %minus : index
        posenc_tile.yield %row, %there : index, i1
      } : memref<20x3xbf16>, memref<3xf16> into memref<?x5x4xf32>"""
    columns = before.transpose(1, 0, 2).reshape(5, 12).copy()
    columns[1:4] = (widen(x)[2:14] + widen(v)).T
    columns[1:4, 5] = 0
    columns[4] = 0
    p.expect(dest=columns.reshape(5, 3, 4).transpose(1, 0, 2))
    return p


def pack_pairs(channels: int, width: int, sources: int) -> Program:
    p = Program(f"pack: columns of pairs, {width} wide, {channels} channels from 2 on, {sources} sources")
    count, panels, height = 2 * width + 1, 3, (channels + 2) // 2 + 3
    names = [f"x{i}" for i in range(sources)]
    x = [p.normal(name, count, channels, dynamic=(0,)) for name in names]
    p.argument("lo", 0)
    p.argument("hi", count)
    p.output("dest", (panels, height, width, 2), "uint16", dynamic=(0,))
    p.body = f"""
      posenc_tile.pack {', '.join('%' + name for name in names)} into %dest channel(2) over(%j = %lo to %hi) {{
        posenc_tile.yield {', '.join('%j' for _ in x)} : {', '.join('index' for _ in x)}
      }} : {', '.join(f'memref<?x{channels}xf32>' for _ in x)} into memref<?x{height}x{width}x2xbf16>"""
    rows = np.full((panels * width, 2 * height), 7.0)
    rows[:, 2:] = 0
    rows[:count, 2 : 2 + channels] = sum(x)
    p.expect(dest=rows.reshape(panels, width, height, 2).transpose(0, 2, 1, 3))
    return p


def pack_values(sources: int) -> Program:
    p = Program(f"pack: values in pairs of keys, {sources} sources, some not there")
    names = [f"x{i}" for i in range(sources)]
    x = [to_bf16(p.random.standard_normal((9, 13))) for _ in names]
    for name, value in zip(names, x):
        p.argument(name, value, (0,))
    p.argument("lo", 1)
    p.argument("hi", 8)
    p.output("dest", (5, 16, 2), "uint16", dynamic=(0,))
    p.body = f"""
      posenc_tile.pack {', '.join('%' + name for name in names)} into %dest over(%j = %lo to %hi) conditional {{
        %three = arith.constant 3 : index
        %there = arith.cmpi ne, %j, %three : index
        posenc_tile.yield {', '.join('%j' for _ in x)}, %there : {', '.join('index' for _ in x)}, i1
      }} : {', '.join('memref<?x13xbf16>' for _ in x)} into memref<?x16x2xbf16>"""
    rows = np.zeros((10, 16))
    rows[:7, :13] = sum(map(widen, x))[1:8]
    rows[2] = 0
    p.expect(dest=rows.reshape(5, 2, 16).transpose(0, 2, 1))
    return p


def pack_halves() -> Program:
    p = Program("pack: rows of bf16, the sum of two tables rounded once")
    x, y = p.normal("x", 4, 21), p.normal("y", 4, 21)
    y[:] = -x + y / 256
    p.argument("lo", 0)
    p.argument("hi", 4)
    p.output("dest", (5, 24), "uint16", dynamic=(0,))
    p.body = """
      posenc_tile.pack %x, %y into %dest over(%i = %lo to %hi) {
        posenc_tile.yield %i, %i : index, index
      } : memref<4x21xf32>, memref<4x21xf32> into memref<?x24xbf16>"""
    rows = np.zeros((5, 24))
    rows[:4, :21] = x.astype(np.float64) + y
    # What was rounded before it is added has no digit that counts.
    p.tolerance = 1e-2
    p.expected = lambda got: {"dest": (widen(got["dest"]) * 256, rows * 256)}
    return p


def products_of_pairs() -> Program:
    p = Program("product of pairs")
    rows, columns = (to_bf16(p.random.standard_normal(shape)) for shape in [(7, 6), (2, 3, 4, 2)])
    p.argument("rows", rows)
    p.argument("columns", columns, (0,))
    matrix = p.output("matrix", (7, 7))
    p.body = """
      posenc_tile.product rows(%rows) columns(%columns) into %matrix
          : memref<7x6xbf16>, memref<?x3x4x2xbf16> into memref<7x7xf32>"""
    matrix[:] = (widen(rows) @ widen(columns).transpose(1, 3, 0, 2).reshape(6, 8))[:, :7]
    p.expect(matrix=matrix)
    return p


def products() -> Program:
    p = Program("product, as rows and as panels")
    rows, columns = p.normal("rows", 5, 3), p.normal("columns", 2, 3, 4, dynamic=(0,))
    matrix, panels = p.output("matrix", (5, 7)), p.output("panels", (3, 5, 3), dynamic=(0,))
    p.body = """
      posenc_tile.product rows(%rows) columns(%columns) into %matrix
          : memref<5x3xf32>, memref<?x3x4xf32> into memref<5x7xf32>
      posenc_tile.product rows(%rows) columns(%columns) into %panels
          : memref<5x3xf32>, memref<?x3x4xf32> into memref<?x5x3xf32>"""
    all = rows.astype(np.float64) @ columns.transpose(1, 0, 2).reshape(3, 8)
    matrix[:] = all[:, :7]
    wide = panels.transpose(1, 0, 2).reshape(5, 9).copy()
    wide[:, :8] = all
    p.expect(matrix=matrix, panels=wide.reshape(5, 3, 3).transpose(1, 0, 2))
    return p


def strips() -> Program:
    p = Program("strip and skew, with numbers outside the table")
    products, keys = p.normal("products", 4, 6), p.normal("keys", 6, 5)
    numbers = p.integers("numbers", -2, 8, 11, dynamic=(0,))
    p.argument("from", 5)
    strip, tile = p.output("strip", (4, 13), dynamic=(1,)), p.output("tile", (4, 8))
    p.body = """
      posenc_tile.strip %products rows(%numbers) into %strip : memref<4x6xf32>, memref<?xindex> into memref<4x?xf32>
      posenc_tile.skew %keys rows(%numbers) from(%from) into %tile
          : memref<6x5xf32>, memref<?xindex> into memref<4x8xf32>"""
    for r in range(4):
        for x in range(11):
            strip[r, x] = products[r, numbers[x]] if 0 <= numbers[x] < 6 else 0
        for l in range(8):
            at = 5 + l - r
            row = numbers[at] if at < 11 else -1
            tile[r, l] = keys[row, l] if 0 <= row < 6 and l < 5 else 0
    p.expect(strip=strip, tile=tile)
    return p


def finish(element: str) -> Program:
    p = Program(f"finish: sink, buckets, rows without a pair, {element}")
    m, l = p.normal("m", 6), np.abs(p.random.standard_normal(6)).astype(np.float32)
    l[1] = 0
    p.argument("l", l)
    o, w = p.normal("o", 6, 3), p.random.standard_normal((6, 4)).astype(np.float32)
    w[:, 2] = 0
    p.argument("w", w)
    t = p.random.standard_normal((4, 3)).astype(np.float32)
    t[2] = np.nan
    p.argument("t", t)
    p.argument("sink", 0.25)
    keep = np.array([1, 1, 1, 0, 1, 1], bool)
    p.argument("keep", keep)
    out, lse = p.output("out", (5, 3), element, dynamic=(0,)), p.output("lse", 5, dynamic=(0,))
    type = ELEMENTS[element]
    p.body = f"""
      posenc_tile.finish(%m, %l, %o) buckets(%w : memref<6x4xf32>) tables(%t : memref<4x3xf32>) sink(%sink)
          keep(%keep : memref<6xi1>) into %out lse(%lse : memref<?xf32>)
          : memref<6xf32>, memref<6xf32>, memref<6x3xf32> into memref<?x3x{type}>"""
    live = ((l != 0) & keep)[:5]
    with np.errstate(divide="ignore"):
        total = (l + np.exp2(0.25 * np.log2(np.e) - m.astype(np.float64)))[:5, None]
        right = np.where(live[:, None], (o + w @ np.nan_to_num(t))[:5] / total, 0)
        lse[:] = np.where(live, np.log(2) * (m + np.log2(l))[:5], -np.inf)
    p.expect(out=right, lse=lse)
    return p


def merge() -> Program:
    p = Program("merge: parts without a pair, or far below; rows without any; a NaN")
    S, R, Dv, C = 3, 5, 4, 6
    normal = lambda *shape: p.random.standard_normal(shape).astype(np.float32)
    parts = {"ms": normal(S, R) * 5, "ls": np.abs(normal(S, R)), "os": normal(S, R, Dv), "ws": normal(S, R, C)}
    parts["ls"][1, 0] = parts["ls"][:, 2] = 0
    parts["ms"][1, 0] = 1000  # of no consequence
    parts["os"][1, 0] = np.nan
    parts["ms"][0, 1] = -4000  # a factor of 0
    parts["os"][0, 1] = np.inf
    parts["ls"][2, 3] = np.nan
    for name, x in parts.items():
        p.argument(name, x, (0,))
    for name, shape in (("m", R), ("l", R), ("o", (R, Dv)), ("w", (R, C))):
        p.output(name, shape)
    p.body = f"""
      posenc_tile.merge(%ms, %ls, %os) buckets(%ws : memref<?x{R}x{C}xf32>) into(%m, %l, %o)
          buckets(%w : memref<{R}x{C}xf32>)
          : memref<?x{R}xf32>, memref<?x{R}xf32>, memref<?x{R}x{Dv}xf32>
          into memref<{R}xf32>, memref<{R}xf32>, memref<{R}x{Dv}xf32>"""
    live = parts["ls"] != 0
    m = np.max(np.where(live, parts["ms"], -np.inf), 0) + 2  # 2^2 is no less than 3 parts
    factors = np.where(live, np.exp2(np.where(live, parts["ms"], 0) - np.where(live.any(0), m, 0)), 0)

    def total(x: np.ndarray) -> np.ndarray:
        y = factors.reshape(S, R, *[1] * (x.ndim - 2)) * x
        return np.where(factors.reshape(y.shape[:2] + (1,) * (x.ndim - 2)) == 0, 0, y).sum(0)

    with np.errstate(invalid="ignore"):
        p.expect(m=m, l=total(parts["ls"]), o=total(parts["os"]), w=total(parts["ws"]))
    return p


def preparations() -> List[Program]:
    return [
        fills(),
        *map(angles, ["base", "xpos", "frequencies and float positions", "tables"]),
        *map(pack_rows, ["half", "interleaved"]),
        pack_columns(),
        pack_pairs(channels=5, width=4, sources=1),
        pack_pairs(channels=37, width=16, sources=2),
        pack_pairs(channels=64, width=64, sources=1),
        *map(pack_values, [1, 2]),
        pack_halves(),
        products(),
        products_of_pairs(),
        strips(),
        merge(),
        *map(finish, ["float32", "float16", "uint16"]),
    ]
