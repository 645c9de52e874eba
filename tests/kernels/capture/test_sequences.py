"""Tuples, comprehensions, nested functions and whole numbers: as Python runs the same text."""

import contextlib
import functools
import itertools
import math
import operator
import pickle
import re
from typing import NamedTuple

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import KernelError
from nbgraph.kernels.capture import integers


class Spring(NamedTuple):
    k: float
    rest: float


class Gain:
    def __init__(self, factor):
        self.factor = factor

    def times(self, x):
        return self.factor * x


SPRING, GAIN = Spring(2.0, 0.5), Gain(1.5)
TRIPLED = functools.partial(operator.mul, 3.0)
COEFFICIENTS = (0.5, -1.0, 2.0)


def horner(x):
    total = 0.0
    for c in reversed([*COEFFICIENTS, 1.0]):
        total = total * x + c
    return total, sum(c * x**i for i, c in enumerate(COEFFICIENTS)), len(COEFFICIENTS)


def series(x, *, terms=30):
    return math.fsum(x**k / math.factorial(k) for k in range(terms))


def pairs(x):
    total = 10.0  # not the total of sum()
    return sum(total * i * j * x for i in range(4) for j in range(i) if i % 2) + total


def compared(x):
    return any(x > k for k in (1, 2)), all([x > -1, x < 2]), max([k * x for k in range(-2, 3)])


def looked_up(x):
    heights = (0.5, 1.5, 2.5)
    return heights[math.floor(x)], heights[1:][-1] + heights[x > 0], sum((x, 1.0, *heights))


def quadrature(x):
    def whole(f, low, high):
        return sum(f(low + (high - low) * (i + 0.5) / 40) for i in range(40)) * (high - low) / 40

    speed = 1.0
    wave = lambda t, scale=0.5 * speed: scale * math.sin(speed * t)  # noqa: E731
    speed = 2.0 + 0.0 * x  # seen by wave, its default is not
    return whole(wave, 0.0, x)


def endless(x):
    guess = 1.0
    while True:
        better = 0.5 * (guess + (1 + x * x) / guess)
        for _ in range(3):
            if better > 0:
                break
        if abs(better - guess) < 1e-13:
            return better
        guess = better


def outside(x):
    shifted = GAIN.times(x) - SPRING.rest
    return SPRING.k * shifted, TRIPLED(x), functools.reduce(operator.add, map(abs, (x, 1.0)))


def parts(x):
    whole = math.modf(x)
    near = math.isclose(x, 1.0, rel_tol=0.1)
    return *whole, near, math.ldexp(x, -3), math.remainder(x, 0.75), np.clip(x, a_min=0, a_max=2)


def cases(x):
    total = 0.0
    for step in range(20):
        match math.floor(x) + step, x > 1:
            case 0 | 2, _:
                total += x
            case n, large if large and n > 4:
                total += n * x
            case 3, large:
                total += large
            case _:
                total -= 0.5
    match x:
        case 1:
            return total
        case y if y < 0:
            total = y * total
    return total


def infinite(x):
    return min(x, float("inf")), max((x, float("-inf"))), math.hypot(x, 2.0, 3.0), math.dist(
        (x, 1.0), (0.0, 2.0)
    )  # fmt: skip


def halved(x):
    low, high = 0.0, 4.0
    while high - low > 1e-13:  # never in float32
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < x else (low, middle)
    return high


def scaled_root(x, *, two=2.0):
    """A loop over the parameter alone, outside of all others."""
    root = two
    while abs(root * root - two) > 1e-20:
        root = 0.5 * (root + two / root)
    return x * root


def in_turns(x):
    """Newton's method, which takes turns between two neighbours for a quarter of all float32."""
    root, step = x, 1.0
    while abs(step) > 1e-12:
        step = (root * root - x) / (2 * root)
        root -= step
    return root


def counted(x):
    """The trips are counted, and the condition does not depend on how many there were."""
    root, trips = x, 0
    while abs(root * root - x) > 1e-12:
        root = 0.5 * (root + x / root)
        trips += 1
    return root, trips


def returned(x):
    root, trips = x, 0
    while True:
        trips += 1
        if abs(root * root - x) < 1e-12:
            return root
        root = 0.5 * (root + x / root)


ENDS = {
    "numpy": lambda op, x: op(x),
    "again": lambda op, x: op(x),  # by the short way
    "number": lambda op, x: op(x[0]),
    "array": lambda op, x: op(ng.array(x)).asnumpy(),
    "jit": lambda op, x: ng.jit(lambda v: op(v) * 2)(ng.array(x)).asnumpy(),
    "reduced": lambda op, x: ng.sum(op(ng.array(x))).asnumpy(),
    "backward": lambda op, x: op.derivative(0)(x) + op(x),
}


