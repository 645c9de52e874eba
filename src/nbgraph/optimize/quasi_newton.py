"""BFGS with the inverse Hessian changed by two outer products, where SciPy multiplies matrices."""

from __future__ import annotations

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
    fun: Callable[..., float],
    x0: Any,
    *,
    jac: Callable[..., Any],
    callback: Callable[..., Any] | None = None,
    tol: float | None = None,
    gtol: float = 1e-5,
    norm: float = np.inf,
    maxiter: int | None = None,
    xrtol: float = 0.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    hess_inv0: Any = None,
    **_: Any,
) -> Any:
    """Minimise a function as SciPy's BFGS does, by its line search; see `scipy.optimize.minimize`,
    which calls this as a method of its own."""
    size, gtol = len(x0), gtol if tol is None else tol
    x, value, slope = x0, fun(x0), jac(x0)
    calls = gradients = 1
    inverse = np.eye(size) if hess_inv0 is None else np.array(hess_inv0, "float64")
    before = value + _length(slope, 2) / 2  # so that a first step has a length of about 1
    status, steps, most = 0, 0, size * 200 if maxiter is None else maxiter
    while _length(slope, norm) > gtol:
        if steps >= most:
            status = 1
            break
        way = -(inverse @ slope)
        result = _searched(fun, jac, x, way, slope, value, before, c1=c1, c2=c2)
        rate, calls, gradients = result[0], calls + result[1], gradients + result[2]
        if rate is None:
            status = 2
            break
        step, steps = rate * way, steps + 1
        x, value, before = x + step, result[3], value
        new_slope = jac(x)
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
        if _length(slope, norm) <= gtol or _length(step, 2) <= xrtol * (xrtol + _length(x, 2)):
            break
        _update(inverse, step, change)
    return library().OptimizeResult(
        x=x, fun=value, jac=slope, hess_inv=inverse, nit=steps, nfev=calls, njev=gradients,
        status=status, success=status == 0, message=_MESSAGES[status],
    )  # fmt: skip


def _searched(*point: Any, **constants: float) -> Any:
    """Return a step along a direction, by the line search of SciPy's BFGS, or the public one."""
    searches = importlib.import_module("scipy.optimize._linesearch")
    result = searches.line_search_wolfe1(*point, **constants, amin=1e-100, amax=1e100)
    if result[0] is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", searches.LineSearchWarning)
            result = library().line_search(*point, **constants, amax=1e100)
    return result


def _length(vector: Any, norm: float) -> float:
    return float(
        np.abs(vector).max(initial=0.0) if norm == np.inf else np.linalg.norm(vector, norm)
    )


def _update(inverse: Any, step: Any, change: Any) -> None:
    """Change the inverse Hessian to one that takes a change of the gradient to its step."""
    along = float(change @ step)
    rate = 1 / along if along else 1000.0
    image = inverse @ change
    both = np.stack((step, image))
    weights = np.array([[rate + rate * rate * float(change @ image), -rate], [-rate, 0.0]])
    inverse += both.T @ (weights @ both)
