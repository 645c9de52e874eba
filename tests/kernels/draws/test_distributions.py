"""Distributions of SciPy and of `statistics` inside scalar functions: SciPy's values and slopes."""

# ruff: noqa: PLW0108 - lambdas are the operators

import math
import statistics

import numpy as np
import pytest
import scipy.stats as st

import nbgraph as ng
from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.library import distributions
from tests.kernels.test_scipy_names import written as written_text

SHAPES = {
    **dict.fromkeys(("norm", "expon", "uniform", "cauchy", "laplace", "logistic"), ()),
    **dict.fromkeys(("gumbel_r", "rayleigh", "halfnorm"), ()),
    "lognorm": (0.7,),
    "gamma": (2.5,),
    "beta": (1.8, 3.2),
    "t": (4.5,),
    "chi2": (3.5,),
    "f": (5.0, 9.0),
    "weibull_min": (1.7,),
    "pareto": (2.5,),
    "poisson": (3.4,),
    "binom": (9, 0.35),
    "geom": (0.3,),
    "bernoulli": (0.3,),
    "nbinom": (4, 0.45),
}
DISCRETE = ("poisson", "binom", "geom", "bernoulli", "nbinom")
METHODS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
COUNTS = ("pmf", "logpmf", "cdf", "sf", "logcdf")
X = np.array([-3.0, 0.0, 0.4, 1.0, 1.9, 4.2, 11.0])
K = np.array([-2, 0, 1, 2, 3, 9, 14])
P = np.array([2.0**-30, 0.03, 0.3, 0.5, 0.77, 0.99, 1 - 2.0**-30])


def function_of(calls, space):
    """A function of x and q that returns the values of calls."""
    return written_text(calls, names="x, q", space=space)


@pytest.mark.parametrize("name", SHAPES)
def test_values_are_those_of_scipy(name):
    distribution = getattr(st, name)
    place = (2,) if name in DISCRETE else (0.3, 1.7)
    shapes = ", ".join(map(repr, SHAPES[name]))
    held = ", ".join(map(repr, (*SHAPES[name], *place)))
    methods = COUNTS if name in DISCRETE else METHODS
    calls = [f"d.{m}({'q' if m in ('ppf', 'isf') else 'x'}, {held})" for m in methods]
    calls += [f"d.{methods[0]}(x{', ' * bool(shapes)}{shapes})", f"d({held}).cdf(x)"]
    x = K if name in DISCRETE else X
    got = ng.op(function_of(calls, {"d": distribution}))(x, P)
    for call, values in zip(calls, got, strict=True):
        with np.errstate(all="ignore"):
            want = eval(call, {"d": distribution, "x": x, "q": P})
        np.testing.assert_allclose(values, want, rtol=3e-13, atol=1e-300, err_msg=call)


def test_every_text_is_tried():
    """A distribution that is added is a row of the table above."""
    names = {n.rpartition("_")[0] for n in vars(distributions) if n.endswith(("_cdf", "_pdf"))}
    assert names - {"beta_density", "gamma_density"} == set(SHAPES)


def test_parameters_by_name_and_by_operand():
    op = ng.op(lambda x, m, s, a: st.gamma.pdf(x, a, loc=m, scale=s) + st.norm.cdf(x=x, loc=m))
    x, m, s, a = np.array([1.3, 2.0]), 0.5, np.array([0.7, 2.0]), np.array([1.5, 4.0])
    want = st.gamma.pdf(x, a, loc=m, scale=s) + st.norm.cdf(x, loc=m)
    np.testing.assert_allclose(op(x, m, s, a), want, 1e-14)


FROZEN = st.norm(1.0, 2.0)
BELL = statistics.NormalDist(2.0, 0.5)


def test_frozen_distributions():
    def f(x, m):
        mine = st.norm(m, scale=2.0)
        return FROZEN.logpdf(x), mine.cdf(x), BELL.cdf(x), statistics.NormalDist(m, 3.0).pdf(x)

    op = ng.op(f)
    for got, want in zip(op(1.4, 0.2), f(1.4, 0.2), strict=True):
        assert got == pytest.approx(want, rel=1e-13)
    quantile = ng.op(lambda p: statistics.NormalDist(sigma=2.0).inv_cdf(p))
    assert quantile(0.3) == pytest.approx(statistics.NormalDist(sigma=2.0).inv_cdf(0.3), rel=1e-13)


def test_a_scale_that_is_not_positive_has_no_value():
    op = ng.op(lambda x, s: st.norm.pdf(x, 0.0, s))
    assert math.isnan(op(1.0, -1.0)) and math.isnan(op(1.0, 0.0))


SLOPES = {  # of a call by x, from another of its methods
    "norm.cdf": lambda x: st.norm.pdf(x, 0.3, 1.7),
    "norm.logpdf": lambda x: -(x - 0.3) / 1.7**2,
    "gamma.cdf": lambda x: st.gamma.pdf(x, 2.5, 0.3, 1.7),
    "beta.sf": lambda x: -st.beta.pdf(x, 1.8, 3.2, 0.3, 1.7),
    "t.cdf": lambda x: st.t.pdf(x, 4.5, 0.3, 1.7),
    "weibull_min.logcdf": lambda x: (
        st.weibull_min.pdf(x, 1.7, 0.3, 1.7) / st.weibull_min.cdf(x, 1.7, 0.3, 1.7)
    ),
    "logistic.ppf": lambda q: 1.7 / (q * (1 - q)),
}


@pytest.mark.parametrize("call", SLOPES)
def test_slopes(call):
    name, method = call.split(".")
    held = ", ".join(map(repr, (*SHAPES[name], 0.3, 1.7)))
    space = {"d": getattr(st, name)}
    op = ng.op(written_text([f"d.{method}(x, {held})"], "{}", names="x", space=space))
    slope = ng.grad(op)(np.float64(0.72))
    assert slope == pytest.approx(SLOPES[call](0.72), rel=1e-11)


def test_refusals_name_what_there_is():
    with pytest.raises(CaptureError, match=r"gamma takes|distribution takes a, loc, scale; a is"):
        ng.op(lambda x: st.gamma.cdf(x))
    with pytest.raises(CaptureError, match=r"poisson.ppf\(\) is not known"):
        ng.op(lambda x: st.poisson.ppf(x, 2.0))