@pytest.mark.parametrize("function", [halved, scaled_root])
@pytest.mark.parametrize("compiler", ["llvm", "numba"])
def test_a_loop_that_changes_nothing_is_an_error(function, compiler):
    """In every world, with the user's line; the next call, on what the loop can do, is none."""
    op = ng.op(function, certify=False)
    x = np.array([0.5, 2.0, 9.0], np.float32)
    line = function.__code__.co_firstlineno
    for name, way in ENDS.items():
        with ng.config(compiler=compiler), pytest.raises(KernelError) as caught:
            way(op, x)
        with contextlib.suppress(KernelError):  # of values between, which nobody asks for
            ng.waitall()
        found = re.match(
            rf"{function.__name__}\w*: the `while` loop at test_sequences.py:(\d+) would",
            str(caught.value),
        )
        assert found, f"{name}: {caught.value}"
        assert line < int(found[1]) < line + 6
    if function is halved:
        wide = x.astype(np.float64)
        np.testing.assert_allclose(op(wide), np.sqrt(wide), rtol=1e-13)
    else:
        np.testing.assert_allclose(op(x, two=4.0), 2 * x)


@pytest.mark.parametrize("function", [in_turns, counted, returned])
@pytest.mark.parametrize("compiler", ["llvm", "numba"])
def test_a_loop_whose_numbers_come_back_is_an_error(function, compiler):
    """A tolerance of float64 leaves no kernel of float32 running for ever."""
    op, x = ng.op(function), np.linspace(1.5, 5.0, 200)
    first = lambda values: values[0] if function is counted else values
    with ng.config(compiler=compiler):
        np.testing.assert_allclose(first(op(x)), np.sqrt(x), rtol=1e-12)
        np.testing.assert_allclose(first(op.derivative(0)(x)), 0.5 / np.sqrt(x), rtol=1e-9)
        with pytest.raises(KernelError, match="would go on for ever"):
            op(x.astype(np.float32))
        with pytest.raises(KernelError, match="would go on for ever"):
            first(op(ng.array(x, dtype="float32"))).asnumpy()
        with contextlib.suppress(KernelError):
            ng.waitall()


def until_it_settles(x):
    """What a trip finds first is None before the loop, and the condition goes by it."""
    before, trips = None, 0
    while before is None or abs(before - x) > 1e-9:
        before, x = x, (x + 2 / x) / 2
        trips += 1
    return x * trips


def by_states(x):
    state = "up"
    while state != "done":
        x = x + 1 if state == "up" else x - 0.5
        if x > 6:
            state = "down"
        if state == "down" and x < 5.2:
            state = "done"
    return x


def at_random(x):
    seed = 12345
    while seed / 2**31 < 0.99:
        seed = (1103515245 * seed + 12345) % 2**31
    return seed / 2**31 * x


@pytest.mark.parametrize("function", [until_it_settles, by_states, at_random])
def test_a_loop_that_ends_is_no_error(function):
    x = np.array([0.3, 1.25, 2.4, 3.3])
    np.testing.assert_allclose(ng.op(function)(x), [function(v) for v in x.tolist()], rtol=1e-13)


def test_nan_leaves_a_loop_without_an_error():
    assert np.isnan(ng.op(halved)(np.array([4.0, np.nan]))).tolist() == [False, False]
    got = ng.op(endless)(np.array([np.nan, 0.75, np.inf], np.float32))
    np.testing.assert_array_equal(got, np.array([np.nan, 1.25, np.nan], np.float32))


def bits(n):
    while n:
        yield n % 2
        n //= 2


def terms(x, count=9):
    term = 1.0
    for k in range(count):
        if k == 7:
            return
        yield term
        term = term * x / (k + 1)
    yield math.nan


def yielded(x):
    """Generators: helpers and nested ones, gone through by loops and functions."""

    def both():
        yield from (x, 2.0 * x)
        yield 3.0, 4.0

    first, second, (third, _) = both()
    last = 0.0
    for last in terms(x):
        if last < 0.1:
            break
    places = sum(place * bit for place, bit in enumerate(bits(int(10.0 * abs(x)))))
    some = sum(itertools.islice(terms(x), 3))
    return sum(terms(x)), max(terms(x)), last, places, some, first * second + third


SHORT, LONG = (0.5, -1.0), (2.0, 0.25, 1.0, -3.0)


def of_several_lengths(x):
    """Coefficients by ranges, as texts of special functions have them."""
    if x < 0.0:
        above, below = SHORT, LONG
    elif x < 1.5:
        above, below = LONG, (1.0, x, 0.0)
    else:
        above, below = (x, 2.0, x), SHORT
    total = 0.0
    for coefficient in reversed(above):
        total = total * x + coefficient
    return total / (9.0 + sum(c * x**i for i, c in enumerate(below))), len(above), below[-1]


X = np.array([0.5, 1.0, 2.0, -1.5, -0.25, 2.75, 1.125])
FUNCTIONS = [horner, series, pairs, compared, quadrature, endless, outside, parts, cases, infinite]
FUNCTIONS += [yielded, of_several_lengths]


def numbers(result):
    if not isinstance(result, (tuple, list)):
        return [result]
    return [n for part in result for n in numbers(part)]


def together(result):
    return np.array(numbers(result), np.float64)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_a_value_is_that_of_the_text(fn):
    """SMP-39: the text may be what a user of Python writes."""
    wanted = np.stack([together(fn(x)) for x in X.tolist()], axis=1)
    np.testing.assert_allclose(together(ng.op(fn)(X)), wanted, rtol=1e-13, atol=1e-15)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(together(ng.op(fn)(X)), wanted, rtol=1e-13, atol=1e-15)


