"""Start without a compiled core: build it in the background, and run operations one by one."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgraph.codegen import cache
from nbgraph.codegen.making.events import in_background
from nbgraph.engine import handle
from nbgraph.engine.base import Engine
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.operation import Operation
from nbgraph.scopes import attend
from nbgraph.settings import config

if TYPE_CHECKING:
    import subprocess

    from nbgraph.engine.variable import Variable

_EACH_TIME = (
    ", about 8 s in each process, as there is no folder for it, or no room (NBGRAPH_CACHE_DIR)"
)
_ROOM = 1 << 18  # bytes that the core takes in the cache folder, and some more
_POLL_INTERVAL = 0.02  # seconds between two checks whether the build has ended


class Build:
    """A build of the core in the background, in its own process, which leaves the GIL to the user.

    A thread builds it where the cache has no room, or no process starts or leaves a result.
    """

    def __init__(self) -> None:
        stream: Any = sys.stderr
        cached = cache.keeps(_ROOM)
        if stream is not None:
            how_often = ", once, about 8 s" if cached else _EACH_TIME
            stream.write(
                f"nbgraph: building the engine for this machine{how_often}; "
                "until then operations run one by one\n"
            )
            stream.flush()
        self._next = 0.0
        self._pid = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        if not (cached and sys.executable and self._start_process()):
            self._start_thread()

    def _start_process(self) -> bool:
        home = str(Path(__file__).parents[2])  # the folder of this nbgraph
        path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
        import subprocess  # needed once a machine

        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "nbgraph.warm"],
                env={**os.environ, "NBGRAPH_CACHE_DIR": config.cache_dir, "PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C does not reach it
            )
        except OSError:
            return False
        atexit.register(self._disown)
        return True

    def _start_thread(self) -> None:
        def work() -> None:
            with in_background():
                handle.core_unit(quiet=True)

        self._thread = threading.Thread(target=work, name="nbgraph build", daemon=True)
        self._thread.start()

    def _disown(self) -> None:
        """Leave the process running at exit, without `Popen`'s warning about it."""
        if self._process is not None and self._process.returncode is None:
            self._process.returncode = 0

    def over(self) -> bool:
        """Return whether the build has ended; called at every use, it polls only now and then."""
        now = time.monotonic()
        if now < self._next:
            return False
        if os.getpid() != self._pid:  # the parent builds it
            self._next = now + 25 * _POLL_INTERVAL
            return handle.ready()
        self._next = now + _POLL_INTERVAL
        if self._thread is None and self._process is not None:
            if self._process.poll() is None or handle.ready():
                return self._process.returncode is not None
            self._start_thread()  # no such Python, or nothing can be saved: the disk is full
        return self._thread is None or not self._thread.is_alive()

    def wait(self) -> None:
        """Wait until the build has ended, unless it belongs to another process."""
        if os.getpid() != self._pid:
            return
        if self._process is not None:
            self._process.wait()
        elif self._thread is not None:
            self._thread.join()

    def complain(self) -> None:
        """Warn that the build has ended without a core."""
        status = None if self._process is None else self._process.returncode
        warnings.warn(
            "the engine could not be built, so operations run one by one; "
            f"`python -m nbgraph.warm` says why (exit status {status})",
            RuntimeWarning,
            stacklevel=4,
        )


class Interim(NaiveEngine):
    """The naive engine until another takes over; it forwards pushes that still come here."""

    repeatable = False  # the moment of the change differs from run to run

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._successor: Engine | None = None

    def _issue(self, operation: Operation) -> None:
        # One atomic append. If a signal interrupts the rest, the next call of the engine issues
        # the operation first: later work may reuse its memory.
        self._late_pushes.append(operation)
        self._catch_up()

    def _catch_up(self) -> None:
        while self._late_pushes and self._inside != threading.get_ident():
            attend(self._issue_next)

    def _issue_next(self) -> None:
        with self._lock:
            if not self._late_pushes:  # another thread took it
                return
            operation, successor = self._late_pushes.popleft(), self._successor
            ready = self._section(self._admit, operation) if successor is None else []
        self._run_ready(ready)
        if successor is not None:
            operation.engine = successor
            successor._issue(operation)

    def _in_use(self, var: Variable) -> bool:
        late = any(var in o.reads or var in o.writes for o in tuple(self._late_pushes))
        return late or super()._in_use(var)

    def hand_over(self, make: Callable[[int], Engine]) -> bool:
        """Forward all pushes to the engine `make(newest push number)` from now on.

        Return False, changing nothing, while operations are unfinished or a bulk is open.
        """
        with self._lock:
            if self._pending or self._late_pushes or self._bulks:
                return False
            self._successor = make(self._newest())
            return True
