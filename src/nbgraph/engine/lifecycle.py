"""Engines with threads at the end of the process and across a fork.

At exit unfinished work has a bounded time to end. A fork waits, as long, for unfinished work; the
child starts with a fresh core and without the parent's work: variables that were in use carry an
error that says so, operations that had not ended fail in the child.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import sys
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nbgraph.engine import handle, pending, running
from nbgraph.engine.bulk import forget_threads
from nbgraph.engine.core import layout
from nbgraph.engine.failure import Failure
from nbgraph.errors import EngineError

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core
    from nbgraph.engine.operation import Operation
    from nbgraph.engine.tracked import TrackedEngine

_engines: weakref.WeakSet[TrackedEngine] = weakref.WeakSet()
_hooked: list[bool] = []
_locked: list[bool] = []  # by forks under way: whether they have the lock on loading
_OWN_ERRORS = 1000  # operations that have an error of their own
_LOADED = 20.0  # seconds
_kept: list[Core] = []  # of the parent: its memory is left alone


def register(engine: TrackedEngine) -> None:
    """From now on the engine takes part."""
    _engines.add(engine)
    if not _hooked:
        _hooked.append(True)
        atexit.register(_at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_in_child)


def give_to_parent(core: Core, lost: Iterable[Operation]) -> None:
    """In a child: the core and all that had not ended stay the parent's."""
    core.retired = True
    _kept.append(core)
    failure: Failure | None = None
    for number, operation in enumerate(lost):
        if (
            failure is None or number < _OWN_ERRORS
        ):  # a fork is not to take long: many share the last
            error = EngineError(
                f"operation {operation.name!r} was unfinished when the process forked; it ends in "
                "the parent, not here"
            )
            failure = Failure(error, (0, 0), operation.name, operation.site)
            failure.raised_at = 0
        operation._end(None, failure)


def end_child() -> None:
    """A function forked and has returned in the child: there is no program to go on with."""
    _at_exit()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)


def _at_exit() -> None:
    engines = list(_engines)
    for engine in engines:
        engine._shut_down()
    if any(engine._core and engine._core.word(layout.PENDING) for engine in engines):
        _keep_all()


def _keep_all() -> None:
    """A kernel still runs: what it is made of and what it writes must outlast the interpreter,
    which gives back code and memory while its threads go on."""
    keep = ctypes.pythonapi.Py_IncRef
    gc.unfreeze()  # what a program froze is among all objects, too
    for value in gc.get_objects():
        if str(type(value).__module__).startswith("nbgraph"):  # it may be anything
            keep(ctypes.py_object(value))


def _before() -> None:
    for engine in list(_engines):
        engine._before_fork()
    # nobody is loading code when the process is copied: that is done under locks of LLVM
    _locked.append(handle.LOADING.acquire(timeout=_LOADED))


def _release() -> None:
    if _locked and _locked.pop():  # not where the first engine began during the fork
        handle.LOADING.release()


def _in_child() -> None:
    _release()
    pending.forget_threads()
    running.forget_threads()
    forget_threads()
    for engine in list(_engines):
        engine._owner.ledger.forget_threads()
        engine._after_fork()
