"""Variables: tokens for anything that functions read and write. They hold no memory.

A variable belongs to an owner: one for everything created through `ng.engine`, one for each other
engine object. The owner refers to the active engine, so variables outlive a change of engine.
"""

import itertools
from typing import Any

from nbgraph.engine.core.layout import NEVER, UNTIL_RAISED, V_VERSION
from nbgraph.engine.failure import Failure, Ledger, watch
from nbgraph.errors import unpicklable
from nbgraph.scopes import count_of

_numbers = itertools.count(1)


class Owner:
    """The owner of variables: the active engine, and the failures that have not been raised."""

    __slots__ = ("__weakref__", "deletions", "dropped", "engine", "gate", "ledger", "created")

    def __init__(self) -> None:
        self.engine: Any = None  # the active Engine
        # the compiled core that accepts pushes directly, or None: the fast paths look here. Code
        # that makes an engine unfit for that changes the engine's state first, then closes the gate
        self.gate: list[Any] = [None]
        self.ledger = Ledger()
        self.deletions = 0  # variables deleted by request: prepared operators check theirs again
        # counted by `next`, which is atomic for other threads and finalisers
        self.created = itertools.count()
        self.dropped = itertools.count()
        watch(self)

    def put_in_force(self, engine: Any) -> None:
        """Make `engine` the active one."""
        self.engine = engine
        self.gate[0] = None

    @property
    def alive(self) -> int:
        """Number of variables that exist."""
        return count_of(self.created) - count_of(self.dropped)


class Variable:
    """A token for an array, a file, a random stream: anything that several functions share.

    `ng.engine.new_variable()` creates one. A push that names it is ordered after every earlier
    conflicting push.

    >>> import nbgraph as ng
    >>> log = ng.engine.new_variable("log")
    >>> pending = ng.engine.push(lambda run_ctx: None, mutate_vars=[log])
    >>> ng.engine.wait_for_var(log)
    >>> log.version
    1
    """

    keeper = ""  # the kind of object that deletes it, if the user may not
    __slots__ = (
        "_address",  # of the compiled core's record; 0: not attached
        "_core",  # the core of that record; `release(address)` is called at the variable's end
        "_failure",
        "_owner",
        "_queue",  # the naive engine's users and waiting operations
        "_version",
        "deleted",
        "keeps",  # how long a failure on it applies to operations that name it
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
        except (AttributeError, TypeError):  # half initialised, or the interpreter is ending
            return

    @property
    def version(self) -> int:
        """Number of operations writing it that have ended, failed and skipped ones included."""
        core = self._core
        count = 0 if core is None else core.peek(self._address + V_VERSION)
        return self._version + count

    @property
    def error(self) -> BaseException | None:
        """The exception it carries, raised or not; a write that succeeds clears it."""
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
