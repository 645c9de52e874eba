"""Threads of the threaded engine: all of them stay at work."""

import threading

import pytest

from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import EngineError
from tests.support import ROOT, run_python

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


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("kind", ["refused", "interrupted before", "interrupted after"])
def test_a_start_that_fails_is_made_up_for(kind, at, monkeypatch):
    """X-ENG-10: the next push begins the threads that are not there, native ones or Python's."""
    engine, start, calls = ThreadedEngine(workers=2), threading.Thread.start, []
    box = engine.new_variable()

    def once(thread):
        calls.append(thread)
        fails = len(calls) == at + 1
        if fails and kind != "interrupted after":
            raise RuntimeError("can't start new thread") if kind == "refused" else KeyboardInterrupt
        start(thread)
        if fails:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", once)
    with pytest.raises(EngineError if kind == "refused" else KeyboardInterrupt):
        engine.push(lambda run_ctx: 1, mutate_vars=[box]).result(WAIT)
    everybody = threading.Barrier(2, timeout=WAIT)
    met = [engine.push(lambda run_ctx: everybody.wait()) for _ in range(2)]
    assert sorted(m.result(WAIT) for m in met) == [0, 1]
    engine.stop()
    assert engine.push(lambda run_ctx: 2, mutate_vars=[box]).result(WAIT) == 2
    engine.stop()


def test_an_engine_may_stop_after_a_start_that_failed(monkeypatch):
    engine = ThreadedEngine(workers=2)

    def refused(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch, pytest.raises(EngineError):
        patch.setattr(threading.Thread, "start", refused)
        engine.start()
    engine.stop()
    assert engine.push(lambda run_ctx: 2).result(WAIT) == 2
    engine.stop()


NO_HELPER = """
import nbgraph as ng
from nbgraph.engine import helper

class NoThreads:
    calls = 0

    @classmethod
    def start_new_thread(cls, *arguments):
        cls.calls += 1
        raise RuntimeError("can't start new thread")

ng.engine.set("threaded", workers=2)
x = ng.ones(2_000_000)
ng.tanh(x).asnumpy()
helper._thread, helper.helper._process = NoThreads, 0
while not NoThreads.calls:
    arrays = [ng.tanh(x + k) for k in range(8)]
    ng.engine.wait_for_all()
print([round(float(a[0]), 3) for a in arrays[:2]])
"""


def test_a_wait_does_the_work_itself_where_no_helper_begins(tmp_path):
    """SYS-04: as where memory is short, and the wait is what would release some."""
    program = tmp_path / "helper.py"
    program.write_text(NO_HELPER)
    assert run_python(program, cwd=ROOT) == "[0.762, 0.964]\n"
