"""What every test run shares: its own cache of compiled code, --full, hypothesis profiles."""

import gc
import math
import os
import random
import shutil
import signal
import tempfile
from collections import Counter
from pathlib import Path

from tests.caches import CACHES, remove_abandoned

# The cache directory is named before anything imports nbgraph. Worker processes of one run inherit
# it, so that a kernel is compiled once per run; that run removes it, or the next one
# where it was killed.
_OWNER = "PYTEST_XDIST_WORKER" not in os.environ
if _OWNER:
    remove_abandoned(Path(tempfile.gettempdir()))
    os.environ["NBGRAPH_CACHE_DIR"] = tempfile.mkdtemp(prefix=f"{CACHES}{os.getpid()}-")
    if "NBGRAPH_TEST_CACHE" in os.environ:  # what earlier stages compiled, the engine above all
        shutil.copytree(
            os.environ["NBGRAPH_TEST_CACHE"], os.environ["NBGRAPH_CACHE_DIR"], dirs_exist_ok=True
        )
    # child processes have the package and the tests of this checkout, whatever else is installed
    _ROOT = Path(__file__).resolve().parent.parent
    _PATHS = [str(_ROOT / "src"), str(_ROOT), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, _PATHS))

# tests see the programs they ask for, at once, and nothing of it in the terminal
os.environ.setdefault("NBGRAPH_EAGER_COMPILE", "1")
os.environ.setdefault("NBGRAPH_PROGRESS", "0")
# machines without a GPU have two that are emulated; scripts/test-gpu asks for real ones
os.environ.setdefault("NBGRAPH_GPU", "emulated")

gc.disable()  # collected tests live to the end; a fifth of the time went into searching for cycles

import hypothesis  # noqa: E402  (after the cache directory)
import pytest  # noqa: E402

from tests import unoptimised  # noqa: E402

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser):
    parser.addoption(
        "--full",
        action="store_true",
        help="run the whole product of cases where the everyday run takes a seeded selection",
    )
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the tests produce to tests/golden instead of comparing; read the diff",
    )
    parser.addoption(
        "--update-seconds",
        action="store_true",
        help="write how long a case of each function takes to tests/seconds.txt, where it matters",
    )


def pytest_configure(config):
    if not config.getoption("--full"):
        unoptimised.install()


def pytest_collection_modifyitems(config, items):
    """Slow tests run with --full, and so do all cases of what has a share everyday. Of products of
    8 cases or more a third run everyday, each value of each parameter among them; of any function
    as many cases as `EVERYDAY` seconds allow by tests/seconds.txt, and at least one. What is left
    out is so at once: skipped one by one, the cases are a third of all tests, each reported to the
    terminal by the process that ran it."""
    if config.getoption("--full"):
        return
    left_out = {item for item in items if "slow" in item.keywords}
    left_out |= _beyond_shares([item for item in items if item not in left_out])
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


_TABLE = Path(__file__).parent / "seconds.txt"  # CPU seconds of a case, and its function
EVERYDAY = 0.8  # seconds of all cases of a function
_spent, _cases = Counter(), Counter()


def pytest_runtest_logreport(report):
    """Count what `--update-seconds` writes."""
    function = report.nodeid.partition("[")[0]
    _spent[function] += report.duration
    _cases[function] += report.when == "call"


def pytest_sessionfinish(session):
    """Write the seconds of functions of several cases, if asked to."""
    if _OWNER and session.config.getoption("--update-seconds"):
        lines = [
            f"{spent / _cases[name]:.3f} {name}\n"
            for name, spent in sorted(_spent.items())
            if _cases[name] > 1 and spent > EVERYDAY and spent >= 0.002 * _cases[name]
        ]
        _TABLE.write_text("".join(lines))


def _beyond_shares(items):
    """The cases that the everyday run leaves to others. A case that is asked for by its id runs."""
    lines = [line.split(" ", 1) for line in _TABLE.read_text().splitlines()]
    seconds = {name: float(each) for each, name in lines}
    functions, beyond = {}, set()
    for item in items:
        mark = item.get_closest_marker("everyday")
        functions.setdefault((item.nodeid.partition("[")[0], mark and mark.args[0]), []).append(
            item
        )
    for (name, share), cases in functions.items():
        most = EVERYDAY / seconds[name] if name in seconds else math.inf
        large = share is not None or _is_large_product(cases)
        if len(cases) == 1 or (not large and len(cases) <= most):
            continue
        drawn = random.Random(f"{os.environ.get('SEED', '20260101')} {name}")
        ordered, new = _by_new_values(drawn.sample(cases, len(cases)))
        if large:
            third = max(new, math.ceil(len(cases) / 3))
            most = min(most, third if share is None else share * len(cases))
        beyond.update(ordered[max(1, math.ceil(most - 0.5)) :])
    return beyond


def _values(case):
    """The values of its parameters, by what they are."""
    parameters = getattr(getattr(case, "callspec", None), "params", {})
    return {(name, id(value)) for name, value in parameters.items()}


def _is_large_product(cases):
    """Whether there are more cases than any one parameter has values."""
    count = Counter(name for name, _ in set().union(*map(_values, cases)))
    return len(cases) >= 8 and len(cases) > max(count.values(), default=len(cases))


def _by_new_values(cases):
    """Those first that have a value of a parameter which no case before them has, and how many."""
    seen, first, others = set(), [], []
    for case in cases:
        (others if _values(case) <= seen else first).append(case)
        seen |= _values(case)
    return first + others, len(first)


def pytest_collection_finish():
    """What the collection of tests made lives to the end: the collector need not look at it each
    time that a test calls it."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def settled():
    """What a file of tests leaves alive lives on, too: kernels, graphs, what libraries keep. Tests
    that call the collector otherwise looked at it each time, for up to three quarters of the time.
    """
    yield
    gc.collect()
    gc.freeze()


def pytest_sessionstart():
    """Tests of Ctrl-C work in the background of a shell, too, which ignores it there."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Where scripts/test-gpu runs packages may be missing: of bfloat16, or those that the extra
    cuda13 has. A test that comes to one is skipped; the everyday environment needs no other."""
    try:
        return (yield)
    except Exception as problem:
        behind = (problem, problem.__context__)
        if any(isinstance(error, ImportError) and error.name == "ml_dtypes" for error in behind):
            pytest.skip("bfloat16 needs the package ml_dtypes")
        if os.environ["NBGRAPH_GPU"] != "emulated" and "nbgraph[cuda13]" in str(problem):
            pytest.skip(str(problem))
        raise


def pytest_unconfigure(config):
    if _OWNER:
        shutil.rmtree(os.environ["NBGRAPH_CACHE_DIR"], ignore_errors=True)


@pytest.fixture(scope="session")
def full(request):
    """Whether this is a --full run: `cases if full else selection`."""
    return request.config.getoption("--full")


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache directory, for child processes of one test."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("NBGRAPH_CACHE_DIR", str(directory))
    return directory


@pytest.fixture
def golden(request):
    """`golden(name, text)` compares a text with tests/golden/<name>, or writes it there."""

    def check(name, text):
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is missing: run with --update-golden and read it"
        assert text == path.read_text(), "differs from the golden text: --update-golden rewrites it"

    return check
