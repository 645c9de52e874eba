"""SciPy's functions take NDArrays, and give what they give for NumPy arrays."""

import warnings
from collections.abc import Mapping

import numpy as np
import pytest
import scipy

import nbgraph as ng
from tests.array.scipy_calls import REFUSED_ROWS, ROWS
from tests.support import run_python

MODULES = (
    "cluster.hierarchy cluster.vq fft integrate interpolate linalg ndimage optimize signal "
    "sparse.csgraph sparse.linalg spatial.distance spatial.transform special stats"
).split()
EVERY = 3  # of so many rows one is for every day


def operands():
    """What the rows name."""
    rng = np.random.default_rng(7)
    v, w = rng.normal(size=(2, 9))
    q, z = rng.normal(size=(4, 4)), rng.normal(size=(8, 8))
    return {
        "v": v,
        "w": w,
        "p": rng.uniform(0.5, 2.0, 9),
        "u": rng.uniform(0.05, 0.95, 9),
        "t": np.sort(rng.uniform(0.0, 3.0, 9)),
        "k": rng.integers(0, 9, 9),
        "m": rng.normal(size=(9, 4)),
        "q": q,
        "s": q @ q.T + np.eye(4),
        "z": z,
        "y": rng.integers(0, 4, (8, 8)),
        "c": rng.uniform(size=(9, 2)),
        "r": np.cumsum(rng.normal(size=64)),
    }


def result(row, names):
    """What a row gives."""
    for module in MODULES:
        __import__(f"scipy.{module}")
    modules = {
        name: getattr(scipy, name) for name in dict.fromkeys(m.split(".")[0] for m in MODULES)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(row, {**names, **modules, "np": np})


def compare(got, expected):
    """Both are the same, whatever structure they have."""
    if isinstance(expected, Mapping):
        for key in expected:
            compare(got[key], expected[key])
    elif isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other)
    elif isinstance(expected, (np.ndarray, np.generic, int, float, complex)):
        got = np.asarray(got)
        assert got.shape == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    elif hasattr(expected, "__dict__") and vars(expected):
        compare(vars(got), vars(expected))
    else:
        assert got == expected or type(got) is type(expected)


def test_there_are_rows_for_most_of_scipy():
    assert len(ROWS) == len(set(ROWS)) >= 340


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[] if i % EVERY == 0 else pytest.mark.slow, id=row)
        for i, row in enumerate(ROWS)
    ],
)
def test_a_function_of_scipy(row):
    names = operands()
    arrays = {name: ng.array(value) for name, value in names.items()}
    compare(result(row, arrays), result(row, names))


@pytest.mark.parametrize("row", REFUSED_ROWS, ids=str)
def test_what_scipy_refuses_is_an_error(row):
    """Or right: SciPy 1.18 takes arrays that 1.17 does not."""
    names = operands()
    expected = result(row, names)
    try:
        got = result(row, {name: ng.array(value) for name, value in names.items()})
    except (TypeError, ValueError):
        got = result(row, {name: ng.array(value).asnumpy() for name, value in names.items()})
    compare(got, expected)


# optimisers -------------------------------------------------------------------------------------


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


# SciPy's trlib multiplies vectors it never filled (with NumPy's own functions, too): what the
# memory held before decides between no warning, "invalid value" and "overflow".
UNFILLED = pytest.mark.filterwarnings("ignore::RuntimeWarning")
KRYLOV = pytest.param("trust-krylov", marks=UNFILLED)
START = np.full(5, 0.5)
FIRST = "CG BFGS L-BFGS-B TNC SLSQP".split()
SECOND = "Newton-CG trust-constr trust-ncg trust-exact".split()
DERIVATIVES = {
    "eager": (ng.value_and_grad(rosenbrock), ng.hessian(rosenbrock)),
    "jit": (ng.jit(ng.value_and_grad(rosenbrock)), ng.jit(ng.hessian(rosenbrock))),
}


def direction(x, p):
    """The Hessian in a direction."""
    return ng.jvp(ng.grad(rosenbrock), (x,), (p,))[1]


@pytest.mark.everyday(2 / 5)
@pytest.mark.parametrize("kind", DERIVATIVES)
@pytest.mark.parametrize("method", [*FIRST, *SECOND, KRYLOV])
def test_optimisers_take_derivatives_as_they_are(method, kind):
    """Results are NumPy's own, as with NumPy functions."""
    slope, curvature = DERIVATIVES[kind]
    options = {} if method in FIRST else {"hess": curvature}
    found = scipy.optimize.minimize(slope, START, jac=True, method=method, tol=1e-10, **options)
    tolerance = 0.1 if method == "TNC" else 1e-3  # it counts steps
    np.testing.assert_allclose(found.x, np.ones(5), atol=tolerance)
    assert type(found.x) is np.ndarray


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("method", ["Newton-CG", "trust-constr", "trust-ncg", KRYLOV])
def test_optimisers_take_hessian_vector_products(method):
    slope = ng.value_and_grad(rosenbrock)
    options = {"jac": True, "hessp": direction, "tol": 1e-7}
    found = scipy.optimize.minimize(slope, START, method=method, **options)
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-3)


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell", "COBYQA"])
def test_optimisers_without_derivatives_take_functions_of_ng(method):
    found = scipy.optimize.minimize(ng.jit(rosenbrock), START[:3], method=method, tol=1e-8)
    np.testing.assert_allclose(found.x, np.ones(3), atol=1e-3)


def test_what_is_written_reaches_the_array():
    """Also where SciPy calls NumPy's functions, which compute with values otherwise."""
    names = {"__name__": "scipy.a_module"}
    exec("def call(np, x): np.copyto(x, 7.0); return np.atleast_1d(x)", names)
    x = ng.ones(3)
    found = names["call"](np, x)
    assert type(found) is np.ndarray
    assert x.tolist() == found.tolist() == [7.0] * 3


def test_a_ufunc_without_an_operator_computes_with_the_values():
    x = ng.array([0.5, 1.5])
    assert isinstance(scipy.special.j0(x), ng.NDArray)
    x.attach_grad()
    with ng.autograd.record(), pytest.raises(ng.errors.ArgumentError, match="j0"):
        scipy.special.j0(x)  # its gradient would be lost


DISPATCHED = """
import numpy as np, nbgraph as ng
from scipy import differentiate, integrate, stats
from scipy.optimize import elementwise

x = ng.array([1.0, 2.0, 4.0], "float64")
slope = differentiate.derivative(lambda t: t**3, x).df
root = elementwise.find_root(lambda t, x: t * t - x, (ng.zeros_like(x), x + 1), args=(x,)).x
area = integrate.tanhsinh(lambda t: t * t, ng.zeros_like(x), x).integral
for found, wanted in ((slope, 3 * x**2), (root, np.sqrt(x)), (area, x**3 / 3)):
    assert type(found) is ng.NDArray, type(found)
    np.testing.assert_allclose(found, wanted, 1e-8)
assert type(stats.skew(x)) is ng.NDArray
"""


def test_scipys_own_dispatch_keeps_ndarrays(tmp_path):
    """With SCIPY_ARRAY_API=1, which counts when SciPy is imported."""
    script = tmp_path / "dispatched.py"
    script.write_text(DISPATCHED)
    run_python(script, SCIPY_ARRAY_API="1")
