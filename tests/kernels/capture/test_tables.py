"""Constant tables: arrays, lists, tuples and dicts of a module, indexed by values."""

import bisect
import math
import pickle
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

HEIGHTS = np.array([0.5, -1.0, 2.0, 3.5, 0.25, 9.0])
STEPS = [1, 2.5, 3, 4, 5, 6]
SQUARES = np.linspace(0.1, 1.0, 64) ** 2
EDGES = tuple(np.cumsum(SQUARES).tolist())
MATRIX = np.arange(12.0).reshape(3, 4) ** 1.5
ROWS = [[1, 2], [3, 4], [5, 6], [7.5, 8], [9, 10]]
WHOLE = np.array([3, 1, 4, 1, 5, 9], dtype=np.int32)
HELD = np.array([True, False, True, True, False, True])
NARROW = np.array([1.1, 2.2, 3.3, 4.4, 5.5], dtype=np.float32)
RATES = {0: 0.5, 1: 1.5, 2: -2.0, 4: 7.0}
FAR = {-1000: (1.0, 2), 5: (3.0, 4), 70000: (5.0, 6)}
LONG = np.zeros(100_000)
NAMED = {"gain": 1.5, "offset": -0.5}


def entries(x):
    i = int(math.floor(x)) % 6
    j = i % 5
    return (
        HEIGHTS[i] * x + STEPS[i] + HEIGHTS[-1] + HEIGHTS[i - 6],
        WHOLE[i] + 1,
        HELD[i],
        NARROW[j],
    )


def rows(x):
    i = int(math.floor(x)) % 3
    row = MATRIX[i]
    column = MATRIX[:, i]
    return (
        MATRIX[i, 2] + MATRIX[i][i + 1] * x,
        row[i] + column[2],
        ROWS[i + 1][1],
        1.0 * ROWS[i][i % 2],
    )


def facts(x):
    rows, columns = MATRIX.shape
    return x * len(HEIGHTS) + rows * columns, MATRIX.size, MATRIX.ndim, MATRIX.T[3, 1], sum(STEPS)


def loops(x):
    total = sum(SQUARES[k] * math.sin(k * x) for k in range(64))
    for c in EDGES:
        total = total * 0.5 * x + c
    for k, (a, b) in enumerate(zip(SQUARES, EDGES)):  # noqa: B905
        if a > x:
            total += k * a / b
            continue
        total -= a
    return total, max(SQUARES), min(STEPS)


def searched(x):
    place = 0
    while place < len(EDGES) - 1 and EDGES[place + 1] <= x:
        place += 1
    t = (x - EDGES[place]) / (EDGES[place + 1] - EDGES[place]) if place < 63 else 0.0
    return place, SQUARES[place] + t


def left_early(x):
    for k in range(len(EDGES) - 1):
        if EDGES[k] <= x < EDGES[k + 1]:
            return k + SQUARES[k] * x
    return -1.0


def library(x):
    power = np.polyval(HEIGHTS, x) + np.polynomial.polynomial.polyval(x, STEPS)
    places = bisect.bisect(EDGES, x) + 100 * bisect.bisect_left(EDGES, x)
    sides = np.searchsorted(SQUARES, x) + 100 * np.searchsorted(SQUARES, x, side="right")
    bins = np.digitize(x, EDGES), np.digitize(x, SQUARES[::-1], right=True)
    return power, places, sides, *bins, np.dot(HEIGHTS[1:], STEPS[:-1]) * x


def dicts(x):
    i = int(math.floor(abs(x)))
    k = i % 3
    far, count = FAR[-1000 if k == 0 else 5 if k == 1 else 70000]
    known = RATES[4] if i in RATES else 0.25
    total = 0.0
    for key, value in RATES.items():
        total += key * value
    return RATES[k] * x + far * count, RATES.get(i, 0.125), known, NAMED["gain"] * total, len(RATES)


def shared(x):
    return SHARED[int(x)] + x  # noqa: F821


FUNCTIONS = [entries, rows, facts, loops, searched, left_early, library, dicts]
POINTS = np.array([0.3, 1.2, 2.7, 5.5, 3.0, 4.2, 0.02])


def expected(function, points):
    found = [function(x) for x in points]
    columns = zip(*found, strict=True) if isinstance(found[0], tuple) else [found]
    return [np.array(column) for column in columns]


def check(results, wanted, **tolerance):
    results = results if isinstance(results, tuple) else (results,)
    for result, want in zip(results, wanted, strict=True):
        assert result.dtype.kind == want.dtype.kind, (result.dtype, want.dtype)
        np.testing.assert_allclose(result, want, **tolerance)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("compiler", ["llvm", "numba", "python"])
def test_values_are_those_of_the_text(function, compiler):
    op = ng.op(function)
    with ng.config(compiler=compiler):
        check(op(POINTS), expected(function, POINTS), rtol=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_table_does_not_widen_a_kernel(function):
    results = ng.op(function)(POINTS.astype(np.float32))
    wanted = expected(function, POINTS)
    for result, want in zip(results if isinstance(results, tuple) else (results,), wanted):  # noqa: B905
        assert result.dtype != np.float64
        np.testing.assert_allclose(result, want, rtol=1e-4)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not facts])
