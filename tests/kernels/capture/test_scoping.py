"""Statements that say what names mean: imports in the function, `del`, `global`, quiet contexts."""

# ruff: noqa: I001, ICN001, PLW0602, F821, PTH123 - as people write them

import warnings

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

X = np.array([0.25, 0.5, 2.0])
SCALE = 3.0


def module(x):
    import math

    return math.exp(x) + math.pi


def module_by_another_name(x):
    import math as m
    import numpy as xp

    return m.exp(x) * xp.cos(x)


def names_of_a_module(x):
    from math import cos, pi as half_turn

    return cos(half_turn * x)


def module_in_a_package(x):
    import scipy.special
    from scipy import special as sp

    return scipy.special.erf(x) - sp.erfc(x)


def domain_of_a_local_module(x):
    from math import log

    return log(x - 0.25)


def deleted(x):
    y = x * 2
    z = y + 1
    del y
    return z


def read_global(x):
    global SCALE
    return SCALE * x


def quiet(x):
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        y = np.sqrt(x)
        if y > 1:
            return -y
    return y


def inner_import(x):
    def helper(t):
        import math

        return math.sin(t)

    return helper(x) + sum(helper(t) for t in (x, 2 * x))


FUNCTIONS = (
    module,
    module_by_another_name,
    names_of_a_module,
    module_in_a_package,
    deleted,
    read_global,
    quiet,
    inner_import,
)


@pytest.mark.parametrize("compiler", ["llvm", "python"])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values(fn, compiler):
    with ng.config(compiler=compiler):
        np.testing.assert_allclose(ng.op(fn)(X), [fn(x) for x in X], rtol=1e-14)


def test_modules_of_the_text_follow_numpy_in_the_reference_too():
    for compiler in ("llvm", "python"):
        with ng.config(compiler=compiler):
            got = ng.op(domain_of_a_local_module)(np.float32([0.125, 0.25, 1.25]))
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, np.float32([np.nan, -np.inf, 0.0]))


def test_a_global_that_is_read_is_watched(monkeypatch):
    op = ng.op(read_global)
    np.testing.assert_array_equal(op(X), 3 * X)
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    np.testing.assert_array_equal(op(X), 4 * X)


def use_after_del(x):
    y = 2 * x
    del y
    return y


def unknown_module(x):
    import no_such_module_here

    return no_such_module_here.f(x)


def unknown_name(x):
    from math import no_such_name

    return no_such_name(x)


def file(x):
    with open("numbers") as numbers:
        return x


def changed_global(x):
    global SCALE
    SCALE = x
    return x


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (use_after_del, "'y' was deleted"),
        (unknown_module, "no_such_module_here"),
        (unknown_name, "no_such_name"),
        (file, "np.errstate"),
        (changed_global, "'SCALE' is assigned"),
    ],
    ids=lambda fn: getattr(fn, "__name__", ""),
)
def test_refusals(fn, said):
    with pytest.raises(CaptureError, match=said):
        ng.op(fn)


def draws_of_a_closure(seed):
    def draw():
        nonlocal seed
        seed = (seed * 1103515245 + 12345) % 2**31
        return seed / 2**31

    inside, points = 0, [draw() for _ in range(3)]
    for _ in range(40):
        x, y = draw(), draw()
        inside += x * x + y * y < 1
    while draw() < 0.9:
        inside += 1
    return inside, points[2], sum(draw() for _ in range(seed % 5)), seed


def totals_of_a_closure(n):
    count, late = 0, 1

    def add(k, times=1):
        nonlocal count, late
        if k % 3 == 0:
            return late
        count += k * times
        late = k
        return count

    last = [add(k) if k > 2 else add(k, times=2) for k in range(6)][-1]
    return count, late, last, add(n), add(1) if n > 4 else 0, count


@pytest.mark.parametrize("function", [draws_of_a_closure, totals_of_a_closure])
def test_a_nested_function_assigns_variables_around_it(function):
    n = np.arange(1, 9)
    wanted = np.array([function(int(k)) for k in n], float).T
    np.testing.assert_allclose(np.array(ng.op(function)(n), float), wanted, rtol=1e-14)
