"""New functors need no list; what cannot be compiled says which operator, dtype and remedy."""

import math

import numpy as np
import pytest

import nbgraph as ng


@pytest.mark.parametrize("arity", [1, 2, 3])
def test_any_arity_is_registered_by_the_decorator_alone(arity):
    """MFU-06, MFU-07: `@ng.op` is the registration helper for unary, binary and ternary."""
    texts = {
        1: lambda a: math.sin(a) + 1,
        2: lambda a, b: a if a > b else b,
        3: lambda c, a, b: a if c else b,
    }
    op = ng.op(texts[arity])
    values = [
        np.float64([0.5, 0.0, 2.0]),
        np.float64([1.0, -1.0, 3.0]),
        np.float64([4.0, 5.0, 6.0]),
    ]
    expected = [texts[arity](*row) for row in zip(*values[:arity], strict=True)]
    np.testing.assert_allclose(op(*values[:arity]), expected, rtol=1e-15)
    assert op.nin == arity


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_a_new_functor_works_for_every_dtype_without_a_list(dtype):
    """MSP-01: nothing is instantiated ahead."""
    op = ng.op(lambda a, b: a * b + 3)
    a = np.array([1, 2, 3], dtype)
    np.testing.assert_array_equal(op(a, a), a * a + 3)
    assert op(a, a).dtype == np.dtype(dtype)


def test_a_missing_specialisation_is_named():
    """MSP-02, MFU-04: operator, operand, dtype and what to do."""
    op = ng.op(lambda a: a * 2, name="doubled")
    with pytest.raises(ng.DTypeError, match=r"doubled: operand 'a'.*complex.*not supported"):
        op(np.zeros(2, complex))
    with pytest.raises(ng.DTypeError, match=r"doubled: operand 'a'.*datetime64.*supported: bool"):
        op(np.zeros(2, "datetime64[s]"))


def test_what_numba_cannot_compile_shows_one_line():
    """MSP-02, NB-06: Numba's own text is kept in `details`."""
    space = {"math": math}
    exec("def strange(a):\n    return math.fmod(a, 0.5)", space)
    op = ng.op(space["strange"])
    with pytest.raises(
        ng.CompileError, match=r"strange: the kernel could not be compiled"
    ) as caught:
        op(np.ones(3))
    assert len(str(caught.value).splitlines()) == 1
    assert "def strange" in caught.value.details
