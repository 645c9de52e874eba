"""ng.optimize.minimize: every method of SciPy, structures, bounds, constraints, errors."""

import functools
import gc
import itertools
import weakref

import numpy as np
import pytest
import scipy.optimize

import nbgraph as ng

START = np.full(5, 0.5)
METHODS = (
    "Nelder-Mead Powell CG BFGS Newton-CG L-BFGS-B TNC COBYQA SLSQP trust-constr trust-ncg "
    "trust-exact"
).split()
# SciPy's trlib multiplies vectors it never filled: what the memory held before decides the warning.
KRYLOV = pytest.param("trust-krylov", marks=pytest.mark.filterwarnings("ignore::RuntimeWarning"))


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", [*METHODS, KRYLOV])
def test_every_method_finds_the_minimum(method):
    found = ng.optimize.minimize(rosenbrock, START[:3], method=method, tol=1e-9)
    np.testing.assert_allclose(found.x, np.ones(3), atol=5e-3)
    assert type(found.x) is np.ndarray


def test_dogleg_has_the_hessian():
    found = ng.optimize.minimize(lambda x: ((x - 1) ** 2).sum(), START, method="dogleg")
    np.testing.assert_allclose(found.x, 1, atol=1e-6)


def test_steps_are_those_of_scipy_with_exact_derivatives():
    ours = ng.optimize.minimize(rosenbrock, START, method="BFGS")
    known = scipy.optimize.minimize(
        scipy.optimize.rosen, START, jac=scipy.optimize.rosen_der, method="BFGS"
    )
    assert (ours.nit, ours.nfev) == (known.nit, known.nfev)
    np.testing.assert_allclose(ours.x, known.x, rtol=1e-6)


@pytest.mark.parametrize("method", [None, "Newton-CG", "trust-exact", "Nelder-Mead"])
def test_structures_come_back_as_they_were(method):
    """Kinds, dtypes and shapes of the start."""
    found = ng.optimize.minimize(
        lambda p: ((p["w"] - 1.0) ** 2).sum() + (p["b"][0] + 2.0).sum() ** 2 + p["c"] ** 2,
        {"w": ng.zeros((1, 2)), "b": (np.ones(1, "float32"),), "c": 0.5},
        method=method,
        tol=1e-10,
    )
    w, (b,), c = found.x["w"], found.x["b"], found.x["c"]
    assert (type(w), w.shape, w.dtype) == (ng.NDArray, (1, 2), np.float32)
    assert (type(b), b.shape, b.dtype, type(c)) == (np.ndarray, (1,), np.float32, float)
    np.testing.assert_allclose(w, np.ones((1, 2)), atol=1e-3)
    np.testing.assert_allclose([b[0], c], [-2, 0], atol=1e-3)
    if method is None:
        assert found.jac["w"].shape == (1, 2)


def test_further_arguments_and_a_callback():
    seen = []
    found = ng.optimize.minimize(
        lambda x, centre, power: ((x - centre) ** power).sum(),
        [0.0, 0.0],
        args=(np.array([1.0, 2.0]), 2),
        callback=lambda x: seen.append(x.copy()),
    )
    np.testing.assert_allclose(found.x, [1, 2], atol=1e-5)
    np.testing.assert_allclose(seen[-1], found.x)


def test_bounds_of_vectors_and_of_structures():
    far = ng.optimize.minimize(lambda x: ((x - 3) ** 2).sum(), START, bounds=[(0, 1)] * 5)
    np.testing.assert_allclose(far.x, 1)
    found = ng.optimize.minimize(
        lambda p: ((p["a"] - 3) ** 2).sum() + (p["b"] - 3) ** 2,
        {"a": np.zeros(2), "b": 0.0},
        bounds=({"a": np.zeros(2), "b": -1.0}, {"a": np.array([1.0, 9.0]), "b": 2.0}),
    )
    np.testing.assert_allclose(found.x["a"], [1, 3], atol=1e-5)
    assert abs(found.x["b"] - 2) < 1e-6
    both = ng.optimize.minimize(lambda p: (p["a"] - 3) ** 2, {"a": 0.0}, bounds=(0.0, 1.0))
    assert abs(both.x["a"] - 1) < 1e-6


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_constraints_are_functions_of_what_the_function_is_given(method):
    circle = {"type": "eq", "fun": lambda p: (p["a"] ** 2).sum() - 1.0}
    if method == "trust-constr":
        circle = scipy.optimize.NonlinearConstraint(circle["fun"], 0.0, 0.0)
    found = ng.optimize.minimize(
        lambda p: p["a"].sum(), {"a": np.array([-0.5, -0.1])}, method=method, constraints=circle
    )
    np.testing.assert_allclose(found.x["a"], [-(0.5**0.5)] * 2, atol=1e-4)


def test_what_cannot_be_traced_runs_as_it_is_written():
    """A branch on a value."""
    found = ng.optimize.minimize(lambda x: (x**2).sum() if x.sum() > 0 else (x**4).sum(), [3.0])
    assert abs(found.x[0]) < 0.1


