"""Kinds of NumPy functions on carriers: a row per function that NumPy lets others override.

A table is a text of rows as `operator/declared` reads them. A row has NumPy's parameters; its
documentation is the kind of implementation and, after a semicolon, of its gradient:

    ours       an operator of the library, with NumPy's options
    composed   of operators of the library
    kept       the same, as a graph for repeated calls: the results are new arrays
    host       by NumPy on values: it waits, and returns arrays of the carrier
    values     by NumPy on values: the result is not an array (a bool, a text, a file)
    layout     by NumPy on shapes and dtypes alone: it does not wait
    refused    with a message

Gradients are "derived" by default; "constant" if a result does not depend smoothly on the operands;
"refused" if a recorded one would be wrong.

>>> row = function_for(np.median)
>>> row.how, row.gradient
('kept', 'derived')
"""

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from nbgraph.operator.declared import parse

# modules with a text TABLE, by NumPy's module
TABLES: Mapping[str, tuple[str, ...]] = {
    "numpy": (
        *("reducing", "nans", "quantiles", "shaping", "joining", "choosing"),
        *("statistics", "calculus", "polynomials", "likeness", "writing", "hosted"),
    ),
    "numpy.lib.scimath": ("scimath",),
    "numpy.lib.stride_tricks": ("shaping",),
    "numpy.linalg": ("linalg",),
    "numpy.fft": ("fft",),
}


class Function(NamedTuple):
    """A row: the kind of a function ("ours", "composed", ...), its gradient, and what to call."""

    how: str
    gradient: str
    call: Callable[..., Any]


def rows(text: str, scope: Mapping[str, Any]) -> dict[str, Function]:
    r"""Return the functions of a table by name; expressions refer to `scope`, a module's globals.

    >>> found = rows("double(a): composed\n    = a + a", {})
    >>> found["double"].call(2), found["double"].gradient
    (4, 'derived')
    """
    table = list(parse(text, "library"))
    own = dict(scope)
    lines = [f"def {row.name}({row.parameters}): return {row.call}" for row in table]
    exec(compile("\n".join(lines), f"<{scope.get('__name__')}>", "exec"), own)
    functions: dict[str, Function] = {}
    for row in table:
        how, _, gradient = row.doc.strip().partition("; ")
        for name in (row.name, *row.aliases):
            functions[name] = Function(how, gradient or "derived", own[row.name])
    return functions


@functools.cache
def functions(module: str) -> Mapping[str, Function]:
    """Return the rows for a module of NumPy by name; loads the tables."""
    table: dict[str, Function] = {}
    for name in TABLES.get(module, ()):
        table |= importlib.import_module(f"nbgraph.ops.dispatch.{name}").FUNCTIONS
    return table


def function_for(func: Any) -> Function | None:
    """Return the row of a NumPy function, or of a ufunc without an operator, or None."""
    module = "numpy" if isinstance(func, np.ufunc) else func.__module__
    return functions(module).get(func.__name__)
