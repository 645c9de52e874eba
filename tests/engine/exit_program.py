"""A program that ends while its engine is busy: `python exit_program.py SCENARIO COUNT DRAIN`.

It forks COUNT children, each of which makes an engine, plays the scenario and ends in the usual
way; their exit statuses must be what the scenario says. Nothing may be printed but the last line.
"""

import os
import sys
import threading
import time
import warnings

import numpy as np

from nbgraph.engine import handle, tracked
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.threaded import ThreadedEngine
from tests.engine.kernels import address

BOUND = 15.0  # seconds for a child


def until(words, rounds):
    """A kernel that spins until the first word is not 0."""
    return NativeCall(address("until"), [words.ctypes.data, rounds], keep=words, name="spins")


def fill(engine):
    """Chains of Python functions and kernels, some on each queue."""
    box, words = engine.new_variable(), np.zeros(8, np.int64)
    add = NativeCall(address("add"), [words.ctypes.data, 100], keep=words, name="adds")
    for i in range(50):
        engine.push(lambda run_ctx: sum(range(100)), mutate_vars=[box])
        engine.push(add, mutate_vars=[box])
        engine.push(lambda run_ctx: time.sleep(0))
    return box


def normal(engine):
    fill(engine)


def exits(engine):
    fill(engine)
    sys.exit(3)


def raises(engine):
    fill(engine)
    sys.excepthook = lambda *args: None
    raise OSError("the end")


def thread_exits(engine):
    fill(engine)
    thread = threading.Thread(target=lambda: (fill(engine), sys.exit(5)))
    thread.start()


def leaves(engine):
    fill(engine)
    os._exit(4)


def in_kernel(engine):
    """Workers inside compiled code: for far longer than the end of the process may take."""
    for _ in range(3):
        engine.push(until(np.zeros(1, np.int64), 1 << 40), mutate_vars=[engine.new_variable()])
    fill(engine)


def in_python(engine):
    box = fill(engine)
    engine.push(lambda run_ctx: time.sleep(100), mutate_vars=[box])
    engine.push(lambda run_ctx: None, mutate_vars=[box])


def never_completed(engine):
    kept, box = [], fill(engine)
    engine.push_async(lambda run_ctx, done: kept.append(done), mutate_vars=[box])
    engine.push(lambda run_ctx: None, mutate_vars=[box])


def thread_pushes(engine):
    def work():
        for _ in range(5):
            fill(engine)

    for _ in range(2):
        threading.Thread(target=work).start()


def failing(engine):
    """Errors that nobody asks for."""
    box = fill(engine)
    engine.push(lambda run_ctx: 1 / 0, mutate_vars=[box])


STATUS = {
    normal: 0,
    exits: 3,
    raises: 1,
    thread_exits: 0,
    leaves: 4,
    in_kernel: 0,
    in_python: 0,
    never_completed: 0,
    thread_pushes: 0,
    failing: 0,
}
SCENARIOS = {f.__name__: f for f in STATUS}


def reap(pid):
    """The child's exit status; one that does not end is killed."""
    until = time.monotonic() + BOUND
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(pid, 6)
    os.waitpid(pid, 0)
    return "did not end"


def main():
    scenario = SCENARIOS[sys.argv[1]]
    tracked.DRAIN = float(sys.argv[3])
    handle.core_unit()  # children need not load it, and find no thread of ours
    address("add")
    found = {}
    warnings.filterwarnings("ignore", "This process .* is multi-threaded")  # joined ones may go on
    for _ in range(int(sys.argv[2])):
        pid = os.fork()
        if pid == 0:
            scenario(ThreadedEngine(workers=2))
            return
        status = reap(pid)
        found[status] = found.get(status, 0) + 1
    print(found)
    assert found == {STATUS[scenario]: int(sys.argv[2])}, found


if __name__ == "__main__":
    main()
