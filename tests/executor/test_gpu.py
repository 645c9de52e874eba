"""Graphs on a GPU: all kernels of a run are one operation of the engine, on one stream."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CompileError, DeviceError
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.call import call
from tests.array.gpu import GPU, hurried


def values(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _roll(inputs, outputs):
    outputs[0][...] = np.roll(inputs[0], 1)


ROLLED = ArrayOp("rolled", lambda x: x, _roll)


def on_both(run):
    """What `run(device)` gives on the host and on the GPU."""
    found = run(GPU)
    assert all(a.device == GPU for a in found)
    for a, b in zip(found, run(ng.cpu()), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


@ng.jit
def layer(x, w):
    h = ng.tanh(x * w + 1)
    return h, (h * h).sum(), ng.softmax(h), h.astype("float64").max(axis=0)


def test_a_jit_function_runs_where_its_arrays_are():
    """ENG-07, SMP-24: one function, both devices in turn."""
    for seed in range(3):
        on_both(
            lambda device, seed=seed: layer(
                ng.array(values((7, 33), seed), device=device),
                ng.array(values((33,), 9), device=device),
            )
        )
    with pytest.raises(DeviceError, match=r"x is on gpu\(0\), w on cpu\(0\).*\.to\(gpu\(0\)\)"):
        layer(ng.ones((7, 33), device=GPU), ng.ones(33))


def test_gradients_of_a_jit_function():
    def run(device):
        x = ng.array(values((7, 33)), device=device)
        x.attach_grad()
        with ng.autograd.record():
            loss = layer(x, ng.ones((33,), device=device))[1]
        loss.backward()
        return [loss, x.grad]

    on_both(run)


@pytest.mark.parametrize("request_", ["write", "add"])
def test_a_bound_graph(request_):
    """ENG-15: simple_bind with a device; requests of gradients; runs follow one another."""

    def run(device):
        x, y = ng.var("x"), ng.var("y")
        graph = ng.mean(ng.tanh(x * y) ** 2 + ng.max(x, axis=1, keepdims=True))
        bound = graph.simple_bind(ctx=device, x=(7, 33), y=(33,), grad_req=request_)
        assert bound.arg_dict["x"].device == device
        bound.arg_dict["x"][:] = ng.array(values((7, 33)), device=device)
        bound.arg_dict["y"][:] = ng.array(values((33,), 1), device=device)
        with hurried(1):
            for _ in range(3):
                bound.forward(is_train=True)
                bound.backward()
            bound.arg_dict["x"][:] = 0.5  # behind the runs that read it
            return [*bound.outputs, *(a.copy() for a in bound.grad_dict.values())]

    on_both(run)


def test_what_a_graph_cannot_do_there_is_told_when_it_is_bound():
    """SMP-24: forward and backward; the node, the device and the remedy."""
    told = r"rolled.*: there is no GPU form.*x\.to\(ng\.cpu\(\)\)"
    with pytest.raises(DeviceError, match=told):
        call(ROLLED, [ng.var("x") * 2], {}).simple_bind(ctx=GPU, x=(3,))
    slope = ArrayOp(
        "held",
        lambda x: x,
        view=lambda x: x,
        gradient=lambda g: [call(ROLLED, [g.out_grad], {})],
    )
    graph = call(slope, [ng.var("x") * 2], {})
    with pytest.raises(DeviceError, match=told):
        graph.simple_bind(ctx=GPU, x=(3,))
    bound = graph.simple_bind(ctx=GPU, x=(3,), grad_req="null")
    assert bound.forward(x=[1.0, 2.0, 3.0])[0].tolist() == [2.0, 4.0, 6.0]


def test_what_has_no_text_is_told_when_it_is_called_or_bound():
    """MSP-02: a function without source cannot be compiled for the device; the remedy."""
    space = {}
    exec("def textless(a):\n    return a * 2 if a > 0 else -a", space)
    op = ng.op(space["textless"])
    told = r"textless, whose source text cannot be found, so that no GPU code.*define it in a file"
    with pytest.raises(CompileError, match=told):
        op(ng.ones(3, device=GPU))
    x = ng.var("x")
    for graph in (op(x), op(x * 3).sum(), ng.softmax(op(x))):
        with pytest.raises(CompileError, match=told):
            graph.simple_bind(ctx=GPU, x=(3,))
    assert op(ng.ones(3)).asnumpy().tolist() == [2, 2, 2]


@pytest.mark.parametrize("kind", [ng.optim.SGD, ng.optim.Adam])
def test_steps_of_an_optimizer(kind):
    """MTE-04: weights, states and gradients on the device; what is elsewhere is refused."""

    def run(device):
        weights = {"w": ng.array(values((33,)), device=device)}
        optimizer = kind(weights, lr=0.1)
        x = ng.array(values((7, 33), 1), device=device)
        for _ in range(3):
            weights["w"].attach_grad()
            with ng.autograd.record():
                loss = ((x * weights["w"]) ** 2).sum()
            loss.backward()
            optimizer.step({"w": weights["w"].grad})
        return [weights["w"]]

    on_both(run)


def test_a_small_network_is_trained():
    """Products by a library between our kernels, in one operation; gradients and updates."""

    @ng.jit
    def loss(x, y, w, b, v):
        hidden = ng.maximum(x @ w + b, 0.0)
        return ((hidden @ v - y) ** 2).mean()

    def run(device):
        x = ng.array(values((20, 6)), device=device)
        y = ng.array(values((20, 2), 1), device=device)
        shapes = {"w": (6, 12), "b": (12,), "v": (12, 2)}
        weights = {k: ng.array(values(s, 3) * 0.3, device=device) for k, s in shapes.items()}
        optimizer = ng.optim.SGD(weights, lr=0.05)
        losses = []
        for _ in range(4):
            for a in weights.values():
                a.attach_grad()
            with ng.autograd.record():
                value = loss(x, y, *weights.values())
            value.backward()
            optimizer.step({k: a.grad for k, a in weights.items()})
            losses.append(value)
        assert losses[-1].item() < losses[0].item()
        return [*losses, *weights.values()]

    on_both(run)
