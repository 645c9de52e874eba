"""Functions of `math`, NumPy, `operator`, `itertools` and `statistics`: as Python runs the text."""

import bisect
import enum
import functools
import inspect
import itertools
import math
import operator
import re
import statistics

import numba
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import integers

EDGES, HEIGHTS = (-1.0, 0.5, 1.0, 2.5, 4.0), (1.0, -2.0, 0.5, 3.0, -1.0)
TABLE = np.linspace(-3.0, 3.0, 40)
SQUARES = TABLE**2


@functools.cache
def kept(x):
    return 2.0 * x


@numba.njit
def compiled(x):
    return x * x + 1.0


def pieces_of_floats(x):
    size, power = math.frexp(x)
    rest, whole = np.modf(x)
    return size, power, rest, whole, np.ldexp(x, 3), math.ulp(x), np.spacing(x), np.fix(x)


def rounded(x):
    some = round(x, 2), round(x, ndigits=1), round(x, None), np.around(x, decimals=1)
    some = *some, np.round(x, 2), *np.divmod(x, 0.7), *divmod(x, -0.7)
    return *some, x // 2 + 7 // 2, int("12") * x


def limits(x):
    some = np.clip(x, None, 0.5), np.clip(x, 0.5, None), np.clip(x, a_max=1, a_min=-0.5)
    return *some, np.clip(x, min=-0.5, max=0.25), np.clip(x, a_max=0.0, a_min=None), math.hypot(x)


def close(x):
    some = np.isclose(x, 1.0, atol=0.5), np.allclose(x, -2.0, rtol=0.2, atol=0)
    return (
        *some,
        np.isposinf(x),
        np.isneginf(x),
        math.isclose(x, 1, abs_tol=0.5),
        x == np.positive(x),
    )


def pieces(x):
    some = np.interp(x, EDGES, HEIGHTS), np.interp(x, TABLE, SQUARES)
    ends = np.interp(x, EDGES, HEIGHTS, left=-9, right=9.0), np.interp(x, (0, x * x + 1), (1, x))
    chosen = np.select([x < 0, x < 1], [x * x, 2 * x], default=9.0), np.select([x < 0], [x])
    return *some, *ends, *chosen, np.choose(int(x > 0) + int(x > 1), (1.0, x, x * x))


def choices(x):
    parts = np.piecewise(x, [x < 0, x >= 0], [lambda t: -t, lambda t: 2 * t])
    return parts, np.piecewise(x, [x < 0, x > 1], [-1.0, 1.0, 0.5]), np.where(
        x > 1, 1.0, np.where(x < 0, x, 0.5)
    )  # fmt: skip


def lengths(x):
    v = [x, 1.0, -2.0]
    orders = np.linalg.norm(v, 2), np.linalg.norm(v, ord=1), np.linalg.norm(v, np.inf)
    return np.linalg.norm(v), *orders, np.linalg.norm(v, -np.inf), np.linalg.norm(v, 3.0)


def summaries(x):
    v = (x, 1.0, 2.0)
    some = np.average(v, weights=(1.0, 2.0, 3.0)), np.average(v), np.nansum((x, math.nan, 1.0))
    more = np.nanmax((math.nan, x)), np.nanmean((x, math.nan, 1.0)), np.count_nonzero((x > 0, 1, 0))
    stated = statistics.mean(v), statistics.fmean(v), statistics.median(v), statistics.stdev(v)
    around = statistics.pvariance(v, x), statistics.pstdev(v, mu=0.5), statistics.variance(v, x)
    stated += *around, statistics.stdev(v, xbar=x), statistics.pvariance(v)
    return *some, *more, *stated, np.convolve((x, 1.0), (1.0, 2.0))[1]


def ranked(x):
    v = (1.0, -3.0, x, -x)
    some = min(v, key=abs), max(v, key=lambda t: -t * t), max((), default=x), min(v, default=0.0)
    rows = sorted([(abs(t), t) for t in v], key=lambda pair: pair[0])
    return *some, *sorted(v), sorted(v, reverse=True)[0], rows[2][1], sorted(v, key=abs)[1]


def sorted_either_way(x):
    v, pairs, places = [1.0, x, -0.5], [(x, 1.0), (0.7, 2.0)], [-2.0, -0.5, 0.7, 1.5]
    some = sorted(v, reverse=bool(x > 0)), sorted(v, key=abs, reverse=bool(x < 0.5))
    rows = (
        sorted(pairs, reverse=bool(x > 0))[0][1],
        sorted(pairs, key=lambda p: p[0], reverse=0)[0][1],
    )
    v.sort(reverse=True)
    pairs.sort(key=lambda p: p[1], reverse=bool(x < 1))
    below = bisect.bisect_left(places, x, 1), bisect.bisect(places, x, lo=int(x > 0), hi=3)
    return *some[0], *some[1], *rows, *v, pairs[0][0], *below


