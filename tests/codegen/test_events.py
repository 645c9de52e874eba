"""The log of compilations, its report, and who waits for whom in the background."""

import os
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import target
from nbgraph.codegen.making import background, events, progress
from nbgraph.codegen.making.background import Job
from nbgraph.codegen.making.events import compiling, in_background
from nbgraph.codegen.making.report import CompileReport
from nbgraph.errors import CompileError
from nbgraph.kernels.compiler import kernel
from tests.support import INTERRUPTS, ROOT, run_python

WAIT = 30  # seconds; every wait in these tests is bounded


@pytest.fixture(autouse=True)
def _own_log():
    background.settle(WAIT)
    before = events.events()
    events.forget()
    yield
    background.settle(WAIT)
    events._EVENTS.extendleft(reversed(before))


def told(*fields):
    return [tuple(getattr(e, f) for f in fields) for e in events.events()]


# the log -----------------------------------------------------------------------------------------


def test_each_way_code_comes_is_one_event(tmp_path):
    """X-DBG-03: compiled, found on disk, found in memory: two events, the last is none."""
    x = np.ones(5, "float32")
    with ng.config(cache_dir=str(tmp_path)):
        for forgets in (False, False, True):
            if forgets:
                kernel._KERNELS.clear()  # as in another process
                kernel._CODES.clear()
            ng.op(lambda x: x * 0.8125 - 17, name="logged")(x)
    found = [e for e in events.events() if e.name == "logged"]
    assert [e.origin for e in found] == ["compiled", "disk"]
    assert found[0].bytes == found[1].bytes > 0 and found[0].seconds > 0
    assert {e.compiler for e in found} <= {"llvm", "numba"}
    assert not any(e.background for e in found)
    assert found[0].thread == threading.current_thread().name


LINKED = (
    INTERRUPTS
    + """
import os
import llvmlite.binding as llvm
import numpy as np
from types import SimpleNamespace
from llvmlite.binding import ffi, linker
import nbgraph as ng

link, signals = ffi.lib.LLVMPY_LinkModules, [signal.SIGALRM]

def interrupted(*arguments):  # one of both modules is gone, which llvmlite does not know yet
    status = link(*arguments)
    if signals:  # once: the next one may be linked when the second call waits
        os.kill(os.getpid(), signals.pop())
    return status

linker.ffi = SimpleNamespace(
    lib=SimpleNamespace(LLVMPY_LinkModules=interrupted), OutputString=ffi.OutputString
)
signal.signal(signal.SIGALRM, interrupt)

@ng.row_op
def shares(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()

for _ in range(2):
    try:
        armed.append(1)
        print(shares(np.zeros((1, 2))), len(armed))
    except Stop:
        print("stopped")
"""
)


IMPORTS = """
import _imp, sys
import numpy as np
import nbgraph as ng

bootstrap = sys.modules["_frozen_importlib"]
lock = bootstrap._get_module_lock("nbgraph.kernels.compiler.cpu")
lock.acquire()
_imp.acquire_lock()

@ng.op(certify=False)
def ramp(x):
    return x * x * 3.25 + x

print(ramp(np.ones(2)), _imp.lock_held(), lock.owner)
"""


@pytest.mark.parametrize(
    "how", [["imports.py"], ["-c", "import imports"]], ids="run import".split()
)
def test_locks_of_imports_that_an_interrupt_left(tmp_path, how):
    """SYS-04: the thread that compiles imports, too, and would wait for them for ever. An import
    that is under way keeps its own."""
    (tmp_path / "imports.py").write_text(IMPORTS)
    cache = str(tmp_path / "cache")
    printed = run_python(*how, cwd=tmp_path, timeout=200, NBGRAPH_CACHE_DIR=cache)
    assert printed == "[4.25 4.25] False None\n"


