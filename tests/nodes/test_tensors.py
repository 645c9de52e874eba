"""Tensor operators: what NodeOps compute, on every engine, and what they refuse."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nodes, resource
from nbgraph.errors import ArgumentError, DeviceError, ShapeError
from nbgraph.nodes import add, aggregate, aggregate_all, element, nodeop, prod
from nbgraph.nodes.functions import operator_of
from tests.array.gpu import GPU

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(4, 5)), RNG.normal(size=(1, 5))


def nd(values, dtype="float64"):
    return ng.array(np.asarray(values), dtype=dtype)


def test_element_takes_any_number_of_arrays_and_broadcasts(engine):
    """MTE-06: Element, n-ary, broadcasting; numbers stand beside arrays."""
    out = ng.zeros((4, 5), dtype="float64")
    element(lambda a, b, c: a * b + c, out, nd(A), nd(B), 3.0)()
    np.testing.assert_array_equal(out.asnumpy(), A * B + 3.0)
    element(lambda b: b, out, nd(B))()
    np.testing.assert_array_equal(out.asnumpy(), np.broadcast_to(B, (4, 5)))
    element(lambda o, b: o + b, out, out, nd(B))()  # in place
    np.testing.assert_array_equal(out.asnumpy(), np.broadcast_to(2 * B, (4, 5)))


@pytest.mark.parametrize("scale", [1.0, -0.5])
@pytest.mark.parametrize("shape", [(4, 5), (1, 5), (4, 1), (1, 1), (5,), (), (2, 4, 5), (2, 1, 1)])
def test_add_accumulates_and_sums_over_what_the_output_lacks(shape, scale):
    """MTE-07: Add accumulates with a scale, and reduces over broadcast axes."""
    before = RNG.normal(size=shape)
    out = nd(before)
    add(lambda a, b: a * b, out, nd(A), nd(B), scale=scale)()
    summed = scale * A * B
    while summed.ndim > len(shape):
        summed = summed.sum(0)
    summed = summed.reshape((1,) * (len(shape) - summed.ndim) + summed.shape)
    axes = tuple(d for d, n in enumerate(shape) if n == 1)
    np.testing.assert_allclose(out.asnumpy(), before + summed.sum(axes, keepdims=True), rtol=1e-13)


@pytest.mark.parametrize(
    ("init", "combine", "numpy"),
    [
        (0.0, "add", np.sum),
        (2.5, "add", lambda x, **k: 2.5 + np.sum(x, **k)),
        (1.0, "multiply", np.prod),
        (-math.inf, "max", np.max),
        (math.inf, ng.minimum, np.min),
        (-math.inf, ng.logaddexp, lambda x, **k: np.log(np.sum(np.exp(x), **k))),
        (0.0, lambda a, b: a + b, np.sum),
    ],
)
def test_aggregate_reduces_the_axes_of_size_one(init, combine, numpy):
    """MTE-08: Aggregate with a start and any associative function."""
    for shape, axes in (((4, 1), 1), ((1, 5), 0), ((1, 1), (0, 1))):
        out = ng.zeros(shape, dtype="float64")
        aggregate(lambda x: x * 2, init, combine, out, nd(A), scale=3.0)()
        expected = 3.0 * numpy(2 * A, axis=axes, keepdims=True)
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-12)


def test_aggregate_of_nothing_is_the_start():
    """MTE-08: an axis without elements leaves the start value."""
    out = ng.zeros((3, 1), dtype="float64")
    aggregate(lambda x: x, -7.0, "max", out, nd(np.zeros((3, 0))))()
    assert out.asnumpy().tolist() == [[-7.0]] * 3


def test_a_full_reduction_accumulates_float16_in_float32(engine):
    """MTE-09: AggregateAll has an accumulator type; 16-bit floats accumulate in float32."""
    x, out = nd(np.full(70000, 3.0), "float16"), ng.zeros((1,), dtype="float32")
    aggregate_all(lambda v: v * v, 0.0, "add", out, x)()
    assert out.item() == 630000.0  # beyond float16, in values and in sum
    aggregate_all(lambda v: v, 0.0, "add", out, x, acc_dtype="float64")()
    assert out.item() == 210000.0
    aggregate_all(lambda v: v, -math.inf, lambda a, b: a if a > b else b, out, nd(A))()
    assert out.item() == np.float32(A.max())


@pytest.mark.parametrize("device", [ng.cpu(), GPU])
def test_large_reductions_are_those_of_small_ones(device):
    """MTE-07, MTE-08: much is reduced in one loop with what it is computed from."""
    a, b = RNG.normal(size=(700, 300)), RNG.normal(size=(1, 300))
    x, y = (ng.array(v, dtype="float64", device=device) for v in (a, b))
    for scale in (1.0, -2.0):  # numbers count
        out = ng.ones((700, 1), dtype="float64", device=device)
        add(lambda p, q, s: s * p * q, out, x, y, scale, scale=0.5)()
        want = 1 + 0.5 * scale * (a * b).sum(1, keepdims=True)
        np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-11, atol=1e-12)  # sums may cancel
        top = ng.zeros((300,), dtype="float64", device=device)
        aggregate(lambda p, s: s * p, 1.0, "max", top, x, scale)()
        np.testing.assert_allclose(top.asnumpy(), np.maximum((scale * a).max(0), 1.0), rtol=1e-13)
    turned = ng.zeros((1, 700), dtype="float64", device=device)
    aggregate(lambda p: p, 0.0, "add", turned, x.T)()
    np.testing.assert_allclose(turned.asnumpy(), a.sum(1)[None], rtol=1e-11)


@pytest.mark.parametrize("device", [ng.cpu(), GPU])
def test_sums_over_axes_of_float16_accumulate_in_float32(device):
    """MTE-07, MTE-08: values beyond float16 are summed as they are, on every device."""
    x = ng.array(np.full((2, 300), 300.0), dtype="float16", device=device)
    out = ng.zeros((2, 1), dtype="float32", device=device)
    aggregate(lambda v: v * v, 0.0, "add", out, x)()
    assert out.tolist() == [[300 * 90000.0]] * 2
    add(lambda v: v * v, out, x, scale=2.0)()
    assert out.tolist() == [[900 * 90000.0]] * 2


def test_a_full_reduction_uses_temporary_space_of_the_resource_manager():
    """MTE-10: scratch comes from the resource manager, and its variable is declared."""
    before = sum(space.asks for space in resource.manager.manager().spaces)
    out = ng.zeros((1,), dtype="float64")
    aggregate_all(lambda v: v, 0.0, "add", out, nd(np.ones(100000)))()
    assert out.item() == 100000.0
    assert sum(space.asks for space in resource.manager.manager().spaces) >= before + 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
def test_products_for_all_transpose_flags(trans_a, trans_b, dtype):
    """MTE-03: products of matrices that are not square, batched, accumulated."""
    a, b = RNG.normal(size=(3, 2, 4)).astype(dtype), RNG.normal(size=(4, 5)).astype(dtype)
    before = RNG.normal(size=(3, 2, 5)).astype(dtype)
    x, y = (a.swapaxes(1, 2) if trans_a else a), (b.T if trans_b else b)
    out = nd(before, dtype)
    prod(out, nd(x, dtype), nd(y, dtype), trans_a, trans_b, beta=1.0, alpha=0.5)()
    wide = before.astype("f8") + 0.5 * (a.astype("f8") @ b.astype("f8"))
    tolerance = {"float16": 3e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(out.asnumpy(), wide, rtol=tolerance, atol=tolerance)
    summed = ng.ones((1, 2, 5), dtype=dtype)
    prod(summed, nd(x, dtype), nd(y, dtype), trans_a, trans_b)()
    expected = (a.astype("f8") @ b.astype("f8")).sum(0, keepdims=True)
    np.testing.assert_allclose(summed.asnumpy(), expected, rtol=4 * tolerance, atol=4 * tolerance)


def test_what_runs_an_operation_is_found_by_the_device():
    """MTE-04: one declaration, carried out by the device of the output; only what is there."""
    for kind in ("element", "add", "aggregate", "aggregate_all", "prod"):
        assert callable(nodeop.runner(kind, ng.cpu()))
        with pytest.raises(DeviceError, match=r"node operator '.*gpu\(99\)"):
            nodeop.runner(kind, ng.gpu(99))


def test_operations_touch_the_memory_of_arrays():
    """MTE-01: kernels and functions get the arrays' own blocks, with strides; nothing is copied."""
    base = ng.zeros((4, 5), dtype="float64")
    column, row = base[:, 1], nd(np.arange(4.0))
    element(lambda x: x + 1, column, row)()
    add(lambda x: x, base.T[1], row, scale=2.0)()
    np.testing.assert_array_equal(base[:, 1], 3 * np.arange(4.0) + 1)
    assert base.asnumpy()[:, [0, 2, 3, 4]].sum() == 0
    seen = []

    def forward(out, x):
        seen.append([a.__array_interface__["data"][0] for a in (out, x)])  # NumPy views
        out[...] = x

    graph = ng.ExpressionGraph(dtype="float64")
    x = graph.param("x", (4, 5), A)
    copy = nodes.lambda_([x], forward)
    graph.forward()
    ng.waitall()
    assert seen == [[a._address for a in (copy.val, x.val)]]
    with pytest.raises(ShapeError, match=r"\(4,\).*\(5,\)"):
        element(lambda x: x, base[0], row)()


