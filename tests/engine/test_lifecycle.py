"""The end of the process and forks, with the engine idle or busy. All in child processes."""

import signal
import time

import pytest

from nbgraph.engine import handle
from tests import support
from tests.engine import kernels
from tests.engine.conftest import threads_at_exit
from tests.engine.exit_program import SCENARIOS
from tests.support import ROOT


@pytest.fixture(scope="module", autouse=True)
def cached():
    """Children find the compiled code."""
    handle.core_unit()
    kernels.compiled()


def child(*arguments, bound=60, **env):
    """A Python process: its status, what it printed, what it printed to stderr, seconds."""
    started = time.monotonic()
    ended = support.child(*arguments, cwd=ROOT, timeout=bound, **env)
    return ended.returncode, ended.stdout, ended.stderr, time.monotonic() - started


def program(text, tmp_path, bound=60, **env):
    """Run a text as a program that must end well and say nothing on stderr. From Python 3.12 on a
    fork beside threads is warned of."""
    path = tmp_path / "program.py"
    path.write_text(HEAD + text)
    forks = "-W", "ignore:This process:DeprecationWarning"
    status, out, err, seconds = child(*forks, path, bound=bound, **env)
    assert (status, err) == (0, ""), f"{status}\n{out}\n{err}"
    return out, seconds


HEAD = """
import os, signal, sys, threading, time
import numpy as np
import nbgraph as ng
from nbgraph.engine.native_call import NativeCall
from tests.engine.exit_program import fill, reap, until
from tests.engine.kernels import address
ng.engine.set("threaded", workers=2)
engine = ng.engine
"""


# ------------------------------------------------------------------ exit


def _unasked(name, err):
    """What is said at exit, but for the failures that nobody has seen."""
    told = name == "failing" and "'<lambda>' failed, and nothing waited for it" in err
    return "" if told and "ZeroDivisionError" in err else err


# the first push starts the engine's threads, which may be once the process ends
_SCENARIOS = [
    pytest.param(name, marks=threads_at_exit if name == "thread_pushes" else ())
    for name in SCENARIOS
]


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", _SCENARIOS)
def test_exit_while_busy(name):
    status, out, err, seconds = child("-m", "tests.engine.exit_program", name, 1, 2.0)
    assert (status, _unasked(name, err)) == (0, ""), f"{status}\n{out}\n{err}"
    assert seconds < 60


@pytest.mark.everyday(1 / 3)
@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", _SCENARIOS)
def test_exit_while_busy_again_and_again(name, count):
    """1,000 of them with --full; with less patience for what does not end."""
    status, out, err, _ = child("-m", "tests.engine.exit_program", name, count, 0.05, bound=300)
    assert (status, _unasked(name, err)) == (0, ""), f"{status}\n{out}\n{err}"


def test_work_pushed_before_a_normal_exit_is_done(tmp_path):
    """Nobody waits; it takes longer than a stuck function would be given."""
    out, _ = program(
        f"""
from nbgraph.engine import tracked
tracked.DRAIN = 0.3
box = engine.new_variable()
def write(run_ctx, i):
    time.sleep(0.02)
    with open({str(tmp_path / "log")!r}, "a") as file:
        file.write(f"{{i}}\\n")
for i in range(40):
    engine.push(lambda run_ctx, i=i: write(run_ctx, i), mutate_vars=[box])
""",
        tmp_path,
    )
    assert (tmp_path / "log").read_text().split() == [str(i) for i in range(40)]


def test_a_kernel_that_runs_on_at_exit_keeps_its_code_and_memory(tmp_path):
    """The interpreter gives back code and memory of everything else."""
    program(
        """
from nbgraph.engine import tracked
tracked.DRAIN = 0.05
@ng.op
def slow(x):
    s = x
    for _ in range(400):
        s = ng.sin(s) + x
    return s
x = ng.ones(300_000)
many = [slow(x) for _ in range(3)]  # 10 s
""",
        tmp_path,
    )


@threads_at_exit
def test_an_exit_handler_may_push_and_wait(tmp_path):
    """One that was registered before the engine began runs after the engine's own."""
    path = tmp_path / "program.py"
    path.write_text(
        """
import atexit
def last():
    engine.push(lambda run_ctx: print("saved"), mutate_vars=[box])
    engine.wait_for_var(box, 10)
atexit.register(last)
"""
        + HEAD
        + """
box = fill(engine)
"""
    )
    status, out, err, _ = child(path)
    assert (status, out, err) == (0, "saved\n", "")


