"""Passes that come again run as graphs, with the bits of the walk and its errors (X-NDA-01)."""

import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.autograd import replay, reverse
from nbgraph.autograd.tape import TapeError
from tests.ops import elementwise as table
from tests.ops.test_array_gradients import ROWS


@pytest.fixture
def walks(monkeypatch):
    """The number of passes that were walked with arrays; nothing is known at first."""
    monkeypatch.setattr(replay, "_graphs", {})
    monkeypatch.setattr(replay, "_counts", {})
    monkeypatch.setattr(replay, "_REPEATS", 3)
    walked = []

    def walk(*args, create_graph=False, **options):
        if not create_graph:
            walked.append(1)
        return run(*args, create_graph=create_graph, **options)

    run = reverse.run
    monkeypatch.setattr(reverse, "run", walk)
    return walked


def step(fn, variables, head_grad=None):
    """The gradients of one step, as arrays that somebody has."""
    for x in variables:
        x.attach_grad()
    with ng.autograd.record():
        y = fn(*variables)
    heads = y if isinstance(y, tuple) else (y,)
    heads = [h for h in heads if h._node is not None and h._node.op is not None]
    ng.autograd.backward(heads, head_grad and [head_grad] * len(heads))
    return [x.grad.asnumpy().tobytes() for x in variables]


def cases():
    """Of a quarter of the operators their first form every day."""
    seen = set()
    for k, (name, fn, *points) in enumerate(ROWS):
        if name == "batch_statistics":  # its states are arrays of their own
            continue
        marks = [] if name not in seen and len(seen) % 4 == 0 else pytest.mark.slow
        seen.add(name)
        yield pytest.param(fn, points, marks=marks, id=f"{name}-{k}")
    for k, name in enumerate(table.DIFFERENTIABLE):
        marks = pytest.mark.slow if k % 8 else []
        yield pytest.param(getattr(ops, name), table.points(name), marks=marks, id=name)


@pytest.mark.parametrize(("fn", "points"), list(cases()))
def test_a_pass_has_the_bits_of_the_walk(fn, points, walks):
    arrays = [np.asarray(p, "f") for p in points]

    def scaled(*variables):
        y = fn(*variables)
        return tuple(v * 2.0 for v in y) if isinstance(y, tuple) else y * 2.0

    first, *others = (step(scaled, [ng.array(a) for a in arrays]) for _ in range(5))
    assert len(walks) <= 3  # the first call of an operator may say its attributes otherwise
    assert all(other == first for other in others)


def train(steps, request="write"):
    """A small model, trained; its weights, and the gradients of the last step."""
    rng = np.random.default_rng(0)
    shapes = (8, 16), (16,), (16, 3)
    weights = [ng.array(rng.normal(size=s).astype("f")) for s in shapes]
    x, y = ng.array(rng.normal(size=(32, 8)).astype("f")), ng.array(rng.integers(0, 3, 32))
    for w in weights:
        w.attach_grad(request)
    for _ in range(steps):
        with ng.autograd.record():
            a, b, c = weights
            hidden = ng.relu(x @ a + b)
            loss = ng.cross_entropy(hidden @ c, y) + 0.01 * (c.T @ c).sum()
        loss.backward()
        for w in weights:
            w -= 0.05 * w.grad
    return [v.asnumpy().tobytes() for w in weights for v in (w, w.grad)]


@pytest.mark.parametrize("request_", ["write", "add"])
def test_training_has_the_bits_of_the_walk(request_, walks, monkeypatch):
    replayed = train(8, request_)
    assert len(walks) == 2
    monkeypatch.setattr(replay, "_REPEATS", 1000)
    monkeypatch.setattr(replay, "_graphs", {})
    assert train(8, request_) == replayed
    assert len(walks) == 2 + 8


def test_numbers_are_part_of_the_structure(walks):
    """A factor that differs is another pass, -0.0 and 1 included."""
    x = ng.array([2.0, 3.0])
    x.attach_grad()
    for factor in (2.0, 1.0, 1, 0.0, -0.0, -1.0, float("inf")) * 4:
        with ng.autograd.record():
            y = ng.sum(x * factor * x)
        y.backward()
        expected = np.float32(factor) * x.asnumpy() * np.float32(2)
        assert x.grad.asnumpy().tobytes() == expected.tobytes()


def test_the_tape_is_freed_and_checked_as_by_a_walk(walks):
    x = ng.array([1.0, 2.0])
    x.attach_grad()

    def record():
        with ng.autograd.record():
            h = ng.exp(x)
            return h, ng.sum(h * h)

    for retain in (False, False, True, True):
        _, y = record()
        y.backward(retain_graph=retain)
    y.backward()
    assert len(walks) == 2
    with pytest.raises(TapeError, match="retain_graph=True"):
        y.backward()
    h, y = record()
    h += 1
    with pytest.raises(TapeError, match="written in place"):
        y.backward()
    _, y = record()
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * np.exp([2.0, 4.0]), rtol=1e-6)


