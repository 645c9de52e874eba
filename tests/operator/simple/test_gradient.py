"""Gradients: SMP-15..19, 21, 27, 29, and what an op infers against what one declares (SMP-30)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.device import cpu
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.operator import registry
from nbgraph.operator.full.gradient import SPECS
from nbgraph.operator.request import OpReqType
from nbgraph.operator.simple import simple_declaration
from tests.operator.simple import functions as fns
from tests.operator.simple.judge import differences, gradients
from tests.zoo import functions

NULL, WRITE, INPLACE, ADD = OpReqType

UNARY = {
    "T0": (fns.scaled, fns.scaled_gradient, {"scalar": 2.5}, set()),
    "T1": (fns.tanh, fns.tanh_gradient, {}, {"out0"}),
    "T2": (fns.square, fns.square_gradient, {}, {"src"}),
}


def unary(new, form):
    fn, gradient, attributes, kept = UNARY[form]
    op = new()
    op.set_enable_scalar(bool(attributes)).set_function("cpu", fn)
    return op.set_gradient("cpu", gradient, "kInplaceOutIn"), attributes, kept


@pytest.mark.parametrize("form", UNARY)
def test_unary_gradients_get_what_their_form_asks_for(new, form):
    """SMP-16..18, SMP-21, SMP-32: kept is what the form reads; the scalar is there, too."""
    op, attributes, kept = unary(new, form)
    assert op.keeps == kept
    x, g = np.array([[0.3, -1.2], [2.0, 0.0]]), np.array([[1.0, 2.0], [-1.0, 0.5]])
    (found,) = gradients(op, [x], g, **attributes)
    np.testing.assert_allclose(found, differences(op, [x], g, 0, **attributes), atol=1e-6)


@pytest.mark.parametrize("wanted", [(True, True), (True, False), (False, True), (False, False)])
def test_binary_gradients_are_asked_for_one_by_one(new, wanted):
    """SMP-19: two in-gradients with a request each."""
    requests = []

    def gradient(out_grad, lhs, rhs, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx):
        requests.append((req_lhs, req_rhs))
        fns.product_gradient(out_grad, lhs, rhs, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx)

    op = new().set_function("cpu", fns.product).set_gradient("cpu", gradient)
    assert op.keeps == {"lhs", "rhs"}
    a, b, g = np.array([1.0, 2.0]), np.array([3.0, -4.0]), np.array([1.0, 10.0])
    found = gradients(op, [a, b], g, wanted)
    for value, want, w in zip(found, (g * b, g * a), wanted):
        assert (value is not None) == w
        if w:
            np.testing.assert_array_equal(value, want)
    expected = tuple(WRITE if w else NULL for w in wanted)
    assert requests == ([expected] if any(wanted) else [])


def test_a_binary_gradient_of_out_grad_alone_keeps_nothing(new):
    def add(lhs, rhs, env, ret, req, ctx):
        ng.assign(ret.get(), req, lhs.get() + rhs.get())

    def gradient(out_grad, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx):
        ng.assign(lhs_grad.get(), req_lhs, out_grad.get())
        ng.assign(rhs_grad.get(), req_rhs, out_grad.get())

    op = new().set_function("cpu", add).set_gradient("cpu", gradient, "kInplaceOutLhs")
    assert op.keeps == frozenset()
    g = np.array([1.0, 2.0])
    for found in gradients(op, [np.zeros(2), np.zeros(2)], g):
        np.testing.assert_array_equal(found, g)
    assert op.backward((True, True)).inplace_pairs({}) == ((0, 0),)
    assert op.backward((False, True)).inplace_pairs({}) == ()  # never the second operand's


def test_the_unwanted_gradient_takes_no_writes(new):
    """A function that ignores req_rhs=kNullOp is caught."""

    def careless(out_grad, lhs, rhs, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx):
        assert rhs_grad.shape == (2,)
        assert rhs_grad.dtype == np.float64
        rhs_grad.get()[:] = 0

    op = new().set_function("cpu", fns.product).set_gradient("cpu", careless)
    with pytest.raises(ValueError, match="read-only"):
        gradients(op, [np.ones(2), np.ones(2)], wanted=[True, False])


@pytest.mark.parametrize("form", UNARY)
@pytest.mark.parametrize("req", [NULL, WRITE, INPLACE, ADD])
def test_backward_obeys_each_request(new, form, req):
    """OPR-07..10 backward; SMP-27: in_grad in the memory of out_grad."""
    op, attributes, _ = unary(new, form)
    backward = op.backward((True,))
    assert backward.inplace_pairs({}) == ((0, 0),)
    x = np.array([0.5, -2.0])
    (want,) = gradients(op, [x], np.array([3.0, 4.0]), **attributes)
    g = np.array([3.0, 4.0])
    out = g if req is INPLACE else np.array([10.0, 20.0])
    values = [g, *({"out0": op(x, **attributes), "src": x}[k] for k in sorted(op.keeps))]
    given = {**op.normalise(attributes), SPECS: (((2,), "float64"),)}
    backward.run(values, [out], [req], given, resources=backward.grant(cpu()))
    expected = {NULL: [10, 20], ADD: want + [10, 20]}.get(req, want)
    np.testing.assert_allclose(out, expected)


def test_without_a_gradient_an_operator_goes_forward_only(new):
    """SMP-15."""
    op = new().set_function("cpu", fns.triple)
    assert op.rule is None
    assert op(1.0) == 3.0


def test_a_gradient_for_another_device_only_is_refused_by_name(new):
    @ng.thread_kernel
    def gradient(out_grad, out_value, in_grad, req, start, step):
        pass

    op = new().set_function("cpu", fns.triple).set_gradient("gpu", gradient)
    with pytest.raises(
        DeviceError, match=r"no gradient for cpu\(0\); registered: gpu; .*set_gradient"
    ):
        gradients(op, [np.ones(2)])


def test_integers_have_no_gradient(new):
    op = new().set_function("cpu", fns.product).set_gradient("cpu", fns.product_gradient)
    found = gradients(op, [np.ones(2), np.arange(2)])
    assert found[1] is None
    np.testing.assert_array_equal(found[0], [0, 1])


def test_gradients_use_resources_and_keywords(new):
    class P(ng.Param):
        power: int = ng.field(lower=1)

    def fn(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get() ** env.kwargs.power)

    def gradient(out_grad, in_data0, env, in_grad, req, ctx):
        n = env.kwargs.power
        space = env.temp_space(in_grad.shape, in_grad.dtype)
        space[...] = n * in_data0.get() ** (n - 1)
        ng.assign(in_grad.get(), req, space * out_grad.get())

    op = new().set_enable_kwargs(P).set_resource_request("temp_space")
    op.set_function("cpu", fn).set_gradient("cpu", gradient)
    (found,) = gradients(op, [np.array([2.0, 3.0])], power="3")
    np.testing.assert_array_equal(found, [12, 27])


# ------------------------------------------------------------------------- against the scalar op


smooth_l1 = ng.op(functions.smooth_l1)


def declared(new):
    op = new("simple_smooth_l1").set_enable_scalar(True)
    op.set_function("cpu", fns.smooth_l1, ng.kNoInplace)
    return op.set_gradient("cpu", fns.smooth_l1_gradient, ng.kInplaceOutIn)


def test_what_is_inferred_is_what_was_declared_by_hand(new):
    """SMP-30: the gradient reads the input, so forward is not in place, backward is."""
    op = declared(new)
    inferred = simple_declaration(smooth_l1)
    assert inferred == ("T2", ng.kNoInplace, ng.kInplaceOutIn)
    assert inferred.form == op.gradient_form.name
    assert inferred.function == op.functions["cpu"].option
    assert inferred.gradient == op.gradients["cpu"].option


@settings(max_examples=25)
@given(st.lists(st.floats(-4, 4), min_size=1, max_size=6), st.sampled_from([0.5, 1.0, 2.0]))
def test_both_ways_of_definition_agree(values, sigma):
    """SMP-40, 44: the derived gradient is the hand-written one, also near 1/sigma**2."""
    x = np.array([*values, 1 / sigma**2 - 1e-9, 1 / sigma**2 + 1e-9])
    op = ng.register_simple_op("unregistered_smooth_l1").set_enable_scalar(True)
    registry.remove(op.set_function("cpu", fns.smooth_l1).__name__)
    op.set_gradient("cpu", fns.smooth_l1_gradient)
    np.testing.assert_allclose(op(x, scalar=sigma), smooth_l1(x, sigma=sigma), atol=1e-12)
    (found,) = gradients(op, [x], scalar=sigma)
    want = smooth_l1.derivative("x")(x, sigma=sigma)
    np.testing.assert_allclose(found, want, atol=1e-7)


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda x: 2 * x, ("T0", "kInplaceInOut", "kInplaceOutIn")),
        (lambda x: 1 / (1 + math.exp(-x)), ("T1", "kInplaceInOut", "kInplaceOutIn")),
        (lambda x: x * x, ("T2", "kNoInplace", "kInplaceOutIn")),
        (lambda x, y: x * y, ("T2", "kNoInplace", "kInplaceOutLhs")),
        (lambda x, y: x + y, ("T0", "kInplaceLhsOut", "kInplaceOutLhs")),
        (lambda x: x > 0, ("", "kInplaceInOut", "kNoInplace")),
    ],
)
def test_declarations_of_other_operators(fn, expected):
    form, function, gradient = simple_declaration(ng.op(fn))
    want = list(expected)
    if form == "":  # a bool is smaller than a float: it cannot be written over one
        want[1] = "kNoInplace"
    assert [form, function.name, gradient.name] == want


def test_what_is_no_simple_operator_has_no_declaration():
    with pytest.raises(ArgumentError, match="one or two operands and one output"):
        simple_declaration(ng.op(lambda x, y, z: x + y + z))
    with pytest.raises(ArgumentError, match="one or two operands and one output"):
        simple_declaration(ng.op(lambda x: (x, 2 * x)))
