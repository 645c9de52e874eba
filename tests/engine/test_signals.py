"""Ctrl-C at any moment: what was pushed runs once, what was not never, the engine goes on."""

import sys
from contextlib import suppress
from functools import partial

import pytest

from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.properties import FnProperty
from nbgraph.errors import EngineError
from tests.support import INTERRUPTS, run_python

STORM = """
import signal, sys, threading, time
import numpy as np
import nbgraph as ng
from tests.engine.test_stress import adding
from nbgraph.engine.threaded import ThreadedEngine

kind, seconds = sys.argv[1], float(sys.argv[2])
engine = ThreadedEngine(workers=2)
box, words = engine.new_variable(), np.zeros(8, np.int64)
operator = engine.new_operator(adding(words, rounds=50), mutate_vars=[box])
other = engine.new_operator(adding(words), mutate_vars=[engine.new_variable()])
calls = [0]

def count(run_ctx):
    calls[0] += 1

def step(turn):
    if kind == "native":
        operator.push()
    elif kind == "kernel":
        engine.push(adding(words, rounds=50), mutate_vars=[box])
    else:
        engine.push(count, mutate_vars=[box])
    if turn % 50 == 0:
        engine.wait_for_var(box, 30)
    elif turn % 333 == 0:
        engine.wait_for_all(30)

engine.push(count, mutate_vars=[box]).result(30)
calls[0] = turn = sure = caught = 0
end = time.monotonic() + seconds
armed = []

def interrupt(number, frame):
    if armed:  # once for each `try`: not between two of them
        armed.clear()
        raise KeyboardInterrupt

def steps():  # a function: Python 3.13 does not catch what is raised where a loop jumps back
    global turn, sure
    while time.monotonic() < end:
        turn += 1
        step(turn)
        sure += 1

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.0021)
while True:
    try:
        armed.append(1)
        steps()
        armed.clear()
        break
    except KeyboardInterrupt:
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
engine.wait_for_all(30)
done = calls[0] if kind == "python" else int(words[0])
counts = engine.stats()
# a push that was interrupted may have happened or not
assert sure <= done <= turn, (sure, done, turn)
assert counts.pushed == counts.completed and counts.pending == 0, counts
assert box.version == done + 1, (box.version, done)
assert not engine._now_running
assert engine.push(lambda run_ctx: "usable", mutate_vars=[box]).result(30) == "usable"
assert caught > 20 * seconds, caught
print("turns", turn, "interrupts", caught)
"""


