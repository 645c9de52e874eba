"""A scalar operator with reductions of what it gives: shapes, values, what does not fit."""

import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.operator.rows.map_reduce import Reduction, map_reduce_op
from nbgraph.ops.define import operator_of
from nbgraph.ops.elementwise.exponential import exp

WAYS = {"sum": "add", "prod": "multiply", "max": "max", "min": "min"}


def reduction(name, axes, *, keepdims=False):
    op = operator_of(getattr(ng, name))
    attributes = {"axis": tuple(range(-axes, 0)), "keepdims": keepdims}
    if name in ("sum", "prod"):
        attributes["dtype"] = None
    return Reduction(WAYS[name], axes, op, tuple(attributes.items()))


def attributes(*reductions):
    parts = [Part(ng.multiply, (("in", 0), ("number", 0))), Part(exp, (("part", 0, 0),))]
    mapper, parameters = fuse("scaled_exp", parts, [(1, 0) for _ in reductions])
    return {
        "mapper": mapper,
        "parameters": tuple(parameters.items()),
        "numbers": (0.5,),
        "reductions": reductions,
    }


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("keepdims", [False, True])
def test_values_and_their_reduction(name, keepdims):
    """X-SYM-05: the naive version is the operators one after another."""
    x = np.random.default_rng(0).normal(size=(3, 5, 7)).astype("float32")
    given = attributes(None, reduction(name, 2, keepdims=keepdims))
    values, total = map_reduce_op("both", 2)(x, **given)
    expected = ng.exp(x * 0.5)
    np.testing.assert_array_equal(values, expected)
    again = getattr(ng, name)(expected, axis=(1, 2), keepdims=keepdims)
    np.testing.assert_array_equal(total, again)
    told = map_reduce_op("both", 2).infer([Spec.of(x)], given)
    assert told == (Spec.of(values), Spec.of(total))


def test_equal_operators_are_one():
    assert map_reduce_op("one", 2) is map_reduce_op("one", 2)
    op = map_reduce_op("one", 3)
    assert pickle.loads(pickle.dumps(op)) is op
    assert repr(reduction("sum", 2)) == "sum[2]"


def test_what_does_not_fit_is_told_by_name():
    op = map_reduce_op("scaled", 1)
    with pytest.raises(ShapeError, match="max: no elements along axis"):
        op(np.ones((2, 0), "float32"), **attributes(reduction("max", 1)))
    with pytest.raises(ShapeError, match=r"sum.*axis"):
        op(np.ones((), "float32"), **attributes(reduction("sum", 1)))