def test_code_that_runs_when_the_interpreter_ends_waits_for_no_thread(tmp_path):
    """A callback of the collector pushes when threads no longer run: it is refused."""
    path = tmp_path / "collector.py"
    path.write_text(
        HEAD
        + """
import gc

x = ng.ones(3)
gc.callbacks.append(lambda *_: x + 1)
print("over")
"""
    )
    status, out, err, _ = child(path)
    assert (status, out) == (0, "over\n") and "a thread of its own cannot be started" in err


# ------------------------------------------------------------------ fork


def test_a_fork_finds_work_done_and_both_go_on(tmp_path):
    out, _ = program(
        """
box, words = engine.new_variable(), np.zeros(8, np.int64)
add = NativeCall(address("add"), [words.ctypes.data, 2000], keep=words)
operator = engine.new_operator(add, mutate_vars=[box])
log = []
for _ in range(200):
    operator.push()
    engine.push(lambda run_ctx: log.append(int(words[0])), const_vars=[box])
last = engine.push(lambda run_ctx: "last", const_vars=[box])
native = engine.push(add, mutate_vars=[box])
pid = os.fork()
assert last.result(10) == "last" and len(log) == 200 and native.done() and native.result(10) is None
assert box.version == 201
for _ in range(100):
    operator.push()
engine.push(lambda run_ctx: log.append("more"), mutate_vars=[box]).result(10)
engine.wait_for_all(10)
assert words[0] == 301 and log[-1] == "more" and box.version == 302, (words, box.version)
assert engine.stats().pending == 0
if pid:
    assert reap(pid) == 0
    print("both")
""",
        tmp_path,
    )
    assert out == "both\n"


def test_a_fork_and_launches_of_a_plan(tmp_path):
    """The child lays the instance out anew."""
    out, _ = program(
        """
from nbgraph.engine.plans.plan import Outside, Plan, Step
words, box, total = np.zeros(1, np.int64), engine.new_variable(), Outside("total")
add = NativeCall(address("add"), [0, 0], cost=20)
plan = Plan([Step(add, (), (total,)), Step(add, (), (total,))], patches=[[(0, 0), (1, 0)]])
launch = plan.instance().launch
for _ in range(10):
    launch((box,), (words.ctypes.data,))
pid = os.fork()
for _ in range(10):
    launch((box,), (words.ctypes.data,))
engine.wait_for_var(box, 10)
assert words[0] == 40, words
if pid:
    assert reap(pid) == 0
    print("both")
""",
        tmp_path,
    )
    assert out == "both\n"


def test_a_fork_while_another_thread_captures(tmp_path):
    """A child gets no lock that a thread has which it lacks, and the parent goes on."""
    out, _ = program(
        """
import contextlib, linecache
from nbgraph import parsing
from nbgraph.codegen.making import progress
from nbgraph.kernels.compiler import kernel
from nbgraph.kernels.scalar import nodes
locks = {"parsing": parsing._LOCK, "capture": nodes.GROWING, "kernels": kernel._LOCK}
locks["compiler"] = contextlib.nullcontext()
lines = ["def scale(x):", "    return x * 3.5"]
linecache.cache["<scale>"] = None, None, [line + "\\n" for line in lines], "<scale>"
exec(compile("\\n".join(lines), "<scale>", "exec"))
for kind in locks:
    inside, leave = threading.Event(), threading.Event()
    def work():
        wait = progress.begin("one", makes=kind == "compiler")
        with locks[kind]:
            inside.set()
            leave.wait(0.3)
        wait.end()
    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        assert not progress._line.compiles_elsewhere()
        assert ng.op(scale)(np.ones(2)).tolist() == [3.5, 3.5]
        os._exit(0)
    assert reap(pid) == 0, kind
    thread.join()
    assert ng.op(scale)(np.ones(2)).tolist() == [3.5, 3.5]
print("all")
""",
        tmp_path,
        bound=200,
    )
    assert out == "all\n"


