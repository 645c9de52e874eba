"""The error of an element shows the values of that element, as the text's own words have them."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ElementError

TABLE = np.array([1.0, 2.0, 3.0])


class OwnError(ValueError):
    pass


def formatted(x, y=2.0, *, least=0.0):
    ratio = x / y
    if ratio < least:
        raise ValueError(f"ratio {ratio:.2f} of {x} and {y} is below {least}")
    return ratio


def by_percent(x):
    if x > 2:
        raise OverflowError("too large: %.1f" % x)  # noqa: UP031
    return x


def own_class(x):
    if x < 0:
        raise OwnError(f"negative: {x}")
    return x


def helper(p):
    if p > 1:
        raise ValueError(f"{p} is not a probability")
    return p


def in_a_helper(x):
    return helper(x / 4.0)


def looked_up(x, n):
    return x * TABLE[n]


def fixed_words(x):
    if x < 0:
        raise ValueError("negative")
    return x


@pytest.mark.parametrize(
    ("fn", "operands", "message"),
    [
        (formatted, ([1.0, -3.0],), "ratio -1.50 of -3.0 and 2.0 is below 0.0 (element 1, x=-3.0,"),
        (formatted, ([[1.0], [-1.0]], [4.0, 8.0]), "-0.25 of -1.0 and 4.0 is below"),
        (by_percent, ([1.0, 2.0, 3.25],), "too large: 3.2 (element 2, x=3.25,"),
        (own_class, ([-1.5],), "OwnError: negative: -1.5 (element 0, x=-1.5,"),
        (in_a_helper, ([1.0, 6.0],), "in_a_helper: 1.5 is not a probability (element 1, x=6.0,"),
        (looked_up, ([2.0, 1.0], [1, 7]), "there are 3 items (element 1, x=1.0, n=7,"),
        (fixed_words, ([1.0, -2.0],), "fixed_words: negative (element 1, x=-2.0,"),
    ],
)  # fmt: skip
def test_the_message_shows_the_element(fn, operands, message):
    op, arrays = ng.op(fn), [np.array(operand) for operand in operands]
    for _ in range(2):  # the second call takes the fast path
        with pytest.raises(ElementError) as caught:
            op(*arrays)
        assert message in str(caught.value)
        assert "raised at test_failing.py:" in str(caught.value)


def test_parameters_of_the_call_are_seen():
    with pytest.raises(ValueError, match=r"ratio 0\.50 of 1\.0 and 2\.0 is below 0\.75"):
        ng.op(formatted)(np.array([4.0, 1.0]), least=0.75)


def test_float32_operands_are_shown_as_they_are():
    with pytest.raises(ValueError, match=r"-1\.5.*element 0, x=-1\.5,"):
        ng.op(own_class)(np.array([-1.5], "float32"))


def test_operands_that_may_be_overwritten_are_not_shown():
    x = np.array([1.0, -2.0])
    with pytest.raises(ValueError, match=r"negative: \{x\} .element 1, raised at"):
        ng.op(own_class)(x, out=x)


def test_the_derivative_is_nan_where_the_value_is():
    op = ng.op(formatted, on_invalid="nan")
    x, y = np.array([1.0, -3.0]), np.array([2.0, 2.0])
    np.testing.assert_array_equal(op(x, y), [0.5, math.nan])
    np.testing.assert_array_equal(op.derivative("x")(x, y), [0.5, math.nan])
    np.testing.assert_array_equal(op.derivative("y")(x, y), [-0.25, math.nan])
