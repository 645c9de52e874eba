"""The first use on a machine: the naive engine serves while the compiled core is being built."""

import resource
from functools import partial
from pathlib import Path

import pytest

import nbgraph as ng
from nbgraph.engine import cold
from nbgraph.engine.selection import _builds
from tests.support import ROOT, run_python

TASKS = Path("/proc/self/task")
LINE = (
    "nbgraph: building the engine for this machine, once, about 8 s; "
    "until then operations run one by one\n"
)

# everything that must survive the change: order, versions, failures, listeners, bulks, waits
CHANGE = """
import io, sys, threading, time
sys.stderr = io.StringIO()
import nbgraph as ng
engine = ng.engine
box, bad, seen, events = engine.new_variable(), engine.new_variable(), [], []
engine.add_listener(events.append)
assert engine.current().kind == "naive" and engine.stats().kind == "naive"
for i in range(100):
    engine.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[box])
assert seen == list(range(100)), "at once"
first = engine.current()
engine.push(lambda run_ctx: 1 / 0, mutate_vars=[bad])
operator = engine.new_operator(lambda run_ctx: seen.append("operator"), mutate_vars=[box])
engine.push_operator(operator)
held = []
engine.push_async(lambda run_ctx, done: held.append(done), mutate_vars=[bad])  # skipped: bad
kept = engine.new_variable()
engine.push_async(lambda run_ctx, done: held.append(done), mutate_vars=[kept])
count, going = [0], [True]
def others():
    while going[0]:
        engine.push(lambda run_ctx: count.append(count.pop() + 1), mutate_vars=[counter])
        pushed[0] += 1
        time.sleep(0.0005)
counter, pushed = engine.new_variable(), [0]
thread = threading.Thread(target=others, daemon=True)
thread.start()
end = time.monotonic() + PATIENCE
while not ready() and time.monotonic() < end:
    time.sleep(0.01)
assert ready()
time.sleep(0.1)
assert engine.current() is first, "an operation is unfinished"
held.pop()()
while engine.current() is first and time.monotonic() < end:
    time.sleep(0.001)
assert engine.current().kind == "threaded", engine.current()
for i in range(100):
    engine.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[box])
    first.push(lambda run_ctx, i=i: seen.append(-i), mutate_vars=[box])
engine.push_operator(operator)
skipped = engine.push(lambda run_ctx: seen.append("never"), const_vars=[bad], mutate_vars=[box])
going[0] = False
thread.join()
try:
    engine.wait_for_var(bad, 30)
except ZeroDivisionError as error:
    assert "pushed at" in str(error.__notes__)
else:
    raise AssertionError
assert isinstance(skipped.exception(30), ZeroDivisionError)
engine.wait_for_all(30)
assert seen == [*range(100), "operator", *(j for i in range(100) for j in (i, -i)), "operator"]
assert box.version == 303 and bad.version == 2, (box, bad)
assert count == [pushed[0]] == [counter.version], (count, pushed, counter)
assert len(events) == 100 + 4 + 200 + 2 + pushed[0], len(events)
assert any(event.thread != events[0].thread for event in events[-50:])
engine.stop()
sys.stdout.write(sys.stderr.getvalue())
"""


def run(text, tmp_path, **env):
    program = tmp_path / "program.py"
    program.write_text(text)
    return run_python(program, cwd=tmp_path, NBGRAPH_ENGINE="threaded", **env)


def test_change_over(own_cache, tmp_path):
    text = CHANGE.replace("PATIENCE", "500").replace(
        "ready()", "(next(iter(own.glob('**/*.nbk')), None) is not None)"
    )
    text = f"from pathlib import Path\nown = Path({str(own_cache)!r})\n" + text
    assert run(text, tmp_path) == LINE
    # the next process finds it: nothing is said, and the first operation runs on a thread
    found = run(
        "import nbgraph as ng, threading\n"
        "print(ng.engine.push(lambda run_ctx: threading.current_thread().name).result(30))\n",
        tmp_path,
    )
    assert found.startswith("nbgraph python")
    assert "there already" in run_python("-m", "nbgraph.warm", cwd=ROOT)


def test_what_an_interrupted_push_left_is_issued_before_the_next(monkeypatch):
    """A signal ends the wait for the thread that issues, which may be slow: a push behind it
    stays behind it, and its memory is not another array's meanwhile."""
    engine, seen, late = cold.Interim(), [], []
    variable = engine.new_variable()

    def interrupted(*call):
        late.append(partial(*call))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(cold, "attend", interrupted)
        engine.push(lambda run_ctx: seen.append("first"), mutate_vars=[variable])
    assert engine._in_use(variable)
    assert not engine.hand_over(lambda number: engine)
    engine.push(lambda run_ctx: seen.append("second"), mutate_vars=[variable])
    late.pop()()
    assert seen == ["first", "second"]
    assert not engine._in_use(variable)


