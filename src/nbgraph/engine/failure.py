"""Failures: what an operation raised, where it goes, and that it is raised once.

A failure is kept on the variables that the failed operation writes. An operation that names such
a variable is skipped and passes the failure on to what it writes, if the failure applies to it:
it has not been raised yet, or was raised when the operation had already been pushed. Hence what
was pushed before the raise is skipped whether or not it had started, and what is pushed after
runs. A write that succeeds clears what its variables carry. Among several failures the one of
the operation pushed first counts.

A failure nobody has seen is logged when nobody can ask any more, and printed at exit, as asyncio
does with an exception that was never retrieved: the exit status of the process stays what it is. A
failure that was logged is still raised by `wait_for_all`.
"""

from __future__ import annotations

import atexit
import sys
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING

from nbgraph.engine.sites import Site
from nbgraph.notebook import after_cell
from nbgraph.scopes import load
from nbgraph.tracebacks import shorten, shortened

if TYPE_CHECKING:
    from nbgraph.engine.variable import Owner

KEPT = 1000  # failures that a ledger keeps; a loop that fails for ever must not fill the memory
_LISTED = 10


class Failure:
    """An exception, the operation that raised it, and whether anybody has been told."""

    __slots__ = (
        "__weakref__",
        "bare",  # its exception may have no frames, so a copy is raised
        "cell",  # where a compiled core keeps it
        "core",  # and which one
        "error",
        "hidden",  # on a variable that the garbage collector does not see
        "logged",
        "name",
        "order",  # push number of the operation, place in its bulk
        "original",  # of a shadow: a weak reference
        "others",  # that it was raised for as well
        "raised_at",  # newest push number when it was raised
        "site",
        "traceback",
    )

    def __init__(self, error: BaseException, order: tuple[int, int], name: str, site: Site) -> None:
        self.error = error
        self.bare = self.hidden = False
        self.cell = 0
        self.core: object = None
        self.order = order
        self.name, self.site = name, site
        self.original: weakref.ref[Failure] | None = None
        self.others: list[Failure] = []
        self.logged = False
        self.raised_at: int | None = None
        self.traceback: TracebackType | None = error.__traceback__
        shorten(error)
        add_note(error, f"in operation {name!r}, pushed at {site}")

    def applies_to(self, number: int) -> bool:
        """Return whether it skips the operation of that push number."""
        return self.raised_at is None or number <= self.raised_at

    def again(self) -> BaseException:
        """Return the exception, to be raised: its traceback does not grow from raise to raise."""
        if self.bare:
            return _without_frames(self.error)
        error = self.error.with_traceback(self.traceback)
        if self.hidden:  # the user has it now, and its frames
            self.error, self.traceback, self.bare = _without_frames(error), None, True
        return error

    def shadow(self) -> Failure:
        """What a compiled core keeps once the user has the exception: a copy without frames.

        The traceback holds the frames of the caller it was raised in, and with them the variable
        that keeps
        the failure: a circle that no garbage collector sees.
        """
        kept = Failure.__new__(Failure)
        kept.cell, kept.core, kept.order = self.cell, self.core, self.order
        kept.name, kept.site, kept.raised_at = self.name, self.site, self.raised_at
        kept.others, kept.logged, kept.hidden = [], self.logged, False
        kept.error, kept.traceback, kept.bare = _without_frames(self.error), None, True
        kept.original = weakref.ref(self)
        return kept

    def __str__(self) -> str:
        text = f"{type(self.error).__name__}: {self.error}".strip().rstrip(":")
        return f"{self.name!r}, pushed at {self.site}: {text}"


def _without_frames(error: BaseException) -> BaseException:
    kind = type(error)
    try:
        copy = kind.__new__(kind, *error.args)
        copy.args = error.args
        copy.__dict__.update(error.__dict__)
        if hasattr(error, "__notes__"):
            copy.__notes__ = [*error.__notes__]  # later notes on one are not the other's
    except Exception:  # an exception of its own make is kept as it is
        return error
    return copy


def add_note(error: BaseException, text: str) -> None:
    """A note on an exception that may be of any make."""
    try:
        error.add_note(text)
    except Exception:  # an exception that forbids attributes goes without its note
        return


