"""Operators that differ in literals share a kernel; the bits are those of literals in its text."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.compiler import kernel as kernels
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.kernels.scalar.transplant import MOST
from nbgraph.operator.mapper.mapper import Mapper
from tests.array.gpu import GPU


def affine(c, d):
    return lambda x: c * x + d


def quotient(c, d):
    return lambda x: (x - c) / d


def branches(c, d):
    return lambda x: x * c if x > d else d / (x * x + c)


def loop(c, d):
    def iterated(x):
        for _ in range(3):
            x = x * c + d
        return x

    return iterated


def called(c, d):
    return lambda x: ng.exp(x * c) + x**d


def constant(c, d):
    return lambda x: c if x > 0 else d


FORMS = [affine, quotient, branches, loop, called, constant]
CONSTANTS = [(0.37, 0.81), (1 / 3, -7.25), (3, 4.5), (1e-8, 123456.789), (4.0, 8.0)]
EXTREME = [(1e38, 1e-38), (1e300, -1e300), (float("inf"), 3.5), (float("nan"), 3.5), (-0.0, 3.5)]
CASES = [*CONSTANTS, *EXTREME]


def bits(x):
    """The bits of an array, but for the signs of what is not a number: folded or computed."""
    return np.where(np.isnan(x), np.nan, x).astype(x.dtype).tobytes()


def in_the_text(function):
    """The operator with all of its literals in the text of the kernel."""
    scalar = WrittenFunction(function)
    scalar.shares_kernels = False
    return Mapper(scalar)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bits_are_those_of_literals_in_the_text(form, dtype, full):
    x = np.array([-3, -1, 0, 1, 2, 5, 9] * 5, dtype)
    turn = FORMS.index(form) + len(dtype)
    for constants in CASES if full else CASES[turn % 4 :: 4]:
        shared, own = ng.op(form(*constants)), in_the_text(form(*constants))
        try:
            want = own(x)
        except (ng.errors.NbgraphError, OverflowError, TypeError) as error:
            with pytest.raises(type(error)):
                shared(x)
            continue
        got = shared(x)
        assert got.dtype == want.dtype
        assert bits(got) == bits(want), constants


def kernels_made(function, *arguments):
    """How many kernels a call makes that were not in memory."""
    before = set(kernels._KERNELS)
    function(*arguments)
    return len(set(kernels._KERNELS) - before)


@pytest.mark.parametrize("form", [affine, quotient, branches, loop, constant])
def test_other_constants_make_no_kernel(form):
    x, array = np.float32([1, 2, 3]), ng.array(np.float32([1, 2, 3]))
    ways = {
        "call": lambda op: op(x),
        "array": lambda op: op(array).asnumpy(),
        "strided": lambda op: op(x[::-1]),
        "fold": lambda op: ng.sum(op(array)).asnumpy(),
        "derivative": lambda op: op.derivative("x")(x),
    }
    for name, way in ways.items():
        way(ng.op(form(0.391, 0.873)))
        assert kernels_made(way, ng.op(form(0.392, 0.877))) == 0, name


def test_a_global_that_changes_makes_no_kernel():
    slope = 0.37
    scaled = ng.op(lambda x: slope * x)
    x = np.float32([1, 2, 3])
    assert np.array_equal(scaled(x), np.float32(0.37) * x)
    slope = 0.73
    assert kernels_made(scaled, x) == 0
    assert np.array_equal(scaled(x), np.float32(0.73) * x)


def test_fused_operators_that_differ_in_literals():
    a = ng.array(np.float32([1, 2, 3]))

    def bound(c):
        inner = ng.op(affine(c, 0.81))
        return ng.jit(lambda x: ng.exp(inner(x)) - x)

    first = bound(0.391)(a).asnumpy()
    assert kernels_made(lambda: bound(0.392)(a).asnumpy()) == 0
    assert not np.array_equal(first, bound(0.392)(a).asnumpy())


@pytest.mark.parametrize("exponent", [2, 3, 0.5, 1.5])
def test_exponents_stay_in_the_text(exponent):
    """A power is made of products or a root by what its exponent is."""
    op = ng.op(lambda x: x**exponent)
    x = np.float32([1, 2, 3])
    assert np.array_equal(op(x), in_the_text(lambda x: x**exponent)(x))
    assert "k0" not in op.explain().source


def test_long_texts_keep_their_literals():
    coefficients = tuple(0.11 * k for k in range(1, MOST + 2))

    def polynomial(x):
        total = 0.0
        for c in coefficients:
            total = total * x + c
        return total

    assert "k0" not in ng.op(polynomial).explain().source


def test_the_libraries_own_literals_stay_in_the_text():
    assert "k0" not in ng.gelu.explain().source


@pytest.mark.parametrize("form", [affine, branches])
def test_on_a_gpu(form):
    x = np.float32([-1, 0.5, 2, 3])
    op = ng.op(form(0.391, 0.873))
    got = op(ng.array(x, device=GPU)).asnumpy()
    assert got.tobytes() == in_the_text(form(0.391, 0.873))(x).tobytes()
