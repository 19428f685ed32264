"""labels.py ROOT: every constraint's label stands in the td files, in a diagnostic, and in a test of that diagnostic."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
dialects = root / "dialects"
label = r"\b[a-z_]+_c\d+\b"


def read(folder: pathlib.Path, pattern: str) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob(pattern)))


documented = set(re.findall(rf"- `({label})`", read(dialects, "*.td")))
# c8 to c11 of score_mod are those of attention, and share its code.
for first, last in re.findall(rf"- `({label}) to ({label})`", read(dialects, "*.td")):
    name, low = first.rsplit("_c", 1)
    documented |= {f"{name}_c{n}" for n in range(int(low), int(last.rsplit("_c", 1)[1]) + 1)}
code = read(dialects, "*.cpp")
shared = {f"{name}{end}" for name in re.findall(r'"(attention|score_mod)"', code) for end in re.findall(r'"(_c\d+)', code)}
checked = set(re.findall(rf'"({label})', code)) | shared
tested = set(re.findall(rf"expected-error.*\{{\{{({label})", read(root / "test" / "dialects", "*.mlir")))

for name, have, need in [("documented", documented, checked | tested), ("checked", checked, documented),
                         ("tested", tested, documented)]:
    if need - have:
        print(f"not {name}: {', '.join(sorted(need - have))}")
print(f"{len(documented)} labels")
sys.exit(not documented == checked == tested)
