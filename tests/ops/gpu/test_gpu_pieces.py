"""Operators that GPUs do by copies between parts of arrays, eager and in graphs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import ops
from tests.array.gpu import GPU
from tests.ops.array_calls import CALLS
from tests.ops.gpu.cases import adds, agree

DTYPES = ("float32", "float16", "int8", "bool", "int64")


def numbers(shape, dtype="float32"):
    made = (np.arange(np.prod(shape, dtype=int)) * 7 % 11 - 4).reshape(shape)
    return made.astype(dtype)


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_rolled(data):
    """OPP-24: by any shifts of any axes, some of them named twice."""
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)))
    dtype = data.draw(st.sampled_from(DTYPES))
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=3))
    shifts = tuple(data.draw(st.integers(-9, 9)) for _ in axes)
    agree(lambda x: ops.roll(x, shifts, tuple(axes)), numbers(shape, dtype), tolerance=0)
    agree(lambda x: ops.roll(x, 2), numbers(shape, dtype), tolerance=0)


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_padded_and_joined(data):
    """OPP-24: borders of a number, or of elements that are there; arrays behind each other."""
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    dtype = data.draw(st.sampled_from(DTYPES))
    widths = tuple(data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2))) for _ in shape)
    x = numbers(shape, dtype)
    agree(lambda x: ops.pad(x, widths, constant_values=1), x, tolerance=0)
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        agree(lambda x, mode=mode: ops.pad(x, widths, mode), x, graph=mode == "edge")
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    agree(lambda a, b: ops.concatenate([a, b, a], axis=axis), x, x[::-1].copy(), tolerance=0)
    agree(lambda a, b: ops.stack([a, b], axis=axis), x, x[::-1].copy(), tolerance=0)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (1, 2)])
@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_on_a_diagonal(axes, offset):
    """OPP-24: diagonal_scatter and its gradient; a diagonal that is read is a view."""
    x = numbers((3, 4, 5))
    agree(lambda x: ops.diagonal(x, offset, *axes), x)
    value = np.diagonal(x, offset, *axes).copy()
    agree(lambda v: ops.diagonal_scatter(v, (3, 4, 5), offset, *axes), value)


@pytest.mark.parametrize("name", ["concatenate", "stack", "slice_scatter", "pad", "roll"])
def test_requests(name):
    """OPR-08: what the output holds is added to."""
    operands, attributes = CALLS[name]
    adds(getattr(ops, name), operands, attributes)


def test_views_that_are_none_are_copied_in_graphs():
    """SMP-24: a reshape of a transposed array, as a node of its own and as a result."""
    x = numbers((2, 3, 4))
    agree(lambda x: ops.reshape(ops.transpose(x), (6, 4)), x, tolerance=0)
    agree(lambda x: ops.exp(ops.tile(x, (2, 1, 2))), x)
    agree(lambda x: ng.nd.Reshape(ops.transpose(ops.exp(x)), (-1,)), x, graph=False)


def test_a_reshape_reads_no_memory_of_the_device():
    """SMP-24: what no view has is found out without a copy of the values, which are not here."""
    x = ng.array(numbers((4, 6)), device=GPU).T
    found = ng.nd.Reshape(x, (3, -1))
    np.testing.assert_array_equal(found.asnumpy(), numbers((4, 6)).T.reshape(3, -1))
