"""Variables: tokens for anything that is read and written. They hold no memory.

A variable belongs to an owner: one for everything made through `ng.engine`, one for each engine
object made by hand. The owner knows the engine in force, so that variables outlive a change of
engine.
"""

from __future__ import annotations

import itertools
from typing import Any

from nbgraph.engine.core.layout import NEVER, UNTIL_RAISED, V_VERSION
from nbgraph.engine.failure import Failure, Ledger, watch
from nbgraph.errors import unpicklable
from nbgraph.scopes import count_of

_numbers = itertools.count(1)


class Owner:
    """Whose variables they are: the engine in force, and the failures nobody has seen."""

    __slots__ = ("__weakref__", "deletions", "dropped", "engine", "gate", "ledger", "created")

    def __init__(self) -> None:
        self.engine: Any = None  # the Engine in force
        # the compiled core that takes pushes as they come, or None: the quickest ways look here.
        # Who takes that from an engine says so first and closes the gate then
        self.gate: list[Any] = [None]
        self.ledger = Ledger()
        self.deletions = 0  # variables deleted by request: prepared operators look again
        # counted by `next`, which no other thread and no finaliser can come between
        self.created = itertools.count()
        self.dropped = itertools.count()
        watch(self)

    def put_in_force(self, engine: Any) -> None:
        """From now on it is this engine."""
        self.engine = engine
        self.gate[0] = None

    @property
    def alive(self) -> int:
        """Variables that exist."""
        return count_of(self.created) - count_of(self.dropped)


class Variable:
    """A token for an array, a file, a random stream: whatever several functions share.

    Made by `ng.engine.new_variable()`. Naming it in a push orders the function after every
    earlier one that conflicts.

    >>> import nbgraph as ng
    >>> log = ng.engine.new_variable("log")
    >>> pending = ng.engine.push(lambda run_ctx: None, mutate_vars=[log])
    >>> ng.engine.wait_for_var(log)
    >>> log.version
    1
    """

    keeper = ""  # what deletes it, where that is not the user
    __slots__ = (
        "_address",  # of the compiled core's record; 0: not attached
        "_core",  # whose record it is; it is told when the variable goes: release(address)
        "_failure",
        "_owner",
        "_queue",  # the naive engine's: who uses it and who waits for it
        "_version",
        "deleted",
        "keeps",  # how long a failure on it concerns those who name it
        "name",
        "number",
    )

    def __init__(self, owner: Owner, name: str | None = None, *, immune: bool = False) -> None:
        self.number = next(_numbers)
        self.name = name
        self.keeps = NEVER if immune else UNTIL_RAISED
        self.deleted = False
        self._owner = owner
        self._version = 0
        self._failure: Failure | None = None
        self._queue: Any = None
        self._address = 0
        self._core: Any = None
        next(owner.created)

    # a copy would give the core's record back twice
    __reduce_ex__ = unpicklable(
        "a variable of the engine", "make another: ng.engine.new_variable()"
    )

    def __del__(self) -> None:
        try:
            next(self._owner.dropped)
            if self._core is not None:
                self._core.release(self._address)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return

    @property
    def version(self) -> int:
        """How many operations that write it have ended, failed and skipped ones included."""
        core = self._core
        count = 0 if core is None else core.peek(self._address + V_VERSION)
        return self._version + count

    @property
    def error(self) -> BaseException | None:
        """The exception it carries, raised already or not; a write that succeeds clears it."""
        engine = self._owner.engine
        failure = self._failure if engine is None else engine._failure_of(self)
        return None if failure is None else failure.error

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        error = self.error
        state = "deleted" if self.deleted else f"failed: {error!r}" if error else "ready"
        engine = self._owner.engine
        if state == "ready" and engine is not None and engine._in_use(self):
            state = "in use"
        return f"<variable {self.number}{label}, version {self.version}, {state}>"
