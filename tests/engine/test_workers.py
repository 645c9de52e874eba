"""Threads of the threaded engine: all of them stay at work."""

import threading

import pytest

from nbgraph.engine.threaded import ThreadedEngine

WAIT = 30


@pytest.fixture(params=[2, 4])
def engine(request):
    made = ThreadedEngine(workers=request.param)
    yield made
    made.stop()


def test_a_worker_woken_for_nothing_stays(engine):
    """ENG-04: a chain wakes threads that find its next link taken; all must still meet after."""
    v = engine.new_variable()
    for _ in range(300):
        for _ in range(3):
            engine.push(lambda run_ctx: None, mutate_vars=[v])
        engine.wait_for_var(v, WAIT)
    everybody = threading.Barrier(engine.workers, timeout=WAIT)
    met = [engine.push(lambda run_ctx: everybody.wait()) for _ in range(engine.workers)]
    assert sorted(m.result(WAIT) for m in met) == list(range(engine.workers))


def test_a_function_that_fails_costs_no_worker(engine):
    def fail(run_ctx):
        raise SystemExit(3)

    failed = [engine.push(fail) for _ in range(20)]
    assert all(isinstance(f.exception(WAIT), SystemExit) for f in failed)
    everybody = threading.Barrier(engine.workers, timeout=WAIT)
    met = [engine.push(lambda run_ctx: everybody.wait()) for _ in range(engine.workers)]
    assert sorted(m.result(WAIT) for m in met) == list(range(engine.workers))
