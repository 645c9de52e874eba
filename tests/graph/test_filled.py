"""Zeros, ones and the like in symbols, whose extents follow from where they are used."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ShapeError

SYM = ng.sym


def begin(*shape):
    return SYM.zeros(shape)


X = np.arange(20, dtype="float32").reshape(5, 4)


# a graph of x (5, 4) and zeros of unknown extents, and what it gives
GRAPHS = {
    "operand": (lambda x: begin(0, 4) + x, lambda x: x),
    "second operand": (lambda x: x * SYM.ones((0, 0)), lambda x: x),
    "None": (lambda x: SYM.full((None, 4), 2.0) * x, lambda x: 2 * x),
    "one axis": (lambda x: x + begin(0), lambda x: x),
    "chain": (lambda x: begin(0, 4) + begin(0, 4) + x, lambda x: x),
    "chain afterwards": (lambda x: ng.exp(begin(0, 4)) + (begin(0, 0) + 1) + x, lambda x: x + 2),
    "several steps": (lambda x: ng.tanh(ng.tanh(begin(0, 4) + x) + x), None),
    "product": (lambda x: SYM.dot(x, SYM.ones((0, 3))), lambda x: x @ np.ones((4, 3), "float32")),
    "product of rows": (lambda x: SYM.dot(SYM.ones((0, 3)), SYM.ones((3, 4))) + x, lambda x: x + 3),
    "composite": (lambda x: SYM.tile(begin(0, 4) + x, 2), lambda x: np.tile(x, 2)),
    "beside": (
        lambda x: SYM.Concat(begin(0, 3), x, dim=1),
        lambda x: np.concatenate([np.zeros((5, 3), "float32"), x], 1),
    ),
    "stacked": (
        lambda x: SYM.stack([begin(0, 0), x], axis=1),
        lambda x: np.stack([np.zeros_like(x), x], 1),
    ),
    "layers": (
        lambda x: SYM.FullyConnected(begin(0, 2), SYM.ones((4, 2)), num_hidden=4, no_bias=True) + x,
        lambda x: x,
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_extents_follow_from_use(name):
    graph, expected = GRAPHS[name]
    symbol = graph(ng.var("x"))
    (made,) = symbol.eval(x=X)
    if expected is not None:
        np.testing.assert_array_equal(made.asnumpy(), expected(X))
    again = ng.load_json(symbol.tojson())
    np.testing.assert_array_equal(again.eval(x=X)[0].asnumpy(), made.asnumpy())
    assert symbol.infer_shape(x=X.shape)[1] == [made.shape]
    np.testing.assert_array_equal(symbol(x=ng.array(X)).asnumpy(), made.asnumpy())
    bound = symbol.simple_bind(x=X.shape)
    np.testing.assert_array_equal(bound.forward(x=ng.array(X))[0].asnumpy(), made.asnumpy())


def test_a_shape_that_is_known_decides_when_the_graph_is_made():
    assert (begin(0, 4) + ng.var("h", shape=(5, 4))).infer_shape()[1] == [(5, 4)]


def test_recurrent_begin_states():
    state = begin(0, 3)
    steps = [ng.var(f"x{k}") for k in range(3)]
    for x in steps:
        state = ng.tanh(
            SYM.FullyConnected(x, ng.var("w"), ng.var("b"), num_hidden=3)
            + SYM.FullyConnected(state, ng.var("u"), no_bias=True, num_hidden=3)
        )
    given = {f"x{k}": (7, 2) for k in range(3)}
    shapes, outputs, _ = state.infer_shape(**given)
    assert outputs == [(7, 3)]
    assert dict(zip(state.list_arguments(), shapes, strict=True))["u"] == (3, 3)
    assert state.simple_bind(**given).forward()[0].shape == (7, 3)


@pytest.mark.parametrize("gates", [2, 3])
def test_gates_of_unrolled_cells(gates):
    """X-SYM-02: parts of what is known meet parts of states, before any dtype is chosen."""
    x, state = ng.var("x"), begin(0, 3)
    for _ in range(2):
        own, other = (
            SYM.FullyConnected(data, ng.var(name), no_bias=True, num_hidden=3 * gates)
            for data, name in ((x, "w"), (state, "u"))
        )
        parts = [SYM.SliceChannel(data, num_outputs=gates) for data in (own, other)]
        first, *others = [a + b for a, b in zip(*parts, strict=True)]
        for gate in others:
            state = (SYM.ones_like(first) - gate) * first + gate * state
    shapes, outputs, _ = state.infer_shape(x=(7, 2))
    assert outputs == [(7, 3)] and shapes == [(7, 2), (3 * gates, 2), (3 * gates, 3)]


def test_what_stays_unknown_is_refused():
    symbol = SYM.sum(SYM.zeros((0, 4))) + ng.var("x")
    assert symbol.infer_shape(x=(2,)) == (None, None, None)
    with pytest.raises(ShapeError, match=r"zeros: shape \(\?, 4\) does not follow"):
        symbol.eval(x=[1.0, 2.0])


def test_extents_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError):
        (begin(0, 3) + ng.var("x")).eval(x=X)


def test_real_empty_axes_stay():
    assert ng.zeros((0, 4)).shape == (0, 4)
    assert (ng.zeros((0, 4)) + ng.ones((1, 4))).shape == (0, 4)

    @ng.jit
    def f(x):
        return ng.zeros((0, 4)) + x

    assert f(ng.ones((1, 4))).shape == (0, 4)
