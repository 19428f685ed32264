"""What a function says of a call that is wrong, and that it goes on to be right.

    failures.py POSENC_COMPILE FOLDER [OPTION...]
"""
import ctypes
import os
import resource
import sys

import numpy as np
from library import Library, describe

tool, folder, *options = sys.argv[1:]
library = Library(tool, os.path.join(os.path.dirname(__file__), "programs.mlir"), os.path.join(folder, "programs.so"),
                  *options)


def floats(*shape):
    return np.ones(shape, np.float32)


q, k, lse = floats(1, 2, 3, 8), floats(1, 2, 5, 8), floats(1, 2, 3)
assert library.attend(q, k, k, q.copy(), lse) is None


def changed(x, **fields):
    y = describe(x)
    for name, values in fields.items():
        if name == "data":
            y.data = values
        else:
            getattr(y, name)[:] = values
    return y


print("null:", library.attend(q, None, k, q, lse))
print("data:", library.attend(changed(q, data=None), k, k, q, lse))
print("static:", library.attend(q, k, floats(1, 2, 5, 9), q, lse))
print("negative:", library.attend(q, k, changed(k, sizes=[1, 2, -5, 8]), q, lse))
print("large:", library.attend(q, k, changed(k, sizes=[1 << 40, 2, 1 << 40, 8]), q, lse))
print("large and empty:", library.attend(q, k, changed(k, sizes=[0, 2, 1 << 62, 8]), q, lse))
print("dynamic:", library.attend(q, k, floats(1, 2, 6, 8), q, lse))
print("result:", library.attend(q, k, k, floats(1, 2, 4, 8), lse))
print("second result:", library.attend(q, k, k, floats(1, 2, 3, 8), floats(1, 2, 2)))
print("gaps:", library.increase(np.zeros((2, 6), np.int32)[:, :3], np.zeros((2, 3), np.int32), ctypes.c_int32(1)))
print("stride:", library.increase(np.zeros((2, 3), np.int32), np.zeros((2, 6), np.int32)[:, ::2], ctypes.c_int32(1)))
print("assertion:", library.first(np.array([4, 5, 6]), 3, np.zeros((), np.int64)))
print("thread:", library.gather(floats(9), np.array([8, 0, 3, 9] * 100), floats(400)))
print("after an allocation:", library.twice(floats(3, 4), floats(4, 5), floats(3, 5)))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


# The product of 1 MiB that is made before the second one fails is freed.
x, y, z = floats(512, 1), floats(1, 512), floats(512, 512)
for i in range(1010):
    if i == 10:
        before = resident()
    assert library.twice(x, y, z) is not None
print("leaks:", resident() - before > 100 << 20)

# More than there is: tensors of 64 GiB, of one row of 8 elements.
n = (64 << 30) // 32
big = changed(floats(1, 1, 1, 1), sizes=[1, 2, n, 8], strides=[0, 0, 0, 0])
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
print("memory:", library.attend(q, big, big, q, lse))
assert library.attend(q, k, k, q.copy(), lse) is None
