"""Expression functions and node classes of the graph's own."""

import numpy as np
import pytest
import scipy.sparse

import nbgraph as ng
from nbgraph import nodes
from nbgraph.errors import ArgumentError, AxisError, DTypeError, ShapeError
from nbgraph.nodes import library
from nbgraph.nodes.classes import ReduceNodeOp
from nbgraph.operator import registry
from nbgraph.ops.named.keywords import in_words
from tests.graph.every_operator import calls

RNG = np.random.default_rng(2)
X = RNG.normal(size=(3, 4, 2))
STEP = 1e-6


def checked(build, *points, tolerance=1e-7):
    """Gradients of a weighted sum against central differences, in float64; the value."""

    def value(*arrays):
        graph = ng.ExpressionGraph(dtype="float64")
        xs = [graph.param(f"x{i}", a.shape, a) for i, a in enumerate(arrays)]
        made = build(*xs)
        weights = np.cos(np.arange(made.size)).reshape(made.shape)
        top = (made * weights).sum()
        return graph, xs, made, top

    graph, xs, made, _ = value(*points)
    graph.backprop()
    for i, point in enumerate(points):
        got, expected = xs[i].grad.asnumpy(), np.zeros(point.shape)
        for index in np.ndindex(point.shape):
            sides = []
            for sign in (STEP, -STEP):
                moved = [p.copy() for p in points]
                moved[i][index] += sign
                other, _, _, top = value(*moved)
                other.forward()
                sides.append(top.val.item())
            expected[index] = (sides[0] - sides[1]) / (2 * STEP)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    return made.val.asnumpy()


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("code", ["sum", "mean", "prod", "max", "min", "logsumexp"])
def test_one_class_has_several_reductions(code, axis):
    """MXP-07, MND-23, Z-13: the axis is kept with size 1, and may be negative."""
    found = checked(lambda x: ng.expression(ReduceNodeOp, x, axis, code), X)
    numpy = getattr(np, code, None) or (lambda x, **k: np.log(np.sum(np.exp(x), **k)))
    np.testing.assert_allclose(found, numpy(X, axis=axis, keepdims=True), rtol=1e-13)


def test_reductions_with_ties_and_zeros(graph):
    """MXP-07: the slope of an extreme is shared by ties; that of a product is right at zeros."""
    x = graph.param("x", (1, 3), [[2.0, 2.0, 0.0]])
    top = library.reduce(x, 1, "max") + library.reduce(x, 1, "prod")
    graph.backprop()
    assert x.grad.tolist() == [[0.5, 0.5, 4.0]] and top.val.item() == 2.0


@pytest.mark.parametrize("code", ["sum", "mean", "prod", "max", "min", "logsumexp"])
def test_reductions_are_the_librarys_nodes(graph, code):
    """MXP-02: equal nodes are one; of an axis without elements there is a start."""
    x = graph.param("x", (3, 4), 1.0)
    assert library.reduce(x, 1, code).node is getattr(ng, code)(x, axis=1, keepdims=True).node
    start = {"prod": 1.0, "max": -np.inf, "min": np.inf, "logsumexp": -np.inf}.get(code, 0.0)
    empty = library.reduce(graph.constant(np.zeros((3, 0))), 1, code)
    graph.forward()
    assert empty.val.tolist() == [[start]] * 3


def test_views_and_casts_are_the_librarys_nodes(graph):
    x = graph.param("x", (3, 4), 1.0)
    assert library.transpose(x).node is ng.transpose(x, (1, 0)).node
    assert library.reshape(x, (2, -1)).node is ng.reshape(x, (2, 6)).node
    assert library.slice(x, 1, 1, 3).node is x[:, 1:3].node
    assert library.cast(x, "float32").node is ng.astype(x, "float32").node


def test_a_trivial_sum_is_the_expression_itself(graph):
    """MXP-06: sum(a, ax) is a over a size-1 axis, and the node count is unchanged."""
    a = graph.param("a", (3, 1), 1.0)
    count = len(graph)
    assert library.sum(a, 1) is a and library.mean(a, -1) is a and len(graph) == count
    assert library.reshape(a, (3, 1)) is a and library.cast(a, "float64") is a
    assert library.sum(a, 0).shape == (1, 1) and len(graph) == count + 1
    with pytest.raises(AxisError, match="axis=2 does not exist"):
        library.sum(a, 2)
    with pytest.raises(ArgumentError, match="axis=None"):
        library.sum(a, None)
    with pytest.raises(ArgumentError, match="code='most'"):
        ng.expression(ReduceNodeOp, a, 0, "most")