def test_errors_say_what_is_expected():
    with pytest.raises(ng.errors.ShapeError, match="expected one number"):
        ng.optimize.minimize(lambda x: x * 2, START, method="Nelder-Mead")
    with pytest.raises(ng.errors.ShapeError, match="one element"):
        ng.optimize.minimize(lambda x: x * 2, START)
    with pytest.raises(ng.errors.ArgumentError, match=r"x0\['a'\] is a str"):
        ng.optimize.minimize(rosenbrock, {"a": "x"})
    with pytest.raises(ng.errors.ArgumentError, match=r"bounds\[0\] has 1 arrays; expected 2"):
        ng.optimize.minimize(rosenbrock, {"a": 1.0, "b": 2.0}, bounds=([np.zeros(1)], 2.0))
    with pytest.raises(ValueError, match="Unknown solver"):
        ng.optimize.minimize(rosenbrock, START, method="nothing")


def test_a_function_s_own_error_arrives():
    def broken(x):
        return x @ ng.ones((3, 3))

    with pytest.raises(ng.errors.ShapeError, match="matmul"):
        ng.optimize.minimize(broken, START)


@pytest.mark.parametrize("method", ["BFGS", "Newton-CG", "trust-exact", "Nelder-Mead"])
def test_a_function_is_traced_once(method):
    """A second search for the same function, and another start of the same structure."""
    calls = itertools.count()

    def f(x):
        next(calls)
        return ((x - 1) ** 2).sum()

    ng.optimize.minimize(f, START, method=method)
    traced = next(calls)
    ng.optimize.minimize(f, START + 1, method=method)
    assert next(calls) == traced + 1


def test_a_value_of_a_closure_that_changes_counts():
    scale, centre = 1.0, ng.zeros(2)

    def f(x):
        return (scale * (x - centre) ** 2).sum() + scale

    assert ng.optimize.minimize(f, [3.0, 1.0]).fun == pytest.approx(1.0)
    scale, centre = 5.0, ng.ones(2)
    found = ng.optimize.minimize(f, [3.0, 1.0])
    np.testing.assert_allclose(found.x, 1.0, atol=1e-5)
    assert found.fun == pytest.approx(5.0)


def test_a_function_goes_with_what_it_holds():
    class Held:
        pass

    held = Held()

    def f(x, held=held):
        return ((x - 1) ** 2).sum() if held else x

    ng.optimize.minimize(f, START)
    kept = weakref.ref(held)
    del f, held
    gc.collect()
    assert kept() is None


def test_a_wrapper_is_another_function_than_the_wrapped():
    def f(x):
        return ((x - 1) ** 2).sum()

    ng.optimize.minimize(f, START)

    @functools.wraps(f)
    def moved(x):
        return ((x - 2) ** 2).sum()

    np.testing.assert_allclose(ng.optimize.minimize(moved, START).x, 2, atol=1e-5)
    np.testing.assert_allclose(ng.optimize.minimize(f, START).x, 1, atol=1e-5)


def test_an_error_does_not_stay_with_the_function():
    calls = itertools.count()

    def f(x):
        next(calls)
        return ((ng.ones((3, 3)) @ x) ** 2).sum()

    with pytest.raises(ng.errors.ShapeError):
        ng.optimize.minimize(f, np.ones(4))
    ng.optimize.minimize(f, np.ones(3))
    traced = next(calls)
    assert ng.optimize.minimize(f, np.full(3, 2.0)).fun == pytest.approx(0, abs=1e-8)
    assert next(calls) == traced + 1


@pytest.mark.parametrize(
    "options", [{}, {"maxiter": 3}, {"gtol": 1e-2, "hess_inv0": np.eye(5) / 99}]
)
def test_bfgs_takes_the_steps_of_scipys(options):
    """The matrix is changed in place; points, counts and the matrix are SciPy's up to rounding."""
    from scipy.optimize import minimize

    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    start, slope = np.array([1.3, 0.7, 0.8, 1.9, 1.2]), ng.grad(rosenbrock)
    expected = minimize(
        lambda x: float(rosenbrock(x)),
        start,
        jac=lambda x: np.asarray(slope(ng.array(x))),
        method="BFGS",
        options=options,
    )
    result = ng.optimize.minimize(rosenbrock, start, method="BFGS", options=options)
    for name in ("nit", "nfev", "njev", "status", "success", "message"):
        assert result[name] == expected[name], name
    np.testing.assert_allclose(result.x, expected.x, rtol=1e-5)
    np.testing.assert_allclose(result.hess_inv, expected.hess_inv, rtol=1e-3, atol=1e-5)


def test_a_callback_ends_bfgs():
    def stop(x):
        raise StopIteration

    result = ng.optimize.minimize(lambda x: ((x - 3) ** 4).sum(), np.zeros(2), callback=stop)
    assert (result.nit, result.status, result.success) == (1, 99, False)
