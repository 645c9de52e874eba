"""Runs of executors: draws, errors on the way, states, threads, engines that come and go."""

import gc
import os

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.executor import Options
from nbgraph.executor.compiled import compiled
from nbgraph.executor.program import Program
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.layout import layout
from tests.engine.conftest import engine, gate, threads
from tests.support import on_threads

__all__ = ["engine", "gate", "threads"]

EVERY = [Options(), Options.none(), Options.of(recompute="sqrt")]
WAYS = pytest.mark.parametrize("options", EVERY, ids=["all", "none", "recompute"])


def same_spec(x, **attributes):
    return Spec(x.shape, x.dtype)


# draws ------------------------------------------------------------------------------------------


@WAYS
def test_two_draws_are_two_draws(options, engine):
    """dropout(x) + dropout(x) draws twice; a name for one of them draws once."""
    x = ng.var("x", shape=(1000,))
    once = ng.dropout(x, 0.5)
    exe = ng.Group([ng.dropout(x, 0.5) + ng.dropout(x, 0.5), once + once]).simple_bind(
        options=options, x=(1000,)
    )
    exe.arg_dict["x"][...] = 1
    two, one = (o.asnumpy() for o in exe.forward(is_train=True))
    assert set(np.unique(two)) == {0, 2, 4}
    assert set(np.unique(one)) == {0, 4}
    again = exe.forward(is_train=True)[1].asnumpy()
    assert not np.array_equal(one, again)
    assert (exe.forward()[0].asnumpy() == 2).all()


@WAYS
def test_a_draw_that_is_computed_again_draws_the_same(options, engine):
    """X-MEM-07: the gradient of a dropout drops what the forward pass dropped, though the mask
    need not have been kept; a new run drops something else."""
    y = x = ng.var("x", shape=(400,))
    for _ in range(6):
        y = ng.dropout(ng.tanh(y), 0.2)
    exe = y.simple_bind(options=options, x=(400,))
    exe.arg_dict["x"][...] = 0.1
    kept = []
    for _ in range(2):
        (out,) = exe.forward_backward(ng.ones(400))
        dropped = out.asnumpy() == 0
        assert 100 < dropped.sum() < 390
        assert np.array_equal(exe.grad_dict["x"].asnumpy() == 0, dropped)
        kept.append(dropped)
        out = exe.forward(is_train=True)[0].asnumpy()
        exe.backward(ng.ones(400))
        assert np.array_equal(exe.grad_dict["x"].asnumpy() == 0, out == 0)
    assert not np.array_equal(*kept)


# errors -----------------------------------------------------------------------------------------

broken = {"now": False}


def _fragile(inputs, outputs):
    if broken["now"]:
        raise OSError("the disk is full")
    np.copyto(outputs[0], inputs[0])


fragile = ArrayOp("fragile", same_spec, _fragile, gradient=lambda g: [g.out_grad])


@WAYS
def test_an_error_in_the_middle_reaches_what_needs_it_alone(options, engine):
    """An operator that raises: what lies downstream raises at its wait, once; the rest is right;
    afterwards the executor works again. (One loop's results share its fate.)"""
    x = ng.var("x", shape=(5,))
    good, bad = ng.tanh(x) * 2, ng.exp(fragile(ng.sin(x))) + 1
    worse = ng.cumsum(bad)
    exe = ng.Group([good, bad, worse]).simple_bind(options=options, grad_req="null", x=(5,))
    exe.arg_dict["x"][...] = 1
    broken["now"] = True
    try:
        exe.forward()
        raised = 0
        for output in exe.outputs[1:]:
            try:
                output.wait_to_read()
            except OSError as error:
                raised += 1
                told = "\n".join([str(error), *getattr(error, "__notes__", ())])
                assert "the disk is full" in told and "fragile" in told
        assert raised
        assert np.allclose(exe.outputs[0].asnumpy(), np.tanh(1) * 2)
    finally:
        broken["now"] = False
        ng.waitall()  # it was raised: not again
    exe.forward()
    right = np.exp(np.sin(np.float32(1))) + 1
    assert np.allclose(exe.outputs[1].asnumpy(), right)
    assert np.allclose(exe.outputs[2].asnumpy(), np.cumsum([right] * 5))


@pytest.mark.parametrize("behind", [ng.exp, lambda x: ng.cumsum(ng.exp(x))], ids=["last", "inner"])
@WAYS
def test_an_error_is_not_lost_where_a_step_writes_over_its_operand(options, behind, engine):
    """A step in place overwrites memory, not the failure that is on it."""
    y = behind(fragile(ng.cumsum(ng.var("x", shape=(5,)))))
    exe = y.simple_bind(options=options, grad_req="null", x=(5,))
    broken["now"] = True
    try:
        exe.forward(x=1)
        with pytest.raises(OSError, match="the disk is full"):
            exe.outputs[0].asnumpy()
    finally:
        broken["now"] = False
    exe.forward(x=1)
    assert np.isclose(exe.outputs[0].asnumpy()[0], np.e)


