"""Protection from signals and forks: blocks that set context variables atomically, calls on a
thread without signals, and locks that are free in a forked child. Also counters without locks.

CPython checks for signals at the start of a Python function, after calls and at backward jumps. So
the `__enter__` of a block takes effect in one instruction that runs no Python code and is followed
by no such check, and its `__exit__` is a C function: a Python one could be interrupted before its
first line.
"""

import _imp
import _thread
import gc
import importlib
import io
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import partial, wraps
from itertools import compress, count, repeat
from operator import call, methodcaller
from typing import Any
from weakref import WeakSet

_bootstrap: Any = sys.modules["_frozen_importlib"]  # `importlib._bootstrap`
_LOCKING = "_get_module_lock", "cb"  # its functions that run with the global import lock
_STACK = 1 << 20  # stack size in bytes that a compiler may need
_FORK_TIMEOUT = 20.0  # seconds that a fork waits for the locks of other threads
_POLL = 0.001  # seconds between two attempts meanwhile


class Ending(io.IOBase):
    """An object whose `__exit__`, a C function of IOBase, calls `close`, whatever its arguments."""

    __slots__ = ("close",)
    closed: Any = True  # keeps the finaliser from calling `close`
    close: Any


class Scopes:
    """Context variables that blocks set together. The `__enter__` of a class ends with `begin`, and
    its `__exit__` is `end`. Its objects may be nested and shared by threads, because the context
    itself stores what ends the innermost block."""

    def __init__(self, *variables: ContextVar[Any]) -> None:
        innermost: ContextVar[Any] = ContextVar("nbgraph_block")
        self._variables = (innermost, *variables)
        ending = Ending()
        ending.close = map(call, map(ContextVar.get, repeat(innermost))).__next__
        self.end: Any = ending.__exit__

        self._block = type("Block", (_Block,), {"__exit__": self.end})

    def __call__(self, *values: Any) -> Any:
        """Return a context manager that sets the variables to these values."""
        return self._block(self, values)

    def begin(self, values: tuple[Any, ...]) -> None:
        """Set the variables. The caller must do nothing but return afterwards, and must not call
        this with a star, after which CPython checks for signals."""
        tokens: list[Any] = []
        # a deque of length 0 consumes the map; it is false, so `with` does not suppress exceptions
        end = partial(deque, map(ContextVar.reset, self._variables, tokens), 0)
        tokens[:] = map(ContextVar.set, self._variables, (end, *values))


class _Block:
    __slots__ = ("_scopes", "_values")

    def __init__(self, scopes: Scopes, values: tuple[Any, ...]) -> None:
        self._scopes, self._values = scopes, values

    def __enter__(self) -> None:
        self._scopes.begin(self._values)


def load(name: str) -> Any:
    """Import a module with the garbage collector disabled: imports leave hardly any garbage, and
    collections would take a fifth of their time."""
    collects = gc.isenabled()
    try:
        gc.disable()
        return importlib.import_module(name)
    finally:
        if collects:
            gc.enable()


def attend(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function on another thread than the main one, and return its result. A signal raises
    on the main thread, so it interrupts only the wait, and never the function halfway."""
    run = partial(copy_context().run, function, *arguments, **options)
    # other threads stop when the interpreter ends, and new ones may have too small a stack
    alone = sys.is_finalizing() or 0 < threading.stack_size() < _STACK
    if alone or threading.get_ident() != threading.main_thread().ident:
        return run()
    _leave_imports()
    done, results, begun = _thread.allocate_lock(), list[Any](), list[int]()
    done.acquire()
    start = map(_thread.start_new_thread, [_attend], [(thread_name(), run, done, results)])
    try:
        begun[:] = start  # one instruction, so a signal cannot raise the RuntimeError
    except RuntimeError:  # no more threads are allowed
        return run()
    done.acquire()
    if results[0][1] is not None:
        raise results.pop()[1]
    return results.pop()[0]


def _attend(name: str, run: Callable[[], Any], done: _thread.LockType, results: list[Any]) -> None:
    _STATE.name = name
    try:
        results.append((run(), None))
    except BaseException as error:
        results.append((None, error))
    done.release()


def _leave_imports() -> None:
    """Release the import locks that an interrupted import left with this thread, and without which
    other threads could not import. The locks of running imports are kept."""
    under_way: set[Any] = set()
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_globals is vars(_bootstrap):
            if frame.f_code.co_name in _LOCKING:
                return  # called by a finaliser within the import system
            under_way.add(frame.f_locals.get("name"))
    for reference in list(_bootstrap._module_locks.values()):
        lock = reference()
        while lock is not None and lock.owner == threading.get_ident():
            if lock.name in under_way:
                break
            lock.release()
    with suppress(RuntimeError):  # another thread owns it
        while _imp.lock_held():
            _imp.release_lock()


def attended(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that `attend` runs it."""
    return wraps(function)(partial(attend, function))


class _ThreadState(threading.local):
    name = ""
    fork_locks: list[Any] = []  # what a fork under way has acquired; replaced, never changed here


_STATE = _ThreadState()
_LOCKS: WeakSet[Any] = WeakSet()


def thread_name() -> str:
    """Return the name of this thread, or of the thread for which it runs a call of `attend`."""
    return _STATE.name or threading.current_thread().name  # registers unknown threads


def count_of(counter: "count[int]") -> int:
    """Return the next value of a counter without advancing it.

    >>> count_of(count(3))
    3
    """
    return int(repr(counter)[6:-1])


def forkable(lock: Any) -> Any:
    """Register a lock that a fork acquires before it starts: the child lacks the other threads, and
    so a lock that one of them owned would never be released. Return the lock."""
    _LOCKS.add(lock)
    return lock


def at_fork(**hooks: Callable[[], None]) -> None:
    """Register hooks of a fork, which must not mind a second call: each is called twice, as the
    signal that interrupts one before its first line is over for the next."""
    for _ in range(2 if hasattr(os, "register_at_fork") else 0):
        os.register_at_fork(**hooks)


def _before_fork() -> None:
    end = time.monotonic() + _FORK_TIMEOUT
    while not _STATE.fork_locks:  # else the first of the two calls has acquired them
        try:
            locks = [*_LOCKS]
        except RuntimeError:  # another thread added one meanwhile
            continue
        owned = _STATE.fork_locks = []
        owned.extend(compress(locks, map(methodcaller("acquire", False), locks)))
        if len(owned) == len(locks) or time.monotonic() > end:
            return
        _after_fork()
        time.sleep(_POLL)


def _after_fork() -> None:
    owned = _STATE.fork_locks  # one call releases and removes them, so it may be repeated
    deque(map(methodcaller("release"), map(list.pop, repeat(owned, len(owned)))), 0)


at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
