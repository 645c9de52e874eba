"""The Python handle of a compiled core: its memory, and its entries as builtin functions."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbgraph.codegen import fastcall
from nbgraph.codegen.unit import Unit
from nbgraph.engine.core import layout, stored
from nbgraph.engine.core.codes import BLOCKING, ENTRIES
from nbgraph.engine.failure import Failure, Ledger
from nbgraph.engine.operation import ISSUED, RUNNING, NativeOperator, Operation
from nbgraph.engine.sites import InternedNames, Site
from nbgraph.engine.variable import Variable
from nbgraph.errors import EngineError
from nbgraph.kernel_errors import of_kernel
from nbgraph.scopes import attended, forkable
from nbgraph.settings import config

Entry = Callable[..., int]

_WITHOUT_CORE = (
    *("peek", "poke", "new_memory", "free_memory", "is_done", "in_use"),
    *("submit_many", "template_many", "launch_many"),
)
SPIN = 600  # polls before a thread sleeps: some microseconds
MOST_WORDS = fastcall.MAX_WORDS - 1  # of a submit call; longer ones go by address


@dataclass(slots=True, eq=False, repr=False)
class PlanMemory:
    """The Python objects that belong to the memory of a plan's instance."""

    keep: tuple[Any, Sequence[Any]]  # the plan, and the calls of its steps: must live as long
    tokens: list[int]  # of Python steps
    instance: Any  # a weak reference to it
    template: int = 0  # address of the template that a launch copies
    timed: object = None  # records of its kernels that are, or were, timed


