"""Loops whose trips depend on values: groups of elements take them together, to the bit."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import NbgraphError
from nbgraph.kernels.loops import lanewise
from tests import worlds

random = np.random.default_rng(7)


def newton(x):
    y = x
    while abs(y * y - x) > 1e-4 * x:
        y = 0.5 * (y + x / y)
    return y


def leaves_early(x):
    total = 0.0
    for k in range(40):
        if total > 3.0 * x:
            break
        total += x / (k + 1)
    return total


def returns_inside(x):
    for k in range(30):
        if (k + x) * 0.25 > x + x:
            return k * 1.0
    return -x


def counts(x):
    n = 0
    while x > 0.25:
        x = 0.75 * x
        n += 1
    return n


def together(x):
    for k in range(50):
        x = x - x * x * 0.02 if k > 3 else x + 0.5
    return x


def nested(x, y):
    total = 0.0
    for i in range(20):
        step = y
        while step < i * x:
            step = step + step + 0.5
            total += step
        if total > 40.0:
            break
    return total


def loop_after_loop(x, y):
    a = x
    while a < 5.0:
        a = a * 1.5 + y * y
    b = a
    for _ in range(25):
        b = b * 0.9
        if b < x:
            break
    return b - a if b > 0.5 else a


def swaps(x, y):
    for _ in range(21):
        x, y = y, 0.5 * (x + y)
    return x - y


def unused_operand_in_loop(x, y):
    k = 0
    while k * 0.2 < x:
        k += 1
    return y * k


def two_results(x):
    n, y = 0, x
    while y > 1.0 and n < 60:
        y, n = y * 0.5, n + 1
    return y, n * 1.0


def condition(x):
    n = 0
    while x < 4.0:
        x, n = x + x * x + 0.1, n + 1
    return n % 2 == 0


FUNCTIONS = (
    *(newton, leaves_early, returns_inside, counts, together, nested, loop_after_loop, swaps),
    *(unused_operand_in_loop, two_results, condition),
)


def operands(function, size, dtype):
    count = function.__code__.co_argcount
    return [random.uniform(0.1, 3.0, size).astype(dtype) for _ in range(count)]


def plain(function, arrays):
    """The text for each element, in the precision of the arrays."""
    with np.errstate(all="ignore"), ng.config(compiler="python"):
        return ng.op(function)(*arrays)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_groups_give_the_bits_of_the_text(function, dtype):
    op = ng.op(function)
    for size in (1, 2, 63, 64, 65, 200):
        arrays = operands(function, size, dtype)
        wanted = worlds.bits(plain(function, arrays))
        assert worlds.bits(op(*arrays)) == wanted
    assert op.explain(dtype=dtype).simd.vectorised


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_both_compilers_and_every_world_agree(function):
    op, arrays = ng.op(function), operands(function, 77, "float64")
    wanted = worlds.bits(op(*arrays))
    for world in worlds.WORLDS:
        assert worlds.bits(world(op, *arrays)) == wanted, world
    with ng.config(compiler="numba"):
        assert worlds.bits(ng.op(function)(*arrays)) == wanted


def test_any_layout_and_in_place():
    x, y = (random.uniform(0.1, 3.0, (19, 46)) for _ in range(2))
    op = ng.op(nested)
    wanted = op(x, y)
    for a, b in ((x[:, ::2], y[:, ::2]), (x.T, y.T), (x, y[:1]), (x, y[:, :1]), (x[0], 2.0)):
        a, b = np.broadcast_arrays(a, b)
        assert worlds.bits(op(a, b)) == worlds.bits(op(a.copy(), b.copy()))
    op(x, y, out=x)
    assert worlds.bits(x) == worlds.bits(wanted)


@pytest.mark.parametrize("dtype", ["float16", "int32", "uint8"])
def test_other_dtypes(dtype):
    x = random.integers(1, 9, 101).astype(dtype)
    for function in (newton, counts, together):
        assert worlds.bits(ng.op(function)(x)) == worlds.bits(plain(function, [x])), function


def waves(x):
    total = 0.0
    for k in range(30):
        total += math.sin(k * x) * 0.5**k
        if abs(total) > 1.2:
            break
    return total


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trigonometry_of_huge_arguments_is_done_again(dtype):
    op = ng.op(waves)
    moderate, huge = (random.uniform(-s, s, 150).astype(dtype) for s in (3.0, 1e12))
    alone = np.concatenate([op(moderate), op(huge)])
    assert worlds.bits(op(np.concatenate([moderate, huge]))) == worlds.bits(alone)
    np.testing.assert_allclose(alone, plain(waves, [np.concatenate([moderate, huge])]), rtol=1e-4)


def endless(x):
    while x > 0.5:
        x = max(x, 1.0)
    return x


def test_a_loop_that_stands_still_is_an_error_in_any_lane():
    op = ng.op(endless)
    x = np.full(70, 0.25)
    assert worlds.bits(op(x)) == worlds.bits(x)
    for at in (0, 33, 69):
        x[:] = 0.25
        x[at] = 2.0
        with pytest.raises(NbgraphError):
            op(x)
    x[at] = math.nan
    op(x)


def test_derivatives_go_through_groups():
    op, x = ng.op(newton), random.uniform(0.1, 3.0, 130)
    slope = op.derivative("x")
    assert slope.explain().simd.vectorised
    np.testing.assert_allclose(slope(x), 0.5 / np.sqrt(x), rtol=2e-2)


TABLE = tuple(0.25 * k for k in range(23))


def looks_up(x):
    total = 0.0
    for k in range(23):
        total += TABLE[k] * x
        if total > 9.0:
            break
    return total


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lanes_that_have_left_read_no_place_beyond_a_table(dtype):
    op, (x,) = ng.op(looks_up), operands(looks_up, 100, dtype)
    assert worlds.bits(op(x)) == worlds.bits(plain(looks_up, [x]))
    source = op.explain(dtype=dtype).kernel.source.text
    assert "table0(max(0, min(u0_0, 22)))" in source


def raises_late(x):
    k, total = 0, x
    while k < 20 and (k - 6) * (k - 6) > x:
        if k > 7 and x > 0.0:
            raise ValueError("a lane that has left is asked again")
        total += 1.0
        k += 1
    return total


def test_lanes_that_have_left_raise_nothing():
    x = np.where(np.arange(100) % 3 == 0, -1.0, 0.5)
    expected = [raises_late(v) for v in x.tolist()]
    assert ng.op(raises_late, on_invalid="raise")(x).tolist() == expected
    x[41] = 0.0
    x[42] = 1e-9
    assert ng.op(raises_late, on_invalid="raise")(x).tolist() == list(map(raises_late, x.tolist()))


def search(x):
    i = 0
    while i < len(TABLE) - 1 and TABLE[i] < x:
        i += 1
    return i


@pytest.mark.parametrize(("function", "grouped"), [(newton, True), (nested, True), (search, False)])
def test_a_search_goes_element_by_element(function, grouped):
    """A trip that only looks and counts is too short for what groups cost."""
    captured = ng.op(function).scalar.capture(("f",) * ng.op(function).nin, {})
    assert lanewise.suits(captured.graph, captured.outputs, {}) is grouped
