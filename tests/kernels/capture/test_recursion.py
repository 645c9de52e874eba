"""Functions that call themselves, or each other: as Python runs the text."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.intervals import decided
from nbgraph.kernels.scalar.graph import Graph

N = np.arange(9)
X = np.array([-3.0, -1.2, -0.3, 0.1, 0.7, 1.5, 4.0, 9.2, 20.3])


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def legendre(n, x):
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(x=x, n=n - 2)) / n


def ways(n, k):
    if k == 0:
        return 1
    return ways(n - 1, k - 1) * n // k


def continued_fraction(x, k=1):
    return 1.0 if k > 20 else 1.0 + k * abs(x) / continued_fraction(x, k + 1)


def divisor(a, b):
    if b == 0:
        return a
    return divisor(b, a % b)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def distribution(x):
    if x < 0:
        return 1 - distribution(-x)
    return 1 - 0.5 * math.exp(-x) * (1 + 0.1 * x)


def reflected_gamma(x):
    if x < 0.5:
        return math.pi / (math.sin(math.pi * x) * reflected_gamma(1 - x))
    x -= 1
    return math.sqrt(2 * math.pi) * (x + 5) ** (x + 0.5) * math.exp(-(x + 5))


def digamma(x):
    if x < 6:
        return digamma(x + 1) - 1 / x
    return math.log(x) - 0.5 / x - 1 / (12 * x * x)


def halved(x):
    if abs(x) < 0.01:
        return 1 + x + x * x / 2
    return halved(x / 2) ** 2


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


def collatz(n):
    if n <= 1:
        return 0
    return 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)


def wrapped(x):
    if x > math.pi:
        return wrapped(x - 2 * math.pi)
    if x < -math.pi:
        return wrapped(x + 2 * math.pi)
    return x


def arc(x):
    if x < 0:
        return -arc(-x)
    if x > 1:
        return math.pi / 2 - arc(1 / x)
    return x * (1 - x * x / 3 + x**4 / 5)


def mean_of_means(a, b):
    if abs(a - b) < 1e-7 * abs(a):
        return a
    return mean_of_means((a + b) / 2, math.sqrt(abs(a * b)))


def swapped(a, b):
    if a < b:
        return -swapped(b, a)
    return a * a - b


def nested(x, n):
    def horner(k):
        return 0.0 if k <= 0 else x + horner(k - 1) * x

    return horner(n) + factorial(5) + legendre(3, x)


CASES = [  # a function, its operands, whether it has slopes
    (factorial, (N,), False), (factorial, (1.0 * N,), False), (fibonacci, (N,), False),
    (legendre, (N, X / 10), True), (ways, (N + 5, N), False), (continued_fraction, (X,), True),
    (divisor, (12 * N, N + 6), False), (is_even, (N,), False), (is_odd, (N,), False),
    (distribution, (X,), True), (reflected_gamma, (X + 0.05,), True), (digamma, (X + 0.05,), True),
    (halved, (X / 3,), True), (power, (X, N), True), (collatz, (N + 1,), False),
    (wrapped, (X,), True), (arc, (X,), True), (mean_of_means, (abs(X), N + 1.0), True),
    (swapped, (X, N - 3.25), True), (nested, (X / 9, N), True),
]  # fmt: skip


def rows(fn, columns):
    return np.array([fn(*row) for row in zip(*(c.tolist() for c in columns), strict=True)])


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize(("fn", "columns", "smooth"), CASES)
def test_values_and_slopes_are_those_of_the_text(fn, columns, smooth):
    op, wanted = ng.op(fn, certify=False), rows(fn, columns)
    got = op(*columns)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)
    assert got.dtype.kind == wanted.dtype.kind
    with ng.config(compiler="python"):
        np.testing.assert_allclose(op(*columns), wanted, rtol=1e-13)
    if not smooth:
        return
    place = next(k for k, c in enumerate(columns) if c.dtype.kind == "f")
    h = 1e-6
    ends = [[c + s * h * (k == place) for k, c in enumerate(columns)] for s in (1, -1)]
    slopes = (rows(fn, ends[0]) - rows(fn, ends[1])) / (2 * h)
    np.testing.assert_allclose(op.derivative(place)(*columns), slopes, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("fn", [legendre, divisor, halved, distribution])
def test_recursion_goes_everywhere(fn):
    op = ng.op(fn, certify=False)
    columns = [c for f, columns, _ in CASES if f is fn for c in columns]
    assert op.ptx("float32")
    arrays = [ng.array(c) for c in columns]
    np.testing.assert_array_equal(ng.jit(op)(*arrays).asnumpy(), op(*columns))
    small = [c.astype("float32") if c.dtype.kind == "f" else c for c in columns]
    np.testing.assert_allclose(op(*small), op(*columns), rtol=2e-4)


def test_calls_that_are_too_deep_give_nan():
    """Python stops at a depth of 1000."""
    op = ng.op(factorial)
    got = op(np.array([5.0, 170.0, 2000.0, np.nan]))
    np.testing.assert_array_equal(got[[0, 2, 3]], [120, np.nan, np.nan])
    assert got[1] == pytest.approx(float(math.factorial(170)), rel=1e-13)
    assert np.isnan(ng.op(distribution)(np.nan))


def checked(n):
    if n < 0:
        raise ValueError("negative")
    return 1.0 if n == 0 else n * checked(n - 1)


def checked_halves(x):
    if x != x:
        raise ValueError("nothing")
    if x > 100:
        raise OverflowError("too much")
    value = x if abs(x) < 1 else 2 * checked_halves(x / 2)
    if value > 50:
        raise OverflowError("too much")
    return value


def test_what_a_level_raises_is_raised():
    """On the way down and on the way back; for on_invalid="nan" it is NaN."""
    up, halves = ng.op(checked), ng.op(checked_halves, certify=False)
    assert up(N).tolist() == [float(math.factorial(n)) for n in N.tolist()]
    np.testing.assert_allclose(halves(X), X)
    for op, bad, error in (
        (up, np.array([3, -2]), ValueError),
        (halves, np.array([3.0, np.nan]), ValueError),
        (halves, np.array([3.0, 70.0]), OverflowError),
        (halves, np.array([3.0, 700.0]), OverflowError),
    ):
        with pytest.raises(error, match=r"negative|nothing|too much"):
            op(bad)
        blank = ng.op(op.scalar.fn, on_invalid="nan", certify=False)(bad)
        np.testing.assert_array_equal(blank, [op(bad[:1])[0], np.nan])


def branching(x):
    return x if x < 1 else branching(x / 2) * branching(x / 3) + x


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, ackermann(m, n - 1) if n else 1)


def paths(m, n):
    return 1 if m == 0 or n == 0 else paths(m - 1, n) + paths(m, n - 1)


def moves(n, source=1, target=2, spare=3):
    if n == 0:
        return 0
    return moves(n - 1, source, spare, target) + 1 + moves(n - 1, spare, target, source)


def area_and_calls(x):
    """Simpson's rule, adaptive."""
    rule = lambda a, b: (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))
    f = lambda t: math.exp(-t * t)

    def part(a, b, whole, depth):
        c = (a + b) / 2
        left, right = rule(a, c), rule(c, b)
        if depth == 0 or abs(left + right - whole) <= 1e-7:
            return left + right, 1
        (p, m), (q, n) = part(a, c, left, depth - 1), part(c, b, right, depth - 1)
        return p + q, m + n

    return part(0.0, x, rule(0.0, x), 12)


