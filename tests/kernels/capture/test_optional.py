"""Names that are None, a bool or a number on different paths of a scalar function."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

X = np.array([-2.0, 0.25, 0.5, 3.0])


def limited(x):
    limit = None
    if x > 1:
        limit = 2 * x
    if limit is None:
        return x
    return limit + 1


def filled(x):
    y = None if x < 0 else x
    if y is None:
        y = 10.0
    return y * 2


def chosen(x):
    low = None
    if x > 0.3:
        low = x
    both = low is not None and low > 1
    return (low if low is not None else -1.0) + (5 if both else 0)


def by_truth(x):
    y = x - 0.25 if x > 0 else None
    if not y:
        return -1.0
    return math.sqrt(y)


def equality(x):
    y = x if x > 0 else None
    return 1.0 if y == 0.25 else 2.0 if y != None else 3.0  # noqa: E711


def pairs(x):
    pair = (x, 2 * x) if x > 0 else None
    if pair is not None:
        a, b = pair
        return a + b
    return 0.0


def positive(x):
    return x if x > 0 else None


def by_helper(x):
    y = positive(x)
    return 7.0 if y is None else y


def first_of_list(x):
    found = None
    for limit in (0.3, 1.0, 2.0):
        if found is None and x < limit:
            found = limit * x
    return 9.0 if found is None else found


def least(x):
    best = None
    for i in range(60):
        value = (x - i) ** 2
        if best is None or value < best:
            best = value
    return best if best is not None else 0.0


def last_root(x):
    previous, n = None, 0
    y = abs(x) + 1
    while n < 100:
        step = 0.5 * (y + abs(x) / y)
        if previous is not None and abs(step - previous) < 1e-9:
            break
        previous, y, n = step, step, n + 1
    return y


def flags(x):
    flag = False
    if x > 0:
        flag = 1
    if x > 1:
        flag = 2.5
    return flag * x


def looked_up(x):
    return (True, 2, 0.5)[int(abs(x)) % 3] + {0: True, 3: False}.get(int(x), 4)


def counted(x):
    hits = False
    for i in range(40):
        if i < x:
            hits = i
    return x + hits


FUNCTIONS = [
    *(limited, filled, chosen, by_truth, equality, pairs, by_helper, first_of_list, least),
    *(last_root, flags, looked_up, counted),
]
SMOOTH = [limited, filled, chosen, pairs, by_helper, first_of_list, flags]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_are_those_of_the_text(fn):
    op = ng.op(fn)
    expected = [float(fn(float(x))) for x in X]
    np.testing.assert_allclose(op(X), expected, rtol=1e-9)
    np.testing.assert_allclose(op(ng.array(X)).asnumpy(), expected, rtol=1e-9)
    with ng.config(compiler="numba"):
        np.testing.assert_allclose(op(X), expected, rtol=1e-9)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(op(X), expected, rtol=1e-9)
    assert op(np.float32(X)).dtype == np.float32


@pytest.mark.parametrize("fn", SMOOTH, ids=lambda fn: fn.__name__)
def test_slopes_are_those_of_the_branch_taken(fn):
    step = 1e-6
    expected = [(float(fn(x + step)) - float(fn(x - step))) / (2 * step) for x in X + 0.01]
    np.testing.assert_allclose(ng.op(fn).derivative("x")(X + 0.01), expected, rtol=1e-6, atol=1e-9)


def index_above(x):
    for i in range(100):
        if x < i:
            return i


ABSENT = {
    "function": lambda x: math.exp(-index_above(x)),
    "array function": lambda x: np.sqrt(index_above(x)),
    "built-in": lambda x: abs(index_above(x)),
    "most": lambda x: max(index_above(x), 2.0),
    "least of a tuple": lambda x: min((index_above(x), 2.0)),
    "sum": lambda x: sum([index_above(x), x]),
    "conversion": lambda x: float(index_above(x)),
    "power": lambda x: pow(index_above(x), 2),
    "integers": lambda x: index_above(x) + 1,
    "sign": lambda x: -index_above(x),
    "order": lambda x: index_above(x) < 2,
}


@pytest.mark.parametrize("fn", ABSENT.values(), ids=ABSENT)
def test_none_used_as_a_number_raises_as_in_python(fn):
    op = ng.op(fn)
    np.testing.assert_allclose(op(X), [float(fn(x)) for x in X.tolist()], rtol=1e-14)
    with pytest.raises(TypeError, match="a number is needed here, this is None"):
        op(np.append(X, 1e6))


def test_none_beside_numbers_where_python_takes_it():
    x = np.append(X, 1e6)
    same = lambda x: index_above(x) == index_above(2 * x)  # noqa: E731
    np.testing.assert_array_equal(ng.op(same)(x), [same(v) for v in x.tolist()])
    np.testing.assert_array_equal(ng.op(lambda x: bool(index_above(x)))(x), (x >= 0) & (x < 99))

    def caught(x):
        try:
            return math.sqrt(index_above(x))
        except TypeError:
            return -1.0

    np.testing.assert_allclose(ng.op(caught)(x), [caught(v) for v in x.tolist()])


def test_what_is_known_on_a_path_costs_nothing():
    """Where a name is compared with None its value is the number, without a select for NaN."""
    text = ng.op(limited).explain().source
    assert "nan" not in text.lower()


def test_a_number_of_two_sorts_takes_the_wider_dtype():
    assert ng.op(lambda x: x > 0 or 2)(X).dtype == np.int64
    np.testing.assert_array_equal(ng.op(lambda x: x > 0 or 2.5 * x)(X), [-5, 1, 1, 1])


def text_or_none(x):
    y = None
    for i in range(200):
        if i > x:
            y = "a"
    return x if y is None else 0.0


def test_other_mixtures_are_refused():
    with pytest.raises(CaptureError, match="'y' is None at first"):
        ng.op(text_or_none)
