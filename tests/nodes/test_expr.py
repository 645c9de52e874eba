"""Expressions: every operator of the library applies to them, with its own gradient."""

import random

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.nodes import node as nodes
from nbgraph.nodes import passes

RNG = np.random.default_rng(11)
A, B = RNG.uniform(0.2, 0.9, (3, 4)), RNG.uniform(0.2, 0.9, (3, 4))
# Marian's operations, as the library or the language writes them
FAMILIES = {
    "sigmoid": ng.sigmoid,
    "swish": ng.swish,
    "gelu": ng.gelu,
    "tanh": ng.tanh,
    "relu": ng.relu,
    "leakyrelu": ng.leaky_relu,
    "log": ng.log,
    "exp": ng.exp,
    "sin": ng.sin,
    "cos": ng.cos,
    "tan": ng.tan,
    "sqrt": ng.sqrt,
    "square": ng.square,
    "abs": abs,
    "minus": lambda a: -a,
    "scalar": lambda a: 2.0 - a / 3.0 + a**2,
    "clip": lambda a: a.clip(0.3, 0.7),
    "cumsum": lambda a: ng.cumsum(a, axis=1),
    "sort": lambda a: ng.sort(a, axis=1),
    "softmax": lambda a: ng.exp(a - ng.logsumexp(a, axis=1, keepdims=True)),
    "logsumexp": lambda a: ng.logsumexp(a, axis=1),
    "sum": lambda a: a.sum(axis=0),
    "mean": lambda a: a.mean(),
    "var": lambda a: a.var(axis=1),
    "std": lambda a: ng.std(a, axis=1),
    "max": lambda a: a.max(axis=1),
    "min": lambda a: a.min(axis=1, keepdims=True),
    "prod": lambda a: a.prod(axis=1),
    "transpose": lambda a: a.T,
    "swapAxes": lambda a: ng.swapaxes(a, 0, 1),
    "reshape": lambda a: a.reshape(2, 6),
    "flatten": lambda a: a.ravel(),
    "slice": lambda a: a[1:, ::2],
    "repeat": lambda a: ng.repeat(a, 2, axis=0),
    "gather": lambda a: a[[2, 0]],
    "index_select": lambda a: ng.take(a, np.array([1, 1]), axis=1),
    "stopGradient": lambda a: a * ng.stop_gradient(a),
}
PAIRS = {
    "plus": lambda a, b: a + b,
    "minus": lambda a, b: a - b,
    "times": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "logaddexp": ng.logaddexp,
    "maximum": ng.maximum,
    "minimum": ng.minimum,
    "dot": lambda a, b: a @ b.T,
    "bdot": lambda a, b: ng.matmul(a.reshape(3, 2, 2), b.reshape(3, 2, 2)),
    "affine": lambda a, b: a @ b.T + a[:, :1],
    "concatenate": lambda a, b: ng.concatenate([a, b], axis=1),
    "where": lambda a, b: ng.where(a > b, a, b * 2.0),
}
LOGIC = {
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "ne": lambda a, b: a != b,
    "le": lambda a, b: a <= b,
    "argmax": lambda a, b: ng.argmax(a, axis=1),
}


def judged(fn, *points):
    """Value and gradients in the graph, and by the tape of arrays."""
    graph = ng.ExpressionGraph(dtype="float64")
    xs = [graph.param(f"x{i}", p.shape, p) for i, p in enumerate(points)]
    made = fn(*xs)
    weights = np.cos(np.arange(made.size)).reshape(made.shape)
    (made * weights).sum()
    graph.backprop()
    arrays = [ng.array(p) for p in points]
    for a in arrays:
        a.attach_grad()
    with ng.autograd.record():
        expected = fn(*arrays)
        total = (expected * weights).sum()
    total.backward()
    return made.val, expected, [x.grad for x in xs], [a.grad for a in arrays]


@pytest.mark.parametrize("name", [*FAMILIES, *PAIRS])
def test_the_families_of_operations(name):
    """MXP-01, MXP-05, MXP-10: every operation applies to expressions, gives the bits that it gives
    on arrays, and the gradient."""
    fn, points = (FAMILIES[name], (A,)) if name in FAMILIES else (PAIRS[name], (A, B))
    value, expected, gradients, slopes = judged(fn, *points)
    if name == "mean":  # a sum in a graph, which adds up in an order of its own
        np.testing.assert_allclose(value.asnumpy(), expected.asnumpy(), rtol=1e-15)
    else:
        assert value.asnumpy().tobytes() == expected.asnumpy().tobytes()
    for got, slope in zip(gradients, slopes, strict=True):
        np.testing.assert_allclose(got.asnumpy(), slope.asnumpy(), rtol=1e-12, atol=1e-13)


@ng.op
def noisy(x):
    return x * (1.0 + 0.1 * random.gauss(0.0, 1.0))


def test_texts_that_draw():
    """A draw is a constant of its pass, the same forward and backward; of a seed as on arrays."""
    graph = ng.ExpressionGraph(dtype="float64")
    x = graph.param("x", A.shape, A)
    made = noisy(x, key=3)
    made.sum()
    graph.backprop()
    assert made.val.tolist() == noisy(A, key=3).tolist()
    np.testing.assert_allclose(x.grad.asnumpy(), noisy(A, key=3) / A, rtol=1e-12)


@pytest.mark.parametrize("name", LOGIC)
def test_comparisons_have_no_gradient(name, graph):
    """MXP-01: logical comparisons; they are not trainable."""
    a, b = graph.param("a", A.shape, A), graph.param("b", B.shape, B)
    made = LOGIC[name](a, b)
    graph.forward()
    np.testing.assert_array_equal(made.val.asnumpy(), LOGIC[name](A, B))
    assert not made.trainable


