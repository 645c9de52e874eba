"""Node classes of the user's: what they say, how their operations run, what is refused."""

import itertools
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.graph.node import Node
from nbgraph.nodes import add, element
from nbgraph.nodes.nodeop import NoGradient
from tests.nodes.conftest import SinNodeOp, TimesNodeOp
from tests.zoo import functions

X = np.linspace(-2, 2, 7)
smooth_l1 = ng.op(functions.smooth_l1)


def test_the_sine_node_of_the_documents(engine, graph):
    """MND-01, MND-02, MND-04, MND-06, MND-14, MND-15, MND-16: forward and backward as lists of
    operations over val, adj, child(0).val and child(0).grad; the gradient accumulates."""
    x = graph.param("x", X.shape, X)
    y = ng.expression(SinNodeOp, x)
    assert issubclass(SinNodeOp, ng.UnaryNodeOp) and issubclass(ng.UnaryNodeOp, ng.NaryNodeOp)
    assert issubclass(ng.NaryNodeOp, Node) and isinstance(y, ng.Expr)
    graph.backprop()
    np.testing.assert_allclose(y.val.asnumpy(), np.sin(X), rtol=1e-15)
    np.testing.assert_allclose(x.grad.asnumpy(), np.cos(X), rtol=1e-15)
    graph.backward(reset=False)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * np.cos(X), rtol=1e-15)
    node = y.node
    assert all(isinstance(op, ng.NodeOp) for op in [*node.forward_ops(), *node.backward_ops()])


