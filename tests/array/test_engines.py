"""Arrays go on when the engine changes: memory, variables and values outlive it."""

import contextlib
import gc
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import storage
from nbgraph.engine import handle
from tests.array.gpu import GPU
from tests.array.samples import same

KINDS = ["threaded", "naive", "chaos", "threaded"]


@pytest.fixture(autouse=True)
def _as_before():
    before = ng.engine.current().kind
    yield
    ng.engine.set(before)


def test_arrays_outlive_engines():
    """SYS-04: the same array on one engine after another."""
    a = ng.zeros(50)
    for i, kind in enumerate(KINDS, 1):
        ng.engine.set(kind)
        a += 1
        b = a * 2
        same(a, np.full(50, i, "float32"))
        same(b, np.full(50, 2 * i, "float32"))


def test_a_block_that_is_garbage_together_with_its_engine_is_good_again():
    """Finalisers of one circle run in any order; the block's gives it to the pool."""

    class Circle:
        pass

    for turn in range(6):
        ng.engine.set("threaded")
        circle = Circle()
        arrays = [ng.zeros(40 + turn) + i for i in range(3)]
        ng.waitall()
        cores = {x.variable._core for x in arrays}
        circle.own, circle.arrays, circle.cores = circle, arrays, cores
        ng.engine.set("naive")
        storage.empty_cache()  # or free blocks keep the core
        del arrays, circle, cores
        gc.collect()
        same(ng.zeros(40 + turn) + 1, np.ones(40 + turn, "float32"))


def test_ended_engines_are_freed():
    gc.collect()
    handle.free_ended()
    before = len(handle._ended)  # what other tests still hold on to
    for _ in range(6):
        ng.engine.set("threaded")
        same(ng.zeros(30) + 1, np.ones(30, "float32"))
        ng.engine.set("naive")
        storage.empty_cache()
        ng.waitall()
        gc.collect()
    ng.engine.set("threaded")
    gc.collect()
    handle.free_ended()
    assert len(handle._ended) <= before + 1


@pytest.mark.parametrize("kind", ["naive", "chaos", "threaded"])
def test_quick_ways_end_with_their_engine(kind):
    """What an engine taught is not pushed to it when another is in force."""
    a, b = ng.ones(8), ng.ones(8)
    ng.engine.set("threaded")
    for _ in range(3):
        c, d = a + b, a * 2.0
        a += b
    before = ng.engine.current()
    ng.engine.set(kind)
    pushed = before.stats().pushed
    c, d = a + b, a * 2.0
    a += b
    a += 1.0
    assert before.stats().pushed == pushed
    same(c, np.full(8, 5, "float32"))
    same(d, np.full(8, 8, "float32"))
    same(a, np.full(8, 6, "float32"))


@pytest.mark.parametrize("kind", ["threaded", "naive"])
@pytest.mark.parametrize("device", [ng.cpu(), GPU])
def test_a_failure_that_was_raised_keeps_no_frames(kind, device):
    """Whoever got it: its frames hold the array, whose variable keeps the failure."""

    class Held:
        pass

    def attempt():
        held = Held()
        x = ng.zeros(3, device=device)

        def refuse(xp, values):
            raise OSError(f"on purpose {id(held)}")

        def work(run_ctx):
            if device == GPU:
                run_ctx.stream.call(refuse, [(x._address, (3,), x.dtype, (4,))])
            else:
                refuse(np, x)

        pending = ng.engine.push(work, ctx=device, mutate_vars=[x.variable])
        with contextlib.suppress(OSError):
            pending.result(30)
        return weakref.ref(held)

    ng.engine.set(kind)
    gone = attempt()
    ng.waitall()
    gc.collect()
    assert gone() is None