def test_an_index_outside_gives_nan_where_that_is_asked_for():
    x = np.array([0.5, 2.5, -1.0, -3.0, 3.0, -3.5, np.nan])
    with pytest.raises(IndexError, match="out of range"):
        ng.op(looked_up)(x)
    first, *_ = ng.op(looked_up, on_invalid="nan")(x)
    np.testing.assert_array_equal(first, [0.5, 2.5, 2.5, 0.5, np.nan, np.nan, first[-1]])
    wanted = np.stack([together(looked_up(v)) for v in x[:4].tolist()], axis=1)
    np.testing.assert_array_equal(together(ng.op(looked_up)(x[:4])), wanted)


def test_slope_and_pickle_of_nested_functions():
    """SMP-40; the text of a nested function is part of the operator's."""
    slope = pickle.loads(pickle.dumps(ng.op(quadrature).derivative(0)))
    h = 1e-5
    wanted = [(quadrature(v + h) - quadrature(v - h)) / (2 * h) for v in X.tolist()]
    np.testing.assert_allclose(slope(X), wanted, rtol=1e-8)


def whole_numbers(n):
    ways = math.comb(n, 3), math.perm(n, 2), math.factorial(n)
    return math.gcd(n, 12), math.lcm(n, 10), math.isqrt(n * n + n), *ways


def test_functions_of_whole_numbers():
    n = np.array([0, 1, 2, 7, 12, 60, 18])
    wanted = np.stack([together(whole_numbers(v)) for v in n.tolist()], axis=1)
    np.testing.assert_allclose(together(ng.op(whole_numbers)(n)), wanted, rtol=1e-14)
    edge = 3037000499
    large = np.array([2**63 - 1, edge**2, edge**2 - 1, 2**53 - 1, 2**62])
    got = ng.op(lambda n: math.isqrt(n) + 0)(large)
    assert got.tolist() == [math.isqrt(v) for v in large.tolist()]


WHOLE = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", WHOLE)
def test_whole_numbers_do_not_wrap_in_narrow_dtypes(dtype):
    """Python's integers have no width; what is beyond 64 bits is the largest number."""

    def counted(n, k):
        return math.comb(n, k), math.perm(n, k), math.lcm(n, k), math.gcd(n, k), math.isqrt(n)

    n, k = (
        np.array(numbers, dtype) for numbers in ([60, 30, 5, 0, 67, 119], [30, 15, 7, 0, 33, 2])
    )
    results = ng.op(counted)(n, k)
    for result, function in zip(results[:4], (math.comb, math.perm, math.lcm, math.gcd)):
        wanted = [min(function(a, b), 2**63 - 1) for a, b in zip(n.tolist(), k.tolist())]
        assert result.dtype == ("uint64" if dtype == "uint64" else "int64")
        assert result.tolist() == wanted
    assert results[4].tolist() == [math.isqrt(a) for a in n.tolist()]


@pytest.mark.parametrize("name", ["comb", "perm"])
def test_counting_is_exact_up_to_the_largest_integer(name):
    for n in range(80):
        for k in range(n + 3):
            exact = min(getattr(math, name)(n, k), 2**63 - 1)
            assert getattr(integers, name)(n, k) == exact


def test_numbers_of_the_text_are_pythons():
    assert ng.op(lambda x: math.comb(100, 50) * x)(1.0) == float(math.comb(100, 50))


def single(x):
    return np.float32(x)


def half(x):
    return np.float16(x) * 3.0


def wide(x):
    return np.float64(x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("compiler", ["llvm", "numba"])
def test_casts_to_narrow_floats_round(dtype, compiler):
    """As NumPy rounds, with overflow and subnormal numbers; the slope is that of the number."""
    x = np.array([0.1, 1 / 3, -7.0, 65520.0, 1e300, -2.5e-46, 3e-8, np.nan, np.inf])
    with np.errstate(all="ignore"), ng.config(compiler=compiler):
        x = x.astype(dtype)
        for function, narrow in ((single, "float32"), (half, "float16"), (wide, "float64")):
            factor = 3 if function is half else 1
            wanted = (x.astype(narrow).astype(dtype) * factor).astype(dtype)
            op = ng.op(function)
            np.testing.assert_array_equal(op(x), wanted, strict=True)
            np.testing.assert_array_equal(op.derivative("x")(x[:4]), np.full(4, factor, dtype))
            assert op(2**25 + 1) == (narrow == "float64") + (
                2**25 if narrow != "float16" else np.inf
            )


def test_a_cast_in_the_text_is_shown_and_made_for_devices():
    op = ng.op(half)
    assert op.explain().text.endswith("np.float16(x) * 3.0")
    assert op.ptx("float64") and op.ptx("float32")
    scaled = ng.op(lambda x, y: np.float32(x) * y, name="scaled")
    assert "np.float32(x)" in scaled.explain().derivatives["y"]
    assert ng.op(lambda x: np.float32(0.1) * x)(1.0) == float(np.float32(0.1))