class Core:
    """A core's memory with the entries that work on it. See `nbgraph.engine.core`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Entry:
            """Return the entries of `codes.ENTRIES`, by name."""
            ...

    def __init__(self, unit: Unit, first: int, names: InternedNames) -> None:
        free_ended()
        self.unit, self.names = unit, names
        self.retired = False
        # by token: functions to run, prepared kernels, notices, failures, states of plans' runs
        self.tokens = itertools.count(1)
        self.jobs: dict[int, Operation] = {}
        self.operators: dict[int, NativeOperator] = {}
        self.notices: dict[int, Callable[[], object]] = {}
        self.failures: dict[int, Failure] = {}
        self.states: dict[int, object] = {}
        # Python functions of plans, and whether they take the run's state
        self.steps: dict[int, tuple[Callable[..., Any], bool]] = {}
        # by address: instances of plans; number and name of variables, for dumps
        self.instances: dict[int, PlanMemory] = {}
        self.labels: dict[int, tuple[int, str | None]] = {}
        self.doomed: deque[int] = deque()  # instances to be freed
        self.timing: Any = None  # see `engine.profiling.timing`, during a profile
        self.lock = threading.RLock()  # on failures, while they are looked up and raised
        self._thread = threading.local()
        for name in ENTRIES:
            if name in _WITHOUT_CORE:
                setattr(self, name, fastcall.bind(unit.address(name), name=name))
        self.address = self.new_memory(layout.CORE_BYTES)
        if not self.address:
            raise EngineError("the engine: no memory for its core")
        for name in ENTRIES:
            if name not in _WITHOUT_CORE:
                free = name in BLOCKING
                call = fastcall.bind(unit.address(name), self.address, release_gil=free, name=name)
                setattr(self, "release" if name == "give_up" else name, call)
        self.poke(self.address + layout.SEQUENCE, first)
        self.poke(self.address + layout.SPIN, SPIN)

    def word(self, offset: int) -> int:
        """Return a word of the core's header."""
        return self.peek(self.address + offset)

    def bound(self, name: str, *words: int) -> Entry:
        """Return an entry with its leading arguments fixed."""
        return fastcall.bind(self.unit.address(name), self.address, *words, name=name)

    def parker(self) -> int:
        """Return the address of the parker on which the calling thread sleeps."""
        parker: int | None = getattr(self._thread, "parker", None)
        if parker is None:
            parker = self.new_thread()
            if not parker:
                raise EngineError("the engine: no memory for a thread")
            self._thread.parker = parker
        return parker

    def call(self, name: str, words: Sequence[int]) -> int:
        """Call `submit`, `template` or `launch` with any number of words."""
        if len(words) <= MOST_WORDS:
            return getattr(self, name)(*words)
        packed = array("q", (self.address, *words))
        return getattr(self, name + "_many")(packed.buffer_info()[0], len(packed))

    # variables ---------------------------------------------------------------------------------

    def attach(self, variable: Variable) -> int:
        """Return the variable's record in this core, after fetching its state from another core."""
        if variable._core is not None:
            variable._core.send_home(variable)
        address = self.new_variable()
        if not address:
            raise EngineError("the engine: no memory for a variable")
        if variable.keeps:
            self.poke(address + layout.V_KEEPS, variable.keeps)
        variable._address = address
        variable._core = self
        self.labels[address] = variable.number, variable.name
        failure = variable._failure
        if failure is not None:
            variable._failure = None
            variable._owner.ledger.discard(failure)
            self.adopt(failure, address)
        return address

    def send_home(self, variable: Variable) -> None:
        """Move version and failure back to the variable, as another engine takes it over."""
        address = variable._address
        variable._version += self.peek(address + layout.V_VERSION)
        variable._failure = self.failure_on(address)
        # the address stays valid: another thread may be reading the record
        variable._core = None
        if not self.retired:
            self.release(address)
        elif self.in_use(address):
            error = EngineError(
                f"variable {variable.name or variable.number} was in use in the parent when the "
                "process forked; its work ended there, not here. Write it anew"
            )
            variable._failure = Failure(error, (0, 0), "fork", Site("?", 0, "?"))

    # failures ----------------------------------------------------------------------------------

    def adopt(self, failure: Failure, address: int) -> None:
        """Record a failure in this core, on the variable at `address` (0: on none)."""
        if failure.core is self and failure.cell:
            if self.put_failure(address, failure.cell):
                return
            # its cell is about to be freed: it needs a new one, which outlives that
            self.failures.pop(self.peek(failure.cell + layout.C_TOKEN), None)
        token = next(self.tokens)
        self.failures[token] = failure
        failure.core = self
        number, place = failure.order
        raised = failure.raised_at or 0
        failure.cell = self.set_failure(address, token, number, raised, place)

    def failure_on(self, address: int) -> Failure | None:
        """Return the Python side of a variable's failure, if it has one."""
        since = self.peek(address + layout.V_SINCE)
        recent = self.peek(address + layout.V_FAILED) > since
        cell = self.peek(address + layout.V_CELL) if recent else 0
        return None if not cell else self.failures.get(self.peek(cell + layout.C_TOKEN))

    def keep(self, operation: Operation, failure: Failure) -> None:
        """Record a failure on the operation until that is done, then for the next wait for all."""
        token = next(self.tokens)
        self.failures[token] = failure
        failure.core = self
        if operation.block and operation.state in (RUNNING, ISSUED):
            failure.cell = self.fail(operation.block, 1, token)
        else:
            failure.cell = self.set_failure(0, token, failure.order[0], 0, failure.order[1])

    def failure_in(self, cell: int) -> Failure | None:
        """Return the failure of a cell in use; a kernel's exception is created now."""
        if not cell:
            return None
        with self.lock:
            token = self.peek(cell + layout.C_TOKEN)
            if token:
                existing = self.failures.get(token)
                if existing is not None:
                    existing.cell = cell
                return existing
            name = self.names.names[self.peek(cell + layout.C_NAME)]
            site = self.names.sites[self.peek(cell + layout.C_SITE)]
            error = of_kernel(name, self.peek(cell + layout.C_CODE))
            order = self.peek(cell + layout.C_SEQ), self.peek(cell + layout.C_ROW)
            failure = Failure(error, order, name, site)
            failure.cell, failure.core = cell, self
            failure.raised_at = self.peek(cell + layout.C_RAISED) or None
            token = next(self.tokens)
            self.failures[token] = failure
            self.poke(cell + layout.C_TOKEN, token)
            return failure

    def carried_by(self, variable: Variable) -> Failure | None:
        """Return the failure on a variable."""
        cell = self.cell_of(variable._address)
        if not cell:
            return None
        failure = self.failure_in(cell)
        self.let_cell_go(cell)
        return failure

    def failure_of(self, variable: Variable) -> Failure | None:
        """Return the failure on a variable, a shadow's original if alive; see `Failure.shadow`."""
        failure = self.carried_by(variable)
        if failure is not None and failure.original is not None:
            failure = failure.original() or failure
        if gc.is_tracked(variable):  # else the collector would not see the reference cycle
            variable._failure = failure
        return failure

    def claim(self, failure: Failure) -> bool | None:
        """Mark a failure as raised; False if it was before, None if this core does not keep it."""
        with self.lock:
            if failure.raised_at is not None:
                return False
            cell = failure.cell
            if failure.core is not self or not cell:
                return None
            failure.raised_at = self.word(layout.SEQUENCE)
            self._hand_over(failure)
            self.raise_cell(cell)
            return True

    def _hand_over(self, failure: Failure) -> None:
        """Keep a copy, as the user gets the exception; the caller still holds the cell."""
        self.failures[self.peek(failure.cell + layout.C_TOKEN)] = failure.shadow()
        failure.cell, failure.core = 0, None

    def _raised(self) -> Iterator[tuple[int, Failure]]:
        """Yield failures that have not been raised, with their cells, and mark them as raised."""
        while cell := self.raise_first():
            failure = self.failure_in(cell)
            if failure is not None:
                yield cell, failure
            self.let_cell_go(cell)

    def unraised(self, most: int) -> list[Failure]:
        """Return up to `most` failures that have not been raised, the newest first, unmarked."""
        failures: list[Failure] = []
        with self.lock:
            while True:  # Python 3.13 guards no `while condition`: cpython#130279
                cell = self.unseen(len(failures)) if len(failures) < most else 0
                if not cell:
                    break
                failure = self.failure_in(cell)
                self.let_cell_go(cell)
                if failure is None:
                    break
                failures.append(failure)
        return failures

    def claim_all(self) -> list[Failure]:
        """Return the failures that have not been raised, and mark them as raised."""
        failures: list[Failure] = []
        with self.lock:
            for cell, failure in self._raised():
                failure.raised_at = self.peek(cell + layout.C_RAISED)
                self._hand_over(failure)
                failures.append(failure)
        self.reap()
        return failures

    def leave(self, ledger: Ledger) -> None:
        """Detach operators and move failures to the ledger, as another engine takes over."""
        for operator in list(self.operators.values()):
            operator.core = None
        with self.lock:
            for _, failure in self._raised():
                failure.raised_at = None
                ledger.add(failure)

    # reclaim memory ----------------------------------------------------------------------------

    def reap(self) -> None:
        """Forget exceptions, operators and instances that nothing in the core refers to."""
        while token := self.dead_cell():
            self.states.pop(token, None)
            failure = self.failures.pop(token, None)
            if failure is not None:
                failure.cell = 0
        while token := self.dead_template():
            self.operators.pop(token, None)
        while self.doomed:
            try:
                address = self.doomed.popleft()
            except IndexError:  # another thread took it
                break
            template = self.instances[address].template
            if template:
                self.drop_template(template)
            self.drop_instance(address)
        while address := self.dead_instance():
            for token in self.instances.pop(address).tokens:
                self.steps.pop(token, None)
            self.free_memory(address)

    def __del__(self) -> None:
        # None of its threads is left. Its memory is freed later: a variable in the same garbage
        # may live on, as its finaliser may hand it to another object (a block to its pool).
        # At the end of the process the memory is not worth the risk.
        if getattr(self, "address", 0) and not self.retired and sys and not sys.is_finalizing():
            self.jobs.clear()  # they refer to the core
            self.operators.clear()
            _ended.append(self)

    def _free(self) -> None:
        self.retired = True
        self.release = lambda address: 0
        for memory in self.instances:
            self.free_memory(memory)
        slab = self.peek(self.address + layout.SLABS)
        while slab:
            following = self.peek(slab)
            self.free_memory(slab)
            slab = following
        self.free_memory(self.address)


