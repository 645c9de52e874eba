"""What may be pushed, and what a pusher notes of what it did."""

from __future__ import annotations

import dataclasses
from typing import Any

from nbgraph.engine.core import layout as L  # noqa: N812


@dataclasses.dataclass(eq=False)
class Job:
    """What may be pushed: a kernel, a Python function, or work for a device lane."""

    name: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    code: int = 0  # what it returns: not 0 is a failure
    where: int = L.NATIVE
    priority: int = 0
    flags: int = 0
    bytes: int = 0
    cost: int = 0
    range: tuple[int, int] = (0, 1)
    number: int = 0
    template: int = 0
    early: bool = False  # gives its variables back before it is done
    loose: bool = False  # how much of it runs is left open: it is cut, and some part fails
    on_device: set[int] = dataclasses.field(default_factory=set)  # numbers of runs on a lane
    runs: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    parts: list[tuple[int, int]] = dataclasses.field(default_factory=list)

    @property
    def never_skips(self) -> bool:
        return bool(self.flags & L.NO_SKIP)

    @property
    def lane(self) -> int:
        return 1 if self.where >= L.FIRST_LANE else 0

    @property
    def names(self) -> tuple[str, ...]:
        return self.reads + tuple(n for n in self.writes if n not in self.reads)


@dataclasses.dataclass(frozen=True)
class Event:
    """What a pusher did, in its order: pushed a job, or was shown a failure."""

    sequence: int  # of the push, or the newest number at the raise
    kind: str  # push, raise_variable, raise_first
    job: Any = None
    variable: str = ""
    failure: tuple[int, int] | None = None
    pusher: str = ""
