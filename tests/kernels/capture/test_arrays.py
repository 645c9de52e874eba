"""Lists and arrays that a function makes and changes: as Python runs the same text."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

trapezoid = getattr(np, "trapezoid", None) or getattr(np, "trapz", None)
OUTSIDE = np.array([1.0, 2.0, 3.0])


def stored(x):
    a = [0.0] * 4
    for i in range(4):
        a[i] = x * i
    a[1] += 5
    alias = a
    alias[2] = 7.0
    a[0], a[-1] = a[3], a[0]
    i = int(abs(x)) % 4
    a[i] = -x
    a[i] *= 2
    return a[0] + a[i - 4], sum(a), max(a), min(alias), len(a)


def vectors(x):
    a = np.zeros(3)
    i = int(abs(x)) % 3
    a[i] = x
    a[i] += 1
    b = 2 * a + np.array([x, 1.0, 2.0]) ** 2 - a[1]
    c = np.where(b > 2, np.sqrt(abs(b)), -b)
    same = a
    a += 0.5
    a[1:] = b[:2]
    return (
        c[0] + b[i],
        np.dot(a, b),
        np.linalg.norm(b),
        same @ c,
        np.cross(a, b)[2],
        c.sum() * c[-1],
    )


def matrices(x):
    m = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            m[i, j] = math.sin(i * x + j)
    row, column = m[2], m[:, 1]
    m[1] = 5.0
    m[2, 0] = -1.0  # seen by the view
    k = int(abs(x)) % 3
    m[k, k] += 10
    m[:2, 2] = x
    product = m @ m.T
    return (
        m.sum(),
        row[0] + column[1],
        product[1, 2],
        np.mean(m, axis=0)[k],
        (m @ row)[0],
        m.T[0][2],
    )


def rows(x):
    q = [[0.0] * 2 for _ in range(3)]
    first, k = q[0], int(abs(x)) % 3
    first[1] = x
    q[k][1] += 2
    q[1], q[2] = q[2], q[1]
    for row in q:
        row[0] += 1
    return q[0][0] + q[2][1], *[sum(row) for row in q], first[0]


def runge_kutta(x):
    def slope(y):
        return [y[1], -y[0] - 0.1 * y[1]]

    y, n = [1.0, x], 0
    while n < 20 + abs(x):
        k1 = slope(y)
        k2 = slope([a + 0.05 * b for a, b in zip(y, k1)])  # noqa: B905
        y = [a + 0.1 * b for a, b in zip(y, k2)]  # noqa: B905
        n += 1
    return y


def histogram(x):
    counts = [0] * 8
    steps = np.zeros(8)
    k = int(abs(x) * 1000)
    while k > 0:
        counts[k % 8] += 1
        steps[k % 8] += 0.5 * x
        k = k // 3
    best = 0
    for i in range(8):
        if counts[i] > counts[best]:
            best = i
    return best, counts[3], steps[best] + steps[0]


def add_to(values, x):
    values[0] += x
    return values


def fill(values, x):
    for i in range(len(values)):
        values[i] = x * (i + 1)


def helpers(x):
    a = [1.0, 2.0]
    same = add_to(a, x)
    same[1] = 9.0
    before = a[0] + 10 * a[1]
    fill(a, x)
    return before, a[0] + 10 * a[1], same[1]


def branches(x):
    c = [1.0, 2.0] if x > 1 else [3.0, x]
    if x > 2:
        d = np.array([x, 1.0, 0.0])
        c[1] = 7.0
    else:
        d = np.zeros(3)
        if x < 0.5:
            return c[0] * x, c[1], 0.0
        d[1] = -1.0
    c[0] += 1
    d[2] = c[0]
    return c[0] * c[1], d[0] + d[1], d.max()


def appended(x):
    values, most = [], []
    for k in range(5):
        values.append(k * x)
        if k % 2:
            most.extend([k, -x])
    last = values.pop()
    values.insert(0, last)
    values.reverse()
    return values[0] + values[-1], len(values) + len(most), sum(most) * last, values[::2][1]


def ordered(x):
    v = [math.sin(k * x) for k in range(7)]
    s, a = sorted(v), np.array(v)
    v.sort()
    middle = np.median(a) + np.sort(a)[2]
    return s[0], s[-1] + v[3], sorted(v, reverse=True)[0], middle, np.argmax(a), a.argmin()


def statistics(x):
    a = np.array([x, 2.0, -x * x, 0.5])
    spread = np.std(a) + np.var(a, ddof=1) + np.ptp(np.cumsum(a))
    area = trapezoid(a, dx=0.5)
    grid = np.linspace(0.0, x, 5)
    return a.mean() + a.prod(), spread, area, np.diff(grid)[2], np.outer(a, a)[1, 2], np.any(a > 3)


def whole(x):
    counts = np.zeros(3, dtype=np.int64)
    counts[0] = 2.9  # an array of integers cuts
    counts[1] += 3
    flags = np.array([x > 1, False])
    flags[1] = x > 2
    powers = np.ones((2, 2))
    for _ in range(3):
        powers = powers @ np.array([[1.0, x], [0.0, 1.0]])
    return counts[0] + counts[1], flags[0] + 2 * flags[1], powers[0, 1], np.eye(2)[1, 1]


def sieve(x):
    marks = [True] * 30
    for i in range(2, 6):
        for k in range(i * i, 30, i):
            marks[k] = False
    primes = [k for k in range(2, 30) if marks[k]]
    return primes[-1] * x, len(primes)


def bubbled(x):
    v = [x, 2.0, 1.5, -x, 0.25]
    n = len(v)
    for i in range(n):
        for j in range(n - 1 - i):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    total = 0.0
    for i, value in enumerate(v):
        total += i * value
    return v[0], v[2], total


def live(x):
    a = [x, 1.0, 2.0]
    for i, value in enumerate(a):
        if i < 2:
            a[i + 1] += value
    b = np.array([x, 0.0, 0.0])
    for value in b:
        b[1] += value
    return a[2], b[1]


def views(x):
    m, a = np.zeros((2, 3)), np.ones(4)
    row, turned, flat = m[0], m.T, m.ravel()
    row += x
    for part in m:
        part[0] -= 1.0
    turned[2, 1] = x * x
    flat[4] = 7.0
    m[:, 1:][0, 1] *= 2.0
    a[:2] *= x
    b = a[1:3]
    b[0] = x + 1
    b *= 2.0
    a.reshape(2, 2)[1] += x
    np.asarray(a)[3] -= x
    np.flip(a)[0] *= x
    np.transpose(m)[1] -= 0.5
    copied = m.T.ravel()  # NumPy copies here
    copied[0] = 100.0
    whole = m.reshape(3, -1)[:2]
    whole -= a[:2]
    return *flat, *a, turned[0, 0], copied[1]


def in_helpers(x):
    def scale(values, factor):
        values *= factor

    def scale_rows(values, factor):
        for k, row in enumerate(values):
            row *= factor + k

    m = np.array([[x, 1.0], [2.0, x]])
    scale(m[0], x)
    scale_rows(m.T, 2.0)
    rows = list(m)
    rows[1][0] += x
    for _ in range(int(x) + 1):
        rows[0] += 1.0
    return *m[0], *m[1]


FUNCTIONS = [
    views,
    in_helpers,
    *(stored, vectors, matrices, rows, runge_kutta, histogram, helpers, branches, appended),
    *(ordered, statistics, whole, sieve, bubbled, live),
]
POINTS = np.array([0.3, 1.2, 2.7, 5.5, 1.9])


def flat(value):
    if isinstance(value, (tuple, list, np.ndarray)):
        return [part for item in value for part in flat(item)]
    return [value]


def expected(function, points):
    return [np.array(column) for column in zip(*(flat(function(x)) for x in points), strict=True)]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("compiler", ["llvm", "python"])
def test_values_are_those_of_the_text(function, compiler):
    with ng.config(compiler=compiler):
        results = ng.op(function)(POINTS)
    results = results if isinstance(results, tuple) else (results,)
    for result, want in zip(results, expected(function, POINTS), strict=True):
        assert (result.dtype.kind == "f") == (want.dtype.kind == "f")
        np.testing.assert_allclose(result, want, rtol=1e-11)


@pytest.mark.parametrize("function", [vectors, matrices, runge_kutta, helpers, branches])
def test_slopes_are_those_of_differences(function):
    op, h = ng.op(function), 1e-6
    slopes = op.derivative(0)(POINTS)
    above, below = expected(function, POINTS + h), expected(function, POINTS - h)
    floating = [k for k, a in enumerate(above) if a.dtype.kind == "f"]
    for place, slope in zip(floating, [s for s in flat_results(slopes) if s.dtype.kind == "f"]):  # noqa: B905
        difference = (above[place] - below[place]) / (2 * h)
        np.testing.assert_allclose(slope, difference, rtol=1e-5, atol=1e-6)


def flat_results(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("function", [vectors, rows, histogram, ordered])
def test_other_compilers_and_devices_take_them(function):
    op = ng.op(function)
    with ng.config(compiler="numba"):
        for result, want in zip(op(POINTS), expected(function, POINTS), strict=True):
            np.testing.assert_allclose(result, want, rtol=1e-11)
    assert ".entry nbgraph_" in op.ptx("float32")


def test_an_array_is_in_the_precision_of_the_operands():
    single = ng.op(vectors)(POINTS.astype(np.float32))
    assert {r.dtype for r in single} == {np.dtype(np.float32)}


def test_a_returned_array_is_several_results():
    results = ng.op(lambda x: np.array([x, 2 * x]) + 1)(POINTS)
    assert [r.tolist() for r in results] == [(POINTS + 1).tolist(), (2 * POINTS + 1).tolist()]


def one_of_two(x):
    a, b = [x, 1.0], [2.0, x]
    chosen = a if x > 1 else b
    chosen[0] = 5.0
    return a[0] + b[0]


def changed_copy(x):
    c = OUTSIDE
    c[0] = x
    return c[0]


def uneven(x):
    values = np.array([x])
    if x > 1:
        values = np.array([x, 2.0])
    return sum(values)


def shared_in_loop(x):
    now, before, n = [x, 1.0], [0.0, 0.0], 0
    while n < 20 + x:
        before = now
        now[0] += 1
        n += 1
    return now[0] + before[0]


def far(x):
    values = [0.0, 1.0]
    values[2] = x
    return values[0]


def ragged(x):
    return np.array([[x, 1.0], [2.0]])[0, 0]


def misshapen(x):
    return (np.array([x, 1.0]) + np.array([1.0, 2.0, 3.0]))[0]


def single(x):
    return np.zeros(3, dtype=np.float32)[0] + x


@pytest.mark.parametrize(
    "function, problem",
    [
        (one_of_two, "would be changed"),
        (changed_copy, "not made here"),
        (uneven, "2 items on one|1 items on one"),
        (shared_in_loop, "another name mean"),
        (far, "out of range"),
        (ragged, "different lengths"),
        (misshapen, "2 and 3 entries meet"),
        (single, "leave out dtype="),
    ],
)
def test_what_is_not_known_is_refused(function, problem):
    with pytest.raises(CaptureError, match=problem) as caught:
        ng.op(function)
    assert re_line(caught.value)


def re_line(error):
    return f'File "{__file__}", line ' in str(error)


def matrices(x, y):
    a = np.array([[x, y, 1.0], [y, 0.0, 2.0], [0.5, x, y]])
    b = np.linalg.inv(a) @ a
    z = np.linalg.solve(a, np.array([1.0, x, y]))
    both = np.linalg.solve(a, np.array([[1.0, x], [x, y], [0.0, 1.0]]))
    size = np.linalg.norm(a) + np.average(a) + np.count_nonzero(a)
    return np.linalg.det(a), b[0, 0], z[0], z[1] * z[2], both[2, 1], size


def shares(x, y):
    values = [x, y, 2.0, x * y, 0.5]
    order = np.argsort(values)
    return np.percentile(values, 30), np.quantile(values, 0.6), order[0] + 10 * order[4]


@pytest.mark.parametrize("function", [matrices, shares])
def test_linear_algebra_and_quantiles(function):
    x, y = np.array([0.3, 2.3, -1.5]), np.array([1.1, -0.7, 3.0])
    op = ng.op(function)
    wanted = np.array([function(*row) for row in zip(x, y)], float).T
    np.testing.assert_allclose(np.array(op(x, y), float), wanted, rtol=1e-12)
    h = 1e-6
    high, low = (np.array([function(a + s, b) for a, b in zip(x, y)], float).T for s in (h, -h))
    slopes = np.array(op.derivative("x")(x, y), float)
    np.testing.assert_allclose(slopes[:2], (high - low)[:2] / (2 * h), rtol=1e-6, atol=1e-7)


def test_the_determinant_of_a_singular_matrix_is_zero():
    op = ng.op(lambda x: np.linalg.det(np.array([[x, 2.0 * x], [0.5 * x, x]])))
    assert op(3.0) == 0.0 and op(0.0) == 0.0


def test_a_range_has_the_dtype_that_is_asked_for():
    halves = ng.op(lambda x: x * (np.arange(1, 3, dtype=float)[0] / 2 + np.arange(3)[2] // 2))
    np.testing.assert_array_equal(halves(np.array([1.0, 2.0])), [1.5, 3.0])
