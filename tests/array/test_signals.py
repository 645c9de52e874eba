"""Ctrl-C at any moment of array code: results stay right, memory is neither lost nor shared."""

import pytest

import nbgraph as ng
from nbgraph.array import chunk
from nbgraph.errors import EngineError
from tests.support import ROOT, child, run_python

STORM = """
import signal, sys, time
import numpy as np
import nbgraph as ng

seconds = float(sys.argv[1])
ng.engine.set("threaded")
n = 4096
base = np.arange(n, dtype=np.float32)
a, b = ng.array(base), ng.ones(n)
w = ng.zeros(n)
w.attach_grad()
kept, armed = [], []
caught = turn = 0

def step(turn):
    x = a
    for _ in range(10):
        x = x + b
        x = x * 2.0 - x
    kept.append(x)
    if turn % 7 == 0:
        with ng.autograd.record():
            loss = (w * x).sum()
        loss.backward()
    if turn % 5 == 0:
        y = ng.array(base)
        y += 1
        kept.append(y + 9)
    if len(kept) > 20:
        assert np.array_equal(kept[0].asnumpy(), base + 10)
        del kept[:10]

def interrupt(number, frame):
    if armed:  # once for each `try`: not between two of them
        armed.clear()
        raise KeyboardInterrupt

for turn in range(20):
    step(turn)
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.0023)
end = time.monotonic() + seconds
while True:
    try:
        while time.monotonic() < end:
            armed[:] = [1]  # anew: one may have been lost in a finaliser, where none is raised
            turn += 1
            step(turn)
            armed.clear()  # the jump back is outside of the `try` in Python 3.13's table
        break
    except KeyboardInterrupt:
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
ng.engine.wait_for_all(30)
for x in kept:
    assert np.array_equal(x.asnumpy(), base + 10)
assert caught > 10 * seconds, caught
stats = ng.storage.stats()
assert stats.in_use < 64 << 20, stats
kept.clear()
for turn in range(20):
    step(turn)
print("turns", turn, "interrupts", caught)
"""


@pytest.mark.parametrize("seconds", [2.0, pytest.param(30.0, marks=pytest.mark.slow)])
def test_a_storm_of_interrupts(seconds, tmp_path):
    """SYS-04, X-ENG-10: interrupts between any two instructions of operators and their memory."""
    program = tmp_path / "storm.py"
    program.write_text(STORM)
    printed = run_python(program, seconds, cwd=ROOT)
    assert printed.startswith("turns")


class Stop(Exception):
    """What a signal's handler raises."""


@pytest.mark.parametrize("step", ["view", "attach_grad", "recorded"])
def test_an_interrupt_while_the_holder_of_a_chunk_is_made(step, monkeypatch):
    """SYS-04: the chunk stays the array's alone; nobody else is given its memory."""

    class Interrupted(chunk.Holder):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            raise Stop

    x = ng.ones(2)
    x.attach_grad()
    a = ng.full(2, 9.0)
    with monkeypatch.context() as patch, pytest.raises(Stop):
        patch.setattr(chunk, "Holder", Interrupted)
        if step == "view":
            a[:1]
        elif step == "attach_grad":
            a.attach_grad()
        else:
            with ng.autograd.record():
                a = ng.tanh(x)
    a.asnumpy()
    del a
    arrays = [ng.full(2, k) for k in range(8)]
    assert [int(array.asnumpy()[0]) for array in arrays] == list(range(8))


def test_a_release_that_cannot_be_pushed_waits(monkeypatch):
    """SYS-04: memory that finalisers gave up is kept until its release is pushed."""
    engine, released = ng.engine.current(), []
    ng.zeros(1)  # what was left before
    real, given_up = engine._issue, chunk.Chunk(ng.zeros(1)._chunk.memory, None)

    def refused(operation):
        raise EngineError("no thread")

    def interrupted(operation):
        real(operation)
        raise Stop

    chunk._RETIRED.append([given_up, lambda: released.append(1)])
    for issue, error in ((refused, EngineError), (interrupted, Stop)):
        monkeypatch.setattr(engine, "_issue", issue)
        with pytest.raises(error):
            chunk.release_retired()
        assert [entry[0] for entry in chunk._RETIRED] == [given_up] and not given_up.deleted
    monkeypatch.undo()
    chunk.release_retired()
    ng.engine.wait_for_all(30)
    assert released == [1] and given_up.deleted and not chunk._RETIRED


