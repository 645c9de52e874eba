"""Minima of functions, by the methods of `scipy.optimize.minimize`."""

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.optimize.problem import Function, Problem, library
from nbgraph.optimize.quasi_newton import OPTIONS, bfgs
from nbgraph.signatures import checked

# What methods use: only the value, products with the Hessian, the Hessian; others the gradient
_VALUE = frozenset(("nelder-mead", "powell", "cobyla", "cobyqa"))
_PRODUCTS = frozenset(("newton-cg", "trust-constr", "trust-krylov", "trust-ncg"))
_HESSIAN = frozenset(("dogleg", "trust-exact"))


@checked
def minimize(
    f: Function,
    x0: Any,
    args: Sequence[Any] = (),
    method: str | None = None,
    *,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Find a minimum of a function of arrays, by `scipy.optimize.minimize`.

    Gradients are those of `ng.grad`; methods of second order get exact products of the Hessian and
    a vector (Newton-CG, trust-ncg, trust-krylov, trust-constr), or the Hessian (dogleg,
    trust-exact). BFGS takes SciPy's steps, but changes its matrix in place.

    Parameters
    ----------
    f : callable that gives one number, `f(x, *args)`
    x0 : array, number, or a dict, list or tuple of those: where the search begins
    args : further arguments of `f`
    method : str, one of SciPy's; by default BFGS, L-BFGS-B or SLSQP, by bounds and constraints
    bounds : for one vector as SciPy's; for structures a pair (lower, upper) of structures like x0,
        or of numbers
    constraints : as SciPy's, with functions of f's arguments; "jac" is exact if it is left out
    tol, options : as SciPy's
    callback : called with x, in the structure of x0, after each iteration

    Returns
    -------
    scipy.optimize.OptimizeResult; `x` and `jac` in the structure, kinds and dtypes of x0

    Raises
    ------
    ArgumentError where x0 has values other than numbers; ShapeError where `f` gives more than one;
    ValueError as SciPy does.

    >>> import nbgraph as ng
    >>> found = minimize(
    ...     lambda x: ((x - 1.0) ** 4).sum(), ng.zeros(2), method="Newton-CG", tol=1e-9
    ... )
    >>> bool((abs(found.x - 1.0) < 0.01).all())
    True
    """
    problem = Problem("minimize", f, x0, args)
    kind = str(method or "").lower()
    derivatives: dict[str, Any] = {"jac": True}
    if kind in _VALUE:
        derivatives = {}
    elif kind in _PRODUCTS:
        derivatives["hessp"] = problem.curvature
    elif kind in _HESSIAN:
        derivatives["hess"] = problem.hessian
    free = bounds is None and not constraints and OPTIONS.issuperset(options or ())
    if free and kind in ("", "bfgs"):
        after = _callback(problem, callback)
        start = problem.start
        own = bfgs(problem.value_and_slope, start, tol=tol, callback=after, **(options or {}))
        return finished(problem, own)
    several = isinstance(constraints, (tuple, list))
    limits = [_constraint(problem, x0, c) for c in (constraints if several else [constraints])]
    solution = library().minimize(
        problem.value if kind in _VALUE else problem.value_and_slope,
        problem.start,
        method=method,
        bounds=_bounds(problem, bounds),
        constraints=limits if several else limits[0],
        tol=tol,
        callback=_callback(problem, callback),
        options=options,
        **derivatives,
    )
    return finished(problem, solution)


def finished(problem: Problem, solution: Any) -> Any:
    """Return SciPy's result with `x` and `jac` in the structure of the start."""
    solution.x = problem.result(solution.x)
    slope = solution.get("jac")
    if slope is not None and getattr(slope, "shape", None) == problem.start.shape:
        solution.jac = problem.result(slope)
    return solution


def _bounds(problem: Problem, bounds: Any) -> Any:
    kind = library().Bounds
    if bounds is None or problem.plain or isinstance(bounds, kind):
        return bounds
    lower, upper = bounds
    return kind(problem.vector("bounds[0]", lower), problem.vector("bounds[1]", upper))


def _constraint(problem: Problem, x0: Any, constraint: Any) -> Any:
    """Return one constraint as a function of the vector, with its derivatives."""
    kind = library().NonlinearConstraint
    if isinstance(constraint, dict):
        own = Problem("minimize", constraint["fun"], x0, constraint.get("args", ()))
        functions = {"fun": own.residuals, "jac": own.jacobian}
        return {**functions, "type": constraint["type"]} if "jac" not in constraint else constraint
    if isinstance(constraint, kind) and not callable(constraint.jac):
        own = Problem("minimize", constraint.fun, x0)
        return kind(own.residuals, constraint.lb, constraint.ub, own.jacobian)
    return constraint  # a LinearConstraint has numbers alone


def _callback(problem: Problem, callback: Callable[..., Any] | None) -> Any:
    return callback and (lambda vector, *state: callback(problem.result(vector), *state))
