"""`np.emath` on carriers: functions whose results are complex where no real one exists.

That depends on values, so they wait for these; gradients are the functions' own.
"""

import math
from typing import Any

import numpy as np

from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.table import rows

_ROWS = """
sqrt(x): composed
    = library.sqrt(over_negative(x))
log(x): composed
    = library.log(over_negative(x))
log2(x): composed
    = logarithm(x, 2)
log10(x): composed
    = logarithm(x, 10)
logn(n, x): composed
    = library.divide(library.log(over_negative(x)), library.log(over_negative(n)))
power(x, p): composed
    = library.power(over_negative(x), floating(p))
arccos(x): composed
    = library.arccos(beyond_one(x))
arcsin(x): composed
    = library.arcsin(beyond_one(x))
arctanh(x): composed
    = library.arctanh(beyond_one(x))
"""


def over_negative(x: Any) -> Any:
    """Return an array, complex if an element is negative."""
    return widened(x, library.less)


def beyond_one(x: Any) -> Any:
    """Return an array, complex if an element is below -1 or above 1."""
    return widened(x, lambda values, zero: library.greater(library.absolute(values), 1 + zero))


def widened(x: Any, outside: Any) -> Any:
    """Return an array, complex if `outside(x, 0)` is true for an element."""
    values = as_array(x)
    if values.dtype.kind == "c" or not bool(library.any(outside(values, 0))):
        return values
    return library.astype(values, np.result_type(values.dtype, np.complex64))


def floating(p: Any) -> Any:
    """Return exponents, floating if one is negative."""
    values = as_array(p)
    if values.dtype.kind not in "iu" or not bool(library.any(library.less(values, 0))):
        return values
    return library.astype(values, np.float64)


def logarithm(x: Any, base: int) -> Any:
    """Return the logarithm to a base, complex if an element is negative."""
    values = over_negative(x)
    if values.dtype.kind == "c":
        return library.divide(library.log(values), math.log(base))
    return getattr(library, f"log{base}")(values)


FUNCTIONS = rows(_ROWS, globals())
