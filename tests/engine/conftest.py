"""The engines under test, one after another behind `ng.engine`."""

import contextlib
import sys
import threading

import pytest

import nbgraph as ng
from nbgraph.engine.chaos.engine import ChaosEngine
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.threaded import ThreadedEngine

KINDS = ["naive", "threaded", "chaos"]
WAIT = 30  # seconds; every wait in these tests is bounded
# of tests in which something is pushed while the process ends
threads_at_exit = pytest.mark.skipif(
    (3, 12) <= sys.version_info < (3, 12, 2),
    reason="this Python starts no thread once the process ends: cpython#113964",
)


def _under(kind):
    before = ng.engine.current().kind
    with contextlib.suppress(Exception):
        ng.engine.wait_for_all(WAIT)  # what an earlier test left
    ng.engine.set(kind)
    yield ng.engine
    with contextlib.suppress(Exception):
        ng.engine.wait_for_all(WAIT)
    assert ng.engine.stats().pending == 0, str(ng.engine.dump())
    ng.engine.set(before)


@pytest.fixture(params=KINDS)
def engine(request):
    """`ng.engine` with each kind in force."""
    yield from _under(request.param)


@pytest.fixture(params=[kind for kind in KINDS if kind != "naive"])
def threads(request):
    """The same of the kinds that run functions on threads of their own."""
    yield from _under(request.param)


@pytest.fixture
def naive():
    """`ng.engine` with the naive engine."""
    yield from _under("naive")


@pytest.fixture
def threaded():
    """A threaded engine apart from the one in force."""
    made = ThreadedEngine(workers=2)
    yield made
    made.stop()


def nothing_left():
    """A fixture: a failure that a test left does not reach the next one."""
    yield
    with contextlib.suppress(Exception):
        ng.waitall()
    ng.waitall()


class Gate:
    """An asynchronous operation that holds variables until it is opened."""

    def __init__(self, engine, *variables, name="gate"):
        self._begun = threading.Event()
        self._done = None
        self.pending = engine.push_async(self._hold, mutate_vars=variables, name=name)

    def _hold(self, run_ctx, on_complete):
        self._done = on_complete
        self._begun.set()

    def open(self, error=None):
        assert self._begun.wait(WAIT)
        done, self._done = self._done, None
        done(error)


@pytest.fixture
def gate():
    """`gate(engine, *variables)`; what a test left shut is opened after it."""
    made = []

    def make(*args, **options):
        made.append(Gate(*args, **options))
        return made[-1]

    yield make
    for one in made:
        if not one.pending.done():
            one.open()


MAKERS = {
    "naive": NaiveEngine,
    "chaos": lambda: ChaosEngine(seed=3),
    "one worker": lambda: ThreadedEngine(workers=1),
    "three workers": lambda: ThreadedEngine(workers=3),
}


@pytest.fixture(scope="module", params=MAKERS)
def any_engine(request):
    """An engine of each kind, apart from the one in force."""
    made = MAKERS[request.param]()
    yield made
    made.stop()