class Ledger:
    """The failures nobody has seen yet."""

    __slots__ = ("_failures", "_lock", "dropped")

    def __init__(self) -> None:
        self._failures: dict[Failure, None] = {}
        # reentrant: a finaliser may fail an operation on a thread that is in here
        self._lock = threading.RLock()
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._failures) + self.dropped

    def forget_threads(self) -> None:
        """In a forked child: the lock may be held by a thread that is not here."""
        self._lock = threading.RLock()

    def add(self, failure: Failure) -> None:
        """A new failure; of very many the latest are counted only."""
        with self._lock:
            if len(self._failures) < KEPT:
                self._failures[failure] = None
            else:
                self.dropped += 1

    def untold(self) -> Ledger:
        """Itself, without what has been raised by way of a variable meanwhile."""
        with self._lock:
            for failure in [f for f in self._failures if f.raised_at is not None]:
                del self._failures[failure]
        return self

    def newest(self, most: int) -> list[Failure]:
        """Return the latest that nobody has seen, the newest first."""
        with self._lock:
            return [f for f in reversed(self._failures) if f.raised_at is None][:most]

    def discard(self, failure: Failure) -> None:
        """It is kept elsewhere now."""
        with self._lock:
            self._failures.pop(failure, None)

    def claim(self, failure: Failure, now: int) -> bool:
        """Mark as raised, at the push number `now`; whether this caller is the one to raise it."""
        with self._lock:
            if failure.raised_at is not None:
                return False
            failure.raised_at = now
            self._failures.pop(failure, None)
            return True

    def claim_all(self, now: int) -> Failure | None:
        """Mark all as raised; the first pushed, with a note that lists the others."""
        with self._lock:
            failures = list(self._failures)
            dropped, self.dropped = self.dropped, 0
            for failure in failures:
                failure.raised_at = now
            self._failures.clear()
        _logged.clear()
        return first_of(failures, dropped)


def first_of(failures: list[Failure], dropped: int = 0) -> Failure | None:
    """Return the failure pushed first, with a note that lists the others."""
    if not failures:
        return None
    first, *rest = sorted(failures, key=lambda f: f.order)
    first.others = rest
    others = len(rest) + dropped
    if others:
        rows = [f"    {failure}" for failure in rest[:_LISTED]]
        if others > len(rows):
            rows.append(f"    ... and {others - len(rows)} more")
        add_note(first.error, "\n".join([f"{others} more failed:", *rows]))
    return first


_owners: weakref.WeakSet[Owner] = weakref.WeakSet()


_logged: set[tuple[str, type]] = set()  # lines that pushed, and kinds of error


class Untold:
    """Held by the `Pending` of a push that failed and writes nothing: goes with it. Of failures of
    one line and kind the first since a wait for all is logged."""

    __slots__ = ("_failure",)

    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    def __del__(self) -> None:
        failure = self._failure
        if failure.raised_at is None and not failure.logged and not sys.is_finalizing():
            import logging

            failure.logged = True
            key = str(failure.site), type(failure.error)
            if key not in _logged:
                _logged.add(key)
                logging.getLogger("nbgraph").error(
                    "operation %r, pushed at %s, failed, and nothing waited for its result",
                    failure.name,
                    failure.site,
                    exc_info=failure.again(),
                )


def watch(owner: Owner) -> None:
    """Report failures of its engines from now on: at the end of a cell or of the process."""
    if not _owners:
        after_cell(report)
    _owners.add(owner)


def report() -> None:
    """Write what has failed and nobody has waited for to standard error, each failure once.

    They stay: waits for what the operation writes still raise the error.
    """
    for owner in list(_owners):
        core = None if owner.engine is None else owner.engine._core
        failed = [*owner.ledger.newest(_LISTED), *(core.unraised(_LISTED) if core else [])]
        for failure in reversed(failed):
            if not failure.logged and sys.stderr is not None:
                failure.logged = True
                sys.stderr.write(f"nbgraph: operation {failure}. Nothing has waited for it yet\n")


@atexit.register
def _at_exit() -> None:
    """Engines were registered later, so they have ended by now."""
    for owner in list(_owners):
        first = None if owner.engine is None else owner.engine._claim_all()
        if first is None or sys.stderr is None:
            continue
        for failure in (first, *first.others) if first.logged else [first]:  # it lists the others
            if not failure.logged:
                sys.stderr.write(f"nbgraph: {failure.name!r} failed, and nothing waited for it\n")
                error = failure.again()
                with shortened(error):
                    load("traceback").print_exception(error)
