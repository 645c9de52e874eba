"""`ng.linalg`: NumPy's and the Array API's functions of matrices, asynchronous, with gradients.

Leading axes are a batch. LAPACK computes the factors on the host: in kernels, or by `numpy.linalg`
for complex matrices; products are the library's. Integers count as float64.

>>> import nbgraph as ng
>>> a = ng.array([[2.0, 0.0], [0.0, 4.0]])
>>> ng.linalg.solve(a, ng.array([2.0, 2.0]))
array([1. , 0.5], dtype=float32)
"""

import importlib
from typing import Any

from nbgraph.foreign import missing

# the library's operators of these names
_SHARED = "matmul matrix_transpose tensordot vecdot".split()
# separate from the table: MXNet has operators of these names
_WRITTEN = ["det", "slogdet"]


def __getattr__(name: str) -> Any:
    """Return a function, which loads at its first use (PEP 562)."""
    if name not in __dir__():
        missing("ng.linalg", dict.fromkeys(__dir__()))(name)
    table, ops = (importlib.import_module(f"nbgraph.ops{at}") for at in (".linalg.table", ""))
    if name in _WRITTEN:
        value = getattr(table, name)
    else:
        value = getattr(ops, name if name in _SHARED else f"linalg_{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    table = importlib.import_module("nbgraph.ops.linalg.table")
    return sorted((*table.NAMES, *_SHARED, *_WRITTEN))