@pytest.mark.parametrize("seconds", [1.0, pytest.param(20.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["native", "kernel", "python"])
def test_a_storm_of_interrupts(kind, seconds, tmp_path):
    from tests.support import ROOT

    program = tmp_path / "storm.py"
    program.write_text(STORM)
    printed = run_python(program, kind, seconds, cwd=ROOT)
    assert printed.startswith("turns")


PYTHON_STEPS = """
import signal, sys, time
import numpy as np
import nbgraph as ng
from nbgraph.engine.thread import here, inside

kind, seconds = sys.argv[1], float(sys.argv[2])
x = ng.array(np.arange(64.0).reshape(8, 8))
plan = ng.jit(lambda x: ng.linalg.inv(ng.sort(x) + 8 * ng.eye(8)).sum())  # two steps are Python's

def step():
    with ng.config(engine="naive" if kind == "naive" else "threaded"):
        return ng.sort(x).asnumpy().sum() if kind == "naive" else plan(x).item()

wanted, armed, caught = step(), [], 0

def interrupt(number, frame):
    if armed:
        armed.clear()
        raise KeyboardInterrupt

def steps():
    for _ in range(20):
        step()

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.0021)
end = time.monotonic() + seconds
while time.monotonic() < end:
    try:
        armed.append(1)
        steps()
        armed.clear()
    except KeyboardInterrupt:
        caught += 1
        assert here.running is None and inside.get() is None
signal.setitimer(signal.ITIMER_REAL, 0)
ng.waitall()
assert step() == wanted and caught > 20 * seconds, caught
print("caught", caught)
"""


@pytest.mark.parametrize("seconds", [1.5, pytest.param(20.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["plan", "naive", "cold"])
def test_interrupts_within_functions_that_the_engine_runs(kind, seconds, tmp_path):
    """What an engine runs in the caller's thread leaves no trace there, wherever a signal hits; and
    nothing is left pending where the core is not there yet ("cold")."""
    program = tmp_path / "steps.py"
    program.write_text(PYTHON_STEPS)
    cold = {"NBGRAPH_CACHE_DIR": str(tmp_path / "cache")} if kind == "cold" else {}
    printed = run_python(program, kind, min(seconds, 3.0) if cold else seconds, timeout=120, **cold)
    assert printed.startswith("caught")


LONG_WAIT = """
import os, signal, threading, weakref
from types import SimpleNamespace
import numpy as np
import nbgraph as ng
from nbgraph.engine import tracked
from nbgraph.engine.plans.plan import Plan, Step
from nbgraph.operator import parallel
from tests.engine.exit_program import until

tracked.DRAIN = 0.05
ng.engine.set("threaded", workers=1)
engine = ng.engine
engine.push(lambda run_ctx: until(np.ones(1, np.int64), 1).address).result()  # all is compiled
signal.alarm(60)  # ends the process, wherever it is
for kind in ("kernels", "plan", "call"):
    flag, box, used = np.zeros(1, np.int64), engine.new_variable(), np.ones(3)
    wait, gone = until(flag, 1 << 40), weakref.ref(used)
    wait.cost, wait.hi = 1 << 40, 1
    if kind == "plan":
        Plan([Step(wait, (), (box,))]).instance().push()
    for _ in range(2):  # one is the worker's, one is left
        engine.push(wait, mutate_vars=[engine.new_variable()])
    after = engine.push(lambda run_ctx: "after", const_vars=[box])
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        if kind == "call":
            code = SimpleNamespace(address=wait.address, loop=SimpleNamespace(name="spins"))
            record = np.array([flag.ctypes.data, 1 << 40])
            parallel.run(code, record, 1, 1 << 40, [used])
        else:
            engine.wait_for_all(60)
    except KeyboardInterrupt:
        print("stopped", kind)
    del used
    kept = gone() is not None
    flag[0] = 1
    assert after.result(30) == "after"
    engine.wait_for_all(30)
    assert kept == (kind == "call")
assert gone() is None
"""


def test_a_wait_for_long_kernels_is_interrupted(tmp_path):
    """X-ENG-10: the main thread helps with nothing that would keep it from its signals; what a
    call on NumPy's arrays has begun keeps them until its end."""
    from tests.support import ROOT

    program = tmp_path / "wait.py"
    program.write_text(LONG_WAIT)
    printed = run_python(program, cwd=ROOT)
    assert printed.split() == "stopped kernels stopped plan stopped call".split()


ENDLESS = """
import os, signal, threading
import nbgraph as ng

f = ng.jit(lambda x, n: ng.while_loop(lambda v: v < n, lambda v: v + 1, x))
x = ng.zeros((), dtype="int64")
ng.engine.set("threaded", workers=1)
ng.engine.push(lambda run_ctx: 1).result(60)
signal.alarm(60)  # ends the process, wherever it is
for n in [5] * 40 + [1 << 62]:
    if n > 5:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        y = f(x, ng.array(n, dtype="int64"))
        print("pushed" if n > 5 else int(y), flush=True)
        y.wait_to_read()
    except KeyboardInterrupt:
        print("stopped", flush=True)
os._exit(0)  # the worker is in the loop
"""


def test_an_endless_loop_after_short_ones_is_interrupted(tmp_path):
    """X-ENG-10: its pusher ran the short ones itself, and leaves this one to a worker."""
    from tests.support import ROOT

    program = tmp_path / "endless.py"
    program.write_text(ENDLESS)
    assert run_python(program, cwd=ROOT).split() == ["5"] * 40 + ["pushed", "stopped"]


FIRST_PUSH = (
    INTERRUPTS
    + """
from nbgraph.engine.threaded import ThreadedEngine

ThreadedEngine(workers=1).push(lambda run_ctx: 1).result(60)
signal.signal(signal.SIGALRM, interrupt)
random.seed(int(sys.argv[1]))
for turn in range(80):
    engine = ThreadedEngine(workers=2)
    if turn % 2:
        engine.push(lambda run_ctx: 0).result(60)
    try:
        armed.append(1)
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 1e-3))
        if turn % 2:
            engine.stop()
        else:
            engine.push(lambda run_ctx: 1).result(60)
    except Stop:
        caught += 1
    armed.clear()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert engine.push(lambda run_ctx: 2).result(60) == 2
    engine.stop()
print("caught", caught)
"""
)


@pytest.mark.parametrize("seed", [0, 1])
def test_interrupts_while_an_engine_starts_its_threads_or_stops(seed, tmp_path):
    """X-ENG-10: the next push starts what is not there, and the engine can be stopped."""
    from tests.support import ROOT

    program = tmp_path / "first.py"
    program.write_text(FIRST_PUSH)
    assert run_python(program, seed, timeout=240, cwd=ROOT).startswith("caught")


def _pushes(engine, box, other, seen, calls, calm):
    """Pushes of every kind, each of which runs at most once."""

    def outer(run_ctx):
        seen.append("outer")
        engine.push(lambda run_ctx: seen.append("inner"), mutate_vars=[box])
        engine.push(lambda run_ctx: seen.append("free"), mutate_vars=[other])

    def late(run_ctx, on_complete):
        calls.append(on_complete)
        if calm:  # it was pushed, and runs after the interrupt
            on_complete()

    engine.push(outer, const_vars=[other], mutate_vars=[box])
    engine.push(lambda run_ctx: seen.append("reads"), const_vars=[box, other])
    engine.push_async(late, mutate_vars=[box])
    engine.push(lambda run_ctx: seen.append("after"), const_vars=[other], mutate_vars=[box])
    while calls:
        calls[-1]()
        calls.clear()
    with engine.bulk(3):
        for i in range(3):
            engine.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[box])


def test_an_interrupt_at_any_point_of_a_naive_push_leaves_nothing_pending():
    """Whatever a signal takes away from the naive engine has ended, or runs, before the next wait
    ends: one push after the other is interrupted where CPython looks for signals, in a function's
    first instruction and behind a call of C."""
    files = "naive.py", "running.py", "operation.py", "base.py", "bulk.py", "checks.py"
    events = "call", "c_return"
    points = interrupted = 0
    while interrupted == points:
        points += 1
        engine, seen, calls, calm, passed = NaiveEngine(), [], [], [], 0
        box, other = engine.new_variable("box"), engine.new_variable("other")

        def watch(frame, event, argument):
            nonlocal passed
            code = frame.f_code
            if (
                code.co_name not in {"_take", "__del__"}
                and code.co_filename.endswith(files)
                and event in events
            ):
                passed += 1
                if passed == points:
                    raise KeyboardInterrupt

        sys.setprofile(watch)
        try:
            _pushes(engine, box, other, seen, calls, calm)
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        interrupted += passed >= points
        calm.append(True)
        for on_complete in calls:
            with suppress(EngineError):  # it has ended
                on_complete()
        for wait in [partial(engine.wait_for_var, box), engine.wait_for_all] * 3:
            with suppress(KeyboardInterrupt):  # of an operation that had begun
                wait(timeout=10)
        counts = engine.stats()
        assert counts.pending == 0 and counts.pushed == counts.completed, (points, counts)
        assert len(set(seen)) == len(seen), (points, seen)
        usable = engine.push(lambda run_ctx: 7, mutate_vars=[other], prop=FnProperty.OVERWRITE)
        assert usable.result(10) == 7, points
    assert seen == ["outer", "inner", "free", "reads", "after", 0, 1, 2] and points > 200


_HOOKS = """
import _thread, os, signal, sys
raised = []
def interrupt(*_):
    if not raised:  # the package sends the signal again
        raised.append(True)
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, interrupt)
if sys.argv[1] == "after_in_parent":  # such hooks run in the order of their registration
    os.register_at_fork(after_in_parent=_thread.interrupt_main)
from nbgraph import scopes
if sys.argv[1] == "before":  # and these in reverse
    os.register_at_fork(before=_thread.interrupt_main)

class Lock:
    calls = ""
    def acquire(self, blocking):
        self.calls += "acquired "
        return True
    def release(self):
        self.calls += "released "

lock = scopes.forkable(Lock())
pid = os.fork()
if pid == 0:
    os._exit(lock.calls != "acquired released ")
print(lock.calls, os.waitpid(pid, 0)[1], raised)
"""


@pytest.mark.parametrize("hook", ["before", "after_in_parent"])
def test_a_signal_at_a_hook_leaves_no_lock(hook):
    """It raises before the first line of a hook of a fork, whose second call then does the work."""
    assert run_python("-c", _HOOKS, hook) == "acquired released  0 [True]\n"
