"""Functions of the standard library and of NumPy that are texts: dates, sets, series, strings."""

import bisect
import datetime as dt
import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

import nbgraph as ng

LANDING, LANDED = dt.date(1969, 7, 20), dt.datetime(1969, 7, 20, 20, 17, 40)  # noqa: DTZ001
WAIT = dt.timedelta(days=2, hours=5)
NOTHING = []
SERIES = (0.5, -0.2, 0.3, 0.1)


def days_since(y, m, d):
    day = dt.date(y, m, d)
    return (day - LANDING).days, day.weekday(), day.isoweekday(), day.toordinal()


def days_later(y, m, d):
    day = dt.date(y, m, d) + dt.timedelta(days=37 * m, hours=30, weeks=1)
    other = dt.timedelta(minutes=90) + dt.date.fromordinal(700000 + 31 * d)
    return day.year, day.month, day.day, other.day, (day - 3 * dt.timedelta(d)).day


def mondays(y, m, d):
    day, end, count = dt.date(y, m, 1), dt.date(y, m, d), 0
    while day < end:
        count += day.weekday() == 0
        day += dt.timedelta(1)
    return count, max(day, LANDING).year, day == end, day - LANDING > dt.timedelta(d)


def seconds_of(y, m, d):
    span = dt.timedelta(seconds=y * m, hours=d)
    both = span + dt.timedelta(hours=20)
    return span.days, span.seconds, span.total_seconds(), both.days, both.seconds


def weeks(y, m, d):
    day = dt.date(y, m, d)
    year, week, weekday = day.isocalendar()
    first, other = day.replace(day=1), LANDED.replace(year=y, hour=d % 24)
    ends = first.weekday(), other.month, other.hour, (other - LANDED).days, other.weekday()
    return year, week, weekday, day.timetuple().tm_yday, day.isocalendar()[1], *ends


def moments(y, m, d):
    moment = dt.datetime(y, m, d, d % 24, m) + dt.timedelta(hours=1000 * m, seconds=y)  # noqa: DTZ001
    parts = moment.date().day, moment.minute, moment.second, moment.isocalendar().week
    span = moment - dt.datetime(1970, 1, 1)  # noqa: DTZ001
    before, noon = moment - WAIT, moment.hour
    return *parts, span.days, span.total_seconds(), before.hour, before < moment, noon


def sets(y, m, d):
    a, b = {y % 5, m % 5}, {d % 5, 1}
    several = {m}
    several |= {d, 3}
    several.update([y % 7, 2])
    tuples = {(y % 3, m % 2), (m % 3, 1)}
    tuples.add((d % 3, d % 2))
    evens = {k for k in range(1, 9) if k % 2 == y % 2} - b
    return (
        len(tuples),
        len(evens),
        sum(evens - a),
        len(a | b),
        sum(a & b),
        sum(a ^ b),
        a.issubset(b),
        sum(several),
        b.isdisjoint({0, 2}),
    )


def sums_of_pairs(y, m, d):
    return sum(itertools.starmap(pow, [(m, 2), (d, 3)])), np.trace(np.array([[y, m, 1], [2, d, 3]]))


class Version(NamedTuple):
    major: int
    minor: int


def versions(y, m, d):
    return Version(m, d) < Version(6, y % 20), max(Version(m, d), Version(d, m)).minor


class Positive:
    def __init__(self, value, share):
        if value < 0:
            raise ValueError("negative")
        self.value = value
        assert share < 30, "large"
        self.share = share


def checked_first(y, m, d):
    total = 0
    for k in range(3):
        total += Positive(y + k, m).share + Positive(m, d % 29).value
    return total


def pieces(y, m, d):
    text, bits = str(y), bin(m * d)[2:]
    k, gaps = len(text) // 2, bits.strip("0").split("0")
    ends = int(text[0]), int(text[-1]), int(text[:k]), int(text[-2:]), int(text[k - 1] + text[k:-1])
    return (
        *ends,
        len(gaps),
        max(map(len, gaps)),
        int("1" + bin(m)[3:], 2),
        int(bin(d)[2:][::-1], 2),
    )


def searches(y, m, d):
    text = str(y * 10000 + m * 100 + d)
    places = text.find("1"), text.find("0", 5), text.find(str(y % 10)), text.count("00")
    return *places, "20" in text, str(m) in "123456789101112", str(-11 * m).count("1"), m in (1, d)


def replaced(y, m, d):
    text, turned = str(y), {"0": "0", "1": "1", "6": "9", "9": "6"}
    new = int(text.replace("0", "12")), int(text.replace("1", "", 1)), int(text.replace("20", "3"))
    filled = int(str(d).rjust(2, "0")[0]), int(str(m) * 3)
    ends = len(text.rstrip("0")), int(text.strip("2")), int(text.lstrip("12") + "7")
    return *new, *filled, *ends, int("".join(turned.get(c, "7") for c in text))


def ranges(y, m, d):
    """A range of any length has items, and what a search halves needs no list."""
    root = bisect.bisect_left(range(10**6), True, key=lambda k: k * k >= y * d)
    squares = bisect.bisect((1, 2, 3, 4, 5), d, key=lambda k: k * k)
    items = range(10**6)[y], range(10**6)[-d], range(m, y * d, 3)[d], range(d)[m - m]
    same = sum(itertools.repeat(m, d)), sum(k * v for k, v in zip(itertools.repeat(y, d), range(m)))
    count = 0
    for _ in itertools.repeat(None, m):
        count += d
    for k in NOTHING[:m]:
        count += k
    return root, squares, *items, *same, count, sum(k for k in reversed(range(m, 40 * d, 7)))


