#!/usr/bin/env python3
"""Derives another instance from an example file: other sizes, element types, table ranges, constants.

    instantiate.py t5-encoder --H=3 --D=16 --t5=32,128,bidirectional
    instantiate.py gptoss-sink-window --D=16 --sliding=16 --yarn=factor=4,original=64,truncate=false

Without options the result is the file; --check tries that for all files. As a module:
`instantiate("t5-encoder", H=3, D=16) -> str`.

The tool knows no example by name. It reads the comment that begins each file, where every operand has its shape in
letters (`%table  [C, H]`), and the function below it; so those comments are checked, too. B batch, H and Hkv heads,
N queries, M keys, D and Dv channels; C the rows of a table, which its map decides; T the tokens of a window. A file with
two maps of one kind names the second one, `#box = #posenc.t5<...>`, and Cbox is the rows of its tables. F is half of
the rotated channels, L and P any length. The scale is the float constant %c; --set=name=value changes other constants.
"""
import math
import os
import re
import struct
import sys
from typing import Callable, Dict, List, Optional, Tuple, Union

HERE = os.path.dirname(os.path.abspath(__file__))
Size = Optional[int]  # None: dynamic

TYPE = r"(?:!\w+|(?:tensor|memref)<[^<>]*(?:<[^<>]*>[^<>]*)*>)"
SCALE = r"%c = arith\.constant (\S+) : f32"
ROPE = r"#posenc\.rope<(\w+)((?:, .*)?)>$"
ROPE_KEY = r", (\w+)(?: = (\[[^\]]*\]|#posenc\.\w+<.*>|[^,]+))?"
ROPE_KEYS = ("base", "start", "width", "scaling", "sections", "cyclic", "restart", "xpos")
INTERNAL = {"!s": "BHNM", "!n": "BHN", "!w": "D"}  # aliases of types that no operand need have


def size(text: str) -> Size:
    return None if text == "?" else int(text)


def integers(count: int) -> Callable[[str], Tuple[int, ...]]:
    def parse(text: str) -> Tuple[int, ...]:
        values = tuple(int(x) for x in text.split(","))
        if len(values) != count:
            raise ValueError(text)
        return values

    return parse


def t5(text: str) -> Tuple[int, int, str]:
    buckets, distance, direction = text.split(",")
    if direction not in ("bidirectional", "causal"):
        raise ValueError(direction)
    return int(buckets), int(distance), direction


