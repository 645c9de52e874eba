"""Plans on a GPU as CUDA graphs: the bits of kernels one by one, whatever changes between runs."""

from collections import Counter

import numpy as np
import pytest

import nbgraph as ng
from tests.array.gpu import GPU, heard, hurried
from tests.support import on_threads

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(8, 6)).astype(np.float32)
WEIGHTS = {
    "w": RANDOM.normal(size=(5, 6)).astype(np.float32),
    "gamma": np.ones(5, np.float32),
    "beta": np.zeros(5, np.float32),
    "v": RANDOM.normal(size=(4, 5)).astype(np.float32),
}
OPTIMIZERS = {
    "sgd": lambda p: ng.optim.SGD(p, 0.1),
    "momentum": lambda p: ng.optim.SGD(p, 0.1, momentum=0.9),
    "adam": lambda p: ng.optim.Adam(p, 0.1),
}


def trained(name, steps=5):
    """Losses, weights and states: a product, moving averages, dropout, classes as indices. Batches
    are new arrays, and so lie elsewhere; the rate is another one in each step."""
    ng.random.seed(0)
    params = {key: ng.array(value, device=GPU) for key, value in WEIGHTS.items()}
    states = ng.zeros(5, device=GPU), ng.ones(5, device=GPU)

    def loss(p, x, label):
        h = ng.fully_connected(x * 2, p["w"])
        h = ng.dropout(ng.batch_norm(h, p["gamma"], p["beta"], *states), 0.3)
        return ng.mean(ng.cross_entropy(ng.fully_connected(h, p["v"]), label))

    optimizer = OPTIMIZERS[name](params)
    run, kept = ng.optim.train_step(loss, optimizer), []
    with ng.autograd.train_mode():
        for k in range(steps):
            optimizer.lr = 0.1 / (k + 1)
            batch = ng.array(X + k, device=GPU), ng.array(np.arange(8) % 4, device=GPU)
            kept.append((*batch, run(*batch)))
    found = [held[-1] for held in kept]
    return [a.asnumpy().tobytes() for a in (*found, *params.values(), *states)]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_of_training_is_one_graph_with_the_bits_of_its_kernels(monkeypatch, name):
    """ENG-07, SMP-24: rates, counts of steps, draws and addresses change; all but
    the first step is a replay, with those launches changed."""
    with ng.config(cuda_graphs=0):
        wanted = trained(name)
    events = heard(monkeypatch)
    with hurried(2):
        assert trained(name) == wanted
    assert events.count("captured") == 1 and events.count("replay") == 4
    warm = Counter(events[len(events) - events[::-1].index("replay", 1) - 1 :])
    assert set(warm) == {"replay", "changed"} and warm["changed"] < 15


def chain(x):
    """Sums and maps in turns; the last bits of sums stay last bits."""
    for _ in range(4):
        x = ng.sin(x.mean(axis=0, keepdims=True) + x / 2)
    return x


def test_executors_have_graphs_of_their_own():
    """ENG-15: two of them in turns, one bound again to arrays of another shape; how many steps
    graphs hold is told."""
    pairs = []

    def run(bound, value, rows=4):
        x = np.full((rows, 3), value, np.float32)
        pairs.append((bound.forward(x=x)[0].copy(), chain(ng.array(x))))

    bounds = [chain(ng.var("x")).simple_bind(ctx=GPU, x=(4, 3)) for _ in range(2)]
    assert "0 of" in str(bounds[0].plan())
    for k in range(4):
        for n, each in enumerate(bounds):
            run(each, k + n)
    again = bounds[0].reshape(x=(6, 3))
    for k in range(3):
        run(again, k, 6)
        run(bounds[0], k)
    for found, wanted in pairs:
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)
    plan = bounds[0].plan()
    (held,) = plan.graphs["forward"]
    assert held == len(plan.by_program["forward"]) > 2
    assert f"forward, {held} of {held} steps in 1 CUDA graph\n" in str(plan)


def test_a_run_that_fails_and_the_next_one():
    """A code in a graph is that of one run, though several are under way."""
    x, label = ng.var("x"), ng.var("label", dtype="int64")
    loss = ng.mean(ng.take(ng.tanh(x @ ng.tanh(x.T)), label, axis=0) ** 2)
    bound = loss.simple_bind(ctx=GPU, x=(4, 4), label=(4,))
    bound.arg_dict["x"][:] = X[:4, :4]
    found = []
    with hurried(3):
        for k in range(6):
            bound.arg_dict["label"][:] = np.array([0, 1, 2, 3 if k not in (1, 3) else 9])
            found.append(bound.forward()[0].copy())
    for k, each in enumerate(found):
        if k in (1, 3):
            with pytest.raises(IndexError):
                each.asnumpy()
    assert {each.asnumpy().tobytes() for k, each in enumerate(found) if k not in (1, 3)} == {
        found[0].asnumpy().tobytes()
    }
    assert bound.plan().graphs["forward"]


def test_runs_from_two_threads(monkeypatch):
    """Of one function, whose results and operands lie elsewhere in each run, and of one executor:
    replays are changed in the order of runs."""
    function = ng.jit(lambda x, n: chain(x).sum() * n)
    bound = chain(ng.var("x")).simple_bind(ctx=GPU, x=(8, 6))
    bound.arg_dict["x"][:] = X
    wrong = []

    def work(seed):
        for k in range(6):
            x = ng.array(X + seed + k, device=GPU)
            found = function(x, 2.0 + k).item(), bound.forward()[0].asnumpy()
            wanted = function(ng.array(X + seed + k), 2.0 + k).item(), chain(ng.array(X)).asnumpy()
            for a, b in zip(found, wanted, strict=True):
                assert np.allclose(a, b, rtol=1e-4)

    events = heard(monkeypatch)
    on_threads(work, range(2))
    assert "replay" in events


def test_what_no_graph_holds_is_issued_between_graphs(monkeypatch):
    """A library's function between kernels, and a product of an array that each run brings."""
    before = lambda x: ng.tanh(chain(x) * 2)
    for of, wanted in (
        (lambda x: chain(ng.sort(before(x), axis=0)), ["replay", "call", "replay"]),
        (lambda x: chain(x @ ng.ones((6, 6), device=x.device)), ["multiply", "replay"]),
    ):
        run, events = ng.jit(of), heard(monkeypatch)
        x = ng.array(X, device=GPU)
        for _ in range(4):
            del events[:]
            found = run(x)
            ng.waitall()
        np.testing.assert_allclose(found.asnumpy(), of(ng.array(X)).asnumpy(), rtol=1e-4, atol=1e-6)
        assert [name for name in events if name not in ("changed", "launch")] == wanted
        monkeypatch.undo()
