"""Failures that nobody was told of: logged when nobody can ask any more, printed at exit.

As asyncio does with an exception that was never retrieved: the exit status of the process is not
changed by what is written here. A failure that was logged is still raised by `wait_for_all`.
"""

from __future__ import annotations

import atexit
import sys
import traceback
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbgraph.engine.failure import Failure
    from nbgraph.engine.variable import Owner

_owners: weakref.WeakSet[Owner] = weakref.WeakSet()


class Untold:
    """Held by the `Pending` of a push that failed and writes nothing: goes with it."""

    __slots__ = ("_failure",)

    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    def __del__(self) -> None:
        failure = self._failure
        if failure.raised_at is None and not failure.logged and not sys.is_finalizing():
            import logging

            failure.logged = True
            logging.getLogger("nbgraph").error(
                "operation %r, pushed at %s, failed, and nobody asked for its result",
                failure.name,
                failure.site,
                exc_info=failure.again(),
            )


def watch(owner: Owner) -> None:
    """From now on failures of its engines are printed when the process ends."""
    _owners.add(owner)


@atexit.register
def _at_exit() -> None:
    """Engines were registered later, so they have ended by now."""
    for owner in list(_owners):
        first = None if owner.engine is None else owner.engine._claim_all()
        if first is None or sys.stderr is None:
            continue
        for failure in (first, *first.others) if first.logged else [first]:  # it lists the others
            if not failure.logged:
                sys.stderr.write(f"nbgraph: nobody was told that {failure.name!r} failed\n")
                traceback.print_exception(failure.again())
