"""Arrays used, shared and dropped on several threads at once."""

import gc
import random
import threading

import numpy as np

import nbgraph as ng
from tests.array.samples import same
from tests.support import on_threads

THREADS, TURNS = 4, 60


def test_views_of_one_array_on_several_threads(threads):
    """Its block is given back once, when the last of them is gone, on whatever thread."""
    for _ in range(5):
        a = ng.arange(60.0).reshape(3, 20)
        wanted = a.asnumpy()
        kept = []

        def views(number, a=a, wanted=wanted, kept=kept):
            for i in range(TURNS):
                j = (number + i) % 20
                column = a[:, j]
                kept.append((j, column[1:]))
                if i % 10 == 0:
                    same(column * 2, wanted[:, j] * 2)

        on_threads(views, range(THREADS))
        variable = a.variable
        del a, views
        others = [ng.zeros((3, 20)) for _ in range(50)]
        assert variable not in {x.variable for x in others}  # views still hold it
        for j, view in kept[:20]:
            same(view, wanted[1:, j])
            assert view.variable is variable


def test_arrays_that_die_on_other_threads(threads):
    """What is computed on one thread is dropped on another, in the middle of its work."""
    shared, lock = [], threading.Lock()

    def work(number):
        chance = random.Random(number)
        for i in range(TURNS):
            a = ng.full((64,), float(number + 1))
            b = a + i
            with lock:
                shared.append((b, number + 1 + i))
                found, value = shared.pop(chance.randrange(len(shared)))
            del a, b
            c = found * 2
            del found
            if chance.random() < 0.2:
                same(c, np.full(64, 2 * value, "float32"))
            if chance.random() < 0.05:
                gc.collect()

    on_threads(work, range(THREADS))
    for found, value in shared:
        same(found, np.full(64, value, "float32"))


def test_one_array_written_by_many_threads(threads):
    """In-place writes of several threads to one array all take place, each whole."""
    a = ng.zeros((THREADS, 32))

    def work(number):
        row = a[number]
        for i in range(TURNS):
            row += 1
            if i % 50 == 0:
                same(row - row, np.zeros(32, "float32"))

    on_threads(work, range(THREADS))
    same(a, np.full((THREADS, 32), TURNS, "float32"))
    total = ng.zeros(8)

    def add(number):
        for _ in range(TURNS):
            total.__iadd__(1)

    on_threads(add, range(THREADS))
    same(total, np.full(8, THREADS * TURNS, "float32"))


def test_leases_that_end_on_other_threads(threads):
    a = ng.zeros(16)

    def work(number):
        for _ in range(TURNS):
            lent = np.from_dlpack(a)
            assert lent[0] == 0
            del lent

    on_threads(work, range(THREADS))
    assert a.variable.leases == 0
    a += 1
    same(a, np.ones(16, "float32"))