def test_a_composed_operator(graph):
    """MXP-08, MXP-09: weighted_average = scalar_product / sum, with its gradient; the product in
    one pass is one node where the composition is two."""
    weights = RNG.uniform(0.5, 1.5, (3, 4, 2))
    found = checked(lambda a, w: library.weighted_average(a, w, 1), X, weights)
    np.testing.assert_allclose(found, np.average(X, 1, weights, keepdims=True), rtol=1e-12)
    checked(lambda a, w: library.scalar_product(a, w, -1), X, weights[:1])
    a, b = graph.param("a", X.shape, X), graph.param("b", X.shape, weights)
    fused = library.scalar_product(a, b, 1)
    assert len(graph) == 1
    composed = library.sum(a * b, 1)
    assert len(graph) == 3
    graph.forward()
    np.testing.assert_allclose(fused.val.asnumpy(), composed.val.asnumpy(), rtol=1e-13)
    with pytest.raises(ShapeError, match="one weight for each element"):
        library.weighted_average(a, b[:, :1], 1)


def test_the_four_layers():
    """MXP-02: expression, node, functional and tensor operators are files of their own."""
    from nbgraph.nodes import expr, functions, node, tensors

    assert expr.expression and node.NaryNodeOp and functions.operator_of and tensors.element
    assert nodes.add is tensors.add and nodes.sum is library.sum
    for layer in ("Expression", "Node", "Functional", "Tensor"):
        assert f"*{layer} operators*" in nodes.__doc__.replace("\n", " ")


@pytest.mark.parametrize(
    ("build", "numpy"),
    [
        (library.transpose, lambda x: x.swapaxes(-1, -2)),
        (lambda x: library.transpose(x, (1, -1, 0)), lambda x: x.transpose(1, 2, 0)),
        (lambda x: library.reshape(x, (4, -1)), lambda x: x.reshape(4, 6)),
        (lambda x: library.slice(x, 1, 1, 3), lambda x: x[:, 1:3]),
        (lambda x: library.slice(x, -2, None, None, -2), lambda x: x[:, ::-2]),
        (lambda x: library.slice(x, 0, 0, 2) * library.slice(x, 0, 1), lambda x: x[:2] * x[1:]),
        (lambda x: library.reshape(library.transpose(x), (24,)), lambda x: x.mT.reshape(24)),
    ],
)
def test_other_shape_changers(build, numpy):
    """MND-24: transpose, reshape and slicing, views with gradients."""
    np.testing.assert_array_equal(checked(build, X), numpy(X))


def test_shape_changers_refuse_what_does_not_fit(graph):
    """MND-24: axes twice, sizes that do not fit, a step of 0."""
    x = graph.param("x", (2, 3), 1.0)
    with pytest.raises(ArgumentError, match="name each axis once"):
        library.transpose(x, (0, 0))
    with pytest.raises(ShapeError, match="has 6 elements"):
        library.reshape(x, (4, -1))
    with pytest.raises(ArgumentError, match="step=0"):
        library.slice(x, 0, step=0)
    assert library.slice(x, 0, 1).node is not library.slice(x, 0, 0, 1).node
    assert library.transpose(x).node is library.transpose(x, (1, 0)).node


def test_a_cast_sets_the_dtype(graph):
    """MND-21: the gradient is cast back; integers have none."""
    x = graph.param("x", (2,), [1.5, -2.5])
    y = library.cast(x, "float32")
    whole = library.cast(x, "int32")
    graph.forward()
    assert (y.dtype, whole.val.tolist(), whole.trainable) == (np.float32, [1, -2], False)
    z = y * 3.0
    graph.forward_next()
    graph.backward(heads=z)
    assert (x.grad.dtype, x.grad.tolist()) == (np.float64, [3.0, 3.0])
    with pytest.raises(DTypeError, match=str(np.dtype(np.longdouble))):
        library.cast(x, np.longdouble)


SPARSE = scipy.sparse.random_array((4, 5), density=0.5, rng=np.random.default_rng(3), format="csr")
INDICES, OFFSETS = SPARSE.indices.astype("int32"), SPARSE.indptr.astype("int32")


