"""Requests, memory and what is kept: OPR-04..11, OPP-05..13."""

import gc
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.device import cpu
from nbgraph.executor import Options
from nbgraph.operator.full.gradient import SPECS
from nbgraph.operator.request import OpReqType
from tests.engine.conftest import engine, gate, threads
from tests.operator.full import operators
from tests.operator.full.operators import Exp

__all__ = ["engine", "gate", "threads"]
NULL, WRITE, INPLACE, ADD = OpReqType
X = np.float32([[0.5, -1.0], [2.0, 0.25]])


def _run(op, inputs, outputs, requests, attributes=None, **options):
    given = op.parameters if attributes is None else attributes
    specs = [ng.operator.spec.Spec.of(a) for a in inputs]
    resources = op.grant_to(cpu(), given, specs)
    op.run(inputs, outputs, requests, given, resources=resources, **options)


@pytest.mark.parametrize("first", [NULL, WRITE, ADD])
@pytest.mark.parametrize("second", [NULL, WRITE, ADD])
def test_each_output_has_a_request_of_its_own(first, second):
    """OPR-06..08, OPR-10: len(req) == len(out_data), and req[i] belongs to out_data[i]."""
    op = ng.mx_circle.of({})
    outputs = [np.full_like(X, 7), np.full_like(X, np.nan if second is WRITE else 9)]
    before = [o.copy() for o in outputs]
    _run(op, [X], outputs, [first, second])
    for out, old, req, value in zip(outputs, before, (first, second), (np.sin(X), np.cos(X))):
        want = {NULL: old, WRITE: value, ADD: old + value}[req]
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("make", [np.copy, ng.array])
def test_as_many_outs_as_outputs(make):
    """OPR-06: what is given for outputs is counted before anything runs."""
    out = make(X)
    with pytest.raises(ng.ArgumentError, match=r"mx_circle: .*1 .*2"):
        ng.mx_circle(make(X), out=(out,))
    np.testing.assert_array_equal(np.asarray(out), X)


def test_nothing_asked_for_is_nothing_done():
    """OPR-07: with kNullOp alone the work is skipped."""
    Exp.requests.clear()
    out = np.full_like(X, 7)
    _run(ng.mx_exp.of({}), [X], [out], [NULL])
    assert (out == 7).all()
    assert Exp.requests == []


