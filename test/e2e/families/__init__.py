"""Examples by family: each module here says all that the tests need of its examples.

    SPECS      example -> Spec of shapes.py: its operands at odd shapes
    ENTRIES    Entry of golden.py: captured cases that test it
    NAME(...)  its oracle, `-` written `_`, as in ../../examples/formulas.py

The examples of formulas.py, shapes.py and golden.py themselves came first; their pieces are shared.
"""
import importlib
import pkgutil
from typing import Callable, Dict, List

import formulas
import golden
import shapes

MODULES = [importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]

SPECS: Dict[str, shapes.Spec] = dict(shapes.SPECS)
ENTRIES: List[golden.Entry] = list(golden.ENTRIES)
for module in MODULES:
    assert not set(SPECS) & set(module.SPECS), f"{module.__name__} repeats an example"
    SPECS.update(module.SPECS)
    ENTRIES.extend(module.ENTRIES)


def oracle(example: str) -> Callable:
    """The formula of an example, as formulas.py says."""
    for module in MODULES:
        if example in module.SPECS:
            return getattr(module, example.replace("-", "_"))
    return getattr(formulas, example.replace("-", "_"))