def test_an_operation_is_data():
    """MND-03: an operation shows its kind, function, reads and writes, and may be called."""
    x, out = nd(A), ng.zeros((4, 5), dtype="float64")
    op = add(ng.sin, out, x, scale=2.0)
    assert isinstance(op, ng.NodeOp)
    assert (op.kind, op.fn, op.request, op.scale) == ("add", ng.sin, "add", 2.0)
    assert op.reads == (x,) and op.writes == (out,)
    assert "add sin" in repr(op) and "+=" in repr(op)
    assert not out.asnumpy().any()  # nothing ran
    op()
    np.testing.assert_allclose(out.asnumpy(), 2 * np.sin(A))


def test_functions_are_told_apart_by_content():
    """MND-03: a lambda made anew for every node is captured once; what it reads counts."""

    def make(factor, inner):
        return lambda x: factor * inner(x)

    plus = lambda x: x + 1  # noqa: E731
    assert operator_of(make(2.0, plus)) is operator_of(make(2.0, plus))
    assert operator_of(make(2.0, plus)) is not operator_of(make(3.0, plus))
    assert operator_of(make(0.0, plus)) is not operator_of(make(-0.0, plus))
    assert operator_of(ng.sin) is ng.sin

    class Holder:
        def __init__(self, factor):
            self.factor = factor

        def function(self):
            return lambda x: x * self.factor

    first = Holder(2.0)
    assert operator_of(first.function()) is operator_of(Holder(2.0).function())
    made = operator_of(Holder(4.0).function())
    assert made(3.0) == 12.0 and operator_of(first.function())(3.0) == 6.0


