"""Schedules: a lowered graph as tasks over values, in a valid order.

A *value* is memory: one block of bytes. Outputs of nodes that are views of another output share its
value. A *task* is one piece of work (a kernel, a function) with the values it reads and writes.
Values are *external* (arguments, results, gradients: memory outside of the run) or belong to the
run; a memory plan assigns the latter a place in the arena.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nbgraph.operator.request import OpReqType, kWriteTo


@dataclass(slots=True, eq=False, repr=False)
class Value:
    """A block of memory.

    `shared`: the value whose memory this one takes over (in place), once that is decided. `lasts`:
    it belongs to the run, and still exists after its end. `pinned`: it exists when the run begins,
    at this offset in the arena.
    """

    name: str
    nbytes: int
    external: bool = False  # in memory outside of the run
    note: str = ""  # a reason, for `explain`
    shared: Value | None = None
    lasts: bool = False
    pinned: int | None = None

    def __repr__(self) -> str:
        return f"<value {self.name}: {self.nbytes} bytes>"


@dataclass(slots=True, eq=False, repr=False)
class Task:
    """One piece of work. `rights`: pairs (place in reads, place in writes) processed element by
    element, so that the write may overwrite the read."""

    name: str
    reads: tuple[Value, ...]
    writes: tuple[Value, ...]
    requests: list[OpReqType] = field(default_factory=list[OpReqType])
    rights: tuple[tuple[int, int], ...] = ()
    accumulates: tuple[int, ...] = ()  # places in writes that may be written as kAddTo
    is_sum: bool = False  # writes[0] = reads[0] + reads[1], of one shape and dtype, and no more
    after: tuple[Task, ...] = ()  # tasks that must run before, besides writers of its reads
    once: bool = False  # whether its writes will have left the cache before they are read
    whole: bool = False  # whether one worker runs all of it
    work: Any = None  # of the executor: KernelWork or FunctionWork

    def __post_init__(self) -> None:
        if not self.requests:
            self.requests = [kWriteTo] * len(self.writes)

    def __repr__(self) -> str:
        return f"<task {self.name}>"


@dataclass(slots=True, eq=False, repr=False)
class Schedule:
    """Tasks in order, and every value they touch."""

    tasks: list[Task]
    values: list[Value]


def predecessors(tasks: Sequence[Task]) -> list[set[int]]:
    """Return for each task the earlier ones it has to wait for: writers of values that it reads or
    adds to, readers and writers of values that it writes, and those in `after`."""
    writer: dict[Value, int] = {}
    readers: dict[Value, list[int]] = {}
    place = {task: k for k, task in enumerate(tasks)}
    before_of: list[set[int]] = []
    for k, task in enumerate(tasks):
        before = {place[other] for other in task.after if other in place}
        for value in (*task.reads, *task.writes):
            if value in writer:
                before.add(writer[value])
        for value in task.writes:
            before.update(readers.pop(value, ()))
            writer[value] = k
        for value in task.reads:
            if value not in task.writes:
                readers.setdefault(value, []).append(k)
        before.discard(k)
        before_of.append(before)
    return before_of
