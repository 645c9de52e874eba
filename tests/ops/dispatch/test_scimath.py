"""`np.emath` on NDArrays: complex results where no real number is one, as NumPy's."""

import numpy as np
import pytest

import nbgraph as ng

VALUES = {"inside": [0.25, 0.5, 1.0], "outside": [-2.0, 0.5, 3.0]}
CALLS = {
    "sqrt": (),
    "log": (),
    "log2": (),
    "log10": (),
    "power": (0.5,),
    "arccos": (),
    "arcsin": (),
    "arctanh": (),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", CALLS)
def test_values_and_dtypes_are_numpys(name, values, dtype):
    x = np.array(VALUES[values], dtype)
    function = getattr(np.emath, name)
    with np.errstate(divide="ignore"):
        expected = function(x, *CALLS[name])
    found = function(ng.array(x, dtype=dtype), *CALLS[name])
    assert isinstance(found, ng.NDArray) and found.dtype == expected.dtype
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=2e-6, atol=1e-6)


def test_two_operands():
    x, n = ng.array([-2.0, 4.0]), ng.array([2, -3])
    np.testing.assert_allclose(np.emath.logn(2, x), np.emath.logn(2, x.asnumpy()), rtol=1e-6)
    found = np.emath.power(ng.array([2, 4]), ng.array([-2, 3]))
    np.testing.assert_allclose(found, [0.25, 64.0])
    np.testing.assert_allclose(np.emath.power(n, 2), [4, 9])


def test_gradients_are_those_of_the_functions():
    x = ng.array([-4.0, 9.0])
    x.attach_grad()
    with ng.autograd.record():
        loss = ng.sum(ng.real(np.emath.sqrt(x) * np.emath.sqrt(x)))
    loss.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [1.0, 1.0], rtol=1e-6)
