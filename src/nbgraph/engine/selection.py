"""The active engine: chosen by the setting `engine` at first use, replaced by `set`.

All kinds share one owner, so variables, their versions and failures outlive a change of engine.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from nbgraph.engine import checks
from nbgraph.engine.base import Engine
from nbgraph.engine.failure import Ledger
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner
from nbgraph.errors import ArgumentError, require_word
from nbgraph.scopes import load
from nbgraph.settings import config, read_for_good

if TYPE_CHECKING:
    from nbgraph.engine.cold import Build

P = ParamSpec("P")
R = TypeVar("R")

# kind -> module and name of its class, and the options it accepts
KINDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "naive": ("nbgraph.engine.naive", "NaiveEngine", ()),
    "threaded": ("nbgraph.engine.threaded", "ThreadedEngine", ("workers",)),
    "chaos": ("nbgraph.engine.chaos.engine", "ChaosEngine", ("seed",)),
}

_owner = Owner()
_change_lock = threading.RLock()
_builds: list[Build] = []  # of the core, while the naive engine stands in: none or one
_PATIENCE = 1.0  # seconds that a retired engine has to finish


def current() -> Engine:
    """Return the engine that `ng.engine` works with.

    >>> import nbgraph as ng
    >>> ng.engine.current().kind in {"naive", "threaded", "chaos"}
    True
    """
    engine = _owner.engine
    if engine is None:
        with _change_lock:
            engine = _owner.engine
            if engine is None:
                engine = _first()
    elif _builds and here.running is None:
        return _change_over(engine)
    return engine


def of_current(method: Callable[Concatenate[Engine, P], R]) -> Callable[P, R]:
    """Return a method of `Engine` as a function: it calls that method of the active engine."""
    name = method.__name__

    def call(*args: P.args, **options: P.kwargs) -> R:
        return getattr(current(), name)(*args, **options)

    signature: Any = inspect.signature(method)
    _, *others = signature.parameters.values()
    vars(call)["__signature__"] = signature.replace(parameters=others)
    call.__doc__ = method.__doc__
    call.__name__ = call.__qualname__ = name
    call.__module__ = "nbgraph.engine"
    return call


def _first() -> Engine:
    """Return the engine that the setting names; while its core is being built, the naive one."""
    read_for_good("engine", "ng.engine.set(kind) changes the engine in force")
    if config.engine == "threaded":
        from nbgraph.engine import handle

        if not handle.ready():
            from nbgraph.engine import cold

            _builds.append(cold.Build())
            interim = cold.Interim(owner=_owner)
            _owner.put_in_force(interim)
            return interim
    return _start(config.engine, {}, 0)


def _change_over(engine: Engine) -> Engine:
    """Return the threaded engine if its core is there and nothing is unfinished, else `engine`."""
    from nbgraph.engine import cold, handle
    from nbgraph.engine.threaded import ThreadedEngine

    if not _builds or not _builds[0].over() or not _change_lock.acquire(blocking=False):
        return engine
    try:
        old = _owner.engine
        if not _builds or old is None:  # another thread was quicker
            return engine
        if not isinstance(old, cold.Interim):
            return old
        if not handle.ready():
            _builds.pop().complain()
            return old

        def make(newest: int) -> Engine:
            engine = ThreadedEngine(owner=_owner, first=newest)
            for listener in old._listeners:
                engine.add_listener(listener)
            return engine

        if old.hand_over(make):
            _builds.clear()
            if old._successor is not None:
                _owner.put_in_force(old._successor)
        return _owner.engine or old
    finally:
        _change_lock.release()


def choose(kind: str, workers: int | None = None, seed: int | None = None) -> Engine:
    """Wait for unfinished operations, raising nothing, and put another engine in force."""
    require_word("set: kind", kind, KINDS)
    options: dict[str, Any] = {}
    if workers is not None:
        options["workers"] = checks.workers(workers, "set")
    if seed is not None:
        options["seed"] = checks.whole(seed, "seed", "set")
    for name, value in options.items():
        if name not in KINDS[kind][2]:
            raise ArgumentError(f"set: {name}={value!r}: the {kind} engine has no {name}")
    if _owner.engine is not None:
        _owner.engine._deadline(None, "set")  # refused inside a function, before the lock
    with _change_lock:
        if _builds:
            build = _builds.pop()
            if kind != "naive":
                build.wait()
        old = _owner.engine
        if old is None:
            return _start(kind, options, 0)
        old.stop()
        old._leave()
        # a failure raised so far applies to nothing pushed from now on, so numbers go on
        engine = _start(kind, options, old._newest())
        for listener in old._listeners:
            engine.add_listener(listener)
        return engine


@contextmanager
def set_aside(what: str) -> Generator[Callable[[Callable[..., Engine]], Engine]]:
    """Yield a function that puts an engine of a class in force; restore the old one at the end.

    Failures that nobody has seen are set aside as well. `what` names the caller in errors.
    """
    before = current()
    before._deadline(None, what)
    with _change_lock:
        if _builds:  # or the core would be compiled twice at once
            _builds[0].wait()
        before.stop()  # its failures stay with it
        failures, _owner.ledger = _owner.ledger, Ledger()
        used = before

        def use(factory: Callable[..., Engine]) -> Engine:
            nonlocal used
            _abandon(used)
            used = factory(owner=_owner, first=used._newest())
            _owner.put_in_force(used)
            return used

        try:
            yield use
        finally:
            _abandon(_owner.engine or used)  # another may have been put in force meanwhile
            _owner.ledger = failures.untold()
            if used is not before:
                before._go_on_from(used._newest())
            _owner.put_in_force(before)


def _abandon(engine: Engine) -> None:
    """Close an engine, after a short wait for its unfinished operations."""
    engine._wait_all(time.monotonic() + _PATIENCE)
    engine._close()


def _start(kind: str, options: dict[str, Any], first: int) -> Engine:
    module, name, _ = KINDS[kind]
    factory = getattr(load(module), name)
    engine: Engine = factory(owner=_owner, first=first, **options)
    _owner.put_in_force(engine)
    return engine