def test_a_sparse_product_has_children_of_two_dtypes():
    """MND-22: data and index children; the index children are not differentiated."""

    def build(values, dense):
        return library.csr_dot(values, INDICES, OFFSETS, dense)

    dense = RNG.normal(size=(5, 3))
    found = checked(build, SPARSE.data, dense)
    np.testing.assert_allclose(found, SPARSE @ dense, rtol=1e-13)


def test_a_sparse_product_names_what_does_not_fit(graph):
    """MND-22: dtypes of data and of indices, shapes."""
    values = graph.param("values", SPARSE.data.shape, SPARSE.data)
    dense = graph.param("dense", (5, 3), 1.0)
    single = graph.param("single", (5, 3), 1.0, dtype="float32")
    for error, told, given in (
        (DTypeError, "child 0: float64, child 3: float32", (values, INDICES, OFFSETS, single)),
        (DTypeError, "indices are integers", (values, SPARSE.data, OFFSETS * 1.0, dense)),
        (ShapeError, "one axis each", (values, INDICES[1:], OFFSETS, dense)),
        (ShapeError, "expected a matrix", (values, INDICES, OFFSETS, values)),
    ):
        with pytest.raises(error, match=told):
            library.csr_dot(*given)


def test_nodes_by_hand(engine):
    """X-MAR-10: lambda and callback nodes with the user's forward and backward."""

    def forward(out, a, b):
        out[...] = np.hypot(a, b)

    def to_a(grad, adj, out, a, b):
        grad += adj * a / out

    def to_b(grad, adj, out, a, b):
        grad += adj * b / out

    def build(a, b):
        return library.lambda_([a, b], forward, [to_a, to_b])

    checked(build, X[0], X[1] + 3.0)
    seen = []
    graph = ng.ExpressionGraph(dtype="float64")
    x = graph.param("x", (2,), [3.0, 4.0])
    y = library.callback(x * 2.0, lambda values: seen.append(values.tolist()))
    assert library.lambda_([x, y], forward).trainable is False
    assert build(x, y).node is build(x, y).node
    graph.forward()
    graph.backward(heads=y)
    assert (y.val.tolist(), x.grad.tolist(), seen) == ([6.0, 8.0], [2.0, 2.0], [[6.0, 8.0]])
    with pytest.raises(ArgumentError, match="2 child.*1 backward"):
        library.lambda_([x, y], forward, [to_a])
    with pytest.raises(ArgumentError, match="is not a function"):
        library.callback(x, 3)


def test_a_failing_function_is_told_where_the_value_is_read(graph):
    """X-MAR-10: an error in a user's function reaches whoever waits for what depends on it."""

    def forward(out, x):
        raise ValueError("in the user's function")

    y = library.lambda_([graph.param("x", (2,), 1.0)], forward) * 2.0
    graph.forward()
    with pytest.raises(ValueError, match="in the user's function"):
        y.val.asnumpy()


def test_debug_prints_value_and_gradient(graph, capfd):
    """X-MAR-10: shape, least, largest and L2 of both, when they have been computed."""
    x = graph.param("x", (2,), [3.0, 4.0])
    y = library.debug(x * 2.0, "here")
    z = (y * y).sum()
    graph.backprop()
    z.val.wait_to_read()
    ng.waitall()
    value, gradient = capfd.readouterr().out.splitlines()
    assert value.startswith("here: value of <node 1 multiply: float64[2]>: min 6, max 8, L2 10")
    assert gradient.startswith("here: gradient of <node 1") and "min 12, max 16, L2 20" in gradient


WRITE_STATES = ("_update", "_update_phase1", "_update_phase2")  # an expression has no memory for it
CALLS = {
    name: row
    for name, row in calls().items()
    if row[0]
    and all(isinstance(x, np.ndarray) and x.dtype == "float32" for x in row[0])
    and not name.endswith(WRITE_STATES)
}
DAILY = {*sorted(CALLS)[::10], "UpSampling", "BilinearSampler", "SpatialTransformer"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in DAILY else pytest.mark.slow) for n in sorted(CALLS)]
)
def test_an_operator_runs_on_expressions_of_one_dtype(name):
    """Dtypes are not promoted there, so no operator may mix in arrays of another dtype."""
    operands, keywords = CALLS[name]
    graph = ng.ExpressionGraph()
    nodes = tuple(graph.constant(x) for x in operands)
    call, nodes, keywords = in_words(registry.find(name), nodes, keywords)
    made = call(*nodes, **keywords)
    graph.forward()
    for one in made if isinstance(made, (list, tuple)) else [made]:
        assert one.val.shape == one.shape
