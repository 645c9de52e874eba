"""Graphs on a GPU: all kernels of a run are one operation of the engine, on one stream."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CompileError, DeviceError
from nbgraph.operator.arrays.array_op import ArrayOp
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
        "held", lambda x: x, view=lambda x: x, gradient=lambda g: [call(ROLLED, [g.out_grad], {})]
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


def test_numpy_arrays_join_the_others():
    """As outside of graphs: what is NumPy's goes to the device of arguments or captures."""
    x, y = values((3, 4)), values((4,), 1)
    on = ng.array(x, device=GPU)
    both = ng.jit(lambda a, b: ng.tanh(a * b))
    found = ng.jit(lambda b: on * b)
    for result, wanted in ((both(on, y), both(x, y)), (both(y, on), both(y, x))):
        assert result.device == GPU and result.asnumpy().tobytes() == wanted.asnumpy().tobytes()
    np.testing.assert_array_equal(found(y).asnumpy(), x * y)
    assert found(y).device == GPU and both(x, y).device == ng.cpu()


def test_a_graph_is_bound_where_its_arrays_are():
    """Never to another device: kernels would be given memory that is not theirs."""
    a, b = ng.var("a"), ng.var("b")
    x = ng.array(values((3, 4)), device=GPU)
    (found,) = ng.tanh(a * b).eval(a=x, b=2.0)
    assert found.device == GPU
    np.testing.assert_array_equal(found.asnumpy(), ng.tanh(x * 2.0).asnumpy())
    grad = ng.zeros((3, 4), device=GPU)
    bound = ng.sum(a * a).bind(args={"a": x}, args_grad={"a": grad})
    bound.forward_backward()
    np.testing.assert_array_equal(grad.asnumpy(), 2 * x.asnumpy())
    for use in (
        lambda: (a * b).bind(args={"a": x, "b": ng.ones((3, 4))}),
        lambda: (a * b).bind(ng.cpu(), args={"a": ng.ones((3, 4)), "b": x}),
        lambda: (a * 2).bind(args={"a": x}, args_grad={"a": ng.zeros((3, 4))}),
        lambda: (a * b).eval(a=ng.ones((3, 4)), b=x),
    ):
        with pytest.raises(DeviceError, match=r"it is on .*, the graph is bound to .*ctx="):
            use()


def test_kernels_are_not_given_memory_of_another_device():
    """It would be a failure of the device, for good, or of the process."""
    x, w = ng.array(values((3,)), device=GPU), ng.ones(3)
    for held in (x, w):
        held.attach_grad()
    other = {GPU: ng.ones(3), ng.cpu(): ng.ones((3,), device=GPU)}
    for held in (x, w):
        wrong = other[held.device]
        with ng.autograd.record():
            y = held * 2
        for use in (
            lambda held=held, wrong=wrong: setattr(held, "grad", wrong),
            lambda y=y, wrong=wrong: y.backward(wrong),
            lambda held=held, wrong=wrong: ng.optim.SGD({"w": held}, 0.1).step({"w": wrong}),
        ):
            with pytest.raises(DeviceError, match=r"\.to(_device)?\(.pu\(0\)\)"):
                use()
    with ng.autograd.record():
        y = x * 2
    ng.autograd.backward([y], [np.float32([1, 2, 3])])  # NumPy's values go where the head is
    assert x.grad.tolist() == [2, 4, 6]
    graph = ng.ExpressionGraph(device=GPU)
    p = graph.param("p", (3,), 1.0)
    head = p * 3
    graph.forward()
    graph.backward(heads=head, head_grads=np.float32([1, 2, 3]))
    assert p.grad.tolist() == [3, 6, 9]


def test_scattered_gradients_between_others_begin_with_zeros():
    """A sum of two: neither is the result itself, so their memory holds what was there before."""
    x, places = ng.var("x", shape=(2, 9)), np.array([[3, 5, 3], [1, 1, 0]])
    loss = sum(ng.sum(ng.take_along_axis(x, places + k, 1)) for k in range(2))
    grads = []
    for device in (ng.cpu(), ng.gpu(0)):
        array, grad = ng.zeros((2, 9), device=device), ng.full((2, 9), 7.0, device=device)
        executor = loss.bind(device, {"x": array}, args_grad={"x": grad})
        executor.forward(is_train=True)
        executor.backward()
        grads.append(grad.asnumpy())
    np.testing.assert_array_equal(*grads)
