"""Interrupts within modes, settings and traces: what was in force before is in force after."""

import contextlib
import threading
from contextvars import Context

import pytest

import nbgraph as ng
from nbgraph.autograd.tracing import tracing
from nbgraph.graph import naming
from nbgraph.nn.state import _collected, collecting, outside
from nbgraph.operator.call import recording, training
from nbgraph.scopes import Scopes
from tests.support import INTERRUPTS, ROOT, on_threads, run_python

STORM = (
    INTERRUPTS
    + """
import nbgraph as ng
from nbgraph.graph import naming
from nbgraph.graph.passes import reverse
from nbgraph.operator.call import differentiating, recording, training

record, pause = ng.autograd.record, ng.autograd.pause
w = ng.ones(2)
w.attach_grad()
ng.jit(lambda x: ng.sum(x))(w)

def modes():
    for _ in range(100):
        with record():
            with pause(train_mode=True):
                pass

def last():  # an operator of C ends the block: a signal that came meanwhile is seen at its end
    for _ in range(20):
        with record():
            y = w + w

def settings():
    for _ in range(30):
        with ng.config(default_float="float64"):
            pass

def traces():
    for _ in range(2):
        ng.jit(lambda x: ng.sum(x))(w)

def gradients():
    for _ in range(5):
        ng.grad(ng.sum)(w)

def names():
    for _ in range(20):
        with ng.name_scope("block_"), ng.attribute_scope(group="first"):
            ng.sin(ng.var("x"))

def graphs():
    x = ng.var("x")
    ng.sum(ng.tanh(x) * x).simple_bind(x=(3,)).forward_backward(x=[1.0, 2.0, 3.0])

def state():
    modes = recording.get(), training.get("unset"), differentiating.get(), reverse.line.get()
    return *modes, naming.scope.get(), dict(naming.marks.get()), ng.config.default_float

kinds, before = (modes, last, settings, traces, gradients, names, graphs), state()
signal.signal(signal.SIGALRM, interrupt)
random.seed(int(sys.argv[1]))
for turn in range(int(sys.argv[2])):
    kind = kinds[turn % len(kinds)]
    try:
        armed.append(1)
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 2e-4))
        kind()
    except Stop:
        caught += 1
    armed.clear()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert state() == before, (turn, kind, state())
assert (w + 1).tolist() == [2, 2]
print("caught", caught)
"""
)


@pytest.mark.parametrize("turns", [3000, pytest.param(60000, marks=pytest.mark.slow)])
def test_a_storm_of_interrupts(turns, tmp_path):
    """X-NDA-02, SYS-04: no mode, setting or trace outlives its block."""
    program = tmp_path / "storm.py"
    program.write_text(STORM)
    caught = run_python(program, 5, turns, timeout=280, cwd=ROOT).split()[1]
    assert int(caught) > turns / 10


def blocks():
    return {
        "record": ng.autograd.record(),
        "pause": ng.autograd.pause(train_mode=True),
        "train": ng.autograd.train_mode(),
        "config": ng.config(default_float="float64"),
        "trace": tracing("f"),
        "name_scope": ng.name_scope("block_"),
        "attribute_scope": ng.attribute_scope(group="first"),
        "collecting": collecting({}),
        "outside": outside(),
    }


def state():
    names = naming.scope.get(), naming.marks.get(), _collected.get()
    return recording.get("unset"), training.get("unset"), ng.config.default_float, names


@pytest.mark.parametrize("kind", blocks())
@pytest.mark.parametrize("how", ["with", "stack"])
def test_exceptions_pass_and_what_was_before_returns(kind, how):
    Context().run(use, kind, how)  # where no mode has been set


def use(kind, how):
    block, before = blocks()[kind], state()
    with pytest.raises(ZeroDivisionError):
        if how == "with":
            with block:
                assert state() != before
                _ = 1 / 0
        else:
            with contextlib.ExitStack() as stack:
                stack.enter_context(block)
                assert state() != before
                _ = 1 / 0
    assert state() == before
    with block:  # once more
        assert state() != before
    assert state() == before


def test_the_end_of_a_block_is_a_function_of_c():
    """Nothing of Python is entered there, where a signal's handler could raise before it."""
    for block in blocks().values():
        assert type(block.__exit__).__name__ == "builtin_function_or_method"


def test_a_block_of_settings_is_used_by_threads_and_within_itself():
    block, inside = ng.config(default_float="float64"), threading.Barrier(4)

    def work():
        for _ in range(50):
            with block:
                inside.wait(60)
                with block:
                    assert ng.config.default_float == "float64"
                assert ng.config.default_float == "float64"
            inside.wait(60)
            assert ng.config.default_float == "float32"

    on_threads(work, 4)
    assert ng.config.default_float == "float32"


def test_an_end_without_a_beginning_is_an_error():
    with pytest.raises(LookupError):
        Scopes(training).end(None, None, None)
