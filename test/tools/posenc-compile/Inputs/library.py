"""Calls what posenc-compile writes, on NumPy arrays."""
import ctypes
import subprocess

import numpy as np


def array_type(rank):
    fields = [("data", ctypes.c_void_p)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"posenc_array{rank}", (ctypes.Structure,), {"_fields_": fields})


def describe(x):
    """The posenc_arrayR of an array."""
    assert all(stride % x.itemsize == 0 for stride in x.strides)
    description = array_type(x.ndim)(x.ctypes.data)
    if x.ndim:
        description.sizes[:] = x.shape
        description.strides[:] = [stride // x.itemsize for stride in x.strides]
    return description


class Library:
    """What a compiled module has. A call takes arrays, descriptions of such, None for NULL, integers, and values of ctypes;
    it gives the text of what is wrong, or None."""

    def __init__(self, tool, source, path, *options):
        subprocess.run([tool, source, "-o", path, *options], check=True)
        self.library = ctypes.CDLL(path)

    def __getattr__(self, name):
        function = getattr(self.library, name)
        function.restype = ctypes.c_char_p

        def call(*arguments):
            converted = []
            for x in arguments:
                if isinstance(x, np.ndarray):
                    x = describe(x)
                if isinstance(x, ctypes.Structure):
                    x = ctypes.byref(x)
                if isinstance(x, int):
                    x = ctypes.c_int64(x)
                converted.append(x)
            text = function(*converted)
            return text and text.decode()

        return call
