"""Several threads compute with arrays of their own and with shared ones, and arrays die on threads
that did not make them; results are those of one thread, and memory comes back."""

import gc
import queue
import sys

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine
from tests.support import on_threads

__all__ = ["engine"]

THREADS = 4


@pytest.fixture(autouse=True)
def _often_switched():
    """Threads take turns a hundred times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def rounds(full):
    return 400 if full else 60


def chain(x, shared, rounds):
    """Integers, so that results are exact."""
    for k in range(rounds):
        y = x * 3 + shared
        x = (y[::-1] - ng.roll(y, k % 5)) // 2 % 1000
        x += k
    return x


def test_own_arrays_and_a_shared_one_that_is_read(engine, rounds):
    shared = ng.arange(257)
    found, wanted = [None] * THREADS, []
    for i in range(THREADS):
        x = ng.arange(257) + i
        wanted.append(chain(x, shared, rounds).asnumpy())

    def work(i):
        found[i] = chain(ng.arange(257) + i, shared, rounds)

    on_threads(work, range(THREADS), seconds=120)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b)


def test_a_shared_array_that_all_write(engine, rounds):
    """Each write in place is a push of its own: none is lost, none is half done."""
    total, parts = ng.zeros(100, "int64"), ng.zeros((THREADS, 100), "int64")

    def work(i):
        own = parts[i]
        for k in range(rounds):
            total.__iadd__(k)
            own += i
            assert (own == i * (k + 1)).all()

    on_threads(work, range(THREADS), seconds=120)
    assert (total == THREADS * sum(range(rounds))).all()
    np.testing.assert_array_equal(parts.asnumpy()[:, 0], rounds * np.arange(THREADS))


def test_arrays_die_on_other_threads(engine, rounds):
    """Made here, used there, and the last reference goes there while work is pending."""
    lines = [queue.SimpleQueue() for _ in range(THREADS)]
    sums = [[] for _ in range(THREADS)]
    before = ng.storage.stats().in_use

    def work(i):
        for k in range(rounds):
            a = ng.full((50, 7), float(k))
            lines[(i + 1) % THREADS].put((a * 2, a[::2]))
            del a
            doubled, view = lines[i].get(timeout=60)
            view += 1  # seen by nobody else
            sums[i].append((doubled.sum() + view.sum()).item())
            del doubled, view

    on_threads(work, range(THREADS), seconds=120)
    for found in sums:
        assert found == [50 * 7 * 2 * k + 25 * 7 * (k + 1) for k in range(rounds)]
    ng.waitall()
    gc.collect()
    assert ng.storage.stats().in_use <= before


def test_each_thread_records_for_itself(engine, rounds):
    """A tape is of its context: gradients do not mix, whatever the others do."""
    shared = ng.arange(1.0, 33.0)

    def work(i):
        x = ng.full(32, float(i + 1))
        x.attach_grad()
        for k in range(rounds // 4):
            with ng.autograd.record():
                y = (x * x * shared + k * x).sum()
            y.backward()
            wanted = 2 * (i + 1) * np.arange(1.0, 33.0) + k
            np.testing.assert_array_equal(x.grad.asnumpy(), wanted.astype("float32"))

    on_threads(work, range(THREADS), seconds=120)


def test_random_draws_from_threads_are_all_different(engine, rounds):
    """A number is taken once, whoever takes it; a seed of one's own repeats on every thread."""
    drawn = [[] for _ in range(THREADS)]
    own = [None] * THREADS

    def work(i):
        for _ in range(rounds):
            drawn[i].append(ng.random.random(dtype="float64"))
        rng = np.random.default_rng(5)
        own[i] = ng.random.normal(size=9, rng=rng) + ng.random.normal(size=9, rng=rng)

    on_threads(work, range(THREADS), seconds=120)
    values = {x.item() for one in drawn for x in one}
    assert len(values) == THREADS * rounds
    assert all((x == own[0]).all() for x in own)
