"""Waits for operations of engines, and the failures that they raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgraph.engine import checks
from nbgraph.engine.failure import Failure, first_of
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import EngineError, EngineTimeout

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core
    from nbgraph.engine.operation import Operation
    from nbgraph.engine.pending import Pending
    from nbgraph.engine.report import Dump


class Waits:
    """The part of `Engine` that waits; the methods that it needs are declared at its end."""

    _core: Core | None = None
    _owner: Owner

    # wait --------------------------------------------------------------------------------------

    def _calm(self, var: Variable) -> bool:
        """Return whether the variable is known, quickly, to be unused and without a failure."""
        return False

    def wait_for_var(self, var: Variable, timeout: float | None = None) -> None:
        """Wait until every earlier push that reads or changes the variable has ended.

        Parameters
        ----------
        var : Variable
        timeout : seconds, by default unlimited; after them `EngineTimeout` names unfinished work

        A failure that the variable carries is raised, unless it has been raised before.
        """
        try:
            if timeout is None and self._calm(var):
                return
        except AttributeError:  # not a variable
            pass
        checks.usable(var, "wait_for_var: var", self._owner)
        deadline = self._deadline(timeout, "wait_for_var")
        self._flush()
        if not self._wait_variable(var, deadline):
            raise self._late(f"wait_for_var({var!r})", timeout)
        failure = self._failure_of(var)
        if failure is not None and self._claim(failure):
            try:
                raise failure.again()
            finally:
                del failure  # else the exception holds this frame, which holds it

    def wait_for_all(self, timeout: float | None = None) -> None:
        """Wait until everything pushed has ended.

        Parameters
        ----------
        timeout : seconds, by default unlimited; after them `EngineTimeout` names unfinished work

        Of the failures that have not been raised, the one pushed first is raised; the others are
        listed in a note on it and count as raised too.
        """
        deadline = self._deadline(timeout, "wait_for_all")
        self._flush()
        if not self._wait_all(deadline):
            raise self._late("wait_for_all", timeout)
        failure = self._claim_all()
        if failure is not None:
            try:
                raise failure.again()
            finally:
                del failure

    def _deadline(self, timeout: float | None, what: str) -> float | None:
        """Return the time at which a wait gives up; raise EngineError inside a pushed function."""
        running = here.running
        if running is not None:
            raise EngineError(
                f"{what}: called inside operation {running.name!r}, pushed at {running.site}; it "
                "could wait for itself for ever. Push what comes next with the variables it reads"
            )
        return checks.deadline(timeout, what)

    def _asked(self) -> None:
        """Notice that a caller asks for a result, which may be there already."""

    def _wait_operation(self, pending: Pending, deadline: float | None) -> bool:
        return pending._sleep(deadline)

    def _late(self, what: str, timeout: float | None) -> EngineTimeout:
        return EngineTimeout(f"{what}: not done after {timeout} s\n{self.dump()}")

    # failures ----------------------------------------------------------------------------------

    def _failure_of(self, var: Variable) -> Failure | None:
        core = var._core
        if core is not None:
            if core is self._core:
                return core.failure_of(var)
            core.send_home(var)
        return var._failure

    def _renew(self, var: Variable) -> None:
        """Clear the variable's failure, as it stands for new data; later failures apply."""
        core = var._core
        if core is not None:
            if core is self._core:
                core.renew(var._address)
                return
            core.send_home(var)
        if not self._in_use(var):  # unfinished operations may read the failure
            var._failure = None

    def _in_use(self, var: Variable) -> bool:
        core = self._core
        if core is None or var._core is not core:
            return var._queue is not None
        return core.in_use(var._address) != 0

    def _claim(self, failure: Failure) -> bool:
        """Return whether the caller is the first to raise it; it counts as raised now."""
        first = None if self._core is None else self._core.claim(failure)
        return self._owner.ledger.claim(failure, self._newest()) if first is None else first

    def _claim_all(self) -> Failure | None:
        """Return the first unseen failure, with a note of the others; all count as raised."""
        first = self._owner.ledger.claim_all(self._newest())
        core = self._core
        if core is None:
            return first
        return first_of([*([] if first is None else [first]), *core.claim_all()])

    # what a subclass must have -----------------------------------------------------------------

    if TYPE_CHECKING:

        def _flush(self) -> None: ...

        def dump(self) -> Dump:
            """Return the unfinished operations; see `Engine.dump`."""
            ...

        def _issue(self, operation: Operation) -> None: ...

        def _complete(self, operation: Operation) -> None: ...

        def _wait_variable(self, var: Variable, deadline: float | None) -> bool: ...

        def _wait_all(self, deadline: float | None) -> bool: ...

        def _newest(self) -> int: ...

        def _go_on_from(self, number: int) -> None: ...

        def _unfinished(self) -> list[Operation]: ...

        def _counts(self) -> tuple[int, int, int]: ...
