"""Operations: pushed functions with the variables they read and write.

States, in order; `ISSUED` is the state of an asynchronous function that has returned, before its
`on_complete` is called:

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
    """One push: the engine's side of the user's `Pending`."""

    __slots__ = (
        "asynchronous",
        "block",  # address of the compiled core's operation, while it runs
        "blocked",  # the naive engine's count of queues in which it still waits
        "core",  # the compiled core
        "ctx",
        "fn",
        "index",  # place in its bulk
        "lane",  # the Lane of the device it goes to, or None
        "members",  # of a bulk: the operations it joins
        "nbytes",
        "own",  # variables of memory that its function allocated: private until it returns
        "priority",
        "prop",
        "pushed_ns",
        "reads",
        "seq",  # push number, given by `_issue`
        "started_ns",  # 0 without listeners
        "state",
        "ticket",  # the compiled core's name for it
        "thread",  # (number, name) of the thread that ran it, with listeners
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
        """Drop the function and its variables, so that the result does not keep them alive."""
        self.state = DONE
        self.fn = self.members = None
        self.reads = self.writes = self.own = ()


class Operator:
    """A function with its variables, checked once, to be pushed many times."""

    __slots__ = (
        "_code",
        "_instruction",
        "asynchronous",
        "checked",  # owner.deletions when its variables were last checked
        "deleted",
        "fn",
        "handle",  # the state of an engine that prepares operators; replaced by another engine
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
        """The line of user code that created it."""
        return site(self._code, self._instruction)

    def __repr__(self) -> str:
        state = ", deleted" if self.deleted else ""
        return (
            f"<operator {self.name!r}: reads {len(self.reads)}, writes {len(self.writes)}{state}>"
        )


class NativeOperator(Operator):
    """A kernel with its variables, laid out in the core; `push()` is the fast path."""

    __slots__ = ("call", "core", "home", "push", "template")

    push: Callable[[], int]
    call: NativeCall
    core: Core | None  # None while the engine is stopped
    home: Core
    template: int


class VariableView(NamedTuple):
    """A variable as a dump shows it."""

    number: int
    name: str | None


class KernelView(Operation):
    """The operation of a kernel or of a plan's step, for dumps and `here.running`."""

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