def tree_that_raises(n, k):
    if n < 0:
        raise ValueError(f"{n} is negative")
    return k if n == 0 else tree_that_raises(n - 2, k) + tree_that_raises(n - k, k)


GRID = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
TREES = {
    branching: (np.array([-1.0, 0.5, 7.3, 90.0]),),
    ackermann: GRID,
    paths: (3 * GRID[0], 2 * GRID[1]),
    moves: (N,),
    area_and_calls: (np.array([-0.3, 0.7, 2.5]),),
    tree_that_raises: (np.array([4, 6]), np.array([2, 2])),
}


@pytest.mark.parametrize("fn", TREES, ids=lambda fn: fn.__name__)
def test_trees_of_calls(fn):
    """Which call comes next depends on what others give: a list keeps those that wait."""
    rows = zip(*(column.tolist() for column in TREES[fn]), strict=True)
    wanted = np.transpose([fn(*row) for row in rows])
    np.testing.assert_allclose(ng.op(fn)(*TREES[fn]), wanted, rtol=1e-15)


def test_the_slope_of_a_tree_of_calls():
    x = np.array([-0.3, 0.7, 2.5])
    slope, _ = ng.op(lambda x: (area_and_calls(x)[0], x)).derivative("x")(x)
    np.testing.assert_allclose(slope, np.exp(-x * x), rtol=1e-4)


