"""Operations: a function with what it reads and writes, as an engine takes it in.

States, in order; `ISSUED` is that of an asynchronous function which has returned and whose
`on_complete` has not been called:

    NEW -> WAITING -> RUNNING -> (ISSUED ->) DONE
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.device import Context, cpu
from nbgraph.engine.pending import Pending
from nbgraph.engine.properties import FnProperty
from nbgraph.engine.sites import Site, site
from nbgraph.engine.variable import Owner, Variable

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core
    from nbgraph.engine.interface import EngineLike
    from nbgraph.engine.native_call import NativeCall

NEW, WAITING, RUNNING, ISSUED, DONE = range(5)
STATES = ("in a bulk", "waiting", "running", "waits for on_complete", "done")

CPU = cpu(0)
_now = time.monotonic_ns


class Operation(Pending):
    """One push. The engine's side of what the user holds as `Pending`."""

    __slots__ = (
        "asynchronous",
        "block",  # the compiled core's operation, while it runs
        "blocked",  # the naive engine's: queues it still waits in
        "core",  # that core
        "ctx",
        "fn",
        "index",  # place in its bulk
        "lane",  # of a device, if it goes to one
        "members",  # of a bulk: the operations it joins
        "nbytes",
        "own",  # variables of memory that its function took: nobody else's before it returns
        "priority",
        "prop",
        "pushed_ns",
        "reads",
        "seq",  # push number, given by `_issue`
        "started_ns",  # 0: nobody listens
        "state",
        "ticket",  # the compiled core's name for it
        "thread",  # who ran it: (number, name), if somebody listens
        "writes",
    )

    def __init__(  # noqa: PLR0917  keywords would cost time on every push
        self,
        engine: EngineLike,
        fn: Callable[..., Any] | None,
        name: str,
        code: CodeType,
        instruction: int,
        ctx: Context,
        reads: tuple[Variable, ...],
        writes: tuple[Variable, ...],
        priority: int,
        nbytes: int,
        prop: FnProperty,
        asynchronous: bool,
    ) -> None:
        self.engine = engine
        self.fn = fn
        self.name = name
        self._code = code
        self._instruction = instruction
        self.ctx = ctx
        self.reads = reads
        self.writes = writes
        self.priority = priority
        self.nbytes = nbytes
        self.prop = prop
        self.asynchronous = asynchronous
        self.seq = self.index = self.started_ns = self.block = self.ticket = 0
        self.core: Any = None
        self.own: Collection[Variable] = ()
        self.state = NEW
        self.ended = False
        self.value = self.failure = self._waiters = self.members = self.thread = self.lane = None
        self.pushed_ns = _now()

    # what a bulk sets
    members: list[Operation] | None
    thread: tuple[int, str] | None
    lane: Any  # the Lane it runs on, or None
    blocked: int

    def forget(self) -> None:
        """Keeping the result does not keep what the function held."""
        self.state = DONE
        self.fn = self.members = None
        self.reads = self.writes = self.own = ()


class Operator:
    """A function with its variables, checked and kept, to be pushed again and again."""

    __slots__ = (
        "_code",
        "_instruction",
        "asynchronous",
        "checked",  # owner.deletions when its variables were last looked at
        "deleted",
        "fn",
        "handle",  # an engine's own, if it prepares operators; one of another engine is replaced
        "name",
        "owner",
        "reads",
        "writes",
    )

    def __init__(
        self,
        owner: Owner,
        fn: Callable[..., Any],
        name: str,
        reads: tuple[Variable, ...],
        writes: tuple[Variable, ...],
        asynchronous: bool,
        line: tuple[CodeType, int],
    ) -> None:
        self.owner = owner
        self.checked = owner.deletions
        self.fn: Callable[..., Any] | None = fn
        self.name = name
        self.reads, self.writes = reads, writes
        self.asynchronous = asynchronous
        self.deleted = False
        self.handle: Any = None
        self._code, self._instruction = line

    @property
    def site(self) -> Site:
        """The line of user code that made it."""
        return site(self._code, self._instruction)

    def __repr__(self) -> str:
        state = ", deleted" if self.deleted else ""
        return (
            f"<operator {self.name!r}: reads {len(self.reads)}, writes {len(self.writes)}{state}>"
        )


class NativeOperator(Operator):
    """A kernel with its variables, laid out in the core; `push()` is the quickest way in."""

    __slots__ = ("call", "core", "home", "push", "template")

    push: Callable[[], int]
    call: NativeCall
    core: Core | None  # None while the engine is stopped
    home: Core
    template: int


class VariableView(NamedTuple):
    """What a dump tells of a variable."""

    number: int
    name: str | None


class KernelView(Operation):
    """A kernel's operation as a dump and `here.running` show it."""

    __slots__ = ("place",)

    def __init__(
        self, name: str, place: Site, uses: Iterable[tuple[VariableView, bool]] = ()
    ) -> None:
        uses = tuple(uses)
        self.name, self.place = name, place
        self.reads: Any = tuple(v for v, written in uses if not written)
        self.writes: Any = tuple(v for v, written in uses if written)
        self.members, self.own = None, ()
        self.pushed_ns = None  # the core keeps no times

    @property
    def site(self) -> Site:
        """The line of user code that pushed it."""
        return self.place
