"""NumPy's polynomials, the highest power first."""

from typing import Any

import numpy as np

from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.calculus import folded as folded
from nbgraph.ops.dispatch.table import rows

_ROWS = """
polyval(p, x): kept
    = value(p, x)
polyadd(a1, a2): composed
    = joined(library.add, a1, a2)
polysub(a1, a2): composed
    = joined(library.subtract, a1, a2)
polymul(a1, a2): composed
    = folded(library.atleast_1d(as_array(a1)), library.atleast_1d(as_array(a2)), "full", True)
polyder(p, m=1): composed
    = derivative(as_array(p), m)
polyint(p, m=1, k=None): composed
    = integral(as_array(p), m, k)
vander(x, N=None, increasing=False): kept
    = powers(as_array(x), N, increasing)
"""


def value(p: Any, x: Any) -> Any:
    """Return the value of a polynomial at x, by Horner's rule."""
    coefficients, at = as_array(p), as_array(x)
    total = library.zeros_like(at)
    for k in range(coefficients.shape[0]):
        total = library.add(library.multiply(total, at), coefficients[k])
    return total


def joined(function: Any, a1: Any, a2: Any) -> Any:
    """Return a function of the coefficients of two polynomials, padded to equal length."""
    p, q = (library.atleast_1d(as_array(a)) for a in (a1, a2))
    size = max(p.shape[0], q.shape[0])
    return function(*(library.pad(a, ((size - a.shape[0], 0),)) for a in (p, q)))


def derivative(p: Any, m: int) -> Any:
    """Return the m-th derivative of a polynomial."""
    if m < 0:
        raise ValueError(f"np.polyder: m={m}; expected 0 or more")
    for _ in range(m):
        p = library.multiply(p[:-1], np.arange(p.shape[0] - 1, 0, -1))
    return p


def integral(p: Any, m: int, k: Any) -> Any:
    """Return the m-th integral of a polynomial, with constants k."""
    if m < 0:
        raise ValueError(f"np.polyint: m={m}; expected 0 or more")
    constants = np.zeros(m) if k is None else k
    constants = np.resize(constants, m) if np.size(constants) == 1 else constants
    for step in range(m):
        below = library.divide(p, np.arange(p.shape[0], 0, -1))
        last = library.reshape(library.astype(as_array(constants[step]), below.dtype), (1,))
        p = library.concatenate([below, last])
    return p


def powers(x: Any, count: int | None, increasing: bool) -> Any:
    """Return the matrix whose columns are powers of x."""
    n = x.shape[0] if count is None else count
    base = library.expand_dims(x, -1)
    exponents = np.arange(n) if increasing else np.arange(n)[::-1]
    wide = library.astype(base, np.result_type(x.dtype, int), copy=False)
    if wide.dtype.kind == "f":
        exponents = exponents.astype(wide.dtype)
    return library.power(wide, exponents)


FUNCTIONS = rows(_ROWS, globals())