def test_gradients_asked_for_head_gradients_and_ends(walks):
    x, w = ng.array([[1.0, 2.0], [3.0, 4.0]]), ng.array([0.5, 2.0])
    for v in (x, w):
        v.attach_grad()
    for k in range(1, 6):
        with ng.autograd.record():
            h = x * w
            y = ng.tanh(h)
        dh, dw = ng.autograd.grad(y, [h, w], ng.full((2, 2), k))
        slope = k * (1 - np.tanh(h.asnumpy()) ** 2)
        np.testing.assert_allclose(dh.asnumpy(), slope, rtol=1e-5)
        np.testing.assert_allclose(dw.asnumpy(), (slope * x.asnumpy()).sum(0), rtol=1e-5)
    value_and_grad = ng.value_and_grad(lambda w: ng.sum(ng.tanh(x * w)))
    results = [value_and_grad(w)[1].asnumpy() for _ in range(5)]
    assert len({r.tobytes() for r in results}) == 1
    assert len(walks) <= 4


def test_gradients_that_are_equal_are_arrays_of_their_own(walks):
    x, y = ng.array([1.0, 2.0]), ng.array([3.0, 4.0])
    x.attach_grad()
    y.attach_grad()
    for _ in range(5):
        with ng.autograd.record():
            a = x + y
            b, c = a + 1.0, ng.sin(a)
        of_a, of_x, of_y = ng.autograd.grad([b, c], [a, x, y])
        expected = 1 + np.cos(a.asnumpy())
        of_x += 1
        of_a += 2
        for slope, more in (of_a, 2), (of_x, 1), (of_y, 0):
            np.testing.assert_allclose(slope.asnumpy(), expected + more, rtol=1e-6)
    assert len(walks) == 2


def test_gradients_go_to_the_arrays_that_are_there(walks):
    """But not while the pass reads them, nor two of them to one array."""
    x, y = ng.array([1.0, 2.0]), ng.array([3.0, 4.0])
    room, shared = ng.array([1.0, 1.0]), ng.zeros(2)
    ng.autograd.mark_variables(x, room)
    for _ in range(5):
        room[:] = [1.0, 10.0]
        with ng.autograd.record():
            loss = ng.sum(x * x * room)
        loss.backward()
        assert x.grad is room
        assert room.tolist() == [2.0, 40.0]
    ng.autograd.mark_variables([x, y], [shared, shared])
    last = []
    for _ in range(5):
        with ng.autograd.record():
            loss = ng.sum(x * y)
        loss.backward()
        last.append(shared.tolist())
    assert last == last[:1] * 5
    ng.autograd.mark_variables([x, y], [shared, ng.zeros(2)])
    seen = x.grad
    for k in range(5):
        with ng.autograd.record():
            loss = ng.sum(x * y * k)
        loss.backward()
        assert x.grad is seen
        assert seen.tolist() == [3.0 * k, 4.0 * k]


def test_a_function_of_the_user_is_called_at_each_pass(walks):
    called = []

    class Twice(ng.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            called.append(1)
            return g * 2

    x = ng.array([1.0, 2.0])
    x.attach_grad()
    for _ in range(5):
        with ng.autograd.record():
            y = ng.sum(Twice()(x) * x)
        y.backward()
    assert len(called) == len(walks) == 5


def test_a_pass_that_is_looked_at_is_walked_and_later_ones_are_not(walks):
    x = ng.array([1.0, 2.0])
    x.attach_grad()

    def passed():
        with ng.autograd.record():
            y = ng.sum(ng.exp(x) * x)
        y.backward()

    for options in {"anomaly": 1}, {"compiler": "python"}:
        with ng.config(**options):
            for _ in range(5):
                passed()
    assert len(walks) == 10
    for _ in range(5):
        passed()
    assert len(walks) == 12


def test_a_failure_is_in_the_gradients(walks):
    """What failed in the forward pass fails in those of this step and in no later one."""
    x = ng.array([[0.0, 1.0], [2.0, 0.0]])
    x.attach_grad()
    for k in range(6):
        label = ng.array([0, 7 if k == 4 else 1])
        with ng.autograd.record():
            loss = ng.cross_entropy(x, label)
        loss.backward()
        if k == 4:
            with pytest.raises(ValueError, match="7"):
                x.grad.asnumpy()
            x.grad = None
        else:
            assert np.isfinite(x.grad.asnumpy()).all()


def test_threads_share_a_graph(walks):
    results = []

    def work(seed):
        x = ng.array(np.full((4, 4), seed, "f"))
        x.attach_grad()
        for _ in range(30):
            with ng.autograd.record():
                y = ng.sum(ng.square(x) @ x)
            y.backward()
        results.append((seed, x.grad.asnumpy()[0, 0]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == [(k, 4 * 3.0 * k * k) for k in range(1, 5)]