def test_a_piecewise_function_and_its_derivative_as_a_node(graph):
    """SMP-39, SMP-40, MND-17: a function's parameters are the placeholders; ops serve, too."""
    slope = smooth_l1.derivative("x")

    class SmoothL1(ng.UnaryNodeOp):
        def forward_ops(self):
            return [element(smooth_l1, self.val, self.child(0).val)]

        def backward_ops(self):
            x = self.child(0)
            return [add(lambda adj, x: adj * slope(x), x.grad, self.adj, x.val)]

    x = graph.param("x", X.shape, X)
    y = ng.expression(SmoothL1, x)
    graph.backprop()
    expected = np.where(np.abs(X) > 1, np.abs(X) - 0.5, 0.5 * X * X)
    np.testing.assert_allclose(y.val.asnumpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(x.grad.asnumpy(), np.clip(X, -1, 1), rtol=1e-12)


def test_operations_run_in_list_order(engine, graph):
    """MND-05: forward and backward, on every engine."""
    seen = []

    class Steps(ng.UnaryNodeOp):
        def forward_ops(self):
            def step(k):
                def run(out, x):
                    seen.append(k)
                    out[...] = x if k == 0 else out * 10 + k

                return run

            return [step(k) for k in range(5)]

        def backward_ops(self):
            return [None]

    x = graph.param("x", (1,), 1.0)
    y = ng.expression(Steps, x)
    graph.forward()
    assert y.val.item() == 11234.0
    assert seen == list(range(5))


def test_backward_operations_belong_to_children_by_index(graph):
    """MND-07, MND-08, MND-09: a frozen child's operation is not run, None is not an operation, and
    a plain callable is given the child's gradient, adj, val and the children's values."""
    ran = []

    class Sum(ng.NaryNodeOp):
        which = (True, True, True)

        def forward_ops(self):
            return [lambda out, *values: np.copyto(out, sum(values))]

        def backward_ops(self):
            def to(i):
                def run(grad, adj, val, *values):
                    ran.append(i)
                    grad += adj * (i + 1) + 0 * val * values[i]

                return run

            return [to(i) if use else None for i, use in enumerate(self.which)]

    class Holed(Sum):
        which = (True, False, True)

    a, b = graph.param("a", (2,), 1.0), graph.param("b", (2,), 2.0)
    frozen = graph.param("frozen", (2,), 3.0, fixed=True)
    y = graph.add(Sum((a, frozen, b)))
    graph.backprop()
    assert y.val.tolist() == [6.0, 6.0]
    assert (a.grad.tolist(), frozen.grad, b.grad.tolist()) == ([1.0, 1.0], None, [3.0, 3.0])
    assert sorted(ran) == [0, 2]
    graph.clear()
    graph.add(Holed((a, b, a)))
    graph.backprop()
    assert (a.grad.tolist(), b.grad.tolist()) == ([4.0, 4.0], [0.0, 0.0])


def test_wrong_backward_operations_are_refused(graph):
    """MND-08: too few, in the wrong order, overwriting, into something else; Z-7: None is not."""
    a, b = graph.param("a", (2,), 1.0), graph.param("b", (2,), 2.0)
    frozen = graph.param("frozen", (2,), 3.0, fixed=True)

    class Wrong(TimesNodeOp):
        def backward_ops(self):
            return self.wrong(self, *super().backward_ops())

    cases = [
        (a, b, lambda n, p, q: [p], "backward_ops has 1 operation"),
        (a, b, lambda n, p, q: [q, p], "operation 0, .* writes the gradient of child 1"),
        (frozen, b, lambda n, p, q: [q, p], "operation 0, .* writes the gradient of child 1"),
        (a, frozen, lambda n, p, q: [None, p], "operation 1, .* writes the gradient of child 0"),
        (a, b, lambda n, p, q: [add(lambda x: x, n.val, n.adj), q], "writes something else"),
        (a, b, lambda n, p, q: [element(lambda x: x, n.child(0).grad, n.adj), q], "overwrites"),
        (a, b, lambda n, p, q: [3, q], "3 is not an operation"),
    ]
    for left, right, wrong, told in cases:
        Wrong.wrong = staticmethod(wrong)
        graph.clear()
        graph.add(Wrong(left, right))
        graph.forward()
        with pytest.raises(ArgumentError, match=told):
            graph.backward()
    Wrong.wrong = staticmethod(lambda n, p, q: [None, q])
    graph.clear()
    graph.add(Wrong(a, b))
    graph.backprop()
    assert (a.grad.tolist(), b.grad.tolist()) == ([0.0, 0.0], [1.0, 1.0])


def test_a_forward_operation_writes_its_own_value_only(graph):
    """MND-06: an operation that writes a child's value is refused, as is a class without any."""

    class Writes(ng.UnaryNodeOp):
        def forward_ops(self):
            return [element(lambda x: x, self.child(0).val, self.child(0).val)]

    class Empty(ng.UnaryNodeOp):
        pass

    x = graph.param("x", (2,), 1.0)
    for kind, told in ((Writes, "writes the value of child 0"), (Empty, "not define forward_ops")):
        graph.clear()
        ng.expression(kind, x)
        with pytest.raises(ArgumentError, match=told):
            graph.forward()


def test_shape_and_dtype_by_default_and_by_hand(graph):
    """MND-10, MND-19, MND-20: broadcast shape and common type, or what the constructor is given."""
    a = graph.param("a", (3, 1), 1.0)
    b = graph.param("b", (4,), 1.0)
    node = TimesNodeOp(a, b)
    assert (node.shape, node.dtype) == ((3, 4), np.float64)
    own = ng.UnaryNodeOp(a, (7, 2), "float32")
    assert (own.shape, own.dtype, own.new_shape(), own.new_type()) == (
        (7, 2),
        np.float32,
        (3, 1),
        np.float64,
    )
    with pytest.raises(ShapeError, match=r"child 0 \(3, 1\), child 1 \(2, 5\)"):
        TimesNodeOp(a, graph.constant(np.ones((2, 5))))


def test_mixed_dtypes_are_refused_not_promoted(graph):
    """MND-20, Z-9: the error names each child and its dtype; `common_type` may name a few."""
    a = graph.param("a", (3,), 1.0)
    b = graph.param("b", (3,), 1.0, dtype="float32")
    with pytest.raises(DTypeError, match="child 0: float64, child 1: float32"):
        TimesNodeOp(a, b)
    with pytest.raises(DTypeError, match="child 0: float64, child 1: float32"):
        a * b
    assert (ng.nd.add(ng.ones(3, dtype="float64"), ng.ones(3))).dtype == np.float64
    node = ng.NaryNodeOp((a, b, a), dtype="float64")
    assert node.common_type([0, 2]) == np.float64


def test_a_friendly_name_is_seen_in_texts_and_errors(graph):
    """MND-11: `type()` in repr, picture and errors."""

    class LeakyNodeOp(SinNodeOp):
        def type(self):
            return "leaky-sine"

    x = graph.param("x", (2,), 1.0)
    y = ng.expression(LeakyNodeOp, x)
    assert SinNodeOp(x).type() == "sin" and "leaky-sine" in repr(y)
    text = f'label="leaky-sine\\n#{y.node.id} float64[2]\\ntrainable"'
    assert text in graph.graphviz()
    with pytest.raises(ArgumentError, match="^leaky-sine: the value of"):
        _ = y.val


class Scaled(ng.UnaryNodeOp):
    def __init__(self, a, factor):
        super().__init__(a)
        self.factor = factor

    def forward_ops(self):
        return [element(lambda x: x * self.factor, self.val, self.child(0).val)]

    def backward_ops(self):
        return [add(lambda adj: adj * self.factor, self.child(0).grad, self.adj)]


class Told(Scaled):
    def hash(self):
        return hash((super().hash(), self.factor))

    def equal(self, other):
        return super().equal(other) and self.factor == other.factor


class Colliding(Told):
    def hash(self):
        return 1


def test_equal_nodes_are_one(graph):
    """MND-13, MXP-04: the same class on the same child is one node; another attribute, another."""
    x = graph.param("x", (2,), 1.0)
    assert ng.expression(SinNodeOp, x).node is ng.expression(SinNodeOp, x).node
    two = ng.expression(Told, x, factor=2.0)
    assert ng.expression(Told, x, factor=2.0).node is two.node
    assert ng.expression(Told, x, factor=3.0).node is not two.node
    assert len(graph) == 3


def test_a_collision_of_hashes_does_not_make_nodes_one(graph):
    """MND-13, Z-8: `equal` decides; shape and dtype count, though a class forgets them."""
    x = graph.param("x", (2,), 1.0)
    two, three = (ng.expression(Colliding, x, factor=f) for f in (2.0, 3.0))
    assert two.node is not three.node
    graph.forward()
    assert (two.val.tolist(), three.val.tolist()) == ([2.0, 2.0], [3.0, 3.0])

    class Careless(SinNodeOp):
        def hash(self):
            return 7

        def equal(self, other):
            return True

    made = [Careless(x), Careless(x, (1, 2)), Careless(x, None, "float32"), Careless(two)]
    assert len({id(graph.add(node).node) for node in made}) == 4
    assert graph.add(Careless(x)).node is made[0]


def test_attributes_without_identity_are_detected(graph):
    """MND-12: a class with attributes needs `hash` and `equal`; with none it may omit them."""
    x = graph.param("x", (2,), 1.0)

    class Slotted(SinNodeOp):
        __slots__ = ("rate",)

        def __init__(self, a, rate):
            super().__init__(a)
            self.rate = rate

    for make in (
        lambda: ng.expression(Scaled, x, factor=2.0),
        lambda: ng.expression(Slotted, x, rate=2.0),
        lambda: ng.expression(SinNodeOp, x, rate=2.0),
    ):
        with pytest.raises(ArgumentError, match=r"has the attribute\(s\) (factor|rate), but not"):
            make()
    assert len(graph) == 0


def test_only_trainable_nodes_have_gradients(graph):
    """MND-07: of others a placeholder stands in, without memory."""
    x = graph.param("x", (2,), 1.0)
    c = graph.constant(np.ones(2))
    node = TimesNodeOp(x, c)
    assert isinstance(c.node.grad, NoGradient) and c.node._adj is None
    assert c.node.grad[0].transpose().reshape(1) is not None
    op = node.backward_ops()[1]
    with pytest.raises(ArgumentError, match="no gradient"):
        op()


def test_independent_branches_overlap(graph):
    """MND-03: two nodes that wait for each other end only if they run at the same time."""
    before = ng.engine.current().kind
    ng.engine.set("threaded", workers=2)
    both = threading.Barrier(2)
    numbers = itertools.count()

    class Meets(ng.UnaryNodeOp):
        def __init__(self, a):
            super().__init__(a)
            self.number = next(numbers)

        def hash(self):
            return self.number

        def equal(self, other):
            return self is other

        def forward_ops(self):
            def meet(out, x):
                both.wait(30)
                out[...] = x

            return [meet]

        def backward_ops(self):
            def meet(grad, adj, val, x):
                both.wait(30)
                grad += adj

            return [meet]

    try:
        x, y = graph.param("x", (2,), 1.0), graph.param("y", (2,), 1.0)
        top = ng.expression(Meets, x) + ng.expression(Meets, y)
        graph.backprop()
        assert (top.val.tolist(), x.grad.tolist()) == ([2.0, 2.0], [1.0, 1.0])
        assert next(numbers) == 2 and not both.broken
    finally:
        ng.engine.set(before)


class Product(ng.NaryNodeOp):
    """A class without a constructor of its own."""

    forward_ops, backward_ops = TimesNodeOp.forward_ops, TimesNodeOp.backward_ops


def test_a_class_without_a_constructor_takes_any_number_of_children(graph):
    """MXP-04: what `expression` is given are the children."""
    x, y = graph.param("x", (2,), [2.0, 3.0]), graph.param("y", (2,), [5.0, 7.0])
    product = ng.expression(Product, x, y)
    ng.sum(product)
    graph.backprop()
    assert product.val.tolist() == [10, 21] and x.grad.tolist() == [5, 7]
