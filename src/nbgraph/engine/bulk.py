"""Consecutive pushes of one thread joined into one operation: less work for the scheduler.

The members keep their names, results and failures: each is skipped or run on its own, so a failure
reaches the same variables as without the bulk.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from nbgraph.engine.operation import Operation
from nbgraph.engine.properties import NO_SKIP, NORMAL, OVERWRITE
from nbgraph.engine.thread import here

if TYPE_CHECKING:
    from nbgraph.engine.interface import EngineLike

_count_lock = threading.Lock()


class Bulk:
    """The block of `with engine.bulk(n):`; joined pushes are issued at n, a wait, and its end."""

    __slots__ = ("engine", "members", "outer", "size")

    def __init__(self, engine: EngineLike, size: int) -> None:
        self.engine = engine
        self.size = size
        self.members: list[Operation] = []
        self.outer: Bulk | None = None

    def __enter__(self) -> None:
        self.engine._flush()  # an outer bulk's members come first
        self.outer, here.bulk = here.bulk, self
        with _count_lock:
            self.engine._bulks += 1
            self.engine._owner.gate[0] = None

    def __exit__(self, *exc: object) -> None:
        try:
            self.flush()
        finally:
            here.bulk, self.outer = self.outer, None
            with _count_lock:
                self.engine._bulks -= 1

    def add(self, operation: Operation) -> bool:
        """Add a push; if it cannot be joined, issue everything before it and return False."""
        if operation.asynchronous or operation.prop not in {NORMAL, NO_SKIP, OVERWRITE}:
            self.flush()
            return False
        members = self.members
        if members:
            first = members[0]
            if operation.ctx != first.ctx or operation.priority != first.priority:
                self.flush()
                members = self.members
        members.append(operation)
        if len(members) >= self.size:
            self.flush()
        return True

    def flush(self) -> None:
        """Issue the members as one operation."""
        members, self.members = self.members, []
        if len(members) == 1:
            self.engine._issue(members[0])
        elif members:
            self.engine._issue(_joined(members))


def forget_threads() -> None:
    """Replace the lock in a forked child: a thread that is not here may hold it."""
    global _count_lock
    _count_lock = threading.Lock()


def _joined(members: list[Operation]) -> Operation:
    first = members[0]
    writes = dict.fromkeys(v for m in members for v in m.writes)
    reads = dict.fromkeys(v for m in members for v in m.reads if v not in writes)
    names = ", ".join(m.name for m in members[:4]) + (", ..." if len(members) > 4 else "")
    name, nbytes = f"bulk of {len(members)}: {names}", sum(m.nbytes for m in members)
    place, sets = (first._code, first._instruction, first.ctx), (tuple(reads), tuple(writes))
    # its members are skipped one by one
    joined = Operation(
        first.engine, None, name, *place, *sets, first.priority, nbytes, NO_SKIP, False
    )
    joined.members = members
    return joined