def generated(x):
    some = next(t for t in (1.0, 2.0, 5.0) if t > x), next((t for t in EDGES if t > x), 99.0)
    most = max(x * k for k in (1, -2)), max((k for k in EDGES if k * x > 1.0), default=-1.0)
    long = next(n for n in range(1000) if n * n > 3 + x), min((n - 9 * x) ** 2 for n in range(40))
    near = (
        min(range(20), key=lambda n: abs(n - 2 * x)),
        min((e for e in EDGES), key=lambda e: e * x),
    )
    return *some, *most, *long, *near


def counted(x):
    some = len([t for t in (x, 1.0, -1.0) if t > 0]), sum(filter(operator.truth, (x, 0.0, -1.0)))
    more = (
        math.prod((t for t in (x, 2.0) if t > 0), start=2.0),
        sum([x * i for i in range(3)], start=x),
    )
    nested = sum(i * j * x for i in range(30) for j in range(i) if (i + j) % 3 == 0)
    return *some, *more, nested, any(a < x < b for a, b in ((0, 1), (2, 3))), np.sum([x, x * x]), (
        sum(map(operator.neg, (x, *range(40))))
    )  # fmt: skip


def listed(x):
    v = (x, 1.0, 2.0)
    pairs = sum(a * b for a, b in itertools.product(v, (2.0, x)))
    chosen = sum(a * b for a, b in itertools.combinations(v, 2))
    steps = sum(abs(a - b) for a, b in itertools.pairwise(v))
    runs = [*itertools.accumulate(v), *itertools.accumulate(v, max)]
    return pairs, chosen, steps, *runs, sum(itertools.chain(v, (2.0,)))


def operators(x):
    value = operator.add(x, 1.0) * operator.neg(x) + operator.truediv(x, 2.0) + operator.pos(x)
    truths = operator.not_(x > 0), operator.truth(x), operator.contains((1.0, 2.0), x)
    return value, operator.pow(x, 2), operator.getitem((x, 2.0, x), 1), *truths


def bits(x):
    n = int(x * 12)
    some = n.bit_length(), n.bit_count(), n & -n, (abs(n) << 3) >> 1, pow(abs(n) + 2, 13, 97)
    more = math.gcd(n, 18, 27), math.gcd(n), math.lcm(n, 6, 4), math.gcd(), math.perm(abs(n) % 7)
    return *some, *more, pow(3, -abs(n), 7), pow(n, 3, -50), n // -2, *divmod(n, 3)


def helpers(x):
    return kept(x) + compiled(x), (y := x * 2) + y, x + np.finfo(float).eps, float.fromhex("0x1p3")


def of_constants(x):
    nodes, weights = np.polynomial.legendre.leggauss(5)
    line = np.poly1d([1.0, -2.0, 0.5])
    area = sum(w * math.exp(x * t) for w, t in zip(weights, nodes, strict=True))
    return area, line(x) + line.deriv()(x), float(np.hanning(5)[1]) * x


def neighbours(x):
    tiny = np.spacing(1.0)
    return x * x if abs(x) > tiny else tiny, np.nextafter(x, 9.0), x + math.ulp(x)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 4

    @property
    def gain(self):
        return 0.5 * self.value


def member_of_a_value(x):
    chosen = Colour(1 if x < 0 else 4)
    return x if chosen is Colour.RED else x * chosen.gain + (chosen == Colour.GREEN)


def doubled(fn):
    @functools.wraps(fn)
    def inner(*args, factor=2.0, **options):
        return factor * fn(*args, **options)

    return inner


@doubled
def decorated(x, y=0.5, *, power=2):
    return x * y + x**power


FUNCTIONS = [
    of_constants, neighbours, member_of_a_value, decorated,
    pieces_of_floats, rounded, limits, close, pieces, choices, lengths, summaries, ranked,
    sorted_either_way, generated, counted, listed, operators, bits, helpers,
]  # fmt: skip
SMOOTH = [
    of_constants, neighbours, member_of_a_value, decorated,
    pieces, choices, lengths, summaries, ranked, sorted_either_way, generated, counted, listed,
]  # fmt: skip
X = np.array([0.3, -1.7, 1.0, 2.4, -0.25, 3.75, 0.125, -2.5])
EVEN = np.array([0.31, -1.73, 1.04, 2.41, -0.26, 3.76, 0.13, -2.52])  # where nothing jumps


def numbers(value):
    if isinstance(value, (tuple, list)):
        return [n for part in value for n in numbers(part)]
    return [value]


def together(value):
    return np.array(numbers(value), float)


