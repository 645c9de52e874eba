"""Whole powers are products by squaring, in every world and in gradients."""

import numpy as np
import pytest

import nbgraph as ng
from tests import worlds


def product(x, n):
    """x to the n by squaring."""
    result, base, k = np.ones_like(x), x, abs(n)
    while k:
        result = result * base if k & 1 else result
        base, k = base * base, k // 2
    return result if n >= 0 else 1 / result


def values(dtype):
    x = np.random.default_rng(3).normal(size=999).astype(dtype)
    return np.where(np.abs(x) < 0.1, x + 1, x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [-8, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8])
def test_whole_powers_are_products(n, dtype):
    x = values(dtype)
    wanted = worlds.bits(product(x, n))
    literal = ng.op(lambda x, _n=n: x**_n)
    ways = (lambda a: ng.power(a, n), lambda a: ng.power(a, float(n)), literal)
    for f in ways:
        for world in (*worlds.WORLDS, worlds.expressions):
            assert worlds.bits(world(f, x)) == wanted, world
    assert worlds.bits(ng.power(x, np.full_like(x, n))) == wanted
    assert worlds.bits(ng.array(x) ** n) == wanted


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_slopes_of_whole_powers_are_products(n):
    x = values("float32")
    a = ng.array(x)
    a.attach_grad()
    with ng.autograd.record():
        y = a**n
    y.backward()
    assert worlds.bits(a.grad) == worlds.bits(np.float32(n) * product(x, n - 1))


def test_powers_beyond_the_range():
    """A product that overflows says nothing of its inverse."""
    tiny = ng.power(np.float32([1e14, 3e38, np.inf, -np.inf, -0.0]), np.float32(-3))
    np.testing.assert_allclose(tiny, np.float32([1e-42, 0, 0, -0.0, -np.inf]), rtol=1e-2)
    assert np.signbit(tiny[3])


def literal_power(n):
    return ng.op(lambda x: x**n)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [9, 12, -14, 360])
def test_literal_powers_are_products(n, dtype):
    x = values(dtype)
    with np.errstate(all="ignore"):
        wanted = worlds.bits(product(x, n))
    op = literal_power(n)
    for world in (*worlds.WORLDS, worlds.expressions):
        assert worlds.bits(world(op, x)) == wanted, world
    explanation = op.explain(dtype=dtype)
    assert "pow" not in explanation.kernel.source
    assert explanation.simd.vectorised


@pytest.mark.parametrize("n", [12, 60, 360])
def test_literal_powers_are_those_of_a_neighbour(n):
    """They are exact powers of numbers that are x to half a unit in the last place."""
    x = np.random.default_rng(0).uniform(0.9, 1.1, 999)
    exact = np.power(x.astype(np.longdouble), n)
    off = np.abs(literal_power(n)(x) - exact) / exact
    assert float(off.max()) <= n * np.finfo(np.float64).eps / 2


def test_powers_of_literals_are_pythons():
    fortieth, tenth, root = 3.0**40, 10.0**-12, 2**0.5
    op = ng.op(lambda x: x * 3.0**40 + 10.0**-12 + 2**0.5)
    x = np.float64([0.1, 1.0, 7.0])
    assert worlds.bits(op(x)) == worlds.bits(x * fortieth + tenth + root)
    assert "pow" not in op.explain().kernel.source
