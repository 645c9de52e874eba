"""Work on arrays inside a function that the engine runs: done at once, on its thread.

A function holds the variables it declared until it returns, so work pushed on them would run after
it, in another order than its text. Operators on arrays that the function declared, or created,
therefore run at once and raise their errors there; other arrays may be in use, and are refused.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from nbgraph.device import Context, cpu, run_context
from nbgraph.engine.failure import Failure
from nbgraph.engine.properties import NORMAL, OVERWRITE, FnProperty
from nbgraph.engine.selection import current
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import EngineError


class Inline:
    """The engine that arrays see inside a pushed function: it runs their work at once."""

    __slots__ = ()
    repeatable = True
    _bulks = 0

    @property
    def _owner(self) -> Owner:
        return current()._owner

    def push(
        self,
        fn: Any,
        *,
        const_vars: Sequence[Variable] = (),
        mutate_vars: Sequence[Variable] = (),
        name: str = "",
        prop: FnProperty = NORMAL,
    ) -> None:
        """Call `fn(run_ctx)` now; if an operand carries a failure, raise that instead."""
        operands = const_vars if prop is OVERWRITE else (*const_vars, *mutate_vars)
        for variable in mutate_vars:
            self._require(variable, name, written=True)
        for variable in const_vars:
            self._require(variable, name)
        for variable in operands:
            failure = self._failure_of(variable)
            if failure is not None:
                raise failure.again()
        fn(run_context(cpu(0)))
        if prop is OVERWRITE:
            for variable in mutate_vars:
                self.take(variable)

    def push_to_device(self, device: Context, *_: Any, name: str = "", **__: Any) -> NoReturn:
        """Raise EngineError: work on a stream would still run when the function goes on."""
        raise EngineError(
            f"{name}: called inside operation {_running_name()}; arrays on {device!r} cannot be "
            "worked on within a function of the engine. Do it before the push, or after its result"
        )

    def take(self, variable: Variable) -> None:
        """Mark the variable as the function's own: it may be used, and carries no failure."""
        operation: Any = here.running
        if not operation.own:
            operation.own = set()
        operation.own.add(variable)

    def new_variable(self, name: str | None = None, *, immune: bool = False) -> Variable:
        """Like `Engine.new_variable`; the variable is the function's own."""
        variable = current().new_variable(name, immune=immune)
        self.take(variable)
        return variable

    def site_id(self, above: int = 0) -> int:
        """Return 0: the site of the running function counts."""
        return 0

    def wait_for_var(self, var: Variable, timeout: float | None = None) -> None:
        """Raise EngineError unless the function may read the variable; never wait."""
        self._require(var, "array")

    _wait_variable = wait_for_var

    def _deadline(self, timeout: float | None, what: str) -> None:
        return None

    def _flush(self) -> None:
        return None

    def _calm(self, var: Variable) -> bool:
        return False

    def _in_use(self, var: Variable) -> bool:
        operation: Any = here.running
        return var not in operation.writes and current()._in_use(var)

    def _failure_of(self, var: Variable) -> Failure | None:
        operation: Any = here.running
        return None if var in operation.own else current()._failure_of(var)

    def _require(self, variable: Variable, what: str, *, written: bool = False) -> None:
        """Raise EngineError unless the running function may use the variable now."""
        operation: Any = here.running
        if variable in operation.writes or (variable in operation.reads and not written):
            return
        inside = f"{what}: called inside operation {_running_name()}"
        if variable in operation.reads:
            raise EngineError(
                f"{inside}, which declares {variable!r} in its const_vars, so others may be "
                "reading it; name it in mutate_vars to write it"
            )
        if variable not in operation.own:
            argument = "mutate_vars" if written else "const_vars"
            raise EngineError(
                f"{inside}, which does not declare {variable!r}, so another may be using it; name "
                f"the array's x.variable in the {argument} of the push"
            )
        if current()._in_use(variable):
            raise EngineError(
                f"{inside}; what it pushed uses {variable!r} and has not ended. Do this in a "
                "function that is pushed behind that"
            )


_INLINE = Inline()


def in_charge() -> Any:
    """Return the engine for arrays of the calling thread: inside a pushed function `Inline`."""
    return current() if here.running is None else _INLINE


def refuse(what: str, remedy: str) -> NoReturn:
    """Raise EngineError: `what` would run only after the pushed function that asks for it."""
    raise EngineError(f"{what}: called inside operation {_running_name()}; {remedy}")


def _running_name() -> str:
    operation: Any = here.running
    return f"{operation.name!r}, pushed at {operation.site}"
