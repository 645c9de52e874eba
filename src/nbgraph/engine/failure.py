"""Failures: an operation's exception, the variables that carry it, and its raise, once.

A failure is kept on the variables that the failed operation writes. An operation that names such
a variable is skipped and passes the failure on to what it writes, if the failure applies to it:
it has not been raised yet, or was raised when the operation had already been pushed. Hence what
was pushed before the raise is skipped whether or not it had started, and what is pushed after
runs. A write that succeeds clears what its variables carry. Among several failures the one of
the operation pushed first counts.

A failure that was never raised is logged once nothing can raise it any more, and printed at exit,
like asyncio's exceptions that were never retrieved; the exit status of the process does not change.
A failure that was logged is still raised by `wait_for_all`.
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

KEPT = 1000  # failures that a ledger keeps, so that an endless failing loop cannot fill the memory
_LISTED = 10  # failures that a note or report lists


class Failure:
    """An exception, the operation that raised it, and whether it has been raised at a wait."""

    __slots__ = (
        "__weakref__",
        "bare",  # `error` must not get frames, so a copy of it is raised
        "cell",  # address of its cell in a compiled core
        "core",  # that core
        "error",
        "hidden",  # on a variable that the garbage collector does not see
        "logged",
        "name",
        "order",  # push number of the operation, place in its bulk
        "original",  # of a shadow: a weak reference to the failure it stands for
        "others",  # failures listed in a note on this one
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
        """Return whether it skips the operation with this push number."""
        return self.raised_at is None or number <= self.raised_at

    def again(self) -> BaseException:
        """Return the exception, to be raised: its traceback does not grow from raise to raise."""
        if self.bare:
            return _without_frames(self.error)
        error = self.error.with_traceback(self.traceback)
        if self.hidden:  # the user gets the exception with its frames, the failure keeps a copy
            self.error, self.traceback, self.bare = _without_frames(error), None, True
        return error

    def shadow(self) -> Failure:
        """Return a copy without frames, for a compiled core to keep once the user has the original.

        The traceback refers to the frames it was raised in, and through them to the variable that
        keeps the failure: a reference cycle that the garbage collector does not see.
        """
        copy = Failure.__new__(Failure)
        copy.cell, copy.core, copy.order = self.cell, self.core, self.order
        copy.name, copy.site, copy.raised_at = self.name, self.site, self.raised_at
        copy.others, copy.logged, copy.hidden = [], self.logged, False
        copy.error, copy.traceback, copy.bare = _without_frames(self.error), None, True
        copy.original = weakref.ref(self)
        return copy

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
    except Exception:  # an unusual exception class: the original serves
        return error
    return copy


def add_note(error: BaseException, text: str) -> None:
    """Add a note to an exception of any class."""
    try:
        error.add_note(text)
    except Exception:  # an exception that forbids attributes goes without its note
        return


class Ledger:
    """The failures that have not been raised yet."""

    __slots__ = ("_failures", "_lock", "dropped")

    def __init__(self) -> None:
        self._failures: dict[Failure, None] = {}
        # reentrant: a finaliser may fail an operation on the thread that has the lock
        self._lock = threading.RLock()
        self.dropped = 0  # failures that are only counted

    def __len__(self) -> int:
        return len(self._failures) + self.dropped

    def forget_threads(self) -> None:
        """Replace the lock in a forked child: a thread that is not here may hold it."""
        self._lock = threading.RLock()

    def add(self, failure: Failure) -> None:
        """Add a failure; beyond `KEPT` of them, only count it."""
        with self._lock:
            if len(self._failures) < KEPT:
                self._failures[failure] = None
            else:
                self.dropped += 1

    def untold(self) -> Ledger:
        """Return self, without the failures that a wait for a variable has raised meanwhile."""
        with self._lock:
            for failure in [f for f in self._failures if f.raised_at is not None]:
                del self._failures[failure]
        return self

    def newest(self, most: int) -> list[Failure]:
        """Return up to `most` failures that have not been raised, the newest first."""
        with self._lock:
            return [f for f in reversed(self._failures) if f.raised_at is None][:most]

    def discard(self, failure: Failure) -> None:
        """Remove a failure, which is kept elsewhere from now on."""
        with self._lock:
            self._failures.pop(failure, None)

    def claim(self, failure: Failure, now: int) -> bool:
        """Mark a failure as raised at push number `now`; False if it was raised already."""
        with self._lock:
            if failure.raised_at is not None:
                return False
            failure.raised_at = now
            self._failures.pop(failure, None)
            return True

    def claim_all(self, now: int) -> Failure | None:
        """Mark all as raised; return the one pushed first, with a note that lists the others."""
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
    """A token of the `Pending` of a failed push that writes nothing: its finaliser logs the
    failure. Of failures of one line and type, the first since a wait for all is logged."""

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
    """Report failures of the owner's engines at the end of each cell and of the process."""
    if not _owners:
        after_cell(report)
    _owners.add(owner)


def report() -> None:
    """Write failures that no wait has raised yet to standard error, each once.

    They stay: a wait for a variable that the operation writes still raises the error.
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
    """Print failures that were never raised; engines have ended, as they registered later."""
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
