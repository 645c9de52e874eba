"""Models that train on a GPU: the losses of the host, step by step."""

from collections import Counter

import numpy as np
import pytest

import nbgraph as ng
from benchmarks import training
from tests.array.gpu import GPU, heard, hurried

STEPS = 3


def losses(way, task, device, told=None):
    """Of some steps; `told`: what the last of them asks the driver for."""
    step = way(task, device)
    found = [step() for _ in range(STEPS - 1)]
    if told is not None:
        told.clear()
    return [*found, step()]


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("model", ["mlp", "lenet"])
def test_models_train_as_on_the_host(monkeypatch, model, optimizer):
    """MTE-03, ENG-07: a bound symbol, a function of arrays, and operator by operator. The first is
    one graph, and so is the second where products are of arrays of its own."""
    task = training.Task(model, optimizer)
    task.x, task.label = task.x[:16], task.label[:16]
    wanted = losses(training.eager, task, ng.cpu())
    assert wanted[-1] < wanted[0]
    told = heard(monkeypatch)
    with hurried(4):
        for way in (training.bound, training.function, training.eager):
            np.testing.assert_allclose(losses(way, task, GPU, told), wanted, rtol=1e-4)
            asked = Counter(told)
            if way is training.bound or (way is training.function and model == "lenet"):
                changed = len(task.weights) if optimizer == "adam" else 0
                assert asked == {"replay": 1} | ({"changed": changed} if changed else {})
            elif way is training.function:
                assert asked["multiply"] == 2 and asked["replay"] and asked["launch"] < 8


def normed(x, w, gamma, beta, mean, variance):
    """A convolution, its norm over the batch, and a pool."""
    h = ng.batch_norm(ng.convolution(x, w, pad=1), gamma, beta, mean, variance)
    return ng.mean(ng.avg_pooling(ng.relu(h), 2) ** 2)


def stepped(device, *, compiled):
    """Values after a few steps in training and one prediction: losses, weights, states."""
    random = np.random.default_rng(2)
    made = [random.normal(size=s) for s in ((4, 3, 6, 6), (5, 3, 3, 3), (5,), (5,))]
    x, *weights = (ng.array(a.astype("float32"), device=device) for a in made)
    states = ng.zeros(5, device=device), ng.ones(5, device=device)
    run = ng.jit(normed) if compiled else normed
    for a in weights:
        a.attach_grad()
    found = []
    for _ in range(STEPS):
        with ng.autograd.record():
            value = run(x, *weights, *states)
        value.backward()
        for a in weights:
            a -= 0.1 * a.grad
        found.append(value.item())
    found.append(run(x, *weights, *states).item())
    return [np.array(found), *(a.asnumpy() for a in (*weights, *states))]


@pytest.mark.parametrize("compiled", [False, True])
def test_states_move_where_they_lie(compiled):
    """OPR-12: moving averages on the device, in training alone; eager, and in plans that are told
    at the push whether they train."""
    wanted = stepped(ng.cpu(), compiled=compiled)
    assert abs(wanted[-2]).max() > 0.01
    for a, b in zip(stepped(GPU, compiled=compiled), wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