def test_an_interrupt_while_llvm_is_at_work(tmp_path):
    """SYS-04: it ends the wait, but not the compilation, which would free a module twice."""
    program = tmp_path / "linked.py"
    program.write_text(LINKED)
    printed = run_python(program, cwd=ROOT, NBGRAPH_CACHE_DIR=str(tmp_path / "cache"))
    assert printed == "stopped\n[[0.5 0.5]] 1\n"


def test_a_failure_is_an_event_and_goes_on_rising():
    with pytest.raises(CompileError, match="no such thing"), compiling("k", "llvm"):
        raise CompileError("no such thing")
    assert told("name", "origin", "error") == [("k", "failed", "CompileError: no such thing")]
    assert progress._line.calm.is_set()


def test_nothing_said_is_no_event():
    with compiling("k", "llvm"):
        pass
    assert not events.events()


def test_the_newest_are_kept():
    for k in range(events.MOST + 5):
        with compiling(str(k), "llvm") as note:
            note("disk", 1)
    names = [e.name for e in events.events()]
    assert len(names) == events.MOST
    assert names[0] == "5" and names[-1] == str(events.MOST + 4)


def test_threads_log_side_by_side():
    def work(k):
        with in_background():
            for _ in range(50):
                with compiling(str(k), "llvm") as note:
                    note("compiled", k)

    threads = [threading.Thread(target=work, args=(k,), name=f"t{k}") for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(WAIT)
    found = told("name", "bytes", "thread", "background")
    assert sorted(found) == sorted([(str(k), k, f"t{k}", True) for k in range(4)] * 50)


def test_the_log_needs_no_compiler():
    code = (
        "import sys, nbgraph as ng; print(ng.compile_report()); "
        "print([m for m in sys.modules if m.split('.')[0] in ('numba', 'llvmlite')])"
    )
    text = run_python("-c", code)
    assert "nothing yet" in text and text.splitlines()[-1] == "[]"


# the report --------------------------------------------------------------------------------------


def test_the_report_shows_hits_misses_times_and_totals():
    """X-DBG-03: what, compiler, hit or miss, milliseconds, when; totals; text, HTML and data."""
    for name, origin in (("a", "compiled"), ("b", "disk"), ("c", "compiled")):
        with compiling(name, "llvm") as note:
            note(origin, 100)
    with in_background(), compiling("d", "numba") as note:
        note("compiled", 7)
    found = ng.compile_report()
    assert (found.hits, found.compiled, found.failed, found.pending) == (1, 3, (), ())
    assert found.waited == sum(e.seconds for e in found.events[:3])
    rows = [line.split() for line in str(found).splitlines()]
    assert ["a", "llvm", "miss"] in [row[:3] for row in rows]
    assert ["b", "llvm", "hit"] in [row[:3] for row in rows]
    last = next(row for row in rows if row[:1] == ["d"])
    assert last[-3:] == ["in", "the", "background"]
    data = found.to_dict()
    assert data["hits"] == 1 and data["compiled"] == 3 and len(data["events"]) == 4
    assert data["events"][3]["background"] and data["events"][0]["name"] == "a"
    html = found._repr_html_()
    assert "ng.compile_report()" in html and "found on disk" in html


def test_a_long_report_shows_the_newest():
    for k in range(100):
        with compiling(f"kernel{k}", "llvm") as note:
            note("disk", 1)
    text = str(ng.compile_report())
    assert "... 40 before" in text and "kernel99" in text and "kernel39 " not in text


# the background ----------------------------------------------------------------------------------


def test_jobs_are_done_in_order_and_the_log_says_so():
    done = []

    def piece(k):
        def run():
            with compiling(str(k), "llvm") as note:
                note("compiled", 0)
            done.append((k, threading.current_thread() is not threading.main_thread()))

        return run

    jobs = [Job("first", [piece(0), piece(1)]), Job("second", [piece(2)])]
    for job in jobs:
        background.submit(job)
    report = ng.compile_report().wait(WAIT)
    assert done == [(0, True), (1, True), (2, True)]
    assert all(job.over and job.look() and job.error is None for job in jobs)
    assert report.pending == () and [e.background for e in report.events] == [True] * 3


def test_who_waits_goes_first():
    """While somebody waits no piece is begun; what waits is reported as pending."""
    done = []
    wait = progress.begin("mine")
    background.submit(Job("theirs", [lambda: done.append(1)]))
    try:
        assert ng.compile_report().pending == ("theirs",)
        with pytest.raises(TimeoutError, match="theirs"):
            background.settle(0.05)
        assert not done
    finally:
        wait.end()
    background.settle(WAIT)
    assert done == [1]


def test_a_piece_that_fails_ends_its_job_and_no_other():
    done = []

    def fails():
        raise CompileError("not today")

    bad, good = Job("bad", [fails, lambda: done.append(1)]), Job("good", [lambda: done.append(2)])
    background.submit(bad)
    background.submit(good)
    background.settle(WAIT)
    assert done == [2] and bad.over and isinstance(bad.error, CompileError) and good.error is None


def test_pieces_have_the_settings_of_who_asked():
    seen = []
    with ng.config(default_float="float64"):
        job = Job("settings", [lambda: seen.append(ng.config.default_float)])
    background.submit(job)
    background.settle(WAIT)
    assert seen == ["float64"]


def test_the_thread_ends_when_it_is_idle_and_begins_again(monkeypatch):
    monkeypatch.setattr(background, "_IDLE", 0.0)
    for _ in range(3):
        background.submit(Job("short", [lambda: None]))
        background.settle(WAIT)
        thread = background._thread
        if thread is not None:
            thread.join(WAIT)
        assert background._thread is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_goes_on_with_the_queue():
    """A fork while jobs are queued: both processes do them, each for itself."""
    done = []
    wait = progress.begin("so that the job waits")
    job = Job("both", [lambda: done.append(os.getpid())])
    background.submit(job)
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child
        status = 1
        try:
            job.look()  # begins a thread
            background.settle(WAIT)
            status = 0 if done == [os.getpid()] and job.look() else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    wait.end()
    background.settle(WAIT)
    assert done == [os.getpid()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_waits_for_what_other_threads_compile():
    """The child has no such thread, so locks that it holds would be held for good."""
    began, over = threading.Event(), threading.Event()

    def work():
        with compiling("elsewhere", "numba"), target.COMPILING:
            began.set()
            over.wait(WAIT)

    thread = threading.Thread(target=work)
    thread.start()
    began.wait(WAIT)
    threading.Timer(0.05, over.set).start()
    with compiling("here", "numba"):  # nobody waits for themselves
        pid = os.fork()
    if pid == 0:  # pragma: no cover - the child
        os._exit(0 if target.COMPILING.acquire(timeout=5) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert over.is_set()
    thread.join(WAIT)


def test_the_end_of_the_process_lets_the_piece_in_hand_finish(tmp_path):
    script = tmp_path / "ends.py"
    script.write_text(
        "import threading, time\n"
        "from nbgraph.codegen.making import background, progress\n"
        "began = threading.Event()\n"
        "def piece():\n"
        "    began.set()\n"
        "    while progress._line.calm.is_set():  # the process has not begun to end\n"
        "        time.sleep(0.001)\n"
        "    print('finished', flush=True)\n"
        "background.submit(background.Job('slow', [piece, lambda: print('another', flush=True)]))\n"
        "began.wait()\n"
    )
    assert run_python(script).split() == ["finished"]


def test_a_report_is_a_value():
    report = ng.compile_report()
    assert isinstance(report, CompileReport) and report == CompileReport((), ())


def test_certificates_are_counted():
    before = len(ng.compile_report().certificates)
    with ng.config(cache_dir=""):
        ng.op(lambda x: x * x * 0.37 + x).derivative("x")(np.ones(3))
    report = ng.compile_report()
    assert len(report.certificates) > before
    assert "certificates of derivatives" in str(report)
    assert report.to_dict()["certificates"] == list(report.certificates)
