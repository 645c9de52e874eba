"""Rows of a table as public functions of operators: how options reach them, and what they say."""

import inspect

import numpy as np
import pytest

from nbgraph.errors import ArgumentError
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.ops.define import composed, define_rows

TABLE = """
rolled_by_rows rolled_again(x, count: int = 1, axis=None, dtype=None, *, exact=False, out=None):
    Moved on.
    count : int, by how much
    >>> rolled_by_rows([1, 2, 3])
    array([3, 1, 2])
rolled_twice(x, *, axis=None): Moved on by two.
    = library.negative(rolled_by_rows(x, 2, axis))
rolled_back(x, count: int = 1): Moved back.
    = op(..., count=-count, axis=None, dtype=None, exact=True)
"""
NAMES = "rolled_by_rows rolled_again rolled_twice rolled_back".split()


def roll(name):
    def compute(inputs, outputs, *, count, axis, dtype, exact):
        assert type(exact) is bool
        outputs[0][...] = np.roll(inputs[0], count, axis)

    def infer(x, *, count, axis, dtype, exact):
        return x._replace(dtype=dtype or x.dtype)

    return ArrayOp(name, infer, compute)


@pytest.fixture
def scope():
    made = {"__name__": __name__, "_ROLL": roll("rolled_by_rows"), "_BACK": roll("rolled_back")}
    define_rows(TABLE, made, ("x",))
    yield made
    for name in NAMES:
        registry.remove(name)


def test_options_are_converted_by_their_types(scope):
    rolled = scope["rolled_by_rows"]
    x = np.arange(6).reshape(2, 3)
    assert (rolled(x, np.int8(1), [1]) == np.roll(x, 1, 1)).all()
    assert rolled(x, dtype="float32", exact=1).dtype == np.float32
    for options, message in (
        ({"count": 1.5}, "rolled_by_rows: count=1.5"),
        ({"axis": 1.5}, "rolled_by_rows: axis=1.5"),
    ):
        with pytest.raises(ArgumentError, match=message):
            rolled(x, **options)


def test_expressions_apply_the_operator_or_others(scope):
    assert scope["rolled_twice"]([1, 2, 3]).tolist() == [-2, -3, -1]
    assert scope["rolled_back"]([1, 2, 3]).tolist() == [2, 3, 1]


def test_functions_are_registered_with_operator_aliases_and_documentation(scope):
    rolled = scope["rolled_by_rows"]
    assert registry.find("rolled_again") is registry.find("rolled_by_rows") is rolled
    assert rolled.op is scope["_ROLL"] and rolled.op.__doc__ == rolled.__doc__
    assert not hasattr(scope["rolled_twice"], "op") and scope["rolled_twice"].operands == ("x",)
    assert inspect.getdoc(rolled).splitlines()[:6] == [
        "Moved on.", "", "Parameters", "----------", "x : array", "count : int, by how much",
    ]  # fmt: skip


def test_documentation_by_hand_is_completed_where_it_has_no_sections():
    def short(x, axis=None):
        """Return it.

        x : array, any
        -> array
        """

    def long(x):
        """Return it.

        Parameters
        ----------
        x : array
        """

    given = inspect.getdoc(long)
    try:
        composed("x")(short)
        composed("x")(long)
    finally:
        registry.remove("short")
        registry.remove("long")
    assert inspect.getdoc(long) == given
    assert short.__doc__ == (
        "Return it.\n\nParameters\n----------\nx : array, any\naxis : int, several, or None for "
        "all\n\nReturns\n-------\narray\n"
    )
