"""Engines with threads at the end of the process and across a fork.

At exit unfinished work has a bounded time to end. A fork waits for it equally long; the child
starts with a new core and without the parent's work: variables that were in use carry an error
that says so, and operations that had not ended fail in the child.
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

from nbgraph.engine import pending, running
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
_OWN_ERRORS = 1000  # operations that get an error of their own
_parent_cores: list[Core] = []  # kept alive in a child, so that their memory is never freed


def register(engine: TrackedEngine) -> None:
    """Add an engine to those that are handled at exit and at a fork."""
    _engines.add(engine)
    if not _hooked:
        _hooked.append(True)
        atexit.register(_at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=_before, after_in_child=_in_child)


def give_to_parent(core: Core, lost: Iterable[Operation]) -> None:
    """Retire the core in a child, and fail the operations `lost`, which end in the parent only."""
    core.retired = True
    _parent_cores.append(core)
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
    """End a child that a pushed function forked, once the function has returned there."""
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
        _keep_objects()


def _keep_objects() -> None:
    """Keep all objects alive, as a kernel still runs: its code and memory must outlive the
    interpreter, which frees them while its threads go on."""
    keep = ctypes.pythonapi.Py_IncRef
    gc.unfreeze()  # what a program froze is among all objects, too
    for value in gc.get_objects():
        if str(type(value).__module__).startswith("nbgraph"):  # `__module__` may be of any type
            keep(ctypes.py_object(value))


def _before() -> None:
    for engine in list(_engines):
        engine._before_fork()


def _in_child() -> None:
    pending.forget_threads()
    running.forget_threads()
    forget_threads()
    for engine in list(_engines):
        engine._owner.ledger.forget_threads()
        engine._after_fork()
