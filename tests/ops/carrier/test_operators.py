"""Python's operators on any carrier."""

import operator

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array.operators import Operators as Quick
from nbgraph.ops.carrier import operators
from tests.ops.carrier.double import Double, agree

WAYS = dict(operators.ways())
BITS = ("and", "or", "xor", "lshift", "rshift", "invert")


def sample(written):
    whole = any(bit in written for bit in BITS)
    x = np.array([[1, 2], [3, 4]]) if whole else np.array([[1.5, 2.0], [3.0, 0.25]])
    y = np.array([[3, 1], [2, 5]]) if whole else np.array([[2.0, 0.5], [1.5, 3.0]])
    return x, y


def python(written):
    """The function of Python that asks for a method such as `__radd__`."""
    name = written.strip("_")
    swapped = WAYS[written].swapped
    plain = name[1:] if swapped else name
    plain = f"{plain}_" if plain in ("and", "or") else plain
    return divmod if plain == "divmod" else getattr(operator, plain)


@pytest.mark.parametrize("written", WAYS)
def test_an_operator_of_python_is_one_of_the_library(written):
    """API rule 1, 10: with arrays, numbers and NDArrays beside it, in either order."""
    way, apply = WAYS[written], python(written)
    x, y = sample(written)
    if way.operands == 1:
        agree(apply(Double(x)), apply(x), way.name)
        return
    others = [(y, y), (ng.array(y), y), (Double(y), y), (2, 2)]
    for other, plain in others[: 3 if way.name == "matmul" else 4]:
        d = Double(x)
        found = apply(other, d) if way.swapped else apply(d, other)
        wanted = apply(plain, x) if way.swapped else apply(x, plain)
        if way.name == "divmod":
            for f, w in zip(found, wanted, strict=True):
                agree(f, w, "divmod")
        else:
            agree(found, wanted)
            assert len(found.applied) == 1


def test_arrays_have_quick_ways_for_the_same_operators():
    """X-NDA-04: each of one result, and no other."""
    quick = {n for n in vars(Quick) if n in WAYS}
    assert quick == {n for n, way in WAYS.items() if way.name != "divmod"}
    one = {f"__i{n.strip('_')}__" for n in quick} & set(vars(Quick))
    assert len(one) == 13 and not any(hasattr(Double, name) for name in one)


def test_who_does_not_take_part_is_asked_first():
    class Own:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "own"

    d = Double(np.ones(2))
    assert d + Own() == "own"
    assert (d == None) is False  # noqa: E711
    for other in ("text", object(), float):
        assert (d == other) is False
        with pytest.raises(TypeError, match="unsupported operand"):
            d + other


def test_in_place_makes_another_one():
    """Without memory there is nothing to write: the name stands for a new result."""
    d = first = Double(np.ones(2))
    d += 1
    assert d is not first
    agree(d, [2.0, 2.0], "add")
    assert first.applied == () and len({first, d}) == 2
