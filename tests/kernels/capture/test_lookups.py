"""Indices and keys that are missing raise as in Python; those that are there cost nothing."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ElementError
from nbgraph.kernels.function.probe import probe

TABLE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
WHOLE = [3, 1, 4, 1, 5]
FROM_ZERO = (0.0, 1.0, 2.0)
PRICES = {1: 1.5, 2: 5.0, 7: 3.0}
NAMED = {0.5: 1.0, 100.0: 2.0}


def table(x, n):
    return x * TABLE[n]


def rows(x, n):
    return x * ROWS[n][n - 1] + ROWS[n, 1]


def whole(n):
    return WHOLE[n] + n


def of_float(x):
    return TABLE[int(x)]


def numbers(x, n):
    return (x, 2.0 * x, x * x)[n]


def stored(x, n):
    values = [x, 2.0 * x, 3.0 * x]
    values[n] = 7.0
    return values[0] + values[n]


def matrix(x, n):
    a = np.zeros((2, 3))
    a[n, 1] = x
    return a[0, 1] + a[1, n]


def key(x, n):
    return PRICES[n] * x


def float_key(x):
    return NAMED[x]


def in_a_for(x, n):
    total = 0.0
    for k in range(n):
        total += TABLE[k] * x
    return total


def months(x, n):
    total = 0.0
    for k in range(1, n):
        total += TABLE[k - 1] * x
        if k == 2 and x > 1.0:
            total += 1.0
    return total


def under_an_if_in_a_for(x, n):
    total = 0.0
    for k in range(n):
        if k < 3 or x > 1.0:
            total += TABLE[k]
    return total


def left_by_break(x, n):
    total = 0.0
    for k in range(n):
        if total > 2.5:
            break
        total += TABLE[k]
    return total * x


def two_loops(x, n):
    total = 0.0
    for k in range(n):
        for j in range(k):
            total += TABLE[j] * x
        total += TABLE[k]
    return total


def for_under_an_if(x, n):
    total = 0.0
    if x > 0.75:
        for k in range(n):
            total += TABLE[k]
    return total


def caught_in_a_for(x, n):
    total = 0.0
    try:
        for k in range(n):
            total += TABLE[k] * x
    except IndexError:
        total = total - 1.0
    return total


def in_a_while(x, n):
    total = 0.0
    while total < x:
        total += FROM_ZERO[n]
        n += 1
    return total


def in_the_test(x, n):
    while x > TABLE[n]:
        n += 1
    return n


def before_a_loop(x, n):
    step = FROM_ZERO[n]
    while x > 0.0:
        x -= step
        n += 1
    return x


def helper(n):
    return TABLE[n]


def in_a_helper(x, n):
    return helper(n) + helper(n - 1) * x


def where_it_counts(x, n):
    return x if x > 1.5 else TABLE[n]


def caught(x, n):
    try:
        y = TABLE[n] * x
    except IndexError:
        y = -1.0
    return y + 1.0


def key_caught(x, n):
    try:
        return PRICES[n] * x
    except LookupError:
        return 0.0


def constant_caught(x):
    try:
        return (x, 1.0)[3] + {"a": 1.0}["a"]  # noqa: PLE0643
    except (IndexError, KeyError):
        return 3.0


def constant_key_caught(x):
    try:
        return {"a": x}["b"]
    except KeyError:
        return x


def before_a_raise(x, n):
    y = TABLE[n]
    if x < 0.0:
        raise ValueError("negative")
    return y * x


MISSING = [
    table, rows, whole, of_float, numbers, stored, matrix, key, float_key, in_a_for, months,
    under_an_if_in_a_for, left_by_break, two_loops, for_under_an_if, caught_in_a_for, in_a_while,
    in_the_test, before_a_loop, in_a_helper, where_it_counts, caught, key_caught, constant_caught,
    constant_key_caught, before_a_raise,
]  # fmt: skip
POINTS = [(x, n) for x in (0.5, 1.0, 2.0, 100.0, -1.0) for n in (-7, -3, -1, 0, 1, 2, 4, 5, 7, 90)]


def arguments(fn, point):
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    return [dict(zip("xn", point, strict=True))[name] for name in names]


def answer(fn, *args):
    """The value, or the class of what is raised."""
    try:
        return fn(*args)
    except Exception as error:
        return next(c for c in (IndexError, KeyError, ValueError) if isinstance(error, c))


@pytest.mark.parametrize("fn", MISSING, ids=lambda fn: fn.__name__)
def test_what_is_missing_raises_as_in_python(fn):
    op = ng.op(fn)
    for point in POINTS:
        args = arguments(fn, point)
        if fn is before_a_loop and point[1] in (0, -3) and point[0] > 0:
            continue  # Python's loop never ends
        expected = answer(fn, *args)
        found = answer(op, *[np.array([a]) for a in args])
        if isinstance(expected, type):
            assert found is expected, point
        else:
            assert not isinstance(found, type), point
            np.testing.assert_allclose(found, [expected], rtol=1e-15)


def test_the_message_names_operator_line_and_element():
    line = table.__code__.co_firstlineno + 1
    with pytest.raises(ElementError, match=r"array index out of range, there are 5") as found:
        ng.op(table)(np.ones(4), np.array([0, 1, 9, 2]))
    assert f"element 2, x=1.0, n=9, raised at test_lookups.py:{line}" in str(found.value)
    with pytest.raises(KeyError, match="no such key; it has 1, 2, 7"):
        ng.op(key)(np.ones(2), np.array([1, 3]))


def test_an_ndarray_raises_at_the_wait():
    y = ng.op(table)(ng.array(np.ones(3)), ng.array(np.array([0, 5, 1])))
    with pytest.raises(IndexError, match="element 1"):
        y.asnumpy()


def test_nan_where_it_is_asked_for():
    op = ng.op(table, on_invalid="nan")
    np.testing.assert_array_equal(op(np.ones(3), np.array([1, 5, -6])), [2.0, math.nan, math.nan])


def modulo(x, n):
    return x * TABLE[n % 5]


def mask(x, n):
    return x * TABLE[n & 3]


def clamp(x, n):
    return x * TABLE[min(max(n, 0), 4)]


def clamp_by_if(x, n):
    if n < 0:
        n = 0
    elif n > 4:
        n = 4
    return x * TABLE[n]


def guarded(x, n):
    return x * TABLE[n] if 0 <= n < 5 else -1.0


def guarded_negative(x, n):
    if n < -5 or n >= len(TABLE):
        return -1.0
    return x * TABLE[n]


def guarded_float(x):
    return TABLE[int(x)] if 0.0 <= x < 5.0 else 0.0


def range_loop(x):
    total = 0.0
    for k in range(5):
        total = total * x + TABLE[k]
    return total


def falling_loop(x):
    total = 0.0
    for k in range(4, -1, -1):
        total = total * x + TABLE[k]
    return total


def bounded_loop(x, n):
    total = 0.0
    for k in range(min(n, 5)):
        total += TABLE[k] * x
    return total


def while_loop(x):
    total, k = 0.0, 0
    while k < 5:
        total = total * x + TABLE[k]
        k += 1
    return total


def search(x):
    k = 0
    while k < len(TABLE) and x > TABLE[k]:
        k += 1
    return k


CERTAIN = [
    modulo, mask, clamp, clamp_by_if, guarded, guarded_negative, guarded_float, range_loop,
    falling_loop, bounded_loop, while_loop, search,
]  # fmt: skip


@pytest.mark.parametrize("fn", CERTAIN, ids=lambda fn: fn.__name__)
def test_indices_that_are_there_are_not_checked(fn):
    op = ng.op(fn)
    captured = probe(op.scalar)
    assert not [n for n in captured.graph.reachable(captured.outputs) if n.op == "check"]
    for point in POINTS:
        args = arguments(fn, point)
        np.testing.assert_allclose(op(*[np.array([a]) for a in args]), [fn(*args)], rtol=1e-15)


def test_nan_is_no_index():
    with pytest.raises(IndexError):
        ng.op(of_float)(np.array([math.nan]))
    assert ng.op(guarded_float)(np.array([math.nan])) == 0.0
