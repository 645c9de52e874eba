"""`:=` inside of comprehensions: it assigns a variable of the function around them."""

import numpy as np
import pytest

import nbgraph as ng

X = np.array([-1.0, 0.5, 1.0, 3.0])
TABLE = (0.2, 0.6, 1.5)
LONG = tuple(0.1 * k for k in range(100))


def listed(x):
    y = x
    values = [y := y + k for k in range(3)]
    return values[-1] + 10 * y


def two_loops(x):
    y = 0.0
    values = [(y := y + x * i) - j for i in range(3) for j in range(2)]
    return sum(values) + 10 * y


def in_a_test(x):
    y = 1.0
    values = [k * x for k in (1, 2, 3) if (y := 2 * y) > 2]
    return len(values) * x + y


def summed(x):
    y = 0.0
    total = sum((y := y + x * k) for k in range(4))
    return total + 10 * y


def summed_in_a_long_loop(x):
    y = 0.0
    total = sum((y := 0.5 * y + x * k) for k in range(200))
    return total + 10 * y


def first_above(x):
    last = 0.0
    found = any((last := t) > x for t in TABLE)
    return last if found else -last


def first_above_in_a_long_loop(x):
    last = 0.0
    return last + 1 if all((last := t) < x for t in LONG) else last


def counted_once(x):
    k, a, rows = 0, [0.0] * 4, [[0.0, 1.0], [2.0, 3.0]]

    def following():
        nonlocal k
        k += 1
        return k

    a[(k := k + 1)] += x
    a[following()] -= x * x
    rows[0][following() - 3] *= x
    a[following() - 4 : 2] += [x]
    return k * 100 + a[1] + 3 * a[2] + rows[0][0] + len(a)


def popped_once(x):
    totals, keys, places = {"a": 0.0, "b": 0.0}, ["a", "b"], [0, 1]
    totals[keys.pop()] += x
    totals["b"] *= places.pop() + 1.0
    return len(keys) * 10 + totals["b"] + len(places)


FUNCTIONS = (
    counted_once,
    popped_once,
    listed,
    two_loops,
    in_a_test,
    summed,
    summed_in_a_long_loop,
    first_above,
    first_above_in_a_long_loop,
)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values(fn):
    np.testing.assert_allclose(ng.op(fn)(X), [fn(x) for x in X.tolist()], rtol=1e-13)


def test_any_over_several_loops_is_refused():
    def pairs(x):
        last = 0.0
        found = any((last := a * b) > x for a in TABLE for b in TABLE)
        return last if found else x

    with pytest.raises(ng.errors.CaptureError, match=r"`:=` inside of any\(\)"):
        ng.op(pairs)