def signs(y, m, d):
    n = d - y
    return int(f"{n:b}"), int(format(m - d, "o")), int(str(n), 12), int(format(n, "x"), 16)


def powers(y, m, d):
    return 10**m, 2**d, (-3) ** m, (-1) ** y, 7 ** (m % 3) % 10


def remainders(y, m, d):
    """The power alone has more than 64 bits."""
    same = y**2 % 7, 10**9 % m, (y - 2000) ** m % 9
    return pow(y, d) % (m + 90), y**d % 1009, 3**y % (d + 1), (-y) ** d % 11, y**13 % -97, *same


def built(y, m, d):
    """Strings and lists of digits that conditions choose."""
    ones, zeros, nines = "", "", list(str(y))
    for c in bin(y)[2:]:
        ones += "0" if c == "1" else "1"
    for c in format(d, "09b"):
        zeros = ("1" if c == "0" else "0") + zeros
    for k in range(len(nines)):
        if nines[k] == "0":
            nines[k] = "9"
    while len(nines) > 1 and nines[-1] > nines[-2]:
        nines[-2] = str(int(nines[-2]) + 1)
        nines.pop()
    text = "5" if m > 6 else str(d) + "0"
    places = str(10 * y).index("0"), len(bin(m).replace("0b", "")), int("-" + str(d)[::-1])
    return int(ones, 2), int(zeros, 2), int("".join(nines)), int(text), *places


def decimals(y, m, d):
    shown = float(f"{y / 7:.3f}"), float(format(m / 3, ".1f")), float(format(d / 9, "f"))
    return *shown, sum(c.isdigit() for c in hex(y * d)[2:])


DAYS = np.array([[1899, 1, 31], [1969, 7, 20], [2000, 2, 28], [2024, 2, 29], [2026, 12, 1]]).T
FUNCTIONS = [
    days_since,
    days_later,
    mondays,
    weeks,
    moments,
    seconds_of,
    sets,
    sums_of_pairs,
    versions,
]
DIGITS = [pieces, searches, replaced, ranges, signs, powers, remainders, built, decimals]


@pytest.mark.parametrize("fn", [*FUNCTIONS, *DIGITS, checked_first], ids=lambda fn: fn.__name__)
def test_functions_of_days(fn):
    got = ng.op(fn)(*DAYS)
    expected = [fn(*row) for row in DAYS.T.tolist()]
    columns = list(zip(*expected, strict=True)) if isinstance(got, (tuple, list)) else [expected]
    for one, column in zip(got if len(columns) > 1 else [got], columns, strict=True):
        np.testing.assert_array_equal(one, column)


@pytest.mark.parametrize("day", [(2023, 2, 29), (2023, 13, 1), (0, 1, 1), (2023, 4, 31)])
def test_a_day_that_is_none_raises(day):
    with pytest.raises(ValueError, match="must be in|out of range"):
        ng.op(days_since)(*(np.array([part]) for part in day))


def test_an_object_that_is_refused_raises_before_it_has_attributes():
    op = ng.op(checked_first)
    with pytest.raises(ValueError, match="negative"):
        op(np.array([-5]), np.array([1]), np.array([2]))
    with pytest.raises(AssertionError, match="large"):
        op(np.array([5]), np.array([31]), np.array([2]))


VALUES = [
    lambda x: chebyshev.chebval(x, SERIES) + chebyshev.chebval(x, [x]),
    lambda x: legendre.legval(x, SERIES),
    lambda x: laguerre.lagval(x, SERIES),
    lambda x: hermite.hermval(x, [math.sin(x), 1.0, 0.5]),
    lambda x: hermite_e.hermeval(x, SERIES),
]


@pytest.mark.parametrize("fn", VALUES)
def test_series_of_polynomials(fn):
    x = np.linspace(-1.0, 1.0, 9)
    np.testing.assert_allclose(ng.op(fn)(x), [fn(v) for v in x.tolist()], rtol=1e-13)
    slopes = [(fn(v + 1e-6) - fn(v - 1e-6)) / 2e-6 for v in x.tolist()]
    np.testing.assert_allclose(ng.op(fn).derivative(0)(x), slopes, rtol=1e-6, atol=1e-8)


def rest_of_digits(n):
    return int(str(n)[3:])


def rest_or_none(n):
    try:
        return int(str(n)[3:])
    except ValueError:
        return -1


def test_no_digits_are_not_a_number():
    op = ng.op(rest_of_digits)
    np.testing.assert_array_equal(op(np.array([1234, 98765])), [4, 65])
    with pytest.raises(ValueError, match="invalid literal"):
        op(np.array([1234, 862]))
    np.testing.assert_array_equal(ng.op(rest_or_none)(np.array([1234, 862])), [4, -1])


def test_zeros_of_a_prefix_are_counted_once():
    counts = ng.op(lambda n: (bin(n).count("0"), hex(n).count("0"), bin(n).count("1")))
    n = np.array([0, 5, 16, 1000, -6])
    for got, count in zip(counts(n), ((bin, "0"), (hex, "0"), (bin, "1")), strict=True):
        np.testing.assert_array_equal(got, [count[0](v).count(count[1]) for v in n.tolist()])