def test_a_tree_of_calls_raises_what_its_calls_raise():
    with pytest.raises(ValueError, match="negative .* n=5"):
        ng.op(tree_that_raises)(np.array([4, 5]), np.array([2, 2]))
    with pytest.raises(RecursionError, match=r"paths\(\) calls itself more than 32 times"):
        ng.op(paths)(np.array([2, 40]), 2)


def kept_in_a_closure(n):
    kept = {0: 0, 1: 1}

    def value(n):
        if n not in kept:
            kept[n] = value(n - 2) + value(n - 1)
        return kept[n]

    return value(n)


def kept_in_a_list(n):
    kept = [-1] * 50

    def value(n):
        if n <= 1:
            return n
        if kept[n] != -1:
            return kept[n]
        total = value(n - 1) + 2 * value(n - 2)
        kept[n] = total
        return total

    return value(n) + value(3)


def kept_by_default(n, kept={}):  # noqa: B006 - as people write it
    if n in kept:
        return kept[n]
    if n <= 2:
        return 1
    kept[n] = kept_by_default(n - 1, kept) + kept_by_default(n - 2, kept)
    return kept[n]


def kept_if_none(n, kept=None):
    if kept is None:
        kept = {}
    if n in kept:
        return kept[n]
    if n < 2:
        result = n
    else:
        result = kept_if_none(n - 1, kept) + kept_if_none(n - 2, kept)
    kept[n] = result
    return result


ALL = {}


def kept_outside(n):
    if n in ALL:
        return ALL[n]
    if n <= 1:
        return 1
    ALL[n] = kept_outside(n - 1) + kept_outside(n - 3)
    return ALL[n]


KEPT = [
    *(kept_in_a_closure, kept_in_a_list, kept_by_default, kept_if_none, kept_outside),
    lambda n: kept_by_default(n, {}) + kept_if_none(n),
]


@pytest.mark.parametrize("fn", KEPT)
def test_results_that_are_kept(fn):
    """They change nothing but the time: no kernel keeps them. Where Python has run before, the dict
    outside is full."""
    n = np.array([1, 2, 3, 7, 20, 45])
    for _ in range(2):
        got = ng.op(fn)(n)
        assert got.tolist() == [fn(k) for k in n.tolist()]


def called_for_what_it_keeps(n):
    kept = [-1] * 50

    def fill(n):
        kept[n] = n if n < 2 else fill(n - 1) + fill(n - 2)
        return kept[n]

    fill(n)
    return kept[n]


def test_what_is_kept_is_not_read_elsewhere():
    with pytest.raises(CaptureError, match=r"fill\(\) calls itself in a way that is not a loop"):
        ng.op(called_for_what_it_keeps)


def test_a_dict_is_a_default():
    op = ng.op(lambda x, scales={"a": 2.0, "b": 3.0}: scales["a"] * x + scales["b"])
    assert op(np.array([1.0, 2.0])).tolist() == [5.0, 7.0]
    assert op.derivative("x")(np.array([1.0])).tolist() == [2.0]


