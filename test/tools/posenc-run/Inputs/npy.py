"""Makes and checks the .npy files of npy.mlir.

make FOLDER                   writes the inputs
check FOLDER                  compares NAME.npy with NAME.out.npy
refuse FOLDER COMMAND...      runs COMMAND with one bad file after the other
"""
import io
import struct
import subprocess
import sys
import numpy as np

DTYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i1": "|b1", "i8": "|i1", "i16": "<i2",
          "i32": "<i4", "i64": "<i8", "index": "<i8"}


def header(text, version=(1, 0)):
    text = text.encode()
    length = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text


def save(path, content):
    with open(path, "wb") as file:
        file.write(content)


def make(folder):
    random = np.random.default_rng(0)
    for name, dtype in DTYPES.items():
        # Every pattern of bits is a value, NaNs with payloads among them.
        count = 24 * np.dtype(dtype).itemsize
        array = np.frombuffer(random.bytes(count), dtype="|u1" if dtype == "|b1" else dtype)
        if dtype == "|b1":
            array = array % 2 == 1
        np.save(f"{folder}/{name}.npy", array.reshape(2, 3, 4))
    np.save(f"{folder}/scalar.npy", np.int64(42))
    np.save(f"{folder}/fortran.npy", np.asfortranarray(np.arange(6, dtype="f4").reshape(2, 3)))
    for version, values in ((2, [1, 2]), (3, [3, 4])):
        with open(f"{folder}/version{version}.npy", "wb") as file:
            np.lib.format.write_array(file, np.array(values, dtype="i4"), version=(version, 0))
    bits = (np.array([1, -0.5, 3], dtype="f4").view("u4") >> 16).astype("<u2")
    np.save(f"{folder}/v2.npy", bits.view("V2"))
    np.save(f"{folder}/true.npy", np.array([0, 2, 255], dtype="u1").view("?"))
    np.save(f"{folder}/empty.npy", np.zeros((3, 0), dtype="f4"))


def check(folder):
    for name, dtype in DTYPES.items():
        before = np.load(f"{folder}/{name}.npy")
        after = np.load(f"{folder}/{name}.out.npy")
        assert after.dtype == np.dtype(dtype) and after.shape == before.shape, name
        assert after.tobytes() == before.tobytes(), name


def refuse(folder, command):
    stream = io.BytesIO()
    np.save(stream, np.arange(6, dtype="f4").reshape(2, 3))
    good = stream.getvalue()
    data = bytes(24)

    def with_header(text):
        return header(text) + data

    bad = {
        "empty file": (b"", "does not begin with"),
        "text": (b"1 2 3\n", "does not begin with"),
        "magic only": (good[:6], "ends inside its header"),
        "version only": (good[:8], "ends inside its header"),
        "half a length": (good[:9], "ends inside its header"),
        "half a header": (good[:40], "ends inside its header"),
        "version 4.0": (good[:6] + b"\x04\x00" + good[8:], "unknown version 4.0"),
        "huge header": (good[:6] + b"\x02\x00\xff\xff\xff\xff" + good[10:], "ends inside its header"),
        "no data": (good[:128], "announces 24 bytes of data, it has 0"),
        "one byte short": (good[:-1], "announces 24 bytes of data, it has 23"),
        "one byte more": (good + b"\0", "announces 24 bytes of data, it has 25"),
        "no dictionary": (with_header("(1, 2)\n"), "no dictionary"),
        "unterminated": (with_header("{'descr': '<f4', 'fortran_order': False"), "no dictionary"),
        "unterminated key": (with_header("{'descr"), "no dictionary"),
        "no comma": (with_header("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}\n"), "no dictionary"),
        "no shape": (with_header("{'descr': '<f4', 'fortran_order': False}\n"), "lacks"),
        "twice": (with_header("{'descr': '<f4', 'descr': '<f4', 'shape': (2, 3)}\n"), "unexpected key 'descr'"),
        "unknown key": (with_header("{'descr': '<f4', 'order': 'C', 'shape': (2, 3)}\n"), "unexpected key 'order'"),
        "two lines": (with_header("{'de\nscr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\n"), "no dictionary"),
        "structure": (with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}\n"),
                      "its elements are structures"),
        "order": (with_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}\n"), "no truth value"),
        "number": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (6)}\n"), "no tuple"),
        "negative": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}\n"), "no tuple"),
        "size overflow": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3)}\n"),
                          "no tuple"),
        "product overflow": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 3)}\n"),
                             "too large"),
        "after": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x\n"), "text after"),
        "not even there": (None, "cannot read"),
        "f64": (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3)}\n") + data,
                "expected tensor<?x3xf32> with elements of type '<f4', got '<f8' [1, 3]"),
        "big endian": (with_header("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}\n"), "got '>f4'"),
        "objects": (with_header("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}\n"), "got '|O'"),
        "rank": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}\n"),
                 "expected tensor<?x3xf32>, got rank 1 [6]"),
        "size": (with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}\n"),
                 "expected tensor<?x3xf32>, got [3, 2]: dimension 1 must be 3"),
    }
    for name, (content, reason) in bad.items():
        path = f"{folder}/{name}.npy"
        if content is not None:
            save(path, content)
        run = subprocess.run(command + ["--function=refuse", f"--input=@{path}", f"--output=@{folder}/refused.npy"],
                             capture_output=True, text=True)
        lines = run.stderr.splitlines()
        ok = run.returncode == 1 and run.stdout == "" and len(lines) == 1 and reason in lines[0]
        assert ok and lines[0].startswith("posenc-run: error: input 0 (--input=@"), (name, run)


{"make": make, "check": check, "refuse": lambda folder, *command: refuse(folder, list(command))}[sys.argv[1]](*sys.argv[2:])
