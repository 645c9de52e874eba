"""A bound for every test here: what hangs shows its stacks, those of worker processes too; and the
workers of both engines."""

import faulthandler
import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kvstore.engines import engine as engine
from tests.kvstore.engines import ranks as ranks

LIMIT = 240.0  # seconds of one test, with what it sets up
_STACKS = "NBGRAPH_TEST_STACKS"  # the folder where worker processes write theirs
_PRELOAD = "DISTRIBUTED__WORKER__PRELOAD"


def dask_setup(worker):
    """In a worker process of Dask, which loads this file: SIGUSR1 writes its stacks."""
    path = Path(os.environ[_STACKS]) / f"{os.getpid()}.txt"
    faulthandler.register(signal.SIGUSR1, path.open("w"))  # noqa: SIM115 - open to the end


@pytest.fixture(scope="session", autouse=True)
def stacks():
    """The folder for the stacks of worker processes of this session's clusters."""
    import dask

    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        dask.config.set({"distributed.worker.preload": [__file__]}),
    ):
        patch.setenv(_STACKS, folder)
        yield Path(folder)


def _descendants():
    import psutil  # it comes with distributed

    with suppress(psutil.Error):
        return [each.pid for each in psutil.Process().children(recursive=True)]
    return []


def _give_up(name, limit, stderr):
    print(f"\n{name} took more than {limit:g} s", file=stderr)
    folder = Path(os.environ.get(_STACKS, "/nowhere"))
    known = {int(path.stem) for path in folder.glob("*.txt")}
    for pid in known.intersection(_descendants()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR1)
    time.sleep(2)
    for path in folder.glob("*.txt"):
        if text := path.read_text():
            print(f"\nworker process {path.stem}:\n{text}", file=stderr)
    print("\nthis process:", file=stderr, flush=True)
    faulthandler.dump_traceback(stderr)
    stderr.flush()
    os._exit(1)


def pytest_configure(config):
    config.stash[_KEY] = os.fdopen(os.dup(sys.__stderr__.fileno()), "w")


_KEY = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Every test here ends: the run is over when one does not. Pytest asks for those of other
    folders, too."""
    if not item.path.is_relative_to(Path(__file__).parent):
        return (yield)
    limit = LIMIT * (5 if "slow" in item.keywords else 1)
    watch = threading.Timer(limit, _give_up, (item.nodeid, limit, item.config.stash[_KEY]))
    watch.daemon = True
    watch.start()
    try:
        return (yield)
    finally:
        watch.cancel()
