"""Many threads, many operations, variables that die: counts, order and memory stay right."""

import gc
import random
import weakref
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.core import layout
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.threaded import ThreadedEngine
from tests.engine.conftest import WAIT
from tests.engine.kernels import address
from tests.support import on_threads

LONG = 300  # seconds: for long runs on a busy machine


def adding(words, name="add", rounds=0):
    """A kernel that adds 1 to the first of these words."""
    return NativeCall(address("add"), [words.ctypes.data, rounds], name=name, cost=300, keep=words)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_eight_threads_push_at_once(workers):
    """Writes of one thread to a variable keep their order, and no two are at work at a time."""
    engine = ThreadedEngine(workers=workers)
    variables = [engine.new_variable() for _ in range(4)]
    words = np.zeros((4, 8), np.int64)
    logs = [[] for _ in variables]
    counts = np.zeros((8, 4), np.int64)

    def push(i):
        rng = random.Random(i)
        operators = [
            engine.new_operator(adding(words[k]), mutate_vars=[v]) for k, v in enumerate(variables)
        ]
        for j in range(400):
            k = rng.randrange(4)
            other = variables[(k + 1) % 4]
            if j % 4 == 0:
                engine.push(
                    lambda run_ctx, k=k, j=j: logs[k].append((i, j)),
                    mutate_vars=[variables[k]],
                    const_vars=[other],
                )
            elif j % 4 == 1:
                engine.push(adding(words[k]), mutate_vars=[variables[k]], const_vars=[other])
                counts[i, k] += 1
            else:
                operators[k].push()
                counts[i, k] += 1

    on_threads(push, range(8), seconds=LONG)
    engine.wait_for_all(WAIT)
    assert words[:, 0].tolist() == counts.sum(axis=0).tolist()
    assert sum(map(len, logs)) == 8 * 100
    for log in logs:
        for i in range(8):
            mine = [j for thread, j in log if thread == i]
            assert mine == sorted(mine)
    assert engine.stats().pushed == engine.stats().completed == 8 * 400
    engine.stop()


def test_threads_wait_while_others_push():
    engine = ThreadedEngine(workers=2)
    variables = [engine.new_variable() for _ in range(8)]
    words = np.zeros((8, 8), np.int64)

    def body(i):
        for j in range(300):
            engine.push(adding(words[i], rounds=20), mutate_vars=[variables[i]])
            if j % 7 == 0:
                engine.wait_for_var(variables[i], WAIT)
                assert words[i, 0] == j + 1
            elif j % 61 == 0:
                engine.wait_for_all(WAIT)
            elif j % 11 == 0:
                engine.push(lambda run_ctx: i, const_vars=[variables[i]]).result(WAIT)

    on_threads(body, range(8), seconds=LONG)
    assert words[:, 0].tolist() == [300] * 8
    engine.stop()


def test_functions_push_trees(threads):
    """Each function pushes two more, nine deep; kernels at the leaves."""
    words = np.zeros(8, np.int64)
    box, leaf = threads.new_variable(), adding(words)  # compiled here, not by all leaves at once

    def grow(run_ctx, depth=0):
        if depth == 9:
            threads.push(leaf, mutate_vars=[box])
            return
        for _ in range(2):
            threads.push(lambda run_ctx: grow(run_ctx, depth + 1), name=f"depth {depth + 1}")

    grow(None)
    threads.wait_for_all(WAIT)
    assert words[0] == 2**9


def test_variables_dropped_while_in_use(threads):
    """In cycles, from other threads, from finalisers; what was pushed on them runs."""
    ran, gates = np.zeros(8, np.int64), threads.new_variable()
    finals = []

    class Holder:
        def __init__(self):
            self.me = self
            self.variable = threads.new_variable()
            weakref.finalize(self, finals.append, 1)

        def __del__(self):
            threads.push(adding(ran), mutate_vars=[gates], name="from a finaliser")

    def body(i):
        for _ in range(50):
            holders = [Holder() for _ in range(4)]
            for holder in holders:
                threads.push(adding(ran), mutate_vars=[holder.variable, gates])
                threads.push(lambda run_ctx: None, mutate_vars=[holder.variable])
            del holder, holders
            gc.collect(0)

    before = threads.stats().variables
    on_threads(body, range(4), seconds=LONG)
    gc.collect()
    threads.wait_for_all(WAIT)
    gc.collect()
    threads.wait_for_all(WAIT)
    assert len(finals) == 800 and ran[0] == 1600
    assert threads.stats().variables <= before


def test_deleted_and_dropped_variables_are_given_back_once():
    """A record that two variables share would order them among each other."""
    engine = ThreadedEngine(workers=1)
    for _ in range(200):
        variable = engine.new_variable()
        engine.push(lambda run_ctx: None, mutate_vars=[variable])
        engine.delete_variable(variable)
    engine.wait_for_all(WAIT)
    del variable
    kept = [engine.new_variable() for _ in range(600)]
    for v in kept:
        engine.push(lambda run_ctx: None, mutate_vars=[v])
    engine.wait_for_all(WAIT)
    assert len({v._address for v in kept}) == 600
    assert {v.version for v in kept} == {1}
    engine.stop()


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def run_many(engine, total):
    """Kernels by operator, with now and then all else that takes memory."""
    words = np.zeros(8, np.int64)
    box = engine.new_variable()
    operator = engine.new_operator(adding(words), mutate_vars=[box])
    push = operator.push
    for start in range(0, total, 10_000):
        for _ in range(9_900):
            push()
        for _ in range(100):
            fresh = engine.new_variable()
            engine.push(adding(words), mutate_vars=[box], const_vars=[fresh])
            engine.push(lambda run_ctx: None, const_vars=[fresh])
        engine.push(lambda run_ctx: 1 / 0, mutate_vars=[fresh])
        with pytest.raises(ZeroDivisionError):
            engine.wait_for_var(fresh, WAIT)
        passing = engine.new_operator(adding(words), mutate_vars=[box])
        passing.push()
        engine.delete_operator(passing)
    engine.delete_operator(operator)
    del fresh, box
    gc.collect()
    engine.push(lambda run_ctx: None)  # variables that were dropped are given back at a push
    engine.wait_for_all(WAIT)
    return words[0]


@pytest.mark.parametrize("total", [10**6, pytest.param(10**7, marks=pytest.mark.slow)])
def test_memory_is_flat(total):
    engine = ThreadedEngine(workers=2)
    engine._opened()
    run_many(engine, 200_000)
    core = engine._core
    gc.collect()
    slabs, pages = core.word(layout.SLAB_BYTES), resident()
    assert run_many(engine, total) == total + total // 10_000
    gc.collect()
    assert core.word(layout.SLAB_BYTES) <= 1.1 * slabs + (1 << 20)
    assert resident() - pages < 16 << 20
    assert not core.jobs and not core.operators and not core.failures
    engine.stop()


def test_exceptions_let_their_objects_go(threads):
    """Failures, results and functions are not kept by the engine once they are told."""

    class Big:
        pass

    gone = []
    for _ in range(50):
        big = Big()
        gone.append(weakref.ref(big))

        def fails(run_ctx, big=big):
            raise OSError("no")

        v = threads.new_variable()
        threads.push(fails, mutate_vars=[v])
        with pytest.raises(OSError):
            threads.wait_for_var(v, WAIT)
        del big, fails, v
    threads.push(lambda run_ctx: None, mutate_vars=[threads.new_variable()])
    threads.wait_for_all(WAIT)
    gc.collect()
    assert sum(ref() is not None for ref in gone) <= 5
    assert ng.engine.stats().failures == 0