def wanted(fn, x):
    return np.stack([together(fn(v)) for v in x.tolist()], axis=1)


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")  # from NumPy 2.5 on
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_a_value_is_that_of_the_text(fn):
    op = ng.op(fn, certify=False)
    np.testing.assert_allclose(together(op(X)), wanted(fn, X), rtol=1e-13, atol=1e-15)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(together(op(X)), wanted(fn, X), rtol=1e-13, atol=1e-15)
    assert op.ptx("float32")


@pytest.mark.parametrize("fn", SMOOTH)
def test_slopes_are_those_of_differences(fn):
    h = 1e-6
    steps = (wanted(fn, EVEN + h) - wanted(fn, EVEN - h)) / (2 * h)
    op = ng.op(fn, certify=False)
    floating = [np.asarray(part).dtype.kind == "f" for part in numbers(op(EVEN))]
    got = together(op.derivative(0)(EVEN))
    np.testing.assert_allclose(got[floating], steps[floating], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parts_of_extreme_floats(dtype):
    """Of subnormal, infinite and undefined numbers, and of powers of two."""
    info = np.finfo(dtype)
    sizes = [*2.0 ** np.arange(-12, 12), info.max, info.tiny, info.tiny / 8, 0.0, np.inf, np.nan]
    x = np.array([s * v for v in sizes for s in (1, -1)], dtype)
    x = np.concatenate([x, np.nextafter(x, x.dtype.type(0))])
    size, power, step, number = ng.op(
        lambda x: (*np.frexp(x), np.spacing(x), np.nan_to_num(x, nan=1.5)), certify=False
    )(x)
    mantissas, powers = np.frexp(x)
    np.testing.assert_array_equal(size, mantissas)
    np.testing.assert_array_equal(power, powers)
    np.testing.assert_array_equal(number, np.nan_to_num(x, nan=1.5))
    some = np.abs(x) < info.max
    np.testing.assert_array_equal(step[some], np.spacing(x[some]))


def test_a_decorators_function_takes_what_the_one_that_it_wraps_takes():
    op = ng.op(decorated)
    assert str(op.__signature__) == "(x, y=0.5, *, power=2)"
    np.testing.assert_allclose(op(X, y=3.0, power=3), 2 * (X * 3.0 + X**3))
    with pytest.raises(ValueError, match="the enum has no such key"):
        ng.op(lambda k: Colour(k).gain)(np.array([1, 3]))


def test_numbers_in_place_of_infinite_ones():
    op = ng.op(lambda x: (np.nan_to_num(x), np.nan_to_num(x, nan=7, posinf=1.0, neginf=-2.0)))
    x = np.array([np.nan, np.inf, -np.inf, 2.0, -0.0])
    for got, value in zip(op(x), (np.nan_to_num(x), [7, 1, -2, 2, 0]), strict=True):
        np.testing.assert_array_equal(got, value)


def test_a_line_through_points_at_its_points_and_outside():
    x = np.array([*EDGES, -5.0, 7.0, np.nan, np.inf, -np.inf, 0.75])
    got = ng.op(lambda x: np.interp(x, EDGES, HEIGHTS), certify=False)(x)
    np.testing.assert_array_equal(got, np.interp(x, EDGES, HEIGHTS))


def test_powers_to_a_modulus_do_not_overflow():
    a = np.array([3, 2**61 - 5, 123456789012345, 0, -7])
    raised = ng.op(lambda a, n, m: pow(a, n, m))  # noqa: PLW0108 - a built-in function
    with pytest.raises(CaptureError, match="modulus is for integers"):
        raised(1.5, 2, 3)
    for modulus in (97, 2**31 - 1, 2**61 - 1, -(2**40), 1):
        got = raised(a, 65537, modulus)
        assert got.tolist() == [pow(v, 65537, modulus) for v in a.tolist()]
    for n in (0, 1, 2**31, 2**62, 2**63 - 1):
        assert integers.bit_length(n) == n.bit_length()


def test_whole_numbers_to_a_negated_power_are_floats():
    n = np.arange(-3, 7)
    for text in (lambda n: 10**-n, lambda n: pow(-3, -n), lambda n: (n + 4) ** -n):
        got = ng.op(text)(n)
        np.testing.assert_allclose(got, [text(v) for v in n.tolist()], rtol=1e-15)
    assert ng.op(lambda n: 2**n)(np.arange(4)).dtype == np.int64


def unwrapped(x):
    return np.unwrap(x)  # here


def unknown_option(x):
    return np.interp(x, EDGES, HEIGHTS, period=2.0)  # here


def sorted_many(x):
    return sorted([x * k for k in range(70)])[3]  # here


REFUSED = {
    unwrapped: "formula of one element",
    unknown_option: "period",
    sorted_many: "sort before the call",
}


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_refusals_name_the_users_line(fn):
    """What a text of the library refuses is refused at the call of it."""
    with pytest.raises(CaptureError) as caught:
        ng.op(fn)
    lines, first = inspect.getsourcelines(fn)
    line = first + next(k for k, text in enumerate(lines) if "# here" in text)
    message = str(caught.value)
    assert message.startswith(f"{fn.__name__}: ") and f"line {line}\n" in message, message
    assert REFUSED[fn] in message and re.search(r"\nInstead: .{8,}\.$", message), message


def test_methods_of_operators_make_operators_in_texts():
    cube = ng.op(lambda x: x**3)
    assert ng.op(lambda x: cube.derivative("x", order=2)(x) + x)(2.0) == 14.0
    with pytest.raises(CaptureError, match="takes constants"):
        ng.op(lambda x: cube.derivative(x)(x))


def test_an_integer_to_a_negative_power_is_a_float_or_an_error():
    """Python gives a float; where the exponent is a value, the dtype cannot depend on it."""
    n = np.array([2, 5, -4])
    np.testing.assert_array_equal(ng.op(lambda n: n**-1 + 3 * n**-2)(n), 1 / n + 3 * (1 / n**2))
    assert ng.op(lambda n: 2**n)(5) == 32
    with pytest.raises(ValueError, match=r"write float\(x\) \*\* n .*element 1"):
        ng.op(lambda n: 2**n)(np.array([3, -1]))
    np.testing.assert_array_equal(ng.op(lambda n: 2.0**n)(np.array([3, -1])), [8.0, 0.5])
    np.testing.assert_array_equal(ng.op(lambda n: 1 - 2 ** (-2 * n))(np.array([1])), [0.75])


@pytest.mark.parametrize(("base", "power"), [(4, 31), (10, 18), (-3, 39), (3037000499, 2), (2, 62)])
def test_a_power_of_too_many_bits_is_raised_for(base, power):
    """Whether the base is a literal or an operand; a power that just fits is exact."""
    n, bases = np.array([power]), np.array([base])
    forms = (lambda a, n: a**n, lambda a, n: +pow(a, n), lambda a, n: +operator.pow(a, n))
    for op, operands in (*((ng.op(f), [bases]) for f in forms), (ng.op(lambda n: base**n), [])):
        assert op(*operands, n) == base**power
        with pytest.raises(OverflowError, match="more than 64 bits"):
            op(*operands, n + 1)


def test_a_power_of_integers_beside_floats_has_pythons_room():
    """300**8 has more than 64 bits: it wrapped, and the formula around it gave anything."""
    heat = lambda t: 4.2 - 1.5e-3 * t**3 + t**8 / 3.0e20 - 2.0e10 / t**7
    t = np.array([-900, 1, 300, 1973])
    np.testing.assert_allclose(ng.op(heat)(t), [heat(v) for v in t.tolist()], rtol=1e-14)


def test_the_part_behind_the_point_rises_by_one():
    """Also where it is zero, from below: an earlier form had the slope -1 there."""
    x = np.array([0.0, -0.0, -1.0, 2.0, -2.5, np.inf])
    part = ng.op(lambda x: math.modf(x)[0])
    np.testing.assert_array_equal(np.signbit(part(x)), np.signbit(np.modf(x)[0]))
    np.testing.assert_array_equal(part.derivative()(x[:-1]), np.ones(5))


def cents(x):
    return round(x, 2), round(x, 1), round(2.675, 2), round(x, -1), round(x, 6)


def test_round_is_that_of_python_where_scaling_makes_ties():
    """NumPy's gives 2.68 for 2.675, which is less; `np.round` keeps to that."""
    ties = np.arange(-2001, 2001, 2) / 200
    x = np.concatenate([ties, np.nextafter(ties, 9.0), np.nextafter(ties, -99.0)])
    got = ng.op(cents)(x)
    np.testing.assert_array_equal(np.transpose(got), [cents(v) for v in x.tolist()])
    np.testing.assert_array_equal(ng.op(lambda x: round(x, 2))(1e300 * ties), 1e300 * ties)
    np.testing.assert_array_equal(ng.op(lambda x: np.round(x, 2))(x), np.round(x, 2))


def test_a_lambda_of_a_constant_has_a_text():
    """Python 3.12 keeps no columns of a constant result: the line, and the parameters, find it."""
    constant = lambda x: -1.5  # noqa: E731
    for function in (constant, lambda x: 2.5):
        assert ng.op(function).explain().to_dict()["opaque"] == []
        assert ng.op(function)(np.ones(2)).tolist() == [function(1.0)] * 2
