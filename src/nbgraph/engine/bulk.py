"""Consecutive pushes of one thread joined into one operation: fewer things to order.

The members keep their names, results and failures: each is skipped or run on its own, so a failure
goes where it would have gone without the bulk.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from nbgraph.engine.operation import Operation
from nbgraph.engine.properties import NO_SKIP, NORMAL, OVERWRITE
from nbgraph.engine.thread import here

if TYPE_CHECKING:
    from nbgraph.engine.interface import EngineLike

_counting = threading.Lock()


class Bulk:
    """`with engine.bulk(n):` joins pushes; at n, at any wait and at the end they are issued."""

    __slots__ = ("engine", "members", "outer", "size")

    def __init__(self, engine: EngineLike, size: int) -> None:
        self.engine = engine
        self.size = size
        self.members: list[Operation] = []
        self.outer: Bulk | None = None

    def __enter__(self) -> None:
        self.engine._flush()  # an outer bulk's members come first
        self.outer, here.bulk = here.bulk, self
        with _counting:
            self.engine._bulks += 1
            self.engine._owner.gate[0] = None

    def __exit__(self, *exc: object) -> None:
        try:
            self.flush()
        finally:
            here.bulk, self.outer = self.outer, None
            with _counting:
                self.engine._bulks -= 1

    def add(self, operation: Operation) -> bool:
        """Take a push in; False, with everything before it issued, if it cannot be joined."""
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
        """Issue what is there, as one operation."""
        members, self.members = self.members, []
        if len(members) == 1:
            self.engine._issue(members[0])
        elif members:
            self.engine._issue(_joined(members))


def forget_threads() -> None:
    """In a forked child: the lock may be held by a thread that is not here."""
    global _counting
    _counting = threading.Lock()


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
