"""Trials of the sweep."""

from typing import Callable, Dict, List, Optional, Tuple

import numpy as np

from program import ELEMENTS, FAR, Array, Program, to_bf16, widen

SCORE = """score(%y, %r, %j, %x) {
        %two = arith.constant 2 : index
        %three = arith.constant 3 : index
        %sum = arith.addi %r, %j : index
        %rest = arith.remui %sum, %three : index
        %keep = arith.cmpi ne, %rest, %two : index
        %half = arith.constant 0.5 : f32
        %c = arith.mulf %x, %half : f32
        %z = arith.addf %y, %c : f32
        %bucket = arith.subi %rest, %j : index
        posenc_tile.yield %z, %keep, %bucket : f32, i1, index
      }"""


def sweep(title: str, seed: int, rows=(2, 7), keys=(3, 20), first=9, keep: Optional[Tuple[int, int]] = None,
          near: Optional[Tuple[int, int]] = None, terms: List[Tuple[str, str, bool]] = (), buckets: List[str] = (),
          score=False, v_type="float32", in_place="", heads=False, pairs=False, scale=False,
          spoil: Callable[[Dict[str, Array]], None] = lambda data: None) -> Program:
    """A sweep of the rows over the keys; terms are (use, kind, whether it has a factor). Keys are packed, or of a type
    and in place, or keys and values are packed in pairs of bf16; all rows are heads of the first query row, or each is a
    query row."""
    p = Program("sweep: " + title, seed)
    R, D, Dv, W, block, N, M, S = 6, 3, 2, 4, 8, 12, 24, 40
    if in_place:
        D, block = 16, 16
    if pairs:
        D, W, block = 36, 16, 32
        p.tolerance = 1e-2
    i0, i1 = rows
    lo, hi = keys
    normal = lambda *shape: p.random.standard_normal(shape).astype(np.float32)
    is_row = in_place or pairs  # of k, before it is packed
    data = {"q": normal(R, D), "k": normal(M, D) / 4 if is_row else normal(M // W, D, W), "v": normal(M, Dv)}
    if scale:
        data["s"] = normal(R)
    numbers = dict(i0=i0, i1=i1, lo=lo, hi=hi, first=first, koff=1, doff=-15, soff=-14)
    for (a, b), names in ((keep or (0, 0), ("keep0", "keep1")), (near or (0, 0), ("near0", "near1"))):
        numbers.update(zip(names, (a, b)))
    dynamic = {"k": (0,), "v": (0,)}
    shapes = {"row": (R,), "key": (M,), "lag": (S,), "strip": (R, S), "tile": (R, block), "pair": (N, M)}
    listed, tiles, each_block = [], 0, ""
    for i, (use, kind, factor) in enumerate(terms):
        data[f"x{i}"] = normal(*shapes[kind]) if kind != "tile" else normal(7, block)
        if use == "mask":
            data[f"x{i}"] = (data[f"x{i}"] > -0.5).astype(np.float32)
        name, type = f"%x{i}", "x".join(map(str, shapes[kind])) + "xf32"
        if kind == "tile":
            data[f"n{i}"] = p.random.integers(-1, 8, 60)
            each_block += f"""
          %f{i} = arith.addi %n, %twenty : index
          posenc_tile.skew %x{i} rows(%n{i}) from(%f{i}) into %e{i}
              : memref<7x{block}xf32>, memref<60xindex> into memref<{R}x{block}xf32>"""
            p.body += f"%e{i} = memref.alloc() : memref<{type}>\n"
            name = f"%e{i}"
        offset = {"key": "[%koff]", "lag": "[%doff]", "strip": "[%soff]"}.get(kind, "")
        if factor:
            data[f"g{i}"] = normal(R)
        listed.append(f"{use} {kind} {name}{offset}{f' * %g{i}' if factor else ''} : memref<{type}>"
                      f"{f', memref<{R}xf32>' if factor else ''}")
    spoil(data)
    if v_type == "uint16":
        data["v"] = to_bf16(data["v"])
    elif v_type == "float16":
        data["v"] = data["v"].astype(np.float16)
    if in_place == "uint16":
        data["k"] = to_bf16(data["k"])
    elif in_place:
        data["k"] = data["k"].astype(in_place)
    if pairs:
        data["q"], k, v = to_bf16(data["q"] / 4), to_bf16(data["k"]), to_bf16(data["v"])
        blocks = np.zeros((32, D), np.uint16)  # keys in whole blocks, and values in whole vectors
        blocks[:M] = k
        data["k"] = np.ascontiguousarray(blocks.reshape(2, W, D // 2, 2).transpose(0, 2, 1, 3))
        blocks = np.zeros((32, 16), np.uint16)
        blocks[:M, :Dv] = v
        data["v"] = np.ascontiguousarray(blocks.reshape(16, 2, 16).transpose(0, 2, 1))
        k, v = widen(k), widen(v)
    else:
        k, v = widen(data["k"] if in_place else data["k"].transpose(0, 2, 1).reshape(M, D)), widen(data["v"])
    for name, value in data.items():
        p.argument(name, value, dynamic.get(name, ()))
    for name, value in numbers.items():
        p.argument(name, value)
    C = 5
    weights = []
    bucket_list = []
    p.output("m", R)
    p.output("l", R)
    p.output("o", (R, Dv))
    for i, kind in enumerate(buckets):
        p.output(f"w{i}", (R, C))
        text = f"{kind} %w{i}" + ("[%doff]" if kind == "lag" else "") + f" : memref<{R}x{C}xf32>"
        if kind == "tile":
            p.body += f"%c{i} = memref.alloc() : memref<{R}x{block}xindex>\n"
            each_block += f"""
          %end{i} = arith.addi %n, %block : index
          posenc_tile.fill %c{i} over(%p = %zero to %six, %j = %n to %end{i}) {{
            %seven = arith.constant 7 : index
            %one = arith.constant 1 : index
            %a = arith.muli %p, %seven : index
            %b = arith.addi %a, %j : index
            %c = arith.remui %b, %seven : index
            %d = arith.subi %c, %one : index
            posenc_tile.yield %d : index
          }} : memref<{R}x{block}xindex>"""
            text += f" by %c{i} : memref<{R}x{block}xindex>"
        bucket_list.append(text)
    if each_block:
        each_block = f"each_block(%n) {{{each_block}\n      }}"
    k_memref = f"memref<?x{D}x{ELEMENTS[in_place]}>" if in_place else f"memref<?x{D}x{W}xf32>"
    v_memref = f"memref<?x{Dv}x{ELEMENTS[v_type]}>"
    if pairs:
        k_memref, v_memref = f"memref<?x{D // 2}x{W}x2xbf16>", "memref<?x16x2xbf16>"
    p.body += f"""
      %zero = arith.constant 0 : index
      %six = arith.constant 6 : index
      %block = arith.constant {block} : index
      %twenty = arith.constant 20 : index
      posenc_tile.sweep q(%q : memref<{R}x{D}x{'bf16' if pairs else 'f32'}>) k(%k : {k_memref}) v(%v : {v_memref})
          {f"scale(%s : memref<{R}xf32>)" if scale else ''}
          rows(%i0 to %i1{' all %i0' if heads else ''}) keys(%lo to %hi first %first) block({block})
          {'keep(%keep0 to %keep1)' if keep else ''} {'near(%near0 to %near1)' if near else ''}
          {f"terms({', '.join(listed)})" if listed else ''}
          {f"buckets({', '.join(bucket_list)})" if bucket_list else ''}
          into(%m : memref<{R}xf32>, %l : memref<{R}xf32>, %o : memref<{R}x{Dv}xf32>) {each_block}
      {SCORE if score else ''}"""

    def term(i: int, kind: str, factor: bool, q: int, r: int, j: int) -> float:
        x, d = data[f"x{i}"], j - r
        if kind == "tile":
            n = j // block * block
            # The skew of the block.
            row = data[f"n{i}"][20 + n + (j - n) - q]
            value = x[row, j - n] if 0 <= row < 7 else 0.0
        else:
            at = {"row": q, "key": j - 1, "lag": d + 15, "strip": (q, d + 14), "pair": (r, j)}[kind]
            value = x[at]
        return float(value) * (float(data[f"g{i}"][q]) if factor else 1.0)

    def compare(got: Dict[str, Array]) -> Dict[str, Tuple[Array, Array]]:
        n = max(i1 - i0, 0)
        l, o, w = np.zeros(n), np.zeros((n, Dv)), np.zeros((len(buckets), n, C))
        # Whatever m is, unless it is far off.
        m = got["m"].astype(np.float64)
        right_m = m.copy()
        right_m[n:] = 7
        for q in range(n):
            r = i0 if heads else i0 + q
            scores = []
            for j in range(lo, hi):
                d = j - r
                if keep and not keep[0] <= d <= keep[1]:
                    continue
                if any(use == "mask" and term(i, kind, f, q, r, j) == 0 for i, (use, kind, f) in enumerate(terms)):
                    continue
                pair_class = "near" if not near else "left" if d <= near[0] else "right" if d >= near[1] else "near"
                z = float(widen(data["q"][q]) @ k[j]) * (float(data["s"][q]) if scale else 1.0)
                z += sum(term(i, kind, f, q, r, j) for i, (use, kind, f) in enumerate(terms) if use in ("all", pair_class))
                if score:
                    if (r + j) % 3 == 2:
                        continue
                    z += 0.5 * sum(term(i, kind, f, q, r, j) for i, (use, kind, f) in enumerate(terms) if use == "score")
                scores.append((j, z))
            if not scores or max(z for _, z in scores) == -np.inf:
                continue
            greatest = max(z for _, z in scores)
            if abs(greatest - m[q]) > 20:
                right_m[q] = greatest
            for j, z in scores:
                e = float(np.float32(np.exp2(z - m[q])))
                if e == 0:
                    continue
                l[q] += e
                o[q] += e * v[j]
                for t, kind in enumerate(buckets):
                    lag = min(max(j - r + 15, 0), C - 1)
                    c = {"lag": lag, "tile": (q * 7 + j) % 7 - 1, "score": (r + j) % 3 - j}[kind]
                    if 0 <= c < C:
                        w[t, q, c] += e
            # A row with a NaN may have more of them.
            if np.isnan(l[q]):
                w[:, q] = [got[f"w{t}"][q] for t in range(len(buckets))]
        # Rows that are not of the tile are left alone.
        whole = lambda x: np.concatenate([x, np.full((R - n, *x.shape[1:]), 7.0)])
        result = {"m": (got["m"], right_m), "l": (got["l"], whole(l)), "o": (got["o"], whole(o))}
        for t in range(len(buckets)):
            result[f"w{t}"] = (got[f"w{t}"], whole(w[t]))
        return result

    p.expected = compare
    return p


def spoil_removed(data: Dict[str, Array]) -> None:
    """NaN and infinity where no pair is kept: keys below 4 and from 18 on, and what they would add."""
    data["v"][:4] = np.nan
    data["v"][18:] = np.inf
    k = data["k"].transpose(1, 0, 2).reshape(3, 24)
    k[:, :4], k[:, 18:] = np.nan, np.inf
    data["k"] = np.ascontiguousarray(k.reshape(3, 6, 4).transpose(1, 0, 2))


def spoil_masked(data: Dict[str, Array]) -> None:
    """A masked key with NaN, and its mask."""
    data["x0"][4] = 0
    data["v"][5] = np.nan
    data["k"][1, :, 1] = np.nan


def spoil_scores(data: Dict[str, Array]) -> None:
    """A NaN in one row, a row of -inf, and weights of 0 with values that are infinite."""
    data["x0"][0] = np.nan
    data["x0"][1] = -np.inf
    data["x1"][5] = -np.inf
    data["v"][6] = np.inf


def spoil_growing(data: Dict[str, Array]) -> None:
    """Scores that grow by more than an f32 holds: what was summed before is nothing."""
    data["q"][:] = 0
    data["x0"][:] = np.arange(24) * 200.0 - 2000
    data["v"][10] = np.inf


def spoil_low(data: Dict[str, Array]) -> None:
    """Scores so low that exp2 of them is 0."""
    data["x0"] -= 400


def sweeps(by_block: bool) -> List[Program]:
    every_kind = [("all", "row", True), ("all", "key", False), ("all", "lag", False), ("all", "strip", True),
                  ("all", "tile", False), ("all", "pair", False)]
    classes = [("near", "strip", False), ("left", "row", False), ("right", "row", True), ("near", "lag", True),
               ("left", "key", False)]
    by_pair = [] if by_block else [
        sweep("heads, classes", 33, near=(-2, 3), terms=classes, in_place="float32", heads=True),
        sweep("classes", 13, near=(-2, 3), terms=classes),
        sweep("two classes", 15, near=(0, 1), terms=classes),
        sweep("tiles near", 16, near=(-3, 4), terms=[("near", "tile", False), ("left", "row", False)]),
    ]
    return by_pair + [
        sweep("plain", 1),
        sweep("scaled products", 34, scale=True),
        sweep("scaled products, terms of every kind", 35, scale=True, terms=every_kind, keep=(-3, 9)),
        sweep("pairs", 36, pairs=True),
        sweep("pairs, scaled", 37, pairs=True, scale=True, keys=(3, 24), keep=(-9, 9)),
        sweep("pairs, all rows and keys", 38, pairs=True, scale=True, rows=(0, 6), keys=(0, 24)),
        sweep("pairs, terms of every kind", 39, pairs=True, scale=True, terms=every_kind),
        sweep("pairs, masks", 40, pairs=True, terms=[("mask", "key", False), ("mask", "pair", False)]),
        sweep("pairs, score and buckets", 41, pairs=True, score=True, keep=(-6, 9), terms=[("score", "tile", False)],
              buckets=["tile", "lag", "score"]),
        sweep("pairs, NaN and -inf", 42, pairs=True, terms=[("all", "row", False), ("all", "key", False)],
              spoil=spoil_scores, buckets=["lag"]),
        sweep("pairs, growing scores", 43, pairs=True, terms=[("all", "key", False)], spoil=spoil_growing),
        *[sweep(f"keys in place, {rows[1] - rows[0]} rows, {ELEMENTS[type]}", 27, rows=rows, in_place=type, v_type=type)
          for rows in [(2, 3), (2, 4), (2, 8)] for type in ("float32", "uint16", "float16")],
        sweep("keys in place, terms of every kind", 28, in_place="float32", terms=every_kind, keep=(-3, 9)),
        sweep("heads, terms of every kind", 29, in_place="float32", terms=every_kind, heads=True),
        sweep("heads of packed keys, kept distances", 30, heads=True, terms=every_kind, keep=(-1, 6)),
        sweep("heads, score and buckets", 31, in_place="uint16", heads=True, score=True, keep=(-6, 9),
              terms=[("all", "tile", False), ("score", "strip", True)], buckets=["tile", "lag", "score"]),
        sweep("heads, masks", 32, in_place="float32", heads=True,
              terms=[("mask", "key", False), ("mask", "pair", False), ("mask", "strip", True)]),
        sweep("all rows and keys, bf16", 2, rows=(0, 6), keys=(0, 24), first=0, v_type="uint16"),
        sweep("first after the keys", 3, first=1000, v_type="float16"),
        sweep("first before the keys", 4, first=-FAR),
        sweep("one key", 5, keys=(8, 9), first=8),
        sweep("no key", 6, keys=(8, 8)),
        sweep("no key, the end far before", 7, keys=(0, -FAR)),
        sweep("no row", 8, rows=(4, 4)),
        sweep("kept distances", 9, keep=(-3, 4)),
        sweep("kept distances up to infinity", 10, keep=(-FAR, 0)),
        sweep("no kept distance", 11, keep=(5, 4)),
        sweep("terms of every kind", 12, terms=every_kind),
        sweep("classes without bounds", 14, near=(-FAR, FAR), terms=classes),
        sweep("masks", 17, terms=[("mask", "key", False), ("mask", "pair", False), ("mask", "strip", True)]),
        sweep("score", 18, score=True, terms=[("score", "lag", True), ("all", "row", False)], buckets=["score"]),
        sweep("buckets", 19, score=True, keep=(-6, 9), terms=[("score", "tile", False)],
              buckets=["tile", "lag", "score", "tile"]),
        sweep("buckets without a score", 20, terms=[("all", "tile", False)], buckets=["lag", "tile"]),
        sweep("what is removed is NaN", 21, keys=(4, 18), spoil=spoil_removed, score=True,
              terms=[("score", "row", False)], buckets=["score"]),
        sweep("a masked key is NaN", 22, terms=[("mask", "key", False)], spoil=spoil_masked),
        sweep("NaN and -inf", 23, terms=[("all", "row", False), ("all", "key", False)], spoil=spoil_scores,
              buckets=["lag"]),
        sweep("scores far below zero", 26, terms=[("all", "key", False)], spoil=spoil_low),
        sweep("growing scores", 24, terms=[("all", "key", False)], spoil=spoil_growing, buckets=["lag"]),
        sweep("growing scores, the last block first", 25, first=17, terms=[("all", "key", False)], spoil=spoil_growing),
    ]