def test_slopes_are_those_of_differences(function):
    op, h = ng.op(function), 1e-6
    points = POINTS[:4]
    slopes = op.derivative(0)(points)
    above, below = expected(function, points + h), expected(function, points - h)
    found = slopes if isinstance(slopes, tuple) else (slopes,)
    for slope, a, b in zip(found, above, below, strict=False):
        if a.dtype.kind == "f":
            np.testing.assert_allclose(slope, (a - b) / (2 * h), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_device_code_holds_the_tables(function):
    assert ".entry nbgraph_" in ng.op(function).ptx("float64")


def test_a_table_lies_in_the_memory_of_the_device():
    text = ng.op(entries).ptx("float32")
    assert re.search(r"\.global .*table0\[24\]", text) and "ld.global.nc.b32" in text


WORLDS = {
    "numpy": lambda op, x: op(x),
    "array": lambda op, x: op(ng.array(x)).asnumpy(),
    "jit": lambda op, x: (ng.jit(lambda v: op(v) * 1)(ng.array(x))).asnumpy(),
    "graph": lambda op, x: (
        op(ng.sym.Variable("x")).bind(args={"x": ng.array(x)}).forward()[0].asnumpy()
    ),
}


@pytest.mark.parametrize("world", WORLDS)
def test_all_worlds_look_up(world):
    np.testing.assert_allclose(
        WORLDS[world](ng.op(left_early), POINTS), expected(left_early, POINTS)[0], rtol=1e-12
    )


@pytest.mark.parametrize("sort", [np.array, list, lambda v: dict(enumerate(v))])
@pytest.mark.parametrize("closed", [False, True])
def test_a_change_in_place_counts_at_the_next_call(sort, closed, monkeypatch):
    table = sort([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    monkeypatch.setitem(globals(), "SHARED", table)
    op = ng.op(lambda x: table[int(x)] + x) if closed else ng.op(shared)
    x = np.array([0.0, 2.0, 5.0])
    jitted = ng.jit(lambda v: op(v) * 2)
    for _ in range(4):  # the short ways, too
        np.testing.assert_array_equal(op(x), [1.0, 5.0, 11.0])
    table[2] = 30.0
    np.testing.assert_array_equal(op(x), [1.0, 32.0, 11.0])
    np.testing.assert_array_equal(jitted(ng.array(x)).asnumpy(), [2.0, 64.0, 22.0])
    table[2] = 40.0
    np.testing.assert_array_equal(jitted(ng.array(x)).asnumpy(), [2.0, 84.0, 22.0])


def test_integers_of_a_table_keep_their_dtype():
    small = np.array([200, 100, 50, 7, 9], dtype=np.uint8)
    op = ng.op(lambda i: small[i] + 100)
    result = op(np.array([0, 1, -1], dtype=np.int64))
    assert result.dtype == np.uint8 and result.tolist() == [44, 200, 109]


def test_equal_tables_share_a_kernel_and_others_do_not():
    def of(table):
        return ng.op(lambda x: table[int(x)] * x)

    first, second, third = (of([0.1, 0.2, 0.3, 0.4, last]) for last in (0.5, 0.5, 0.6))
    x = np.array([4.0])
    assert first(x) == second(x) == 2.0 and third(x) == 2.4


def run(x):
    return 2.0 * x + 1.0


def test_a_function_may_be_called_as_part_of_a_kernel_is():
    x = np.arange(5.0)
    np.testing.assert_array_equal(ng.op(run)(x), 2.0 * x + 1.0)


def test_a_pickled_operator_has_its_tables():
    op = pickle.loads(pickle.dumps(ng.op(entries)))
    check(op(POINTS), expected(entries, POINTS))


def test_the_derivative_names_the_table():
    assert "SQUARES[" in str(ng.op(searched).explain())


def test_a_long_loop_over_a_table_is_a_loop():
    wide = np.linspace(0.0, 1.0, 1000)

    def over(x):
        total = 0.0
        for w in wide:
            total += w * x
        return total

    op = ng.op(over)
    np.testing.assert_allclose(op(2.0), 1000.0)
    assert len(op.scalar.capture(("f",), {}).graph.nodes) < 2000


@pytest.mark.parametrize(
    "text, problem",
    [
        (lambda x: LONG[0] * x, "more than 65536"),
        (lambda x: HEIGHTS[10] * x, "index out of range"),
        (lambda x: HEIGHTS[x], "not an integer"),
        (lambda x: HEIGHTS[0, 1] * x, "more indices than dimensions"),
        (lambda x: RATES[17] * x, "no key 17"),
        (lambda x: NAMED[int(x)], "neither a number nor constant"),
    ],
)
def test_what_is_no_entry_is_refused(text, problem):
    with pytest.raises(CaptureError, match=problem):
        ng.op(text)(1.0)
