"""What no signal may leave half done: blocks within which context variables have other values, and
calls on a thread that gets no signals. And what no fork may: locks of other threads. Counters that
need no lock are read here, too.

CPython looks for signals where a Python function begins, behind calls and where a loop jumps back.
So a block begins by one instruction that calls nothing of Python and is followed by none of those,
and it ends in a function of C: one of Python might not be entered.
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
_LOCKING = "_get_module_lock", "cb"  # its functions that have the lock on all imports
_STACK = 1 << 20  # bytes that a compiler may take of one
_LONGEST = 20.0  # seconds that a fork waits for other threads
_LOOK = 0.001  # seconds between two looks meanwhile


class Ending(io.IOBase):
    """What ends a block by `close`, of C: `__exit__` of IOBase calls it, whatever it is given."""

    __slots__ = ("close",)
    closed: Any = True  # for its finaliser, which would call `close` too
    close: Any


class Scopes:
    """Variables that blocks set together: `begin` ends the `__enter__` of a class, whose `__exit__`
    is `end`. Its objects may be used by several threads and within each other, as what ends the
    innermost block stands in the context."""

    def __init__(self, *variables: ContextVar[Any]) -> None:
        innermost: ContextVar[Any] = ContextVar("nbgraph_block")
        self._variables = (innermost, *variables)
        ending = Ending()
        ending.close = map(call, map(ContextVar.get, repeat(innermost))).__next__
        self.end: Any = ending.__exit__

        self._block = type("Block", (_Block,), {"__exit__": self.end})

    def __call__(self, *values: Any) -> Any:
        """Return a block in which they have these values."""
        return self._block(self, values)

    def begin(self, values: tuple[Any, ...]) -> None:
        """Set the variables; the caller does no more than return, and calls this without a star,
        behind which signals are looked for."""
        tokens: list[Any] = []
        # a deque of nothing goes through them, and is false, as `with` asks whether an exception
        # ends here
        end = partial(deque, map(ContextVar.reset, self._variables, tokens), 0)
        tokens[:] = map(ContextVar.set, self._variables, (end, *values))


class _Block:
    __slots__ = ("_scopes", "_values")

    def __init__(self, scopes: Scopes, values: tuple[Any, ...]) -> None:
        self._scopes, self._values = scopes, values

    def __enter__(self) -> None:
        self._scopes.begin(self._values)


def load(name: str) -> Any:
    """Return a module, imported if need be. Garbage is collected afterwards: imports make next to
    none, and looking for it among all that they make takes a fifth of their time."""
    collects = gc.isenabled()
    try:
        gc.disable()
        return importlib.import_module(name)
    finally:
        if collects:
            gc.enable()


def attend(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a function returns, called on another thread than the main one, where a signal
    may raise behind any call and leave what it was at half done; a signal ends the wait alone."""
    run = partial(copy_context().run, function, *arguments, **options)
    # no other thread goes on when the interpreter ends, and new ones may lack room
    alone = sys.is_finalizing() or 0 < threading.stack_size() < _STACK
    if alone or threading.get_ident() != threading.main_thread().ident:
        return run()
    _leave_imports()
    done, results, begun = _thread.allocate_lock(), list[Any](), list[int]()
    done.acquire()
    start = map(_thread.start_new_thread, [_attend], [(thread_name(), run, done, results)])
    try:
        begun[:] = start  # one instruction: what it raises is not a signal's
    except RuntimeError:  # there may be no more threads
        return run()
    done.acquire()
    if results[0][1] is not None:
        raise results.pop()[1]
    return results.pop()[0]


def _attend(name: str, run: Callable[[], Any], done: _thread.LockType, results: list[Any]) -> None:
    _HERE.name = name
    try:
        results.append((run(), None))
    except BaseException as error:
        results.append((None, error))
    done.release()


def _leave_imports() -> None:
    """Give back what an interrupt within an import left with this thread: locks without which no
    other thread imports anything, or one module. Imports that are under way keep theirs."""
    under_way: set[Any] = set()
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_globals is vars(_bootstrap):
            if frame.f_code.co_name in _LOCKING:
                return  # a finaliser calls
            under_way.add(frame.f_locals.get("name"))
    for reference in list(_bootstrap._module_locks.values()):
        lock = reference()
        while lock is not None and lock.owner == threading.get_ident():
            if lock.name in under_way:
                break
            lock.release()
    with suppress(RuntimeError):  # another thread has it
        while _imp.lock_held():
            _imp.release_lock()


def attended(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have a function called as `attend` does."""
    return wraps(function)(partial(attend, function))


class _Here(threading.local):
    name = ""
    taken: tuple[list[Any], list[Any]] = [], []  # locks, and whether a fork has each


_HERE = _Here()
_LOCKS: WeakSet[Any] = WeakSet()


def thread_name() -> str:
    """Return what the thread is called, or the one for which it attends to something."""
    return _HERE.name or threading.current_thread().name  # which lists threads that it did not know


def count_of(counter: "count[int]") -> int:
    """How often `next` was called, without calling it.

    >>> count_of(count(3))
    3
    """
    return int(repr(counter)[6:-1])


def forkable(lock: Any) -> Any:
    """Return a lock that no other thread has while this one forks: a child has no such thread, and
    could never take it."""
    _LOCKS.add(lock)
    return lock


def _before_fork() -> None:
    end = time.monotonic() + _LONGEST
    while True:
        try:
            locks = [*_LOCKS]
        except RuntimeError:  # another thread made one meanwhile
            continue
        _HERE.taken = locks, []
        _HERE.taken[1][:] = map(methodcaller("acquire", False), locks)  # all, or what there is
        if all(_HERE.taken[1]) or time.monotonic() > end:
            return
        _after_fork()
        time.sleep(_LOOK)


def _after_fork() -> None:
    deque(map(methodcaller("release"), compress(*_HERE.taken)), 0)
    _HERE.taken = [], []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
