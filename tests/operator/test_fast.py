"""The short path of a call gives what the general way gives, and leaves to it what it must."""

import numpy as np
import pytest

import nbgraph as ng

NUMBERS = (2.0, -0.0, 0.1, 65504.0, -3.5)


def made():
    """An operator that no other test has warmed."""

    @ng.op
    def mixed(x, y):
        return x * y + x / (1.0 + y * y)

    return mixed


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("first", [False, True], ids=["array first", "number first"])
def test_a_number_beside_an_array(dtype, first):
    """API rule 3: a Python float takes the array's dtype; the same bits on the first call and after
    the short path is set up, and as with an array full of it."""
    op, a = made(), np.linspace(-2, 2, 37).astype(dtype)
    for number in NUMBERS:
        given = (number, a) if first else (a, number)
        full = np.full_like(a, number)
        expected = made()(full, a) if first else made()(a, full)
        for _ in range(5):
            found = op(*given)
            assert found.dtype == a.dtype
            np.testing.assert_array_equal(found, expected)
            out = np.empty_like(a)
            assert op(*given, out=out) is out
            np.testing.assert_array_equal(out, expected)
    assert op._fast.call((0.5, a) if first else (a, 0.5), None) is not None


@pytest.mark.parametrize("number", [np.float64(2.0), 1e300, float("nan"), float("inf"), True, 3])
def test_what_is_left_to_the_general_way(number):
    """API rule 2: NumPy's scalars keep their dtype; numbers beyond a format are NumPy's affair."""
    a = np.linspace(-2, 2, 37).astype("float32")
    quick, fresh = made(), made()
    for _ in range(4):
        quick(a, 2.0)
    with np.errstate(all="ignore"):
        found, expected = quick(a, number), fresh(a, number)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_arrays_that_do_not_lie_in_order_take_the_general_way():
    """Strides, other shapes and large arrays beside a number."""
    op = made()
    a = np.linspace(-2, 2, 70_000).astype("float32")
    for _ in range(4):
        op(a[:10], 0.5)
    for view in (a[::2], a[:40].reshape(4, 10).T, a, a[:0], a[:1].reshape(())):
        np.testing.assert_array_equal(op(view, 0.5), made()(view, np.full(view.shape, 0.5, "f4")))