# memory in use ----------------------------------------------------------------------------------


def test_what_two_operators_use_is_not_overwritten(engine):
    """X-MEM-02: A -> B, C(B), F(B, C): C may not be written over B, as F reads it, too."""
    x = ng.var("x", shape=(64,))
    b = ng.sigmoid(x)
    c = ng.tanh(b)
    for options in (Options.of(fuse=False), Options()):
        exe = (b - c).simple_bind(options=options, grad_req="null", x=(64,))
        at = np.linspace(-2, 2, 64, dtype="float32")
        (found,) = exe.forward(x=at)
        once = ng.sigmoid(at)
        assert np.array_equal(found.asnumpy(), once - ng.tanh(once))


def test_an_executor_dropped_while_it_runs(threads, gate):
    """Its memory goes back when the run is over, not before."""
    x = ng.var("x", shape=(5000,))
    y = ng.cumsum(ng.tanh(ng.cumsum(x)) * 3)
    exe = y.simple_bind(options=Options.of(fuse=False), grad_req="null", x=(5000,))
    exe.arg_dict["x"][...] = 0.001
    wanted = exe.forward()[0].asnumpy()
    held = gate(ng.engine, exe.arg_dict["x"].variable)
    (out,) = exe.forward()
    del exe
    gc.collect()
    noise = [ng.full((5000,), float(k)) * 2 for k in range(64)]  # takes what memory is free
    held.open()
    assert np.array_equal(out.asnumpy(), wanted)
    assert float(noise[3][0]) == 6


def test_two_executors_share_their_parameters(engine):
    """X-SYM-04: of one w: what one writes the other reads, in the order of the calls."""
    x, w = ng.var("x"), ng.var("w")
    shared = ng.ones((3,))
    one = (x * w).bind(args={"x": ng.ones((3,)), "w": shared}, grad_req="null")
    two = (x + w).bind(args={"x": ng.ones((3,)), "w": shared}, grad_req="null")
    for k in range(20):
        shared[...] = k
        a, b = one.forward()[0], two.forward()[0]
        shared += 100
        assert a.tolist() == [k] * 3 and b.tolist() == [k + 1] * 3


# threads and engines ----------------------------------------------------------------------------


def test_two_threads_use_one_executor(engine):
    """Runs follow each other: outputs and the gradient are those of some whole run."""
    x = ng.var("x", shape=(256,))
    exe = ng.cumsum(ng.tanh(ng.cumsum(x))).simple_bind(x=(256,))
    exe.arg_dict["x"][...] = 0.01
    wanted = exe.forward_backward(ng.ones(256))[0].asnumpy(), exe.grad_dict["x"].asnumpy()

    def work():
        for _ in range(100):
            exe.forward_backward(ng.ones(256))

    on_threads(work, 2)
    assert np.array_equal(exe.outputs[0].asnumpy(), wanted[0])
    assert np.array_equal(exe.grad_dict["x"].asnumpy(), wanted[1])


def test_engines_that_come_and_go():
    """An executor runs on whichever engine is in force."""
    before = ng.engine.current().kind
    x = ng.var("x", shape=(9,))
    exe = (ng.cumsum(ng.exp(x)) * 2).simple_bind(grad_req="null", x=(9,))
    found = []
    try:
        for kind in ("threaded", "naive", "chaos", "threaded"):
            ng.engine.set(kind)
            found.append(exe.forward(x=1.0)[0].asnumpy())
    finally:
        ng.engine.set(before)
    assert all(np.array_equal(found[0], other) for other in found)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_executor_after_a_fork():
    """The child runs what its parent bound."""
    x = ng.var("x", shape=(9,))
    exe = (ng.cumsum(ng.exp(x)) * 2).simple_bind(grad_req="null", x=(9,))
    wanted = exe.forward(x=1.0)[0].asnumpy()
    child = os.fork()
    if not child:
        code = 1
        try:
            same = np.array_equal(exe.forward(x=1.0)[0].asnumpy(), wanted)
            code = 0 if same and float(exe.forward(x=0.0)[0][8]) == 18 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(exe.forward(x=1.0)[0].asnumpy(), wanted)


# states -----------------------------------------------------------------------------------------


def _standardise(inputs, outputs):
    x, mean = inputs
    mean *= 0.5
    mean += 0.5 * x.mean(axis=0)
    np.subtract(x, mean, out=outputs[0])


standardise = ArrayOp(
    "standardise",
    lambda x, mean: Spec(x.shape, x.dtype),
    _standardise,
    gradient=lambda g: [g.out_grad, None],
    operands=("x", "mean"),
    partial=lambda ins, outs: ([ins[0], ins[0][1:] if ins[0] else None], [ins[0]]),
)
standardise.auxiliary = ("mean",)


