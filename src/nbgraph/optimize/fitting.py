"""Roots and least squares, by SciPy with exact Jacobians."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.create import asarray
from nbgraph.errors import ArgumentError
from nbgraph.optimize.minimizing import finished
from nbgraph.optimize.problem import Function, Problem, library
from nbgraph.signatures import checked

_WITH_JACOBIAN = frozenset(("hybr", "lm"))  # the other methods of `root` estimate it


@checked
def least_squares(
    f: Function, x0: Any, args: Sequence[Any] = (), *, bounds: Any = None, **options: Any
) -> Any:
    """Find the least sum of squared residuals, by `scipy.optimize.least_squares`.

    Parameters
    ----------
    f : callable that gives the residuals, an array or a structure of arrays: `f(x, *args)`
    x0 : array, number, or a dict, list or tuple of those: where the search begins
    args : further arguments of `f`
    bounds : pair (lower, upper) of structures like x0, or of numbers
    **options : as SciPy's: method, loss, ftol, xtol, gtol, x_scale, f_scale, max_nfev, verbose

    Returns
    -------
    scipy.optimize.OptimizeResult; `x` in the structure, kinds and dtypes of x0; `jac` a matrix

    >>> import nbgraph as ng
    >>> found = least_squares(lambda p: p["a"] * ng.array([1.0, 2.0]) - 3.0, {"a": 0.5})
    >>> round(found.x["a"], 6)
    1.8
    """
    optimize = library()
    problem = Problem("least_squares", f, x0, args)
    if bounds is not None:
        lower, upper = bounds
        options["bounds"] = problem.vector("bounds[0]", lower), problem.vector("bounds[1]", upper)
    solution = optimize.least_squares(problem.residuals, problem.start, problem.jacobian, **options)
    solution.x = problem.result(solution.x)
    return solution


@checked
def root(
    f: Function,
    x0: Any,
    args: Sequence[Any] = (),
    method: str = "hybr",
    *,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Find a root of a function, by `scipy.optimize.root`.

    Parameters
    ----------
    f : callable that gives as many numbers as x0 has, in any structure: `f(x, *args)`
    x0 : array, number, or a dict, list or tuple of those: where the search begins
    args : further arguments of `f`
    method : str, one of SciPy's; hybr and lm use exact Jacobians
    tol, options : as SciPy's

    Returns
    -------
    scipy.optimize.OptimizeResult; `x` in the structure, kinds and dtypes of x0

    >>> import nbgraph as ng
    >>> root(lambda x: x * x - 2.0, ng.ones(1)).x
    array([1.4142135], dtype=float32)
    """
    optimize = library()
    problem = Problem("root", f, x0, args)
    jacobian = problem.jacobian if method in _WITH_JACOBIAN else None
    solution = optimize.root(
        problem.residuals, problem.start, method=method, jac=jacobian, tol=tol, options=options
    )
    return finished(problem, solution)


@checked
def curve_fit(
    f: Function,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    *,
    bounds: Any = None,
    **options: Any,
) -> Any:
    """Fit the parameters of `f(xdata, *parameters)` to `ydata`, by `scipy.optimize.curve_fit`.

    Parameters
    ----------
    f : callable
    xdata : array, or a structure of arrays, for `f`
    ydata : array
    p0 : numbers or arrays to begin with, one for each parameter; by default ones
    sigma, absolute_sigma : as SciPy's
    bounds : pair (lower, upper) of sequences like p0, or of numbers
    **options : as SciPy's: method, check_finite, full_output, maxfev

    Returns
    -------
    (parameters, covariance), or more with `full_output`: the parameters are one vector, or a tuple
    like p0 where that has arrays.

    >>> import nbgraph as ng
    >>> x = ng.array([0.0, 1.0, 2.0])
    >>> parameters, covariance = curve_fit(lambda x, a, b: a * x + b, x, [1.0, 3.0, 5.0])
    >>> parameters.round(6).tolist()
    [2.0, 1.0]
    """
    optimize = library()
    plain = p0 is None or all(np.ndim(value) == 0 for value in p0)
    guess = np.ones(_count(f)) if p0 is None else p0
    start = tuple(np.float64(v) if np.ndim(v) == 0 else v for v in guess) if plain else tuple(guess)
    xdata = asarray(xdata) if isinstance(xdata, (np.ndarray, list)) else xdata
    problem = Problem("curve_fit", lambda p, x: f(x, *p), start, (xdata,))
    if bounds is not None:
        lower, upper = bounds
        options["bounds"] = problem.vector("bounds[0]", lower), problem.vector("bounds[1]", upper)
    fit = optimize.curve_fit(
        lambda _, *vector: problem.residuals(np.array(vector)),
        np.zeros(np.size(ydata)),  # in place of xdata, which `residuals` has
        np.ravel(np.asarray(ydata, "float64")),
        problem.start,
        sigma,
        absolute_sigma,
        jac=lambda _, *vector: problem.jacobian(np.array(vector)),
        **options,
    )
    return fit if plain else (problem.result(fit[0]), *fit[1:])


def _count(f: Function) -> int:
    """Return how many parameters a model has besides the data."""
    parameters = inspect.signature(f).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) or len(parameters) < 2:
        raise ArgumentError(
            "curve_fit: the function does not say how many parameters it has; give p0, numbers to "
            "begin with"
        )
    return len(parameters) - 1