NO_THREADS = """
import threading
import nbgraph as ng
from nbgraph.errors import EngineError

(ng.array([1.0, 2.0]) + 1).asnumpy()
start = threading.Thread.start

def refused(self):
    raise RuntimeError("can't start new thread")

y = ng.tanh(ng.ones(3_000_000))
for _ in range(6):
    y = ng.tanh(y)
threading.Thread.start = refused
del y
ng.storage.empty_cache()  # what is in use is retired
for n in range(6):
    if n == 3:
        threading.Thread.start = start
    try:
        print((ng.array([1.0, float(n)]) + ng.zeros(2)).tolist())
    except EngineError as error:
        assert "a thread of its own cannot be started" in str(error)
        print("refused")
ng.engine.wait_for_all(60)
ng.storage.empty_cache()
assert ng.storage.stats().in_use < 1 << 20, ng.storage.stats()
"""


def test_the_first_python_thread_cannot_be_started(tmp_path):
    """SYS-04: one clear error, and the memory of unfinished kernels is released afterwards."""
    program = tmp_path / "threads.py"
    program.write_text(NO_THREADS)
    lines = run_python(program, cwd=ROOT).split("\n")
    assert lines[-4:-1] == ["[1.0, 3.0]", "[1.0, 4.0]", "[1.0, 5.0]"]


ENDLESS = """
import math, os, signal, threading, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # one worker
import nbgraph as ng
ng.engine.set("threaded")

@ng.op
def endless(x, *, turns=1):
    total = 0.0
    for i in range(turns):
        total += math.sin(x + i)
    return total

(endless(ng.ones(4)) * 2.0).asnumpy()
for _ in range(2 * ng.engine.stats().workers):
    x = endless(ng.ones(4), turns=10**15)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        x.asnumpy()
    except KeyboardInterrupt:
        pass
assert {o.age for o in ng.engine.dump().operations} == {None}  # the core keeps no times
x = ng.ones(10**6)
for _ in range(20):
    x = x * 2.0
assert x[:1].tolist() == [2.0**20]
os._exit(0)  # without the wait for what is unfinished
"""


def test_kernels_that_run_on_after_an_interrupt_do_not_freeze_what_follows(tmp_path):
    """X-ENG-10: a worker and the main thread's helper are in kernels without an end."""
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS)
    run_python(program, timeout=200)


SENT = """
import _thread, sys, threading, time
import nbgraph as ng

ng.engine.set("threaded")
dropped, go, ended = [], threading.Event(), threading.Event()
resend = sys.unraisablehook
sys.unraisablehook = lambda what: (dropped.append(what.exc_type), resend(what))

def send():
    while not ended.is_set():
        go.wait()
        go.clear()
        time.sleep(0.002)
        _thread.interrupt_main()

threading.Thread(target=send, daemon=True).start()
x = ng.ones((64, 64))
while len(dropped) < 3:
    try:
        go.set()
        while True:
            y = x * 2.0 + 1
    except KeyboardInterrupt:
        pass
ended.set()
print(*dropped)
"""


def test_an_interrupt_that_a_finaliser_got_comes_again(tmp_path):
    """SYS-04: each round ends by one Ctrl-C, also where Python drops it, in about one of ten."""
    program = tmp_path / "sent.py"
    program.write_text(SENT)
    ran = child(program, cwd=ROOT)
    assert ran.stdout.count("KeyboardInterrupt") >= 3, ran.stderr
    assert not ran.stderr
