"""What NumPy computes in less time than a thread takes to wake up, the calling thread computes."""

import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.handle import core_unit
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.spec import Spec
from tests.support import on_threads

WARM = 20  # calls, the shortest of which counts


def probe(seen, *, library=True, lasts=0.0):
    """An operator that notes which thread computes it; of the library's own, or of a user's."""

    def compute(inputs, outputs):
        if lasts:  # else it would let others have the processor
            time.sleep(lasts)
        seen.append(threading.get_ident())
        if inputs[0].min() < 0:
            raise ValueError("negative")
        if np.isnan(inputs[0]).any():
            raise KeyboardInterrupt
        np.add(inputs[0], 1, out=outputs[0])

    compute.__module__ = "nbgraph.ops.probe" if library else __name__
    return ArrayOp("probe", lambda x: Spec(x.shape, x.dtype), compute, operands=("x",))


def warm(op, x):
    """Call often enough that the time is known, by the engine that has threads."""
    core_unit()
    for _ in range(WARM):
        op(x).wait_to_read()


@pytest.mark.parametrize("library", [True, False])
def test_short_functions_of_the_library_alone_run_on_the_calling_thread(threaded, library):
    seen = []
    op, x = probe(seen, library=library), ng.ones(4)
    warm(op, x)
    assert (threading.get_ident() in seen) is library
    seen.clear()
    assert op(x).tolist() == [2, 2, 2, 2]
    assert (seen == [threading.get_ident()]) is library


def test_long_functions_run_on_threads_of_the_engine(threaded):
    seen = []
    op, x = probe(seen, lasts=0.001), ng.ones(4)
    warm(op, x)
    assert threading.get_ident() not in seen


def test_busy_threads_hold_up_no_short_function(threaded):
    x, system, opened = ng.array([3.0, 1.0, 2.0]), 2 * ng.eye(3), threading.Event()
    calls = [lambda: ng.sort(x), lambda: ng.linalg.solve(system, x), lambda: ng.argsort(x)]
    for call in calls:
        warm(lambda _, call=call: call(), x)
    try:
        for _ in range(32):
            ng.engine.push(lambda run_ctx: opened.wait(120) and None)
        values = [call() for call in calls]
        for value in values:
            ng.engine.wait_for_var(value.variable, 30)
    finally:
        opened.set()
    assert [v.tolist() for v in values] == [[1, 2, 3], [1.5, 0.5, 1], [1, 2, 0]]


def test_they_run_in_order(threaded):
    """Behind what is unfinished, and before what is pushed later."""
    seen = []
    op, x, opened = probe(seen), ng.ones(4), threading.Event()
    warm(op, x)
    seen.clear()

    def fill(run_ctx):
        opened.wait(120)
        x[:] = 5

    ng.engine.push(fill, mutate_vars=[x.variable])
    y = op(x)
    x += 1
    assert not seen
    opened.set()
    assert y.tolist() == [6] * 4
    assert threading.get_ident() not in seen


@pytest.mark.parametrize("fails", [False, True])
def test_what_another_thread_writes_meanwhile_is_read_whole(threaded, fails):
    writes = []

    def compute(inputs, outputs):
        outputs[0][:2] = inputs[0][:2]
        if writes:
            writes.pop()()
            if fails:
                raise ValueError("halves differ")
        outputs[0][2:] = inputs[0][2:]

    compute.__module__ = "nbgraph.ops.probe"
    op = ArrayOp("halves", lambda x: Spec(x.shape, x.dtype), compute, operands=("x",))
    x = ng.ones(4)
    warm(op, x)

    def write(_):
        x[:] = 5
        x.wait_to_read()

    writes.append(lambda: on_threads(write, range(1)))
    assert op(x).tolist() == [5] * 4
    assert not writes


def test_failures_come_at_waits_and_interrupts_at_once(threaded):
    seen = []
    op, x = probe(seen), ng.ones(4)
    warm(op, x)
    y = op(ng.array([-1.0] * 4, dtype=x.dtype))
    with pytest.raises(ValueError, match="negative") as caught:
        y.wait_to_read()
    assert any("probe" in note for note in caught.value.__notes__)
    interrupting = ng.array([np.nan] * 4, dtype=x.dtype)
    with pytest.raises(KeyboardInterrupt):
        op(interrupting)
    assert op(x).tolist() == [2] * 4
    ng.engine.wait_for_all(30)
    assert set(seen[-3:]) == {threading.get_ident()}
