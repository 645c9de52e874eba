"""How gradients flow through an operator: the same in every world that has them."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.backward import map_vjp

A, B = np.linspace(0.5, 2.0, 6), np.linspace(0.7, 1.5, 6)


@ng.op
def named_out(out, x):
    return out * out * x


@ng.op
def reads_its_result(x, y):
    return x * y, x / y


@reads_its_result.gradient
def _(out_grad0, out_grad1, out0, out1, y):
    return out_grad0 * y + out_grad1 / y, out_grad0 * out0 / y - out_grad1 * out1 / y


@ng.op
def result_before_operand(x, y):
    return x / y


@result_before_operand.gradient
def _(out_grad, y, out):
    return out_grad / y, -out_grad * out / y


@ng.op
def reads_the_second(x, y):
    return x + y, x * y


@reads_the_second.gradient
def _(out_grad0, out_grad1, x, out1):
    return out_grad0 + out_grad1 * out1 / x, out_grad0 + out_grad1 * x


@ng.op
def operand_out_by_hand(out, x):
    return out * x


@operand_out_by_hand.gradient
def _(out_grad, out, x):
    return out_grad * x, out_grad * out


def _tape(function):
    x, y = ng.array(A), ng.array(B)
    x.attach_grad()
    y.attach_grad()
    with ng.autograd.record():
        out = ng.sum(function(x, y))
    out.backward()
    return x.grad.asnumpy(), y.grad.asnumpy()


def _recorded_twice(function):
    x, y = ng.array(A), ng.array(B)
    pulled = ng.grad(lambda a, b: ng.sum(function(a, b)), argnums=(0, 1))
    with ng.autograd.record():
        found = pulled(x, y)
    return tuple(g.asnumpy() for g in found)


def _graph(function):
    x, y = ng.var("x"), ng.var("y")
    exe = ng.sum(function(x, y)).simple_bind(type_dict={"x": "float64", "y": "float64"}, x=6, y=6)
    exe.forward_backward(x=A, y=B)
    return exe.grad_dict["x"].asnumpy(), exe.grad_dict["y"].asnumpy()


def _nodes(function, **options):
    graph = ng.ExpressionGraph(dtype="float64", **options)
    x, y = graph.param("x", (6,), A), graph.param("y", (6,), B)
    ng.sum(function(x, y))
    graph.backprop()
    return x.grad.asnumpy(), y.grad.asnumpy()


def _single_nodes(function):
    return _nodes(function, compiled=False)


WORLDS = [_tape, _recorded_twice, _graph, _nodes, _single_nodes]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("function", "want"),
    [
        (named_out, (2 * A * B, A * A)),
        (result_before_operand, (1 / B, -A / B / B)),
        (lambda x, y: ng.add(*reads_its_result(x, y)), (B + 1 / B, A - A / B / B)),
        (lambda x, y: reads_its_result(x, y)[1], (1 / B, -A / B / B)),
        (lambda x, y: reads_the_second(x, y)[0], (np.ones(6), np.ones(6))),
        (lambda x, y: reads_the_second(x, y)[1], (B, A)),
        (operand_out_by_hand, (B, A)),
    ],
    ids=[
        *("an operand called out", "result read", "all results read", "one result of two"),
        *("the other result read", "the second result read", "an operand called out, by hand"),
    ],
)
def test_what_a_gradient_reads_is_handed_over_in_its_order(world, function, want):
    for found, expected in zip(world(function), want, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("world", WORLDS)
def test_an_operator_without_a_rule_says_so(world):
    def compute(inputs, outputs):
        np.copyto(outputs[0], inputs[0] * inputs[1])

    op = ArrayOp("without_rule", lambda x, y: Spec(x.shape, x.dtype), compute, operands=("x", "y"))
    with pytest.raises(
        ng.DerivativeError, match=r"without_rule: it has no gradient; use .*Function"
    ):
        world(op)


def test_what_is_read_is_worked_out_once_and_again_when_the_text_changes():
    op = ng.op(lambda x, y: x * y)
    assert map_vjp(op, (0,)) is map_vjp(op, (0,))
    assert map_vjp(op, (0,)).reads == [("in", 1)]
    assert map_vjp(op, (0, 1)).reads == [("in", 0), ("in", 1)]
    assert map_vjp(ng.exp, (0,)).reads == [("out", 0)]