@WAYS
def test_a_state_is_written_where_it_lies(options, engine):
    """X-SYM-04: a moving mean: it is not an argument, has no gradient, and every run moves
    it once."""
    x, mean = ng.var("x"), ng.var("mean")
    y = ng.tanh(standardise(x * 2, mean))
    assert y.list_arguments() == ["x"] and y.list_auxiliary_states() == ["mean"]
    exe = y.simple_bind(options=options, x=(4, 2), mean=(2,))
    assert list(exe.aux_dict) == ["mean"] and exe.grad_arrays[0].shape == (4, 2)
    at = np.arange(8, dtype="float32").reshape(4, 2)
    state = np.zeros(2, "float32")
    for way in ("forward", "halves", "both", "forward"):
        if way == "both":
            exe.forward_backward(ng.ones((4, 2)), x=at)
        else:
            exe.forward(is_train=way == "halves", x=at)
        if way == "halves":
            exe.backward(ng.ones((4, 2)))
        state = state * 0.5 + 0.5 * (at * 2).mean(axis=0)
        assert np.allclose(exe.aux_dict["mean"].asnumpy(), state)
        wanted = np.tanh(at * 2 - state)
        assert np.allclose(exe.outputs[0].asnumpy(), wanted, rtol=1e-5, atol=1e-6)
        if way in ("halves", "both"):
            slope = 2 * (1 - wanted**2)
            assert np.allclose(exe.grad_dict["x"].asnumpy(), slope, rtol=1e-4, atol=1e-5)


def test_states_are_bound_and_copied(engine):
    """X-SYM-04: aux= gives them, copy_params_from writes them, two executors share them."""
    x, mean = ng.var("x"), ng.var("mean")
    y = standardise(x, mean)
    state = ng.ones((2,))
    one = y.bind(args=[ng.ones((4, 2))], aux=[state], grad_req="null")
    two = y.bind(args={"x": ng.zeros((4, 2))}, aux={"mean": state}, grad_req="null")
    one.forward()
    two.forward()
    one.forward()
    assert state.tolist() == [0.75, 0.75]
    one.copy_params_from({}, {"mean": np.array([3.0, 4.0])})
    assert two.aux_arrays[0].tolist() == [3, 4]


@WAYS
def test_two_updates_of_one_state_keep_their_order(options, engine):
    """A state that two operators write is written in the order in which they were applied."""
    x, mean = ng.var("x"), ng.var("mean")
    first = standardise(x, mean)
    second = standardise(x * 3, mean)
    exe = ng.Group([first, second]).simple_bind(
        options=options, grad_req="null", x=(4, 2), mean=(2,)
    )
    exe.forward(x=1.0)
    assert exe.aux_dict["mean"].tolist() == [1.75, 1.75]
    assert exe.outputs[0].asnumpy().tolist() == [[0.5, 0.5]] * 4
    assert exe.outputs[1].asnumpy().tolist() == [[1.25, 1.25]] * 4


def test_gradients_after_a_forward_without_training_are_those_without_it():
    """Dropout drops nothing, and the states of a normalisation are read, not written."""
    net = ng.sym.BatchNorm(ng.var("x"), name="bn", fix_gamma=False) * ng.dropout(ng.var("x"))
    exe = net.simple_bind(x=(4, 3))
    x, mean = np.random.default_rng(0).normal(size=(4, 3)).astype("f"), np.float32([1, 2, 3])
    exe.arg_dict["x"][...] = x
    for name, value in (("arg_dict", 1), ("aux_dict", 1)):
        for array in getattr(exe, name).values():
            if array.shape == (3,):
                array[...] = value
    exe.aux_dict["bn_moving_mean"][...] = mean
    with pytest.raises(ArgumentError, match="has not run"):
        exe.backward(ng.ones((4, 3)))
    exe.forward()
    exe.backward(ng.ones((4, 3)))
    scale = 1 / np.sqrt(1 + 1e-3)
    expected = (x - mean) * scale + 1 + x * scale
    np.testing.assert_allclose(exe.grad_dict["x"].asnumpy(), expected, rtol=1e-5)
    np.testing.assert_array_equal(exe.aux_dict["bn_moving_mean"].asnumpy(), mean)
    exe.forward(is_train=True)
    exe.backward(ng.ones((4, 3)))
    assert not np.allclose(exe.grad_dict["x"].asnumpy(), expected)


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_sum_of_blocks_is_added_to_what_is_there(axis, fuse):
    """OPR-10: totals of blocks are combined by a step of their own, which has the request."""
    x = ng.var("x", shape=(300, 700), dtype="float32")
    graph = ng.sum(ng.tanh(x) * 2.0, axis=axis).graph
    at = ng.random.normal(size=(300, 700))
    found = {}
    for request in (ng.kWriteTo, ng.kAddTo):
        out = ng.full(graph.heads[0][0].specs[0].shape, 3.0)
        own = layout((300, 700), np.dtype("float32"))
        made = compiled(graph, [own], [request], Options.of(fuse=fuse), ng.cpu())
        Program(made, [at, out]).push()
        found[request] = out.asnumpy()
    np.testing.assert_array_equal(found[ng.kAddTo], 3 + found[ng.kWriteTo])
