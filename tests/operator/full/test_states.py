"""Modes, resources and states: OPR-02..04, OPR-12, OPP-05..07, OPP-18."""

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine, gate, threads
from tests.operator.full import operators
from tests.operator.full.worlds import OPTIONS

__all__ = ["engine", "gate", "threads"]
WAYS = pytest.mark.parametrize("options", OPTIONS)
AT = np.arange(8, dtype="float32").reshape(4, 2)


class Told:
    """What an operator was told, pass by pass."""

    def __init__(self, forward=(), backward=()):
        told = self.told = {}

        class Tell(ng.Operator):
            def forward(self, ctx, in_data, req, out_data, aux_states):
                told["forward"] = ctx
                told["drawn"] = [_use(r) for r in ctx.requested]
                self.assign(out_data[0], req[0], in_data[0])

            def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
                told["backward"] = ctx
                told["back"] = [_use(r) for r in ctx.requested]
                self.assign(in_grad[0], req[0], out_grad[0])

        @ng.register_operator("mx_tell")
        class TellProp(ng.OperatorProperty):
            def infer_shape(self, in_shapes, out_shapes, aux_shapes):
                return in_shapes, in_shapes, []

            def forward_resource(self, in_shapes):
                told["asked"] = list(in_shapes)
                return forward(in_shapes) if callable(forward) else forward

            def backward_resource(self, in_shapes):
                return backward

            def create_operator(self, ctx, in_shapes, in_dtypes):
                return Tell()


def _use(resource):
    if str(resource.kind) == "temp_space":
        space = resource.get_space((3,), "float32")
        space[...] = 1
        return "space"
    resource.get_random().random()
    return "random"


def test_contexts_say_mode_device_and_stream(engine):
    """OPR-02, OPR-03: is_train of the call; run_ctx with device and stream."""
    told = Told().told
    ng.mx_tell(ng.array(AT)).asnumpy()
    assert told["forward"].is_train is False
    assert told["forward"].device == ng.cpu()
    assert told["forward"].stream is None
    assert told["forward"].run_ctx.device == ng.cpu()
    with ng.autograd.train_mode():
        ng.mx_tell(AT)
    assert told["forward"].is_train is True
    exe = ng.sum(ng.mx_tell(ng.var("x"))).simple_bind(x=(4, 2))
    exe.forward(x=AT)[0].asnumpy()
    assert told["forward"].is_train is False
    exe.forward_backward(x=AT)
    exe.grad_dict["x"].asnumpy()
    assert told["forward"].is_train is True
    assert told["backward"].is_train is True


def test_resources_come_in_the_order_of_the_requests(engine):
    """OPR-04, OPP-05..07: of that pass alone, each with its own accessor."""
    told = Told(["temp_space", "parallel_random", "random"], ["random"]).told
    x = ng.array(AT)
    x.attach_grad()
    with ng.autograd.record():
        y = ng.mx_tell(x).sum()
    y.backward()
    x.grad.asnumpy()
    assert told["drawn"] == ["space", "random", "random"]
    assert told["back"] == ["random"]
    exe = ng.sum(ng.mx_tell(ng.var("x"))).simple_bind(x=(4, 2))
    exe.forward_backward(x=AT)
    exe.grad_dict["x"].asnumpy()
    assert told["drawn"] == ["space", "random", "random"]
    assert told["back"] == ["random"]
    ng.mx_tell(AT)
    assert told["drawn"] == ["space", "random", "random"]


def test_requests_may_depend_on_shapes(engine):
    """OPP-05: forward_resource is given the shapes of the arguments."""
    told = Told(lambda shapes: ["temp_space"] * shapes[0][0]).told
    ng.mx_tell(ng.array(AT)).asnumpy()
    assert told["asked"] == [(4, 2)]
    assert told["drawn"] == ["space"] * 4
    exe = ng.mx_tell(ng.var("x")).simple_bind(x=(3, 2))
    exe.forward()[0].asnumpy()
    assert told["drawn"] == ["space"] * 3


