"""ng.optimize's roots, least squares and curves: values of SciPy, derivatives exact."""

import numpy as np
import pytest
import scipy.optimize

import nbgraph as ng
from nbgraph.optimize.problem import Problem

T = np.linspace(0.0, 3.0, 40)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.01 * np.sin(37 * T)


def decay(t, a, b, c):
    return a * ng.exp(-b * t) + c


def numpy_decay(t, a, b, c):
    return a * np.exp(-b * t) + c


@pytest.mark.parametrize("method", ["lm", "trf", "dogbox"])
def test_curves_are_those_of_scipy(method):
    ours, spread = ng.optimize.curve_fit(decay, T, Y, method=method)
    known, known_spread = scipy.optimize.curve_fit(numpy_decay, T, Y, method=method)
    np.testing.assert_allclose(ours, known, rtol=1e-5)
    np.testing.assert_allclose(spread, known_spread, rtol=1e-3)


def test_curves_with_bounds_weights_and_arrays_for_parameters():
    sigma = np.full(40, 0.1)
    ours, spread = ng.optimize.curve_fit(
        decay, ng.array(T), ng.array(Y), [1.0, 1.0, 1.0], sigma, True, bounds=(0.0, 2.0)
    )
    known, known_spread = scipy.optimize.curve_fit(
        numpy_decay, T, Y, [1.0, 1.0, 1.0], sigma, True, bounds=(0.0, 2.0)
    )
    np.testing.assert_allclose(ours, known, rtol=1e-4)
    np.testing.assert_allclose(spread, known_spread, rtol=1e-2)
    (slopes, offset), _ = ng.optimize.curve_fit(
        lambda x, w, b: x["u"] * w[0] + x["v"] * w[1] + b,
        {"u": T, "v": T**2},
        1.0 + 2.0 * T - 3.0 * T**2,
        (ng.zeros(2), 0.0),
    )
    assert isinstance(slopes, ng.NDArray)
    np.testing.assert_allclose(slopes, [2, -3], rtol=1e-4)
    assert abs(offset - 1) < 1e-6


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "cauchy"])
def test_least_squares_are_those_of_scipy(loss):
    ours = ng.optimize.least_squares(
        lambda p: decay(T, p["a"], p["b"], p["c"]) - Y, {"a": 1.0, "b": 1.0, "c": 0.0}, loss=loss
    )
    known = scipy.optimize.least_squares(
        lambda p: numpy_decay(T, *p) - Y, [1.0, 1.0, 0.0], loss=loss
    )
    np.testing.assert_allclose([ours.x[k] for k in "abc"], known.x, rtol=1e-4)
    assert ours.jac.shape == (40, 3)


def test_residuals_may_be_a_structure_and_bounds_too():
    found = ng.optimize.least_squares(
        lambda p: (p["a"] - 3.0, {"r": p["b"] * 2 - 1.0}),
        {"a": np.full(2, 0.5), "b": 0.1},
        bounds=(0.0, {"a": np.ones(2), "b": 9.0}),
    )
    np.testing.assert_allclose(found.x["a"], 1, atol=1e-4)
    assert abs(found.x["b"] - 0.5) < 1e-6


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "krylov", "df-sane"])
def test_roots(method):
    found = ng.optimize.root(
        lambda p: {"s": p["x"] + p["y"] - 3.0, "d": p["x"] - 2.0 * p["y"]},
        {"x": ng.zeros(2), "y": np.zeros(2)},
        method=method,
    )
    assert found.success and isinstance(found.x["x"], ng.NDArray)
    np.testing.assert_allclose(found.x["x"], 2, atol=1e-4)
    np.testing.assert_allclose(found.x["y"], 1, atol=1e-4)


@pytest.mark.parametrize("count", [2, 7], ids=["by rows", "by columns"])
def test_jacobians_are_exact_either_way(count):
    weights = np.arange(1.0, 5.0 * count + 1).reshape(count, 5) / 7
    problem = Problem("test", lambda x: ng.sin(ng.array(weights) @ x), np.zeros(5))
    x = np.linspace(0.0, 1.0, 5)
    expected = np.cos(weights @ x)[:, None] * weights
    np.testing.assert_allclose(problem.jacobian(x), expected, rtol=1e-12)


def test_the_number_of_parameters_is_asked_for():
    with pytest.raises(ng.errors.ArgumentError, match="give p0"):
        ng.optimize.curve_fit(lambda x, *p: x, T, Y)
