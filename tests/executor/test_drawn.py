"""Draws in plans: each run brings its own, as words of the records of its kernels."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.executor.pipeline import Options
from tests.array.gpu import GPU, hurried

DEVICES = [ng.cpu(), GPU]


def bits(arrays):
    return [a.asnumpy().tobytes() for a in arrays]


def network(device):
    """A function with draws of its own and with dropout."""

    def f(x, w):
        h = ng.dropout(ng.tanh(x * w), 0.4)
        y = ng.rrelu(h - ng.random.uniform(size=(3, 50), device=device))
        y = y * ng.random.normal(1, 0.5, size=(3, 50), device=device)
        y = y + ng.random.integers(5, size=(3, 50), device=device).astype("float32")
        return y * ng.random.bernoulli(0.5, size=(3, 50), device=device, dtype="float32"), h

    return f


def operands(device):
    x = np.linspace(-1, 1, 150, dtype=np.float32).reshape(3, 50)
    return ng.array(x, device=device), ng.array(x + 2, device=device)


def runs(f, device, seed, count=3):
    """Results and gradients of several runs, pushed ahead of one another; then without training."""
    ng.random.seed(seed)
    x, w = operands(device)
    found = []
    for _ in range(count):
        w.attach_grad()
        with ng.autograd.record():
            y, h = f(x, w)
        y.backward()
        found += [y, h, w.grad]
    return bits([*found, f(x, w)[1]])


def test_a_graph_draws_what_its_operators_draw():
    """SMP-24, X-NDA-08: on the host and on a GPU, one by one and as a graph, each run anew."""
    found = []
    for device in DEVICES:
        f = network(device)
        with hurried(5):
            found += [runs(f, device, 3), runs(ng.jit(f), device, 3)]
    assert len(set(found[0])) == len(found[0])
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("device", DEVICES)
def test_a_bound_graph_draws_anew_and_trains_when_told(device):
    x = ng.var("x", shape=(200,), dtype="float32")
    exe = ng.dropout(x, 0.5).bind(device, {"x": ng.ones(200, device=device)})
    ng.random.seed(1)
    first, second = (exe.forward(is_train=True)[0].copy() for _ in range(2))
    still = exe.forward(is_train=False)[0].asnumpy()
    ng.random.seed(1)
    again = exe.forward(is_train=True)[0].copy()
    with ng.autograd.train_mode():
        ng.random.seed(1)
        eager = ng.dropout(ng.ones(200, device=device), 0.5)
    assert bits([first]) == bits([again]) == bits([eager])
    assert bits([first]) != bits([second])
    assert (still == 1).all()


@pytest.mark.parametrize("device", DEVICES)
def test_work_that_is_done_again_draws_the_same(device):
    """Recomputed forward nodes: a gradient that does not keep what was dropped."""
    x = ng.var("x", shape=(3, 40), dtype="float32")
    y = x
    for _ in range(6):
        y = ng.tanh(ng.dropout(y * 1.5, 0.3))
    found = []
    for again in (None, "sqrt"):
        ng.random.seed(2)
        given = ng.array(np.linspace(-1, 1, 120, dtype=np.float32).reshape(3, 40), device=device)
        exe = y.bind(
            device,
            {"x": given},
            args_grad={"x": ng.zeros_like(given)},
            options=Options.of(recompute=again),
        )
        exe.forward(is_train=True)
        exe.backward(ng.ones_like(given))
        found.append(bits([exe.outputs[0], exe.grad_dict["x"]]))
    assert found[0] == found[1]


def test_plans_of_draws_run_no_python():
    """The host's plans hold kernels alone; a run grants words."""
    x = ng.var("x", shape=(200,), dtype="float32")
    exe = ng.rrelu(ng.dropout(x, 0.5)).bind(ng.cpu(), {"x": ng.ones(200)})
    assert [row.does.split()[0] for row in exe.plan().by_program["forward"]] == ["kernel"] * 2


@pytest.mark.parametrize("device", DEVICES)
def test_a_generator_moves_with_the_runs(device):
    """`rng=` given to a graph: each run takes its key when it is pushed."""
    own = np.random.default_rng(4)
    f = ng.jit(lambda x: x + ng.random.uniform(size=(64,), device=device, rng=own))
    x = ng.zeros(64, device=device)
    found = bits([f(x) for _ in range(3)])
    other = np.random.default_rng(4)
    wanted = bits([ng.random.uniform(size=(64,), device=device, rng=other) for _ in range(3)])
    assert found == wanted and len(set(found)) == 3


def test_quick_runs_draw_what_the_general_way_draws():
    """X-NDA-08: a run that the fast path declines, in an open bulk, has the draw taken for it."""
    x, own = ng.ones(40), np.random.default_rng(5)

    def f(x):
        noise = ng.random.normal(size=(40,)) + ng.random.uniform(size=(40,), rng=own)
        return ng.dropout(x, 0.5) + noise, ng.sum(noise)

    compiled = ng.jit(f)

    def runs(function):
        ng.random.seed(3)
        own.bit_generator.state = np.random.default_rng(5).bit_generator.state
        results = [function(x) for _ in range(4)]
        with ng.engine.bulk(4):
            results += [function(x), function(x)]
        with ng.autograd.train_mode():
            results += [function(x) for _ in range(4)]
        return [bits(pair) for pair in (*results, function(x))]

    wanted = runs(compiled)
    assert len({first for first, _ in wanted}) == len(wanted)
    assert runs(compiled) == wanted  # quick from the first on
    with ng.config(engine="naive"):
        assert runs(compiled) == wanted