@pytest.mark.slow
def test_asking_for_the_threaded_engine_waits_for_it(own_cache, tmp_path):
    """Also where no process can be started."""
    printed = run(
        "import io, sys, threading\n"
        "sys.stderr = io.StringIO()\n"
        "sys.executable = ''\n"
        "import nbgraph as ng\n"
        "v = ng.engine.new_variable()\n"
        "ng.engine.push(lambda run_ctx: None, mutate_vars=[v])\n"
        "assert ng.engine.current().kind == 'naive'\n"
        "ng.engine.set('threaded', workers=2)\n"
        "assert ng.engine.push(lambda run_ctx: 1, mutate_vars=[v]).result(30) == 1\n"
        "assert v.version == 2 and ng.engine.stats().kind == 'threaded'\n"
        "sys.stdout.write(sys.stderr.getvalue())\n",
        tmp_path,
    )
    assert printed == LINE


@pytest.mark.parametrize("folder", ["", "full"])
def test_where_it_cannot_be_kept_it_is_not_once(monkeypatch, capsys, tmp_path, folder):
    """Nor is it compiled by another process, and then again by this one."""
    monkeypatch.setattr(cold.Build, "_start_thread", lambda self: None)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ng.config(cache_dir=folder and str(tmp_path)):
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (cold._ROOM // 2, hard))
            build = cold.Build()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "8 s in each process, as there is no folder for it" in capsys.readouterr().err
    assert build._process is None
    assert not [*tmp_path.glob("kernels/*")]


def test_a_build_that_fails_is_told_once(own_cache, tmp_path):
    """Operations go on one by one, where a thread of this process builds nothing, either."""
    printed = run(
        "import io, sys, time, warnings\n"
        "sys.stderr = io.StringIO()\n"
        "sys.executable = '/bin/false'\n"
        "import nbgraph as ng\n"
        "from nbgraph.engine import cold, handle\n"
        "cold.handle.core_unit = lambda quiet: None\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        "    end = time.monotonic() + 30\n"
        "    while not told and time.monotonic() < end:\n"
        "        assert ng.engine.push(lambda run_ctx: 2).result(5) == 2\n"
        "    for _ in range(100):\n"
        "        assert ng.engine.push(lambda run_ctx: 2).result(5) == 2\n"
        "(one,) = told\n"
        "assert 'could not be built' in str(one.message) and 'exit status 1' in str(one.message)\n"
        "print(ng.engine.current().kind)\n",
        tmp_path,
    )
    assert printed == "naive\n"


@pytest.mark.slow
def test_what_a_process_cannot_keep_a_thread_builds(own_cache, tmp_path):
    """A full disk, or an executable that is not Python."""
    printed = run(
        "import io, sys, time\n"
        "sys.stderr = io.StringIO()\n"
        "sys.executable = '/bin/true'\n"
        "import nbgraph as ng\n"
        "end = time.monotonic() + 500\n"
        "while ng.engine.current().kind == 'naive' and time.monotonic() < end:\n"
        "    assert ng.engine.push(lambda run_ctx: 2).result(5) == 2\n"
        "    time.sleep(0.01)\n"
        "print(ng.engine.current().kind)\n",
        tmp_path,
    )
    assert printed == "threaded\n"


@pytest.mark.skipif(not TASKS.exists(), reason="counts threads by /proc")
def test_who_does_not_use_the_engine_has_no_threads(own_cache, tmp_path):
    """Nor does making variables, or an import, build anything."""
    printed = run(
        "import os, sys\n"
        "import numpy\n"  # its BLAS begins threads
        "before = len(os.listdir('/proc/self/task'))\n"
        "import nbgraph as ng\n"
        "assert 'nbgraph.engine.handle' not in sys.modules\n"
        "cache = os.environ['NBGRAPH_CACHE_DIR']\n"
        "print(len(os.listdir('/proc/self/task')) - before, os.path.exists(cache))\n",
        tmp_path,
    )
    assert printed == "0 False\n"


def test_a_race_is_looked_for_once_the_core_is_there():
    """Its engines need it: compiled twice at once, it took twice as long."""

    class Underway:
        def over(self):
            return False

        def wait(self):
            _builds.clear()

    _builds.append(Underway())
    assert ng.engine.find_race(lambda: None) is None
    assert not _builds
