"""`%`, `//` and fmod: of floats vectors for quotients of a moderate size, every bit Python's; of
integers vectors up to 32 bits, every number NumPy's."""

import math

import numpy as np
import pytest

import nbgraph as ng
from benchmarks import ulp
from nbgraph.kernels import vector_math
from tests import worlds


def remainder(x, y):
    return x % y


def floor_division(x, y):
    return x // y


def c_remainder(x, y):
    return np.fmod(x, y)


def wrapped(x):
    return x % 360.0


def fraction(x):
    return x % 1.0


def by_a_power_of_two(x):
    return x % -8.0 + x // 4.0 + np.fmod(x, 2.0)


def by_a_small_constant(x):
    return x // 0.3


def in_a_loop(x, y):
    while x > 0.75:
        x = (x * 0.75) % (y * y + 0.5)
    return x


TWO, ONE = (remainder, floor_division, c_remainder), (wrapped, fraction, by_a_power_of_two)
ONE = (*ONE, by_a_small_constant)
NUMPY = {remainder: np.remainder, floor_division: np.floor_divide, c_remainder: np.fmod}
NG = {remainder: ng.remainder, floor_division: ng.floor_divide}


def special(dtype):
    kind, bound = np.finfo(dtype), vector_math.FMOD_BOUND[dtype]
    sizes = [0, kind.smallest_subnormal, kind.tiny, 0.3, 1, 1.5, 2, 3, 360, 1e7, bound, 3 * bound]
    sizes = np.array([*sizes, kind.max / 3, kind.max, np.inf, np.nan]).astype(dtype)
    return np.concatenate([sizes, -sizes])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_quick_form_has_the_same_bits(dtype):
    random, bound = np.random.default_rng(5), vector_math.FMOD_BOUND[dtype]
    y = random.uniform(-9, 9, 20_000).astype(dtype)
    whole = np.floor(random.uniform(0, bound, y.size) ** random.uniform(0, 1, y.size))
    x = np.nextafter((y * whole).astype(dtype), random.choice([-np.inf, 0, np.inf], y.size))
    x = x.astype(dtype)
    near = np.abs(x) <= bound * np.abs(y)
    wanted = np.fmod(x, y)[near]
    found = ulp.evaluate("fmod_small", dtype, x[near], y[near])
    assert worlds.bits(found) == worlds.bits(wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", TWO, ids=lambda f: f.__name__)
def test_two_operands(function, dtype):
    op, kind = ng.op(function), np.dtype(dtype).type
    x, y = (a.ravel() for a in np.meshgrid(special(dtype), special(dtype)))
    with np.errstate(all="ignore"):
        wanted = NUMPY[function](x, y)
    np.testing.assert_array_equal(op(x, y), wanted)
    same = ~np.isnan(wanted)
    assert (np.signbit(op(x, y)) == np.signbit(wanted))[same].all()
    moderate = np.random.default_rng(1).uniform(-50, 50, (2, 501)).astype(dtype)
    assert worlds.bits(op(*moderate)) == worlds.bits(NUMPY[function](*moderate))
    first = moderate[0].copy()
    op(first, kind(0.7), out=first)  # in place nothing is done twice
    assert worlds.bits(first) == worlds.bits(NUMPY[function](moderate[0], kind(0.7)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_constant_divisors(function, dtype):
    values = [special(dtype), np.random.default_rng(2).uniform(-1e4, 1e4, 301).astype(dtype)]
    for x in values:
        with np.errstate(all="ignore"), ng.config(compiler="python"):
            wanted = ng.op(function)(x)
        for world in worlds.WORLDS:
            np.testing.assert_array_equal(np.asarray(world(ng.op(function), x)).ravel(), wanted)
        found = ng.op(function)(x)
        same = ~np.isnan(wanted)
        assert (np.signbit(found) == np.signbit(wanted))[same].all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [*TWO, *ONE, in_a_loop], ids=lambda f: f.__name__)
def test_the_code_is_vectors(function, dtype):
    assert ng.op(function).explain(dtype=dtype).simd.vectorised


def test_in_a_loop_huge_quotients_are_done_again():
    op = ng.op(in_a_loop)
    x, y = np.random.default_rng(3).uniform(0.1, 9.0, (2, 100))
    x[50] = 1e300
    wanted = []
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        while a > 0.75:
            a = math.fmod(a * 0.75, b * b + 0.5)
        wanted.append(a)
    assert op(x, y).tolist() == wanted


def test_slopes_are_those_of_the_piece():
    x, y = np.float64([7.3, -7.3, 1e20]), np.float64([2.0, 2.0, 3.0])
    op = ng.op(remainder)
    assert op.derivative("x")(x, y).tolist() == [1.0, 1.0, 1.0]
    assert op.derivative("y")(x[:2], y[:2]).tolist() == [-3.0, 4.0]
    assert ng.op(fraction).derivative("x")(x).tolist() == [1.0, 1.0, 1.0]


# integers ----------------------------------------------------------------------------------------


def pairs_of(dtype):
    """All pairs of 8 bits; of more, limits, neighbours of multiples, and random numbers."""
    kind, rng = np.iinfo(dtype), np.random.default_rng(5)
    if kind.bits == 8:
        every = np.arange(kind.min, kind.max + 1).astype(dtype)
        return np.repeat(every, 256), np.tile(every, 256)
    ends = [kind.min, kind.min + 1, -2, -1, 0, 1, 2, 3, 7, kind.max - 1, kind.max]
    x, y = np.meshgrid(*[np.array([n for n in ends if n >= kind.min], dtype)] * 2)
    divisors = rng.integers(1, 1 << rng.integers(1, min(kind.bits, 63) - 1, 5000)).astype(dtype)
    multiples = divisors * (rng.integers(0, min(kind.max, 1 << 62), 5000) // divisors).astype(dtype)
    near = np.concatenate([multiples, multiples - dtype(1), multiples + dtype(1)])
    some = rng.integers(kind.min, kind.max, 5000, dtype=dtype)
    return (
        np.concatenate([x.ravel(), near, some]),
        np.concatenate([y.ravel(), np.tile(divisors, 3), some[::-1] >> dtype(3)]),
    )


@pytest.mark.parametrize("compiler", ["llvm", pytest.param("numba", marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", [remainder, floor_division])
@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
)
def test_integers_are_divided_as_by_numpy(dtype, function, compiler):
    x, y = pairs_of(dtype)
    with np.errstate(all="ignore"), ng.config(compiler=compiler):
        wanted = NUMPY[function](x, y)
        op = ng.op(function)
        np.testing.assert_array_equal(op(x, y), wanted)
        np.testing.assert_array_equal(NG[function](ng.array(x), ng.array(y)), wanted)
        for divisor in y[[1, -1]]:
            ours = NG[function](ng.array(x), int(divisor)).asnumpy()
            np.testing.assert_array_equal(ours, NUMPY[function](x, divisor))
