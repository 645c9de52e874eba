"""Arrays go on when the engine changes: memory, variables and values outlive it."""

import gc

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import storage
from nbgraph.engine import handle
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
