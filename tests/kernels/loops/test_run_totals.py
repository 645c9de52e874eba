"""Totals of runs: the largest and the smallest of floats, by their bits."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import target
from nbgraph.kernels.loops import run_totals

PIECES = {  # what a row may hold, beside which it has nothing
    "numbers": [-2.5, 0.5, 3.0],
    "negative": [-1.0, -7.5],
    "zeros": [0.0, -0.0],
    "negative zeros": [-0.0],
    "up to zero": [-3.0, 0.0, -0.0],
    "infinite": [np.inf, -np.inf],
    "infinite below": [-np.inf],
    "NaN": [np.nan, -np.inf, np.inf],
    "negative NaN": [-np.nan, -np.inf, np.inf, 1.0],
    "small": [5e-324, -5e-324, 1e-45, -1e-45],
}
ORDERED = {"max": 1, "min": -1}


def wanted(row, sign):
    """The extreme as Python finds it: a NaN counts as one, -0.0 lies below 0.0."""
    if np.isnan(row).any():
        return np.nan
    key = [(sign * float(v), sign * np.copysign(1.0, v)) for v in row]
    return row[key.index(max(key))]


@pytest.mark.parametrize("compiler", ["llvm", "numba"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", ORDERED)
def test_extremes_of_floats(name, dtype, compiler):
    """X-NDA-04: of every kind of row, alone and behind a map, packed and one apart."""
    rng = np.random.default_rng(0)
    with ng.config(compiler=compiler):
        for n in (1, 3, 64, 1000):
            x = np.array([rng.choice(p, n) for p in PIECES.values()]).astype(dtype)
            expected = [wanted(row, ORDERED[name]) for row in x]
            apart = np.repeat(x, 2, axis=1)[:, ::2]
            f = getattr(ng, name)
            mapped = ng.jit(lambda x: f(ng.negative(x), axis=1))(ng.array(-x))
            for result in (f(x, axis=1), f(apart, axis=1), mapped.asnumpy()):
                np.testing.assert_array_equal(result, np.array(expected, dtype))
                zeros = result == 0
                assert (np.signbit(result) == np.signbit(expected))[zeros].all()


@pytest.mark.parametrize(
    ("features", "kinds"),
    [("+avx2,+fma", {"float32"}), ("+avx512f,+avx512vl", {"float32", "float64"})],
)
def test_which_totals_follow_from_bits(monkeypatch, features, kinds):
    """Extremes alone: a sum beside them is added in the order that it has by itself."""
    monkeypatch.setattr(target, "features", lambda: features)
    for kind in ("float32", "float64", "int32"):
        top = run_totals.RunTotal("top", "max", kind, "c0")
        assert (len(run_totals.add([top], ["x"])) > 1) == (kind in kinds)
        both = [top, run_totals.RunTotal("sum", "add", kind, "c1")]
        assert not any("bits" in line for line in run_totals.add(both, ["x", "y"]))
        assert run_totals.begin(both) == ["top_acc = c0", "sum_acc = c1"]
        assert not run_totals.end(both)