_ended: deque[Core] = deque()  # cores without an engine


def free_ended() -> None:
    """Free the memory of ended cores that no variable refers to any more."""
    for _ in range(len(_ended)):
        core = _ended.popleft()
        own = sum(failure.core is core for failure in core.failures.values())
        if sys.getrefcount(core) - own > 2:  # `core` here and the argument
            _ended.append(core)
        else:
            core.failures.clear()
            core._free()


LOADING = forkable(threading.Lock())  # LLVM has locks of its own while it loads code
_unit: list[Unit] = []


@attended
def core_unit(quiet: bool = False) -> Unit:
    """Return the core's code, loaded once a process: from disk, or compiled with a message."""
    with LOADING:
        if not _unit:
            unit = stored.find()
            if unit is None:
                stream: Any = sys.stderr
                if stream is not None and not quiet:
                    stream.write("nbgraph: compiling the engine's core, once: some 8 s ...\n")
                    stream.flush()
                with config(progress=0):  # that line is enough
                    unit = _compiled()
            _unit.append(unit)
        return _unit[0]


def _compiled() -> Unit:
    from nbgraph.engine.core import compiled  # the core's own files, needed once a machine

    return compiled.compile_core()


def ready() -> bool:
    """Return whether the core is available without compiling."""
    with LOADING:
        if not _unit:
            unit = stored.find()
            if unit is not None:
                _unit.append(unit)
        return bool(_unit)