def test_an_output_that_nobody_wants_takes_no_writes():
    """OPR-05, OPR-07: it has its shape, and an operator that writes it all the same is told."""

    class Careless(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            assert [o.shape for o in out_data] == [X.shape, X.shape]
            for out in out_data:
                out[...] = 0

    class Prop(operators.SplitProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Careless()

    ng.register_operator("mx_careless")(Prop)
    with pytest.raises(ValueError, match="read-only") as told:
        _run(ng.mx_careless.of({}), [X], [X.copy(), X.copy()], [WRITE, NULL])
    assert "mx_careless: in forward, for float32[2, 2]" in told.value.__notes__[0]


@pytest.mark.parametrize("req", [NULL, WRITE, INPLACE, ADD])
def test_backward_obeys_each_request(req):
    """OPR-07..10, OPR-09: in_grad in the memory of out_grad, or added to what is there."""
    op = ng.mx_exp.of({})
    backward = op.backward((True,), (True,))
    assert backward.inplace_pairs({}) == ((0, 0), (1, 0))
    grad, out = np.float32([3.0, 4.0]), np.float32([10.0, 20.0])
    target = grad if req is INPLACE else np.float32([1.0, 2.0])
    want = {NULL: [1, 2], ADD: [31, 82]}.get(req, [30, 80])
    given = {SPECS: (((2,), "float32"),)}
    _run(backward, [grad, out], [target], [req], given)
    np.testing.assert_array_equal(target, want)


def test_a_right_that_was_not_given_is_not_used():
    """OPP-10: asked for in place, an output that no pair names gets an array of its own."""
    seen = []

    class Reversing(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            seen.append((req[0], np.shares_memory(in_data[0], out_data[0])))
            out_data[0][0] = 0
            self.assign(out_data[0], req[0], in_data[0][::-1])

    class Prop(operators.ExpProp):
        def forward_inplace_option(self, in_data, out_data):
            return []

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Reversing()

    ng.register_operator("mx_reversing")(Prop)
    x = X.copy()
    _run(ng.mx_reversing.of({}), [x], [x], [INPLACE])
    np.testing.assert_array_equal(x, X[::-1])
    assert seen == [(WRITE, False)]


# in place ---------------------------------------------------------------------------------------


def _chain(options):
    Exp.requests.clear()
    y = ng.var("x")
    for _ in range(3):
        y = ng.mx_exp(y * 0.5)
    exe = ng.sum(y * 2.0).simple_bind(options=options, x=(64, 64))
    at = np.linspace(-1, 1, 64 * 64, dtype="float32").reshape(64, 64)
    exe.forward_backward(x=at)
    found = exe.outputs[0].asnumpy(), exe.grad_dict["x"].asnumpy()
    return found, list(Exp.requests)


def test_in_place_is_a_suggestion(engine):
    """OPP-10..12, OPR-09, OPR-16: the same bits forced off and on; the operator sees the request,
    and that only where memory is shared."""
    off, without = _chain(Options.of(inplace=False))
    on, seen = _chain(Options())
    for a, b in zip(off, on, strict=True):
        np.testing.assert_array_equal(a, b)
    assert {(req, shared) for _, req, shared in without} == {("kWriteTo", False)}
    shared = [(p, req) for p, req, shared in seen if shared]
    assert ("forward", "kWriteInplace") in shared
    assert ("backward", "kWriteInplace") in shared
    assert all(req == "kWriteInplace" for _, req in shared)


def test_in_place_needs_equal_shapes_and_sizes():
    """OPP-13: a pair whose shapes or element sizes differ is never taken up."""

    class Narrow(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            assert not np.may_share_memory(in_data[0], out_data[0])
            assert req[0] is WRITE
            self.assign(out_data[0], req[0], in_data[0].reshape(out_data[0].shape))

    @ng.register_operator("mx_narrow")
    class NarrowProp(ng.OperatorProperty):
        class Param(ng.Param):
            wide: bool = False

        def infer_shape(self, in_shapes, out_shapes, aux_shapes):
            (data,) = in_shapes
            return [data], [data if self.param.wide else (data[1], data[0])], []

        def infer_type(self, in_dtypes, out_dtypes, aux_dtypes):
            made = "float64" if self.param.wide else "float32"
            return ["float32"], [made], []

        def forward_inplace_option(self, in_data, out_data):
            return [(in_data[0], out_data[0])]

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Narrow()

    for wide in (False, True):
        y = ng.exp(ng.mx_narrow(ng.exp(ng.var("x")), wide=wide))
        exe = y.simple_bind(grad_req="null", x=(3, 2))
        (out,) = exe.forward(x=np.zeros((3, 2)))
        assert out.shape == ((3, 2) if wide else (2, 3))
        np.testing.assert_allclose(out.asnumpy(), np.e, rtol=1e-6)


def test_given_out_is_written_over_the_operand_where_that_is_allowed(engine):
    """OPP-10: out= of the operand's own memory; without the right it goes by way of a copy."""
    Exp.requests.clear()
    a = ng.array(X)
    assert ng.mx_exp(a, out=a) is a
    np.testing.assert_array_equal(a.asnumpy(), np.exp(X))
    assert Exp.requests == [("forward", "kWriteInplace", True)]
    b = X.copy()
    ng.mx_circle(b, out=(b, None))
    np.testing.assert_array_equal(b, np.sin(X))


# gradients of several uses -----------------------------------------------------------------------


def test_a_gradient_that_is_summed_is_added_where_it_is():
    """OPR-11: in a graph with fan-out backward is asked for kAddTo, and saves an array."""
    Exp.requests.clear()
    x = ng.tanh(ng.var("x"))
    exe = ng.sum(ng.mx_exp(x) * 2.0 + ng.mx_exp(x * 1.5)).simple_bind(x=(32, 32))
    at = np.linspace(-1, 1, 1024, dtype="float32").reshape(32, 32)
    exe.forward_backward(x=at)
    t = np.tanh(at.astype("float64"))
    want = (2 * np.exp(t) + 1.5 * np.exp(1.5 * t)) * (1 - t * t)
    np.testing.assert_allclose(exe.grad_dict["x"].asnumpy(), want, rtol=1e-4)
    again = ng.sum(ng.mx_exp(ng.var("x"))).simple_bind(grad_req="add", x=(32, 32))
    for _ in range(2):
        again.forward_backward(x=at)
    np.testing.assert_allclose(again.grad_dict["x"].asnumpy(), 2 * np.exp(at), rtol=1e-5)
    assert "kAddTo" in {req for p, req, _ in Exp.requests if p == "backward"}


# what is kept -----------------------------------------------------------------------------------


def test_what_is_not_declared_is_not_kept():
    """OPP-08: an array that backward does not read dies with its last owner."""
    for name, alive in (("mx_exp", False), ("mx_pooling", True)):
        x = ng.array(np.ones((4, 4), "float32"))
        x.attach_grad()
        with ng.autograd.record():
            middle = x * 3.0
            loss = getattr(ng, name)(middle).sum()
        held = weakref.ref(middle)
        del middle
        gc.collect()
        assert (held() is not None) == alive, name
        loss.backward()


def test_fully_connected_frees_its_output_and_pooling_does_not():
    """OPP-09, OPR-15: {out_grad, in_data} against {out_grad, in_data, out_data}."""
    fc, pool = ng.mx_connected.of({"num_hidden": 2}), ng.mx_pooling.of({})
    assert fc.keeps == {"data", "weight"}
    assert pool.keeps == {"data", "out0"}
    x = ng.var("x")
    for layer, kept in (
        (ng.mx_connected(x, num_hidden=8, name="layer"), False),
        (ng.mx_pooling(x), True),
    ):
        exe = (layer + 1.0).simple_bind(x=(4, 8))
        forward, backward = exe._bound.halves
        names = [str(v.name) for v in backward.target.source.variables]
        assert any("[0] kept" in n for n in names) == kept, names


def test_what_is_not_declared_cannot_be_read():
    """OPP-08: backward that reads more than it declared is told what to add."""

    class Greedy(Exp):
        def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
            assert in_data[0].shape == out_grad[0].shape
            self.assign(in_grad[0], req[0], out_grad[0] * np.exp(in_data[0]))

    class Prop(operators.ExpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Greedy()

    ng.register_operator("mx_greedy")(Prop)
    x = ng.array(X)
    x.attach_grad()
    with ng.autograd.record():
        y = ng.mx_greedy(x).sum()
    with pytest.raises(ng.ArgumentError, match=r"reads in_data\[0\], which declare_backward"):
        y.backward()
        x.grad.asnumpy()


@pytest.mark.parametrize(
    ("method", "given", "told"),
    [
        ("declare_backward_dependency", [3], r"names 3; expected handles among out_grad\[0\]"),
        ("forward_inplace_option", [(0, 0)], r"names 0; expected handles among in_data\[0\]"),
        ("backward_inplace_option", ["ab", 1], r"return a list of pairs such as \(out_grad\[0\]"),
        ("list_arguments", "data", r"return a list of names"),
        ("list_outputs", ["a", "a"], r"a name stands twice"),
        ("num_visible_outputs", 2, r"num_visible_outputs says 2 of 1"),
    ],
)
def test_bad_declarations_are_refused_when_they_are_registered(method, given, told):
    """OPP-08, OPP-10, OPP-11, OPP-16, OPP-17: the method and the remedy are named."""
    prop = type("Bad", (operators.ExpProp,), {method: lambda self, *_: given})
    with pytest.raises(ng.ArgumentError, match=f"mx_bad: .*{told}"):
        ng.register_operator("mx_bad")(prop)