def word(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(text)
        return text

    return parse


YARN = {"factor": float, "original": int, "beta_fast": float, "beta_slow": float, "truncate": word("true", "false"),
        "attention_factor": float}


def yarn(text: str) -> Dict[str, Union[float, int, str]]:
    if text == "none":
        return {}
    pairs = dict(x.split("=") for x in text.split(","))
    return {key: YARN[key](value) for key, value in pairs.items()}


def scaling(text: str) -> Dict[str, Union[float, int, List[float]]]:
    """Lists are written a/b/c."""
    def factors(x: str) -> List[float]:
        return [float(factor) for factor in x.split("/")]

    parse: Dict[str, Callable] = {"original": int, "short": factors, "long": factors}
    pairs = dict(x.split("=") for x in text.split(","))
    return {key: parse.get(key, float)(value) for key, value in pairs.items()}


def constants(text: str) -> Dict[str, Union[float, int]]:
    pairs = dict(x.split("=") for x in text.split(","))
    return {key: float(value) if "." in value else int(value) for key, value in pairs.items()}


ELEMENT = word("f32", "bf16", "f16")
# name: (parser, what it is)
OPTIONS: Dict[str, Tuple[Callable, str]] = {
    "B": (size, "batch; ? is dynamic"),
    "N": (size, "queries; ? is dynamic"),
    "M": (size, "keys; ? is dynamic"),
    "H": (int, "query heads"),
    "Hkv": (int, "key heads"),
    "D": (int, "channels of q and k"),
    "Dv": (int, "channels of v and the result; D if not given"),
    "C": (int, "rows of a table without a map"),
    "T": (int, "tokens of a window or a grid"),
    "R": (int, "rank of a projection"),
    "type": (ELEMENT, "element type of q, k, v and the result: f32, bf16, f16"),
    "table_type": (ELEMENT, "element type of the other float operands"),
    "scale": (float, "the scale constant; else the file's rule 1/sqrt(n D)"),
    "clip": (integers(2), "lo,hi of #posenc.clip"),
    "clip_other": (integers(2), "lo,hi of the #posenc.clip named #other"),
    "band": (integers(2), "lo,hi of #posenc.band"),
    "t5": (t5, "buckets,max_distance,direction of #posenc.t5"),
    "t5_box": (t5, "buckets,max_distance,direction of the #posenc.t5 named #box"),
    "deberta": (integers(3), "buckets,max_position,span of #posenc.deberta"),
    "window": (integers(2), "height,width of #posenc.window"),
    "sliding": (int, "the constant that bounds the distance of a sliding window"),
    "set": (constants, "name=value,...: the constants of these names, each on the only line of its kind"),
    "rope_layout": (word("half", "interleaved"), "half or interleaved"),
    "rope_base": (float, "base of the rotation"),
    "rope_start": (int, "first rotated channel"),
    "rope_width": (int, "rotated channels"),
    "rope_xpos": (float, "scale base of xPos, where the file has one"),
    "sections": (lambda text: tuple(int(x) for x in text.split(",")), "pairs of each axis of the rotation"),
    "yarn": (yarn, "factor=F,original=L,... or none"),
    "scaling": (scaling, "parameters of the file's scaling, all of them: factor=F,short=a/b,..."),
}
# option: (what stands before the parameters, the parameters, the letter and the number of the table's rows)
MAPS = {
    "clip": ("(?<!#other = )#posenc.clip<", lambda p: "%d, %d" % p, "C", lambda p: p[1] - p[0] + 1),
    "clip_other": ("#other = #posenc.clip<", lambda p: "%d, %d" % p, "Cother", lambda p: p[1] - p[0] + 1),
    "band": ("#posenc.band<", lambda p: "%d, %d" % p, "C", lambda p: p[1] - p[0] + 1),
    "t5": ("(?<!#box = )#posenc.t5<", lambda p: "%d, %d, %s" % p, "C", lambda p: p[0]),
    "t5_box": ("#box = #posenc.t5<", lambda p: "%d, %d, %s" % p, "Cbox", lambda p: p[0]),
    "deberta": ("#posenc.deberta<", lambda p: "buckets = %d, max_position = %d, span = %d" % p, "C", lambda p: 2 * p[2]),
    "window": ("#posenc.window<", lambda p: "%d, %d" % p, "C", lambda p: (2 * p[0] - 1) * (2 * p[1] - 1)),
}


def real(value: float) -> str:
    """A float literal of MLIR."""
    digits, _, exponent = repr(float(value)).partition("e")
    return (digits if "." in digits else digits + ".0") + ("e" + exponent if exponent else "")


def single(value: float) -> float:
    """The number of fewest digits that has the same f32 as value."""

    def rounded(x: float) -> float:
        return struct.unpack("f", struct.pack("f", x))[0]

    return next(x for x in (float("%.*g" % (n, value)) for n in range(1, 18)) if rounded(x) == rounded(value))


class Type:
    """tensor<?x8x?x64xf32>, or a memref with its layout."""

    def __init__(self, text: str):
        self.kind, dims, self.layout = re.fullmatch(r"(tensor|memref)<([^,>]*)(.*)>", text).groups()
        *sizes, self.element = dims.split("x")
        self.sizes: List[Size] = [size(s) for s in sizes]

    def __str__(self) -> str:
        dims = "".join(("?" if s is None else str(s)) + "x" for s in self.sizes)
        return f"{self.kind}<{dims}{self.element}{self.layout}>"


class Example:
    """The text of an example file with its operands' shapes in letters and their sizes."""

    def __init__(self, text: str):
        self.text = text
        self.letters = {n: s.split(", ") for n, s in re.findall(r"^//   %(\w+) +\[([^\]]+)\]", text, re.M)}
        aliases = dict(re.findall(r"^(!\w+) = (.+)$", text, re.M))
        texts = dict(re.findall(r"%%(\w+): (%s)" % TYPE, text))
        returned = re.search(r"^  return (.+) : (.+)$", text, re.M)
        self.results = re.findall(r"%(\w+)", returned[1]) if returned else []
        if returned:
            texts.update(zip(self.results, re.findall(TYPE, returned[2])))
        self.types: Dict[str, Type] = {}
        self.sizes: Dict[str, Size] = {}
        for name, letters in self.letters.items():
            self.types[name] = Type(aliases.get(texts[name], texts[name]))
            for letter, extent in zip(letters, self.types[name].sizes):
                if self.sizes.setdefault(letter, extent) != extent or len(letters) != len(self.types[name].sizes):
                    raise AssertionError(f"%{name} [{', '.join(letters)}] is not {self.types[name]}")

    def operand(self, name: str) -> Optional[str]:
        """The documented value that %name has the type of: itself, or %o for an intermediate result %o0."""
        return next((n for n in (name, name.rstrip("0123456789")) if n in self.letters), None)

    def resize(self, given: Dict[str, object]) -> None:
        self.sizes.update({letter: extent for letter, extent in given.items() if letter in self.sizes})
        if "D" in given and "Dv" not in given:
            self.sizes["Dv"] = given["D"]
        for kind, (_, _, letter, rows) in MAPS.items():
            if kind in given:
                self.sizes[letter] = given.get(letter, rows(given[kind]))
        if "window" in given:
            self.sizes["T"] = given.get("T", given["window"][0] * given["window"][1])
        if "sections" in given:
            self.sizes["A"] = len(given["sections"])
        if "F" in self.sizes:
            self.sizes["F"] = given.get("rope_width", self.sizes["D"]) // 2
        for name, letters in self.letters.items():
            self.types[name].sizes = [self.sizes[x] for x in letters]
            if name in ("q", "k", "v", "o", "out"):
                self.types[name].element = given.get("type", self.types[name].element)
            elif "f" in self.types[name].element and name != "lse":
                self.types[name].element = given.get("table_type", self.types[name].element)

    def retype(self) -> None:
        """Writes the types anew, with one alias for each different type of q, k, v and the result."""
        aliases: Dict[str, str] = {}
        for alias, name in (("!x", "q"), ("!k", "k"), ("!v", "v"), ("!o", "o"), ("!o", "out")):
            if name in self.types:
                aliases.setdefault(str(self.types[name]), alias)
        block = [f"{alias} = {type}" for type, alias in aliases.items()]
        for alias, letters in INTERNAL.items():
            if f"\n{alias} = " in self.text:
                type = Type("tensor<1xf32>")
                type.sizes = [self.sizes[x] for x in letters]
                block.append(f"{alias} = {type}")
                aliases.setdefault(str(type), alias)

        def type_of(name: str, now: str) -> str:
            """The type of a documented value; what stands there now for any other."""
            text = str(self.types[self.operand(name)]) if self.operand(name) else now
            return aliases.get(text, text)

        def line(text: str) -> str:
            use = re.match(r"(.*(?:posenc\.(?:lookup|dot|mlp)|tensor\.dim| return) .*) : (.*)$", text)
            if use:  # the types stand together at the end
                indexed = re.findall(r"%(\w+)\[", use[1])
                names = indexed or self.results if " return " in text else indexed or re.findall(r"%(\w+),", use[1])
                if " layers(" in text:
                    names = re.findall(r"%(\w+)", use[1].split(" layers(")[1])
                now = re.findall(TYPE, use[2])
                return use[1] + " : " + ", ".join(type_of(n, t) for n, t in zip(names, now))
            text = re.sub(r"%%(\w+)( ?: )(?!!s)(%s)" % TYPE, lambda m: f"%{m[1]}{m[2]}{type_of(m[1], m[3])}", text)
            text = re.sub(r"(%%(\w+) = .*\) : )(?!!s)(%s)$" % TYPE, lambda m: m[1] + type_of(m[2], m[3]), text)
            text = re.sub(r"( lse : )(%s)$" % TYPE, lambda m: m[1] + type_of("lse", m[2]), text)
            results = ", ".join(type_of(n, "") for n in self.results)
            results = f"({results})" if len(self.results) > 1 else results
            return re.sub(r"^(  }|func.*@attention\(.*\)) -> (?!!n).*?( {)?$", lambda m: f"{m[1]} -> {results}{m[2] or ''}", text)

        head, alias_lines, body = re.fullmatch(r"((?://[^\n]*\n|\n)*)((?:![^\n]*\n)*)(.*)", self.text, re.S).groups()
        function, end, helpers = body.partition("\n}\n")  # helpers have aliases only
        self.text = head + "\n".join(block) + "\n" + "\n".join(line(x) for x in function.split("\n")) + end + helpers


def signature(text: str) -> Tuple[List[Tuple[str, Union[Type, str]]], List[Type]]:
    """Name and type (or "index") of each argument of a program's function, and the types of its results."""
    aliases = dict(re.findall(r"^(!\w+) = (.+)$", text, re.M))
    arguments, results = re.search(r"^func\.func @\w+\((.*?)\)(?: -> (.*))? {$", text, re.M).groups()

    def type_of(x: str) -> Union[Type, str]:
        return x if x == "index" else Type(aliases.get(x, x))

    return ([(name, type_of(x)) for name, x in re.findall(r"%%(\w+): (index|%s)" % TYPE, arguments)],
            [type_of(x) for x in re.findall(TYPE, results or "")])


def rescale(example: Example, given: Dict[str, object], channels: Size) -> None:
    constant = re.search(SCALE, example.text)
    if constant is None:
        return
    value = given.get("scale")
    if value is None and example.sizes["D"] != channels:
        terms = 1 / (float(constant[1]) ** 2 * channels)  # 1/sqrt(n D): n is 1, or 3 in DeBERTa; anything with YaRN
        terms = round(terms) if abs(terms - round(terms)) < 1e-5 else terms
        value = 1 / math.sqrt(terms * example.sizes["D"])
    if value is not None:
        example.text = example.text.replace(constant[0], f"%c = arith.constant {real(single(value))} : f32")


def rotate(example: Example, given: Dict[str, object]) -> None:
    """Writes the rope attributes anew, keys in the order of ROPE_KEYS."""

    def literal(value: object) -> str:
        if isinstance(value, list):
            return "[" + ", ".join(map(literal, value)) + "]"
        return real(value) if isinstance(value, float) else str(value)

    def write(found: re.Match) -> str:
        keys = dict(re.findall(ROPE_KEY, found[2]))
        for key in ("base", "start", "width"):
            if "rope_" + key in given and (key != "base" or key in keys):
                keys[key] = real(given["rope_base"]) if key == "base" else str(given["rope_" + key])
        if "rope_xpos" in given:  # the keys' is negative
            keys["xpos"] = real(math.copysign(given["rope_xpos"], float(keys["xpos"])))
        if "sections" in given:
            keys["sections"] = "[" + ", ".join(map(str, given["sections"])) + "]"
        parameters, kind = given.get("scaling"), "yarn"
        if parameters is not None:
            kind = re.match(r"#posenc\.(\w+)", keys["scaling"])[1]
        elif "yarn" in given:
            parameters = {k: given["yarn"][k] for k in YARN if k in given["yarn"]}
        if parameters is not None:
            keys["scaling"] = f"#posenc.{kind}<" + ", ".join(f"{k} = {literal(v)}" for k, v in parameters.items()) + ">"
            if not parameters:
                del keys["scaling"]
        start = int(keys.get("start", 0))
        width = int(keys.get("width", example.sizes["D"]))
        if width % 2 or start + width > example.sizes["D"]:
            raise ValueError(f"channels [{start}, {start + width}) can't rotate in rows of D = {example.sizes['D']}")
        parts = [key + (f" = {keys[key]}" if keys[key] else "") for key in ROPE_KEYS if key in keys]
        return f"#posenc.rope<{', '.join([given.get('rope_layout', found[1]), *parts])}>"

    example.text = re.sub(ROPE, write, example.text, flags=re.M)


def source(name: str) -> str:
    path = os.path.join(HERE, name + ".mlir")
    if not os.path.exists(path):
        raise ValueError(f"no example '{name}'")
    with open(path) as file:
        return file.read()


def arguments(options: Dict[str, object]) -> str:
    """The options as the command line takes them."""

    def value(x: object) -> str:
        if isinstance(x, dict):
            return ",".join(f"{k}={'/'.join(map(str, v)) if isinstance(v, list) else v}" for k, v in x.items()) or "none"
        return ",".join(map(str, x)) if isinstance(x, tuple) else "?" if x is None else str(x)

    return " ".join(f"--{k.replace('_', '-')}={value(v)}" for k, v in options.items())


def instantiate(name: str, **options) -> str:
    """The text of example `name` with the options of OPTIONS; ValueError where one is unknown or has no meaning."""
    example = Example(source(name))
    unchanged = example.text
    for key in options:
        if key not in OPTIONS:
            raise ValueError(f"unknown option '{key}'")
        applies = (re.search(MAPS[key][0], unchanged) is not None if key in MAPS
                   else "#posenc.rope<" in unchanged if key == "yarn" or key.startswith("rope_")
                   else re.search(SCALE, unchanged) is not None if key == "scale"
                   else f" {key} = " in unchanged if key in ("scaling", "sections")
                   else "%w = arith.constant" in unchanged if key == "sliding"
                   else " xpos = " in unchanged if key == "rope_xpos"
                   else key in example.sizes if key[0].isupper() else True)
        if not applies:
            raise ValueError(f"option '{key}' does not apply to {name}")
    channels = example.sizes["D"]
    example.resize(options)
    if example.sizes["H"] % example.sizes.get("Hkv", example.sizes["H"]):
        raise ValueError(f"H = {example.sizes['H']} is no multiple of Hkv = {example.sizes['Hkv']}")
    example.retype()
    rescale(example, options, channels)
    for kind, (before, parameters, _, _) in MAPS.items():
        if kind in options:
            example.text = re.sub(rf"({before})[^>]*", rf"\g<1>{parameters(options[kind])}", example.text)
    if "sliding" in options:
        example.text = re.sub(r"(%w = arith\.constant )\d+", rf"\g<1>{options['sliding']}", example.text)
    for constant, value in options.get("set", {}).items():
        literal = real(value) if isinstance(value, float) else str(value)
        example.text, count = re.subn(rf"(%{constant} = arith\.constant )\S+", rf"\g<1>{literal}", example.text)
        if count != 1:
            raise ValueError(f"{count} constants %{constant} in {name}")
    if "#posenc.rope<" in unchanged:
        rotate(example, options)
    if options:
        example.text = f"// instantiate.py {name} {arguments(options)}\n" + re.sub(r"\A(//.*\n)+", "", example.text)
    return example.text


def check() -> int:
    names = sorted(f[: -len(".mlir")] for f in os.listdir(HERE) if f.endswith(".mlir"))
    different = [name for name in names if instantiate(name) != source(name)]
    for name in different:
        print(f"{name}.mlir is not what instantiate.py makes of it", file=sys.stderr)
    print(f"{len(names) - len(different)} of {len(names)} examples are their own default instance")
    return 1 if different or not names else 0


def main(argv: List[str]) -> int:
    if argv == ["--check"]:
        return check()
    names = [a for a in argv if not a.startswith("-")]
    if "--help" in argv or len(names) != 1:
        print(__doc__ + "\nOptions:", *(f"  --{k.replace('_', '-')}  {t}" for k, (_, t) in OPTIONS.items()), sep="\n")
        return 0 if "--help" in argv else 1
    try:
        options = {}
        for argument in argv:
            if argument in names:
                continue
            key, _, value = argument.lstrip("-").partition("=")
            key = key.replace("-", "_")
            if key not in OPTIONS:
                raise ValueError(f"unknown option '{argument}'")
            try:
                options[key] = OPTIONS[key][0](value)
            except (ValueError, KeyError):
                raise ValueError(f"bad value in '{argument}': {OPTIONS[key][1]}") from None
        sys.stdout.write(instantiate(names[0], **options))
    except ValueError as error:
        print(f"instantiate.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
