"""What engines on the compiled core share: operations, failures and variables in its memory.

The core orders and counts; Python keeps the functions, by token, and the exceptions, by the token
in their cells.
"""

from __future__ import annotations

import ctypes
import gc
import threading
from typing import Any

from nbgraph.engine.base import Engine
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import BRAKE, NO_MEMORY, SNAPSHOT, STALE
from nbgraph.engine.events import event
from nbgraph.engine.failure import Failure, first_of
from nbgraph.engine.handle import Core, core_unit
from nbgraph.engine.operation import ISSUED, RUNNING, WAITING, Operation
from nbgraph.engine.properties import DELETE_VAR, OVERWRITE, UNSKIPPED, FnProperty
from nbgraph.engine.sites import Site
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import EngineError, of_kernel
from nbgraph.settings import config

_NO_SITE = Site("?", 0, "?")

QUEUES = {
    FnProperty.COPY_FROM_GPU: layout.COPY,
    FnProperty.COPY_TO_GPU: layout.COPY,
    FnProperty.CPU_PRIORITIZED: layout.URGENT,
    FnProperty.GPU_PRIORITIZED: layout.URGENT,
}


class TrackedEngine(Engine):
    """Dependencies by the compiled core; a subclass says who runs what is ready."""

    limits: dict[str, int]

    def __init__(self, *, owner: Owner | None = None, first: int = 0) -> None:
        super().__init__(owner=owner)
        self.limits = {"pending": config.engine_pending, "bytes": config.engine_bytes}
        self._first = first
        self._jobs: dict[int, Operation] = {}
        self._names: list[str] = [""]
        self._name_ids: dict[str, int] = {"": 0}
        self._sites: list[Site] = [_NO_SITE]
        self._site_ids: dict[int, int] = {}  # by address of the code and instruction
        self._opening = threading.RLock()
        self._raising = threading.RLock()
        self._core: Core | None = None

    # the core ----------------------------------------------------------------------------------

    def _opened(self) -> Core:
        """The core, made at first use."""
        core = self._core
        if core is None:
            with self._opening:
                core = self._core
                if core is None:
                    core = Core(core_unit(), self._first)
                    core.poke(core.address + layout.MAX_PENDING, self.limits["pending"])
                    core.poke(core.address + layout.MAX_BYTES, self.limits["bytes"])
                    self._begin_core(core)
                    self._core = core
        return core

    def _begin_core(self, core: Core) -> None:
        """A new core: before anything is pushed to it."""

    # push --------------------------------------------------------------------------------------

    def _issue(self, operation: Operation) -> None:
        core = self._core or self._opened()
        token = next(core.tokens)
        operation.core = core
        operation.state = WAITING
        words = self._words(core, operation, token)
        self._jobs[token] = operation
        outcome = core.call("submit", words)
        while outcome <= 0:
            try:
                self._refused(core, outcome, operation)
            except BaseException:
                del self._jobs[token]
                raise
            outcome = core.call("submit", words)
        operation.ticket = outcome

    def _words(self, core: Core, operation: Operation, token: int) -> list[int]:
        prop = operation.prop
        flags = 0
        if prop in UNSKIPPED or operation.members is not None:
            flags = layout.NO_SKIP
        elif prop is OVERWRITE:
            flags = layout.OVERWRITES
        if here.running is not None or prop is DELETE_VAR:
            flags |= layout.FORCE
        reads, writes = operation.reads, operation.writes
        words = [
            *(layout.CALL, 0, 0, 0, 0, flags, token, QUEUES.get(prop, layout.PYTHON)),
            *(self._priority(operation.priority), operation.nbytes, 0, 0),
            len(reads) + len(writes),
        ]
        for v in reads:
            words.append((v._address if v._core is core else core.attach(v)) << 2)
        for v in writes:
            words.append((v._address if v._core is core else core.attach(v)) << 2 | 1)
        return words

    def _priority(self, priority: int) -> int:
        return priority

    def _refused(self, core: Core, outcome: int, what: Any) -> None:
        """A push was not taken: hold the pusher back, or say why it cannot be."""
        if outcome == BRAKE:
            self._hold_back(core)
        elif outcome == NO_MEMORY:
            raise EngineError(f"push of {what.name!r}: the engine has no memory left")
        elif outcome < STALE:
            raise EngineError(
                f"push of {what.name!r}: variable {STALE - outcome - 1} of it has been deleted"
            )

    def _hold_back(self, core: Core) -> None:
        raise EngineError("push: too much is pending")

    # run ---------------------------------------------------------------------------------------

    def _inherited(self, operation: Operation) -> Failure | None:
        if operation.prop in UNSKIPPED:
            return None
        carried = here.carried
        if carried is None:
            cell = operation.core.peek(operation.block + layout.O_ERROR)
            return self._failure_in(operation.core, cell)
        found = [carried.get(v) for v in operation.reads + operation.writes]
        applying = [f for f in found if f is not None and f.applies_to(operation.seq)]
        return min(applying, key=lambda f: f.order, default=None)

    def _perform(self, operation: Operation) -> None:
        if operation.members is None:
            super()._perform(operation)
            del operation  # see there
            return
        # the members' failures go from one to the next here, and to the core in the end
        names = operation.reads + operation.writes
        here.carried = {v: self._carried_by(v) for v in names}
        for variable in operation.writes:
            writers = sum(variable in member.writes for member in operation.members)
            variable._version += max(0, writers - 1)  # the core counts one
        try:
            super()._perform(operation)
        finally:
            here.carried = None

    def _settle(self, operation: Operation, value: Any, failure: Failure | None) -> None:
        if here.carried is not None:
            here.carried.update(dict.fromkeys(operation.writes, failure))
        if self._listeners:
            self._tell(event(operation, failure))
        operation._end(value, failure)

    def _complete(self, operation: Operation) -> None:
        core = operation.core
        if core is not self._core:
            return  # it was pushed before a fork, and ended in the child: it is the parent's
        block, operation.block = operation.block, 0
        if here.carried is not None and operation.members is not None:
            for place, variable in enumerate(operation.writes, len(operation.reads)):
                failure = here.carried[variable]
                core.leave_early(block, place, 0 if failure is None else failure.cell)
        core.call_done(block, 0, 0)
        if core.word(layout.DEAD_CELLS):
            self._reap(core)

    # failures ----------------------------------------------------------------------------------

    def _keep(self, operation: Operation, failure: Failure) -> None:
        """Into the core: on the operation while it is not done, else for the next wait for all."""
        core = operation.core
        if core is None or core is not self._core:
            core = self._opened()
        token = next(core.tokens)
        core.failures[token] = failure
        failure.core = core
        if operation.block and operation.state in (RUNNING, ISSUED):
            failure.cell = core.fail(operation.block, 1, token)
        else:
            failure.cell = core.set_failure(0, token, failure.order[0], 0, failure.order[1])

    def _failure_in(self, core: Core, cell: int) -> Failure | None:
        """The failure of a cell somebody holds; that of a kernel gets its exception now."""
        if not cell:
            return None
        with self._raising:
            token = core.peek(cell + layout.C_TOKEN)
            if token:
                known = core.failures.get(token)
                if known is not None:
                    known.cell = cell
                return known
            name = self._names[core.peek(cell + layout.C_NAME)]
            site = self._sites[core.peek(cell + layout.C_SITE)]
            error = of_kernel(name, core.peek(cell + layout.C_CODE))
            order = core.peek(cell + layout.C_SEQ), core.peek(cell + layout.C_ROW)
            failure = Failure(error, order, name, site)
            failure.cell, failure.core = cell, core
            failure.raised_at = core.peek(cell + layout.C_RAISED) or None
            token = next(core.tokens)
            core.failures[token] = failure
            core.poke(cell + layout.C_TOKEN, token)
            return failure

    def _failure_of(self, var: Variable) -> Failure | None:
        core = self._core
        if core is None or var._core is not core:
            return super()._failure_of(var)
        failure = self._carried_by(var)
        if failure is not None and failure.original is not None:
            failure = failure.original() or failure
        if gc.is_tracked(var):  # else the collector would not see the circle; see Failure.shadow
            var._failure = failure
        return failure

    def _carried_by(self, var: Variable) -> Failure | None:
        """The failure on a variable as the core has it."""
        core = self._core
        if core is None or var._core is not core:
            return super()._failure_of(var)
        cell = core.cell_of(var._address)
        if not cell:
            return None
        failure = self._failure_in(core, cell)
        core.let_cell_go(cell)
        return failure

    def _claim(self, failure: Failure) -> bool:
        with self._raising:
            if failure.raised_at is not None:
                return False
            core = self._core
            if core is None or failure.core is not core or not failure.cell:
                return super()._claim(failure)
            cell = failure.cell
            failure.raised_at = self._newest()
            self._hand_over(core, failure)
            core.raise_cell(cell)
            return True

    def _hand_over(self, core: Core, failure: Failure) -> None:
        """The user gets the exception; the core keeps a copy. The cell is still held."""
        core.failures[core.peek(failure.cell + layout.C_TOKEN)] = failure.shadow()
        failure.cell, failure.core = 0, None

    def _claim_all(self) -> Failure | None:
        found: list[Failure] = []
        ledger = super()._claim_all()
        if ledger is not None:
            found.append(ledger)
        core = self._core
        if core is not None:
            with self._raising:
                while cell := core.raise_first():
                    failure = self._failure_in(core, cell)
                    if failure is not None:
                        failure.raised_at = core.peek(cell + layout.C_RAISED)
                        self._hand_over(core, failure)
                        found.append(failure)
                    core.let_cell_go(cell)
            self._reap(core)
        return first_of(found)

    def _leave(self) -> None:
        core = self._core
        if core is None:
            return
        with self._raising:
            while cell := core.raise_first():
                failure = self._failure_in(core, cell)
                core.let_cell_go(cell)
                if failure is not None:
                    failure.raised_at = None
                    self._owner.ledger.add(failure)

    def _reap(self, core: Core) -> None:
        """Forget exceptions that nothing in the core refers to."""
        while token := core.dead_cell():
            core.states.pop(token, None)
            failure = core.failures.pop(token, None)
            if failure is not None:
                failure.cell = 0
        while token := core.dead_template():
            self._forget_operator(core, token)

    def _forget_operator(self, core: Core, token: int) -> None:
        """A deleted operator's last push has ended."""

    def _outstanding(self) -> int:
        core = self._core
        count = super()._outstanding()
        if core is not None:
            count += sum(f.raised_at is None for f in list(core.failures.values()))
        return count

    # variables ---------------------------------------------------------------------------------

    def _version_of(self, var: Variable) -> int:
        core = self._core
        if core is None or var._core is not core:
            return super()._version_of(var)
        return var._version + core.peek(var._address + layout.V_VERSION)

    def _renew(self, var: Variable) -> None:
        core = self._core
        if core is not None and var._core is core:
            core.renew(var._address)
        else:
            super()._renew(var)

    def _in_use(self, var: Variable) -> bool:
        core = self._core
        return core is not None and var._core is core and core.in_use(var._address)

    # look at it --------------------------------------------------------------------------------

    def _newest(self) -> int:
        core = self._core
        return self._first if core is None else core.word(layout.SEQUENCE)

    def _go_on_from(self, number: int) -> None:
        core = self._core
        if core is None:
            self._first = number
        else:
            core.poke(core.address + layout.SEQUENCE, number)

    def _counts(self) -> tuple[int, int, int]:
        core = self._core
        if core is None:
            return 0, 0, 0
        completed = core.word(layout.COMPLETED)
        pending = max(0, core.word(layout.PENDING) - core.word(layout.INTERNALS))
        return completed + pending, completed, core.word(layout.PENDING_BYTES)

    def _unfinished(self) -> list[Operation]:
        """Those of Python functions, with the number the core gave them."""
        core = self._core
        if core is None:
            return []
        rows = self._snapshot(core)
        known = {o.block: o for o in self._running()}
        found: list[Operation] = []
        for address, number, token, name, site, flags, _wait, kind in rows:
            operation = self._jobs.get(token) if token else None
            operation = operation or known.get(address)
            if operation is None:
                operation = self._stand_in(core, address, number, name, site, flags, kind)
            else:
                operation.seq = number
            if operation is not None:
                found.append(operation)
        return sorted(found, key=lambda o: o.seq)

    def _running(self) -> list[Operation]:
        return []

    def _stand_in(
        self, core: Core, address: int, number: int, name: int, site: int, flags: int, kind: int
    ) -> Operation | None:
        return None

    def _snapshot(self, core: Core) -> list[tuple[int, ...]]:
        capacity = core.word(layout.PENDING) + 64
        buffer = (ctypes.c_int64 * (SNAPSHOT * capacity))()
        count = core.snapshot(ctypes.addressof(buffer), capacity)
        return [tuple(buffer[SNAPSHOT * i : SNAPSHOT * (i + 1)]) for i in range(count)]

    # wait --------------------------------------------------------------------------------------

    def _wait_ticket(self, core: Core, ticket: int, deadline: float | None) -> bool:
        """Whether a ticket is done (0: everything) by then."""
        raise NotImplementedError