def test_unknown_requests_and_wrong_accessors_are_refused():
    """OPP-06, OPP-07."""
    with pytest.raises(ng.ArgumentError, match=r"resource request 'scratch'; expected one of"):
        Told(["scratch"])

    class Wrong(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            ctx.requested[0].get_random()

    class Prop(operators.ExpProp):
        def forward_resource(self, in_shapes):
            return "temp_space"

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Wrong()

    ng.register_operator("mx_accessor")(Prop)
    with pytest.raises(ng.ArgumentError, match=r"get_random: this resource is 'temp_space'"):
        ng.mx_accessor(ng.array(AT)).asnumpy()


# draws ------------------------------------------------------------------------------------------


@WAYS
def test_a_mask_is_a_hidden_output(options, engine):
    """OPR-02, OPP-17: what training drops has no gradient; prediction drops nothing."""
    y = ng.mx_drop(ng.var("x"), p="0.25")
    assert y.list_outputs() == ["mx_drop0_output"]
    exe = y.simple_bind(options=OPTIONS[options], x=(20, 20))
    kept = []
    for _ in range(2):
        (out,) = exe.forward_backward(ng.ones((20, 20)), x=1.0)
        values = out.asnumpy()
        assert set(np.unique(values)) == {0, np.float32(1 / 0.75)}
        np.testing.assert_array_equal(exe.grad_dict["x"].asnumpy(), values)
        kept.append(values)
    assert not np.array_equal(*kept)
    assert (exe.forward(x=1.0)[0].asnumpy() == 1).all()


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("draw", ["dropout", "mx_drop"])
def test_nodes_of_one_draw_agree(draw, compiled, engine):
    """OPP-17: in an expression graph the hidden mask is not a node, and backward sees that of the
    forward pass, not another draw."""
    graph = ng.ExpressionGraph(compiled=compiled)
    p = graph.param("p", (20, 20), 1.0)
    with ng.autograd.train_mode():
        out = getattr(ng, draw)(p).retain()
        ng.sum(out)
        graph.backprop()
    np.testing.assert_array_equal(out.val.asnumpy(), p.grad.asnumpy())
    assert set(np.unique(p.grad.asnumpy())) == {0, 2}


def test_draws_are_those_of_the_seed_in_every_world(engine):
    """OPR-04: a seed gives the same numbers, imperative, bound and compiled."""
    x = ng.ones((5, 5))
    found = []
    for way in ("nd", "exe", "jit"):
        exe = ng.mx_drop(ng.var("x")).simple_bind(x=(5, 5)) if way == "exe" else None
        f = ng.jit(ng.mx_drop)
        ng.random.seed(5)
        with ng.autograd.train_mode():
            if exe is not None:
                found.append(exe.forward(is_train=True, x=x)[0].asnumpy())
            else:
                found.append((f if way == "jit" else ng.mx_drop)(x).asnumpy())
    np.testing.assert_array_equal(found[0], found[1])
    assert set(np.unique(found[2])) == {0, 2}


# states -----------------------------------------------------------------------------------------


def _moved(mean, x, times=1):
    for _ in range(times):
        mean = 0.5 * mean + 0.5 * x.mean(axis=0)
    return mean


@WAYS
def test_states_of_an_executor(options, engine):
    """OPR-12, OPP-18: kept across calls, moved by training alone, not differentiated."""
    y = ng.mx_moving(ng.tanh(ng.var("x")), name="norm")
    assert y.list_arguments() == ["x"]
    assert y.list_auxiliary_states() == ["norm_mean"]
    exe = y.simple_bind(options=OPTIONS[options], x=(4, 2))
    assert list(exe.grad_dict) == ["x"]
    mean = np.ones(2, "float32")
    assert exe.aux_dict["norm_mean"].tolist() == [1, 1]
    for train in (True, False, True):
        (out,) = exe.forward(is_train=train, x=AT)
        if train:
            mean = _moved(mean, np.tanh(AT))
            exe.backward(ng.ones((4, 2)))
        np.testing.assert_allclose(exe.aux_dict["norm_mean"].asnumpy(), mean, rtol=1e-6)
        np.testing.assert_allclose(out.asnumpy(), np.tanh(AT) - mean, rtol=1e-5, atol=1e-6)
    exe.forward_backward(ng.ones((4, 2)), x=AT)
    np.testing.assert_allclose(exe.aux_dict["norm_mean"].asnumpy(), _moved(mean, np.tanh(AT)))


def test_states_of_arrays(engine):
    """OPR-12: NDArrays and NumPy arrays are written where they lie, in training; several calls in
    their order, and backward comes after all of them."""
    mean, x = ng.zeros(2), ng.array(AT)
    x.attach_grad()
    ng.mx_moving(x, mean)
    assert mean.tolist() == [0, 0]
    with ng.autograd.record():
        loss = (ng.mx_moving(x, mean) + ng.mx_moving(x, mean=mean)).sum()
    loss.backward()
    np.testing.assert_array_equal(mean.asnumpy(), _moved(np.zeros(2), AT, 2))
    assert (x.grad.asnumpy() == 2).all()
    host = np.zeros(2, "float32")
    with ng.autograd.train_mode():
        out = ng.mx_moving(AT, host)
    np.testing.assert_array_equal(host, _moved(np.zeros(2), AT))
    np.testing.assert_array_equal(out, AT - host)


def test_states_of_compiled_functions_and_graphs(engine):
    """OPR-12: a captured state is written by each run, in training; so is a constant of a graph."""
    mean, x = ng.zeros(2), ng.array(AT)

    @ng.jit
    def f(a):
        return ng.mx_moving(a * 1.0, mean)

    f(x)
    assert mean.tolist() == [0, 0]
    for times in (2, 4):  # to differentiate is to train
        slope = ng.grad(lambda a: f(a).sum())(x)
        with ng.autograd.train_mode():
            f(x)
        np.testing.assert_array_equal(mean.asnumpy(), _moved(np.zeros(2), AT, times))
        assert (slope.asnumpy() == 1).all()
    graph = ng.ExpressionGraph()
    state = graph.constant(np.zeros(2, "float32"))
    p = graph.param("p", (4, 2), AT)
    with ng.autograd.train_mode():
        ng.sum(ng.mx_moving(p, state))
        graph.backprop()
    np.testing.assert_array_equal(state.val.asnumpy(), _moved(np.zeros(2), AT))
    assert (p.grad.asnumpy() == 1).all()


@WAYS
def test_updates_of_one_state_keep_their_order(options, engine):
    """OPR-12: two operators that write one state do so in the order they were applied."""
    x, mean = ng.var("x"), ng.var("mean")
    both = ng.Group([ng.mx_moving(x, mean), ng.mx_moving(x * 3.0, mean)])
    exe = both.simple_bind(options=OPTIONS[options], x=(4, 2), mean=(2,))
    for _ in range(2):
        exe.aux_dict["mean"][...] = 0
        exe.forward(is_train=True, x=1.0)
        assert exe.aux_dict["mean"].tolist() == [1.75, 1.75]
        assert exe.outputs[0].tolist() == [[0.5, 0.5]] * 4
        assert exe.outputs[1].tolist() == [[1.25, 1.25]] * 4


def test_states_that_cannot_be_written_are_refused(engine):
    """OPR-12: by name, with the remedy, at the call."""
    with ng.autograd.train_mode():
        with pytest.raises(ng.ArgumentError, match=r"state 'mean' is an ndarray.*give an NDArray"):
            ng.mx_moving(ng.array(AT), np.zeros(2, "float32"))
        lent = ng.zeros(2)
        view = np.from_dlpack(lent)
        with pytest.raises(ValueError, match=r"mx_moving: mean may not be written"):
            ng.mx_moving(ng.array(AT), lent)
        del view
    gaps = ng.zeros((2, 2))[:, 0]
    with pytest.raises(ng.ArgumentError, match=r"auxiliary state is a view with gaps"):
        ng.jit(lambda x: ng.mx_moving(x, gaps))(ng.array(AT))
    with pytest.raises(ng.ArgumentError, match=r"the auxiliary state 'mean' is computed"):
        ng.mx_moving(ng.var("x"), ng.exp(ng.var("y")))

    class Untrained(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            aux_states[0][...] = 0

    class Prop(operators.MovingProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Untrained()

    ng.register_operator("mx_untrained")(Prop)
    with pytest.raises(ValueError, match="read-only"):
        ng.mx_untrained(ng.array(AT), ng.zeros(2)).asnumpy()
