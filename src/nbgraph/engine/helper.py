"""A thread that helps in place of the main thread, which has to be there for signals.

A thread that waits runs what is ready meanwhile: there is a worker less than processors. Nobody
looks at signals inside of a kernel, so the main thread only runs what is known to be brief, and
leaves the rest of such a wait to another thread.
"""

from __future__ import annotations

import _thread
import os
import threading
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any

from nbgraph.engine.core.codes import ANYTHING, BRIEF
from nbgraph.engine.handle import Core

SLICE = 50_000_000  # nanoseconds a wait stays away from Python's signals
MOMENT = 50_000  # a wait that leaves something sleeps so long before it has a helper

Call = tuple[Core, int]  # what is waited for, as in `wait_for`


def longest() -> int:
    """Nanoseconds of work that the calling thread takes over while it waits."""
    return BRIEF if threading.get_ident() == threading.main_thread().ident else ANYTHING


class _Server:
    """Calls for a thread, which begins when it is first needed: `serve(calls)` is its life."""

    _calls: SimpleQueue[Any]
    _process = 0

    def __init__(self, serve: Callable[[SimpleQueue[Any]], None]) -> None:
        self._serve = serve

    def put(self, call: tuple[Any, ...]) -> None:
        if self._process != os.getpid():  # none has come along by a fork
            calls: SimpleQueue[Any] = SimpleQueue()  # Ctrl-C leaves no half of a `put`
            _thread.start_new_thread(self._serve, (calls,))  # of C: it has begun or it has not
            self._calls, self._process = calls, os.getpid()
        self._calls.put(call)


def _help(calls: SimpleQueue[Call]) -> None:
    while True:
        core, ticket = calls.get()
        while not calls.empty():
            core, ticket = calls.get()
        while not core.wait_for(core.parker(), ticket, SLICE, ANYTHING) and calls.empty():
            pass
        del core


helper = _Server(_help)  # of any engine: until what it is given is done, or until the next call


def _attend(calls: SimpleQueue[Any]) -> None:
    while True:
        context, function, arguments, done, errors = calls.get()
        try:
            context.run(function, *arguments)
        except BaseException as error:
            errors.append(error)
        done.release()
        del context, function, arguments, done, errors  # nothing is kept until the next call


_attendant = _Server(_attend)


def attend(function: Callable[..., object], *arguments: object) -> None:
    """Have it called on another thread than the main one, where a signal may raise behind any call
    and leave what it was at half done, and wait for that; a signal ends the wait alone."""
    if threading.get_ident() != threading.main_thread().ident:
        function(*arguments)
        return
    done, errors = _thread.allocate_lock(), list[BaseException]()
    done.acquire()
    _attendant.put((copy_context(), function, arguments, done, errors))
    done.acquire()
    if errors:
        raise errors.pop()
