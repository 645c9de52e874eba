"""BFGS with the inverse Hessian changed in place, where SciPy multiplies matrices."""

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.optimize.problem import library

OPTIONS = frozenset(("gtol", "norm", "maxiter", "xrtol", "c1", "c2", "hess_inv0"))
_MESSAGES = {
    0: "Optimization terminated successfully.",
    1: "Maximum number of iterations has been exceeded.",
    2: "Desired error not necessarily achieved due to precision loss.",
    99: "`callback` raised `StopIteration`.",
}


def bfgs(
    both: Callable[[Any], tuple[float, Any]],
    x0: Any,
    *,
    callback: Callable[..., Any] | None = None,
    tol: float | None = None,
    gtol: float = 1e-5,
    norm: float = np.inf,
    maxiter: int | None = None,
    xrtol: float = 0.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    hess_inv0: Any = None,
) -> Any:
    """Minimise a function as SciPy's BFGS does, by its line search; see `scipy.optimize.minimize`.
    `both` gives the value at a vector and its gradient."""
    size, gtol = len(x0), gtol if tol is None else tol
    at = _Memory(both)
    x, value, slope = x0, at.value(x0), at.slope(x0)
    calls = gradients = 1
    start = np.eye(size) if hess_inv0 is None else hess_inv0
    inverse = np.array(start, "float64", order="F")  # of which the upper triangle is read
    before = value + np.linalg.norm(slope) / 2  # so that a first step has a length of about 1
    status, steps, most = 0, 0, size * 200 if maxiter is None else maxiter
    while not _small(slope, norm, gtol):
        if steps >= most:
            status = 1
            break
        way = _blas().dsymv(-1.0, inverse, slope)
        result = _line_search(at.value, at.slope, x, way, slope, value, before, c1=c1, c2=c2)
        rate, calls, gradients = result[0], calls + result[1], gradients + result[2]
        if rate is None:
            status = 2
            break
        step, steps = rate * way, steps + 1
        x, value, before = x + step, result[3], value
        new_slope = at.slope(x)
        change, slope = new_slope - slope, new_slope
        if callback is not None:
            try:
                callback(x.copy())
            except StopIteration:
                status = 99
                break
        if not np.isfinite(value):
            status = 2
            break
        if _small(slope, norm, gtol) or not step.any():
            break
        if xrtol and np.linalg.norm(step) <= xrtol * (xrtol + np.linalg.norm(x)):
            break
        inverse = _update_inverse(inverse, step, change)
    upper = np.triu(inverse)
    return library().OptimizeResult(
        x=x, fun=value, jac=slope, hess_inv=upper + np.triu(upper, 1).T, nit=steps, nfev=calls,
        njev=gradients, status=status, success=status == 0, message=_MESSAGES[status],
    )  # fmt: skip


class _Memory:
    """A function of value and gradient as two functions, with the last result cached."""

    def __init__(self, both: Callable[[Any], tuple[float, Any]]) -> None:
        self._both = both
        self._vector = b""
        self._result: tuple[float, Any] = 0.0, None

    def value(self, vector: Any) -> float:
        """Return the value at a vector."""
        return self._at(vector)[0]

    def slope(self, vector: Any) -> Any:
        """Return the gradient at a vector."""
        return self._at(vector)[1]

    def _at(self, vector: Any) -> tuple[float, Any]:
        own = vector.tobytes()
        if own != self._vector:
            self._vector, self._result = own, self._both(vector)
        return self._result


def _line_search(*point: Any, **constants: float) -> Any:
    """Return a step along a direction, by the line search of SciPy's BFGS, or the public one."""
    searches = importlib.import_module("scipy.optimize._linesearch")
    result = searches.line_search_wolfe1(*point, **constants, amin=1e-100, amax=1e100)
    if result[0] is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", searches.LineSearchWarning)
            result = library().line_search(*point, **constants, amax=1e100)
    return result


def _small(slope: Any, norm: float, gtol: float) -> bool:
    """Return whether a gradient is within the tolerance; NaN counts as within."""
    length = np.abs(slope).max(initial=0.0) if norm == np.inf else np.linalg.norm(slope, norm)
    return not length > gtol


def _update_inverse(inverse: Any, step: Any, change: Any) -> Any:
    """Update the inverse Hessian in place so that it maps a change of the gradient to its step:
    with s the step, y the change, w = Hy and r = 1/sy, H + (r + r^2 yw) ss' - r (sw' + ws')."""
    along = float(change @ step)
    rate = 1 / along if along else 1000.0
    image = _blas().dsymv(1.0, inverse, change)
    beside = (rate + rate * rate * float(change @ image)) / 2 * step - rate * image
    return _blas().dsyr2(1.0, step, beside, a=inverse, overwrite_a=1)


@functools.cache
def _blas() -> Any:
    return importlib.import_module("scipy.linalg.blas")