def test_the_text_itself_may_run():
    """MTE-06: with compiler="python" the user's text runs, element by element."""
    out = ng.zeros((4, 5), dtype="float64")
    with ng.config(compiler="python"):
        element(lambda a, b: a * b, out, nd(A), nd(B))()
        add(lambda b: b, out, nd(B))()
    np.testing.assert_allclose(out.asnumpy(), A * B + B)


BAD = [
    (ArgumentError, "takes 2 element", lambda o, x: element(lambda a, b: a, o, x)),
    (ArgumentError, "array 0 is a list", lambda o, x: element(lambda a: a, o, [1.0])),
    (ArgumentError, "out is a float", lambda o, x: add(lambda a: a, 1.0, x)),
    (ArgumentError, "fn is an int", lambda o, x: element(3, o, x)),
    (ArgumentError, "combine='most'", lambda o, x: aggregate(lambda a: a, 0, "most", o, x)),
    (ArgumentError, "aggregate: init=None", lambda o, x: aggregate(lambda a: a, None, "add", o, x)),
    (ArgumentError, "combine takes 1", lambda o, x: aggregate(lambda a: a, 0, ng.sin, o, x)),
    (ArgumentError, "one element", lambda o, x: aggregate_all(lambda a: a, 0, "add", o, x)),
    (ShapeError, "use add or aggregate", lambda o, x: element(lambda a: a, ng.zeros((1, 5)), x)()),
    (ShapeError, "out has shape", lambda o, x: add(lambda a: a, ng.zeros((3, 5)), x)()),
    (ShapeError, "inner sizes differ", lambda o, x: prod(o, x, x)()),
    (ShapeError, "expected matrices", lambda o, x: prod(o, x, ng.zeros((5,)))()),
    (ShapeError, "the product has shape", lambda o, x: prod(o, x, x, trans_b=True)()),
]


@pytest.mark.parametrize(("error", "told", "call"), BAD)
def test_what_does_not_fit_is_told_at_the_call(error, told, call):
    """MTE-06, MTE-07, MTE-08, MTE-09: errors name the operation, the argument and the remedy."""
    with pytest.raises(error, match=told):
        call(ng.zeros((4, 5), dtype="float64"), nd(A))