def josephus(n):
    return 0 if n == 1 else (josephus(n - 1) + 2) % n


def test_integers_of_calls_that_are_too_deep_raise():
    """No integer is NaN."""
    op = ng.op(josephus)
    assert op(np.array([1, 7, 500])).tolist() == [josephus(n) for n in (1, 7, 500)]
    with pytest.raises(RecursionError, match=r"josephus\(\) calls itself more than 1000 times"):
        op(np.array([7, 3000]))


def endless(n):
    return endless(n - 1) + 1


def endless_tree(n):
    return endless_tree(n - 1) + endless_tree(n / 2)


def within_a_loop(n):
    total = 1
    while total < n:
        total += within_a_loop(n - total)
    return total


@pytest.mark.parametrize("fn", [endless, endless_tree, within_a_loop])
def test_what_is_no_loop_is_refused(fn):
    with pytest.raises(CaptureError, match=rf"{fn.__name__}\(\) calls itself(.|\n)*`while` loop"):
        ng.op(fn)


def test_operators_and_helpers_may_be_defined_later():
    """Names are looked up when the operator is used, as Python does."""
    space = {"ng": ng, "__name__": "notebook"}
    cells = (
        "@ng.op\ndef even(n):\n    return True if n == 0 else odd(n - 1)",
        "@ng.op\ndef scaled(x):\n    return twice(x) + 1 if x > 0 else -scaled(-x)",
        "@ng.op\ndef odd(n):\n    return False if n == 0 else even(n - 1)",
        "def twice(x):\n    return 2 * x",
    )
    for number, cell in enumerate(cells):
        run(cell, f"<cell {number}>", space)
        if number == 1:
            with pytest.raises(CaptureError, match="the name 'twice' is not defined"):
                space["scaled"](1.0)
    assert space["even"](N).tolist() == (N % 2 == 0).tolist()
    assert space["odd"](N).tolist() == (N % 2 == 1).tolist()
    assert space["scaled"](np.array([2.0, -2.0])).tolist() == [5.0, -5.0]
    run("def twice(x):\n    return 3 * x", "<cell 4>", space)
    assert space["scaled"](2.0) == 7.0


def run(cell, name, space):
    """As a notebook runs a cell."""
    import linecache

    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    exec(compile(cell, name, "exec"), space)


def test_a_missing_name_that_is_no_function_is_refused_at_once():
    with pytest.raises(CaptureError, match="'missing_scale' is not defined"):
        ng.op(lambda x: x * missing_scale)  # noqa: F821


def test_conditions_that_their_path_decides():
    graph = Graph()
    x, y = (graph.argument(n, "f") for n in "xy")
    zero, one = graph.const(0.0), graph.const(1.0)

    def decide(path, cond):
        found = decided(graph, path, cond)
        return bool(found.data) if found.op == "const" else None

    below, above = graph.compare("lt", x, zero), graph.compare("gt", x, one)
    cases = [
        (below, graph.compare("lt", graph.negate(x), zero), False),
        (below, graph.compare("ge", graph.absolute(x), zero), True),
        (below, graph.compare("lt", graph.arithmetic("add", x, one), zero), None),
        (graph.logical_not(below), graph.compare("lt", x, zero), False),
        (above, graph.compare("gt", graph.arithmetic("div", one, x), one), False),
        (above, graph.compare("lt", graph.arithmetic("sub", one, x), zero), None),
        (above, graph.compare("gt", graph.arithmetic("mul", x, x), zero), True),
        (graph.compare("lt", x, y), graph.compare("lt", y, x), False),
        (graph.compare("lt", x, y), graph.compare("ne", x, y), True),
        (graph.logical_or(below, above), below, None),
        (graph.logical_and(below, graph.compare("lt", x, y)), graph.compare("eq", x, y), False),
    ]
    for path, cond, wanted in cases:
        assert decide(path, cond) is wanted, (path, cond)
