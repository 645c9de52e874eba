"""Elements by indices on GPUs: read, written, added up; alike for few and for many positions."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import IndexingError
from nbgraph.ops.gpu import scattering
from nbgraph.ops.shapes.slicing import ALL, Triple
from tests.array.gpu import GPU
from tests.ops.array_calls import CALLS
from tests.ops.gpu.cases import adds, agree

SHAPE = (3, 4, 5)
X = np.sin(np.arange(60.0)).reshape(SHAPE)
DTYPES = ("float32", "float64", "float16", "int8", "uint64", "bool")


@contextlib.contextmanager
def searched(most):
    """Positions are searched in all others up to so many comparisons, else sorted."""
    before, scattering._FEW = scattering._FEW, most
    try:
        yield
    finally:
        scattering._FEW = before


@st.composite
def keys(draw, shape=SHAPE):
    """A template, and index arrays that repeat places."""
    lead = draw(st.lists(st.sampled_from("aasin"), min_size=1, max_size=4))
    template, arrays, axis = [], [], 0
    together = draw(st.sampled_from([(3,), (2, 2), (1, 3), (0,)]))
    for kind in lead:
        if kind == "n":
            template.append(None)
            continue
        if axis == len(shape):
            break
        size = shape[axis]
        axis += 1
        if kind == "s":
            bounds = st.none() | st.integers(-size, size)
            step = draw(st.sampled_from([None, 1, 2, -1]))
            template.append(Triple(draw(bounds), draw(bounds), step))
        elif kind == "i":
            template.append(draw(st.integers(-size, size - 1)))
        else:
            template.append("array")
            own = together[draw(st.integers(0, len(together) - 1)) :]
            count = int(np.prod(own))
            drawn = draw(st.lists(st.integers(-size, size - 1), min_size=count, max_size=count))
            arrays.append(np.array(drawn, np.int64).reshape(own))
    return tuple(template), arrays


def known(key, arrays):
    given = iter(arrays)
    return tuple(
        slice(*p) if isinstance(p, tuple) else next(given) if p == "array" else p for p in key
    )


@settings(max_examples=5, deadline=None)
@given(
    made=keys(), dtype=st.sampled_from(DTYPES), few=st.sampled_from([0, 1 << 28]), data=st.data()
)
def test_every_index_reads_writes_and_adds(made, dtype, few, data):
    """MND-08, OPP-24: as NumPy, the order of additions too, eager and in graphs."""
    key, arrays = made
    x = (X * 9).astype(dtype)
    chosen = x[known(key, arrays)]
    value = data.draw(st.sampled_from([chosen, chosen[..., :1] if chosen.ndim else chosen]))
    value = (value + np.ones((), dtype)).astype(dtype)
    graph = data.draw(st.booleans())
    with searched(few):
        if arrays:
            agree(lambda x, *a: ops.gather(x, *a, key=key), x, *arrays, tolerance=0, graph=graph)
            agree(
                lambda v, *a: ops.scatter_add(v, *a, shape=SHAPE, key=key),
                *(value, *arrays),
                tolerance=0 if dtype != "float32" else 1e-6,
                graph=graph,
            )
        for op in (ops.index_update, ops.index_add):
            agree(
                lambda x, v, *a, op=op: op(x, v, *a, key=key),
                *(x, value, *arrays),
                tolerance=1e-6,
                graph=graph,
            )


@pytest.mark.parametrize("few", [0, 1 << 28])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lines_of_their_own(axis, few):
    """OPP-24: take_along_axis and scatter_along_axis, with gradients."""
    places = np.argsort(np.cos(np.arange(60)).reshape(SHAPE), axis)[:, :, :]
    places[0] = 0
    with searched(few):
        agree(lambda x, i: ops.take_along_axis(x, i, axis), X, places)
        agree(lambda x, i: ops.scatter_along_axis(x, i, SHAPE, axis), X, places)
        agree(lambda x: ops.topk(x, 2, axis), X)
        agree(lambda x, i: ops.pick(x, i, axis), X, places.take(0, axis))


def test_elements_of_an_empty_array():
    agree(lambda x, i: ops.gather(x, i, key=("array", ALL)), X[:, :0, 0], np.arange(2), tolerance=0)


def test_rows_of_a_table():
    """OPP-24: an embedding, its gradient for rows that are named often, and a padding."""
    table, rows = np.cos(np.arange(28.0)).reshape(7, 4), np.array([[0, 6, 0], [0, -1, 3]])
    for few in (0, 1 << 28):
        with searched(few):
            agree(lambda w, i: ops.embedding(i, w), table, rows)
            agree(lambda w, i: ops.embedding(i, w, padding_index=0), table, rows)
            agree(ops.Embedding, rows.astype("float32"), table)


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_indices_beyond_the_ends(mode):
    """OPP-24: are brought within bounds as is asked."""
    agree(lambda x, i: ops.take(x, i, 1, mode=mode), X, np.array([[9, -7], [2, -1]]))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: ops.take(x, i, 0),
        lambda x, i: ops.gather(x, i, key=(ALL, "array")),
        lambda x, i: ops.take_along_axis(x, i[:, None, None], 0),
        lambda x, i: ops.index_update(x, 0.0, i, key=("array",)),
        lambda x, i: ops.scatter_add(x[0, 0, :1], i, shape=(3,), key=("array",)),
    ],
)
def test_an_index_out_of_bounds_is_told_at_the_wait(function):
    """MND-08: with the index; the device goes on, as nothing is written to where that points."""
    x, i = ng.array(X, device=GPU), ng.array(np.array([7]), device=GPU)
    for few in (0, 1 << 28) * 3:
        with searched(few), pytest.raises(IndexingError, match="index 7 is out of bounds"):
            function(x, i).wait_to_read()
        np.testing.assert_array_equal((x + 1).asnumpy(), X + 1)


@pytest.mark.parametrize("name", ["take", "gather", "scatter_add", "index_update", "index_add"])
def test_requests(name):
    """OPR-08: what the output holds is added to."""
    operands, attributes = CALLS[name]
    adds(getattr(ops, name), operands, attributes)
