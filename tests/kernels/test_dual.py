"""Functions with loops, compiled over dual numbers."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.kernels.function.dual import compiled


def looped(x):
    s = x
    for _ in range(5):
        s = s * x + 3 * x / 7 - 0.1
        if s > 1:
            s = s / 3
    return s


@given(st.floats(-4, 4, width=32))
def test_literals_do_not_widen_float32(x):
    """MFU-03: the bits of the same steps in NumPy's float32."""
    x = np.float32(x)
    assert np.float32(compiled(looped, None, (), "float32")(x)).tobytes() == looped(x).tobytes()


FUNCTIONS = {
    **{
        name: lambda x, f=getattr(mpmath, name): x * f(x)
        for name in "acos acosh asinh atanh cosh expm1 log10 tan".split()
    },
    "log2": lambda x: x * mpmath.log(x, 2),
}


@pytest.mark.everyday(1 / 4)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_slopes_are_those_of_the_functions(name):
    """Functions of `math` whose slopes the table of scalar functions says in terms of `math`."""
    space = {"math": math}
    exec(f"def scaled(x): return x * math.{name}(x)", space)
    slope, x = compiled(space["scaled"], None, (0,), "float64"), 1.3 if name == "acosh" else 0.3
    assert slope(x) == pytest.approx(float(mpmath.diff(FUNCTIONS[name], x)), rel=1e-14)


@pytest.mark.parametrize("result", ["(x, (x, 2.0))", "[x, x]", "None"])
def test_only_tuples_of_numbers_are_results(result):
    """A nested one gave the number beside it before."""
    space = {}
    exec(f"def pair(x): return {result}", space)
    with pytest.raises(ng.errors.CaptureError, match="pair: .* return numbers as one tuple"):
        ng.op(space["pair"])(2.0)
