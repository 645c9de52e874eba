"""Operators written as two classes, in every world and under every engine: OPR-01, 13..16."""

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine, gate, threads
from tests.operator.full import operators
from tests.operator.full.worlds import WORLDS, differences

__all__ = ["engine", "gate", "threads"]


def _case(name):
    rng = np.random.default_rng(7)

    def draw(*shape):
        return rng.permuted(np.linspace(-1.3, 1.7, int(np.prod(shape)))).reshape(shape)

    shapes, given, outs = {
        "connected": ([(5, 2, 3), (4, 6), (4,)], {"num_hidden": 4}, [(5, 4)]),
        "pooling": ([(3, 8)], {}, [(3, 4)]),
        "convolution": ([(2, 3, 7), (4, 3, 3)], {"num_filter": 4}, [(2, 4, 5)]),
        "exp": ([(4, 3)], {}, [(4, 3)]),
        "circle": ([(2, 5)], {}, [(2, 5), (2, 5)]),
        "remember": ([(3, 4)], {}, [(3, 4)]),
    }[name]
    op = getattr(ng, operators.PREFIX + name)
    arrays = [draw(*s).astype("float32") for s in shapes]
    return op, arrays, [draw(*s).astype("float32") for s in outs], given


PURE = ["connected", "pooling", "convolution", "exp", "circle"]


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("world", WORLDS)
def test_every_world_gives_the_same_bits(world, name, engine):
    """OPR-01, OPR-13, OPR-14, OPP-24: forward with five arguments, backward out_grad to in_grad."""
    op, arrays, seeds, given = _case(name)
    wanted, _ = WORLDS["numpy"](op, arrays, seeds, given)
    values, slopes = WORLDS[world](op, arrays, seeds, given)
    for value, want in zip(values, wanted, strict=True):
        assert value.dtype == np.float32
        np.testing.assert_array_equal(value, want)
    if slopes is not None:
        _, told = WORLDS["tape"](op, arrays, seeds, given)
        for found, want in zip(slopes, told, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", PURE)
def test_gradients_agree_with_differences(name):
    """OPP-24, OPR-14: FullyConnected, Pooling and Convolution pass the gradient check."""
    op, arrays, seeds, given = _case(name)
    _, slopes = WORLDS["tape"](op, arrays, seeds, given)
    for index, found in enumerate(slopes):
        want = differences(op, arrays, seeds, given, index)
        np.testing.assert_allclose(found, want, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("world", [w for w in WORLDS if w not in ("numpy", "jit")])
def test_what_forward_leaves_on_itself_backward_finds(world, engine):
    """OPP-19: an operator is stateful; each application has one of its own."""
    op, arrays, seeds, given = _case("remember")
    values, slopes = WORLDS[world](op, arrays, seeds, given)
    np.testing.assert_array_equal(values[0], np.maximum(arrays[0], 0))
    np.testing.assert_array_equal(slopes[0], seeds[0] * (arrays[0] > 0))


def test_no_backward_is_not_differentiable():
    """OPR-13: without backward the forward pass works; a gradient is refused at bind, by name."""
    x = np.float32([3, 1, 2])
    assert ng.mx_sort(x).tolist() == [1, 2, 3]
    s = ng.mx_sort(ng.var("x"))
    assert s.simple_bind(grad_req="null", x=(3,)).forward(x=x)[0].tolist() == [1, 2, 3]
    with pytest.raises(ng.DerivativeError, match=r"mx_sort: .*no backward.*test_worlds.py"):
        s.simple_bind(x=(3,))
    a = ng.array(x)
    a.attach_grad()
    with ng.autograd.record():
        y = ng.mx_sort(a).sum()
    with pytest.raises(ng.DerivativeError, match=r"mx_sort: .*stop_gradient"):
        y.backward()


def test_an_output_that_nothing_depends_on_has_a_gradient_of_zeros(engine):
    """OPR-01: backward is given all out-gradients, also where one output was not used."""
    a = ng.array(np.float32([0.5, 1.0]))
    a.attach_grad()
    with ng.autograd.record():
        _, cosine = ng.mx_circle(a)
        loss = cosine.sum()
    loss.backward()
    np.testing.assert_allclose(a.grad.asnumpy(), -np.sin([0.5, 1.0]), rtol=1e-6)


@pytest.mark.parametrize("wanted", [(True, False), (False, True)])
def test_a_gradient_that_nobody_wants_is_not_written(wanted, engine):
    """OPR-07: its request is kNullOp, and its array takes no writes."""
    op, arrays, (seed,), given = _case("convolution")
    inputs = [ng.array(a) for a in arrays]
    for a, w in zip(inputs, wanted):
        if w:
            a.attach_grad()
    with ng.autograd.record():
        loss = (op(*inputs, **given) * ng.array(seed)).sum()
    loss.backward()
    _, slopes = WORLDS["tape"](op, arrays, [seed], given)
    found = [a.grad for a, w in zip(inputs, wanted) if w]
    want = [g for g, w in zip(slopes, wanted) if w]
    np.testing.assert_array_equal(found[0].asnumpy(), want[0])


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_other_dtypes(dtype):
    """OPP-03: the default infer_type keeps the dtype; arrays of two dtypes are refused by name."""
    op, arrays, _, given = _case("connected")
    arrays = [a.astype(dtype) for a in arrays]
    assert op(*arrays, **given).dtype == dtype
    with pytest.raises(ng.DTypeError, match=r"argument 'bias'.* has dtype float32; expected"):
        op(*arrays[:2], arrays[2].astype("float32"), **given)


def test_views_and_gaps_are_given_in_c_order(engine):
    """OPR-05: whatever the layout of an operand, forward sees a plain block."""
    op, arrays, _, given = _case("convolution")
    wide = np.zeros((2, 3, 14), "float32")
    wide[:, :, ::2] = arrays[0]
    want = op(*arrays, **given)
    np.testing.assert_array_equal(op(wide[:, :, ::2], arrays[1], **given), want)
    moved = ng.array(np.ascontiguousarray(arrays[1].T)).T
    found = op(ng.array(wide)[:, :, ::2], moved, **given)
    np.testing.assert_array_equal(found.asnumpy(), want)


def test_errors_of_forward_name_operator_pass_and_arrays():
    """OPR-01: an error in a worker is raised at the wait, with what was computed."""

    class Wrong(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            return in_data[0] + 1

    @ng.register_operator("mx_wrong")
    class WrongProp(ng.OperatorProperty):
        def infer_shape(self, in_shapes, out_shapes, aux_shapes):
            return in_shapes, in_shapes, []

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Wrong()

    class Replacing(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            out_data[0] = in_data[0] + 1

    made = type("P", (WrongProp,), {"create_operator": lambda self, *_: Replacing()})
    ng.register_operator("mx_replacing")(made)
    with pytest.raises(ng.ArgumentError, match=r"out_data\[0\] was replaced .*write into it"):
        ng.mx_replacing(np.zeros(3))
    with pytest.raises(ng.ArgumentError, match=r"forward returned ndarray; .*self.assign"):
        ng.mx_wrong(np.zeros(3))
    with pytest.raises(ng.ArgumentError, match=r"forward returned ndarray"):
        ng.mx_wrong(ng.zeros(3)).asnumpy()