def test_a_fork_with_work_that_never_ends_is_bounded(tmp_path):
    """The child is told what it cannot have; the parent goes on."""
    out, seconds = program(
        """
box, kept = engine.new_variable("box"), []
stuck = engine.push_async(lambda run_ctx, done: kept.append(done), mutate_vars=[box], name="stuck")
after = engine.push(lambda run_ctx: "after", const_vars=[box], name="after")
words = np.zeros(8, np.int64)
add = NativeCall(address("add"), [words.ctypes.data, 0], keep=words)
native = engine.push(add, mutate_vars=[box])
pid = os.fork()
if pid == 0:
    for pending in (stuck, after, native):
        try:
            pending.result(5)
        except ng.errors.EngineError as error:
            assert "when the process forked" in str(error), error
        else:
            raise AssertionError(pending)
    assert "in use in the parent" in str(box.error), box.error
    engine.wait_for_var(box, 5)  # told already
    assert engine.push(lambda run_ctx: "anew", mutate_vars=[engine.new_variable()]).result(5)
    kept[0]()  # of the parent: without effect here
    os._exit(0)
assert reap(pid) == 0
kept[0]()
assert after.result(10) == "after" and native.result(10) is None and words[0] == 1
print("ok")
""",
        tmp_path,
    )
    assert out == "ok\n" and seconds < 60  # without a bound it would never end


def test_a_function_may_fork(tmp_path):
    """The child runs the rest of the function, can use the engine, and ends."""
    out, seconds = program(
        """
parent, box = os.getpid(), engine.new_variable()
def forks(run_ctx):
    pid = os.fork()
    if pid == 0:
        fresh = engine.new_variable()
        assert engine.push(lambda run_ctx: 7, mutate_vars=[fresh]).result(10) == 7
        if how == "leaves":
            os._exit(7)
        return None
    return reap(pid)
for how, status in (("leaves", 7), ("returns", 0)):
    pending = engine.push(forks, mutate_vars=[box])
    for _ in range(20):
        engine.push(lambda run_ctx: print("once", flush=True) if os.getpid() == parent
                    else print("twice", flush=True), mutate_vars=[box])
    assert pending.result(30) == status, pending.result()
engine.wait_for_all(10)
""",
        tmp_path,
    )
    assert out == "once\n" * 40 and seconds < 60


def test_forks_while_other_threads_push(tmp_path):
    out, _ = program(
        """
from nbgraph.engine import tracked
tracked.DRAIN = 0.02
boxes = [engine.new_variable() for _ in range(2)]
going = [True]
fill(engine)
engine.wait_for_all(30)  # all code is loaded: LLVM has locks of its own
def work(box):
    while going[0]:
        fill(engine)
        engine.push(lambda run_ctx: None, mutate_vars=[box])
threads = [threading.Thread(target=work, args=(box,)) for box in boxes]
for thread in threads: thread.start()
for i in range(15):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        fresh = engine.new_variable()
        assert engine.push(lambda run_ctx: i, mutate_vars=[fresh]).result(10) == i
        engine.wait_for_all(10)
        os._exit(0)
    assert reap(pid) == 0
going[0] = False
for thread in threads: thread.join()
engine.wait_for_all(30)
print("done")
""",
        tmp_path,
        bound=120,
        NBGRAPH_ENGINE_PENDING="2000",
    )
    assert out == "done\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method, tmp_path):
    out, _ = program(
        f"""
import multiprocessing
def work(i):
    box = ng.engine.new_variable()
    return ng.engine.push(lambda run_ctx: i * i, mutate_vars=[box]).result(20)
if __name__ == "__main__":
    fill(engine)
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(pool.map(work, range(6)))
""",
        tmp_path,
        bound=120,
    )
    assert out == "[0, 1, 4, 9, 16, 25]\n"


def test_a_crash_inside_a_kernel_shows_its_name(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        HEAD
        + """
box = engine.new_variable()
engine.push(NativeCall(address("add"), [np.zeros(1, np.int64).ctypes.data, 0]), mutate_vars=[box])
engine.push(NativeCall(address("crash"), [8], name="poisonous kernel"), mutate_vars=[box])
engine.wait_for_all(30)
"""
    )
    status, out, err, _ = child("-X", "faulthandler", path, NBGRAPH_DEBUG="1")
    assert status == -signal.SIGSEGV
    assert "in poisonous kernel" in err, err
