"""Short functions of plans that only compute run in the pusher; nothing is lost by an interrupt."""

import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.core import layout
from nbgraph.engine.handle import core_unit
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Outside, Plan, Step
from tests.engine.kernels import address
from tests.support import ROOT, run_python

WAIT = 30
WARM = 40  # runs, by which the time of a plan is known


class Noted:
    """A plan of a function, a kernel that adds to a word, and another function."""

    def __init__(self, *, pure=True, lasts=0.0):
        self.threads, self.lasts = [], lasts
        self.raises = []  # what the next calls of the second function raise
        self.word = np.zeros(1, np.int64)
        total = Outside("total")
        kernel = NativeCall(address("add"), [self.word.ctypes.data, 0], 1, cost=100, name="add")
        self.plan = Plan(
            [
                Step(self.first, (), ("a",), pure=pure),
                Step(kernel, ("a",), ("b",)),
                Step(self.second, ("b",), (total,), overwrites=True, pure=pure),
            ]
        )
        self.total = ng.engine.new_variable()

    def first(self, run_ctx):
        time.sleep(self.lasts)
        self.threads.append(threading.get_ident())

    def second(self, run_ctx):
        if self.raises:
            raise self.raises.pop()
        self.threads.append(threading.get_ident())

    def push(self, times=1):
        for _ in range(times):
            self.plan.push(variables=[self.total])
            ng.engine.wait_for_var(self.total, WAIT)

    def warm(self):
        """Have its time known, as it is where nothing else runs on the machine."""
        self.push(WARM)
        self.threads.clear()
        at, core = self.plan._first._address, ng.engine.current()._core
        core.poke(at + layout.I_SERIAL_NS, 20_000)
        core.poke(at + layout.I_PARALLEL_NS, 90_000)

    @property
    def others(self):
        """How many functions other threads than this have run."""
        return sum(t != threading.get_ident() for t in self.threads)


@pytest.fixture
def ready():
    """The compiled engine in force, whatever is being built in the background."""
    core_unit()
    before = ng.engine.current().kind
    ng.engine.set("threaded")
    yield
    ng.engine.wait_for_all(WAIT)
    ng.engine.set(before)


@pytest.mark.parametrize(
    ("pure", "lasts", "mine"), [(True, 0, True), (False, 0, False), (True, 0.003, False)]
)
def test_the_pusher_runs_what_is_pure_and_short(ready, pure, lasts, mine):
    noted = Noted(pure=pure, lasts=lasts)
    noted.push(WARM)
    assert noted.word[0] == WARM
    assert len(noted.threads) == 2 * WARM
    if not lasts:
        noted.warm()
        noted.push()
    assert (noted.others == 0) is mine
    assert mine or noted.others == len(noted.threads)


def test_it_runs_in_order(ready):
    """Behind what is unfinished it is pushed as ever."""
    noted, opened, seen = Noted(), threading.Event(), []
    noted.warm()
    ng.engine.push(lambda run_ctx: opened.wait(WAIT), mutate_vars=[noted.total])
    noted.plan.push(variables=[noted.total])
    ng.engine.push(lambda run_ctx: seen.append(noted.word[0]), const_vars=[noted.total])
    assert noted.word[0] == WARM
    opened.set()
    ng.engine.wait_for_all(WAIT)
    assert seen == [WARM + 1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_the_pushers_and_the_row_is_begun_again(ready, error):
    noted = Noted()
    noted.warm()
    noted.raises.append(error())
    with pytest.raises(error):
        noted.push()
    ng.engine.wait_for_all(WAIT)
    assert noted.word[0] == WARM + 1
    assert len(noted.threads) == 2
    noted.push()


def test_what_a_handler_raises_is_the_pushers_what_the_function_raises_its_own(ready):
    noted = Noted()
    noted.warm()
    noted.raises.append(TimeoutError("once"))
    with pytest.raises(TimeoutError, match="once"):
        noted.plan.push(variables=[noted.total])
    ng.engine.wait_for_var(noted.total, WAIT)
    noted.raises += [ValueError("own"), ValueError("own")]
    noted.plan.push(variables=[noted.total])
    with pytest.raises(ValueError, match="own"):
        ng.engine.wait_for_var(noted.total, WAIT)
    noted.push()
    assert noted.word[0] == WARM + 3


def test_two_threads_push_one_plan(ready):
    noted = Noted()
    noted.warm()
    threads = [threading.Thread(target=noted.push, args=(200,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert noted.word[0] == WARM + 600
    assert len(noted.threads) == 2 * 600


def test_functions_of_the_library_see_no_settings_of_the_caller(ready):
    """As on another thread: np.errstate of the caller is not that of NumPy's functions."""
    solve = ng.jit(lambda a, b: ng.linalg.solve(a, b) * 2)
    singular = ng.array([[1.0, 1.0], [1.0, 1.0 + 1e-16]])
    fine, b = ng.eye(2), ng.array([[1.0], [2.0]])
    for _ in range(WARM):
        assert solve(fine, b).tolist() == [[2], [4]]
    with np.errstate(all="raise"):
        value = solve(singular, b)
    with pytest.raises(np.linalg.LinAlgError):
        value.wait_to_read()
    assert solve(fine, b).tolist() == [[2], [4]]


STORM = """
import signal, sys, time
import numpy as np
import nbgraph as ng
from nbgraph.engine.core import layout
from nbgraph.engine.handle import core_unit

core_unit()
f = ng.jit(lambda a, x: ng.linalg.solve(a, ng.sort(x) + 1.0))
a, x = ng.eye(3) * 2, ng.array([3.0, 1.0, 2.0])
for _ in range(100):
    f(a, x).wait_to_read()
armed = []

def interrupt(number, frame):
    if armed:  # once for each `try`: not between two of them
        armed.clear()
        raise {error}

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.0021)
turns = caught = 0
end = time.monotonic() + float(sys.argv[1])
while True:
    try:
        armed.append(1)
        while True:  # with a condition Python 3.13 jumps back outside of `try`
            if time.monotonic() >= end:
                break
            y = f(a, x)
            z = f(a, y)
            assert z.tolist() == [1.0, 1.25, 1.5], z.tolist()
            turns += 1
            armed[:] = [1]  # one that a finaliser got is lost to it
        armed.clear()
        break
    except {error}:
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
ng.engine.wait_for_all(30)
assert f(a, x).tolist() == [1.0, 1.5, 2.0]
counts = ng.engine.stats()
assert counts.pushed == counts.completed and counts.pending == 0, counts
assert caught  # on a busy machine two calls may take longer than there is between interrupts
"""


@pytest.mark.parametrize("seconds", [1.0, pytest.param(20.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "TimeoutError"])
def test_a_storm_of_interrupts_over_compiled_functions(error, seconds, tmp_path):
    program = tmp_path / "storm.py"
    program.write_text(STORM.replace("{error}", error))
    run_python(str(program), str(seconds), cwd=ROOT)
