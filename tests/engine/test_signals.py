"""Ctrl-C at any moment: what was pushed runs once, what was not never, the engine goes on."""

import pytest

from tests.support import run_python

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

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.0021)
while True:
    try:
        armed.append(1)
        while time.monotonic() < end:
            turn += 1
            step(turn)
            sure += 1
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
