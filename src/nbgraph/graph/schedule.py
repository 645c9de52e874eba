"""What is left of a graph when it is to be run: tasks over values, in an order that is right.

A *value* is memory: one block of bytes. Outputs of nodes that are views of another output have no
value of their own. A *task* is one piece of work (a kernel, a function) with the values it reads
and writes. Values are *external* (arguments, results, gradients: memory that lives outside) or
belong
to the run, and then a memory plan finds them a place in the arena.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nbgraph.operator.request import OpReqType, kWriteTo


@dataclass(slots=True, eq=False, repr=False)
class Value:
    """A block of memory.

    `shared` names the value whose memory this one takes over (in place), once that is decided.
    `lasts`: it belongs to the run, and is there when that has ended. `pinned`: it is there when the
    run begins, at this offset of the run's memory.
    """

    name: str
    nbytes: int
    external: bool = False  # from outside: it has its place
    note: str = ""  # why it is as it is, for `explain`
    shared: Value | None = None
    lasts: bool = False
    pinned: int | None = None

    def __repr__(self) -> str:
        return f"<value {self.name}: {self.nbytes} bytes>"


@dataclass(slots=True, eq=False, repr=False)
class Task:
    """One piece of work. `rights`: pairs (place in reads, place in writes): element by element,
    so that the result may be written over what is read. `adds`: a plain sum of two reads."""

    name: str
    reads: tuple[Value, ...]
    writes: tuple[Value, ...]
    requests: list[OpReqType] = field(default_factory=list[OpReqType])
    rights: tuple[tuple[int, int], ...] = ()
    accumulates: tuple[int, ...] = ()  # places in writes that can be delivered as kAddTo
    is_sum: bool = False  # writes[0] = reads[0] + reads[1], of one shape and dtype, nothing else
    after: tuple[Task, ...] = ()  # what must have run before, though nothing of it is read
    once: bool = False  # what it writes is not read while it would be in a cache
    whole: bool = False  # one worker does it, however long it takes
    work: Any = None  # what the executor makes of it

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
    """For each task the earlier ones it has to wait for: writers of what it reads or adds to,
    readers and writers of what it writes, and those it is told to follow."""
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