def test_the_quick_way_gives_the_bits_of_the_operations(engine):
    """MXP-05, MND-14: a pass over an operator's node is what its operations say."""

    def run(slow):
        graph = ng.ExpressionGraph(dtype="float64")
        a, b = graph.param("a", A.shape, A), graph.param("b", B.shape, B)
        top = ng.sum(ng.tanh(a * b + 2.0) @ a.T - ng.logsumexp(b, axis=1, keepdims=True))
        if slow:
            graph.forward()
            for e in graph.nodes:
                passes.push_forward(e.node) if e.node.forward_ops() else e.node.run_forward()
        else:
            graph.forward()
        if slow:
            kind = type(graph.nodes[0].node)
            own, kind.run_backward = kind.run_backward, nodes.NaryNodeOp.run_backward
            try:
                graph.backward()
            finally:
                kind.run_backward = own
        else:
            graph.backward()
        return [x.asnumpy().tobytes() for x in (top.val, a.grad, b.grad)]

    assert run(slow=True) == run(slow=False)


def test_an_operators_node_shows_its_kernels(graph):
    """MND-03: operations of a library operator, with reads and writes."""
    a, b = graph.param("a", A.shape, A), graph.param("b", B.shape, B, fixed=True)
    y = a * b
    z = a @ b.T
    graph.forward()
    (op,) = y.node.forward_ops()
    assert (op.kind, op.fn, op.reads) == ("element", ng.multiply, (a.val, b.val))
    back = y.node.backward_ops()
    assert back[1] is None and back[0].kind == "add"
    assert back[0].reads == (y.node.adj, b.val) and back[0].writes == (a.node.grad,)
    assert [o.kind for o in z.node.forward_ops()] == ["apply"]


def test_operators_with_parameters_and_several_outputs(graph):
    """MXP-10: scalar parameters count for equality; each output is a node."""
    lean = ng.op(lambda x, *, slope=0.25: x if x > 0 else slope * x)
    a = graph.param("a", (3,), [-1.0, 2.0, -3.0])
    assert lean(a).node is lean(a, slope=0.25).node
    assert lean(a, slope=0.5).node is not lean(a).node
    assert (a * 0.0).node is not (a * -0.0).node and (a * 1).node is not (a * 1.0).node
    whole, part = ng.divmod(a, 2.0)
    top = ng.sum(part * 3.0 + lean(a, slope=0.5))
    graph.forward()
    graph.backward(heads=top)
    expected = np.divmod(np.array([-1.0, 2.0, -3.0]), 2.0)
    np.testing.assert_array_equal(whole.val.asnumpy(), expected[0])
    np.testing.assert_array_equal(part.val.asnumpy(), expected[1])
    assert a.grad.tolist() == [3.5, 4.0, 3.5] and top.shape == ()


def test_arrays_beside_expressions_are_constants(graph):
    """MXP-10, Z-9: NumPy arrays and NDArrays by value; numbers take the dtype; nothing promotes."""
    a = graph.param("a", (2,), [1.0, 2.0])
    made = [np.array([3.0, 4.0]) * a, a + ng.array(np.ones(2)), 2 - a, np.multiply(a, 2.0)]
    assert all(isinstance(e, ng.Expr) and e.dtype == np.float64 for e in made)
    graph.forward()
    assert [e.val.tolist() for e in made] == [[3.0, 8.0], [2.0, 3.0], [1.0, 0.0], [2.0, 4.0]]
    with pytest.raises(DTypeError, match="float32, child 1: float64|float64, child 1: float32"):
        a + np.ones(2, np.float32)
    with pytest.raises(DTypeError, match="does not promote"):
        ng.matmul(a, np.ones((2, 2), np.float32))
    assert (a.astype("float32") + np.ones(2, np.float32)).dtype == np.float32


def test_an_expression_is_a_handle(graph):
    """MXP-03: a handle of a node: shape, dtype, val, grad, node; Symbols and tapes are others."""
    a = graph.param("a", (2, 3), 1.0)
    assert (a.shape, a.dtype, a.ndim, a.size, len(a)) == ((2, 3), np.float64, 2, 6, 2)
    assert isinstance(a.node, ng.NaryNodeOp) and a.grad is None
    y = a.sum()
    graph.backprop()
    assert isinstance(y.val, ng.NDArray) and y.val.asnumpy() == 6.0
    assert a.grad.asnumpy().tolist() == [[1.0] * 3] * 2


def test_what_an_expression_is_not(graph):
    """MXP-03: no truth, no iteration, no array, no memory; the error says what to do."""
    a = graph.param("a", (2,), 1.0)
    for told, use in (
        ("bool: .*ng.where", lambda: bool(a > 0.0)),
        ("iter: .*ng.unstack", lambda: list(a)),
        (r"np.asarray: .*\.val", lambda: np.asarray(a)),
        ("no memory", lambda: ng.add(a, a, out=ng.zeros(2))),
        ("no operand is an expression", lambda: ng.expression(ng.UnaryNodeOp, ng.zeros(2))),
        ("is not a node class", lambda: ng.expression(int, a)),
        ("child 0 is a str", lambda: ng.UnaryNodeOp("a")),
        ("constructor of UnaryNodeOp", lambda: ng.expression(ng.UnaryNodeOp, a, a, a, a)),
        ("has no value", lambda: a + ng.var("s")),
        ("constant: operand 'value' is ragged", lambda: graph.constant([[1.0], [2.0, 3.0]])),
        ("param 'b': init has shape", lambda: graph.param("b", (2,), [1.0, 2.0, 3.0])),
    ):
        with pytest.raises((ArgumentError, ShapeError), match=told):
            use()
