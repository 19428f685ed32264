"""Whether a function says that this CPU lacks a feature, if and only if it does.

    cpu.py LIBRARY FEATURE
"""
import ctypes
import re
import sys

path, feature = sys.argv[1:]
function = ctypes.CDLL(path).nothing
function.restype = ctypes.c_char_p
text = function()
with open("/proc/cpuinfo") as file:
    flags = re.search(r"^flags.*", file.read(), re.M)[0].split()
expected = None if feature in flags else f"this CPU lacks {feature.replace('_', '-')}, for which the code was compiled"
print("as it should be" if text == (expected and expected.encode()) else text)
