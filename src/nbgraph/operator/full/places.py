"""Where an operator's objects live: which one runs a pass, and who may change it.

|                 | not stateful             | stateful                                       |
|-----------------|--------------------------|------------------------------------------------|
| a call at once  | one for shapes, dtypes   | one for the application, for both passes       |
| an executor     | the same one             | one for the executor, for all of its programs  |
| a function that | the same one             | one that cannot be changed: runs may overlap,  |
| many call (jit) |                          | so backward could find another forward's       |

What is not stateful cannot be changed anywhere. The passes of a stateful application follow each
other in the order of their pushes: they share an engine variable.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context, RunContext, cpu, run_context
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.operator.array_op import Spec
from nbgraph.operator.environment import OpContext
from nbgraph.operator.full.choosing import Choice
from nbgraph.operator.full.operator import Operator, fix, has_backward

if TYPE_CHECKING:
    from nbgraph.operator.full.op import PropertyOp

Specs = tuple[Spec, ...]
Find = Callable[[Context, Specs], Operator]
_STATELESS = (
    "its property says stateful = False, so it may run for several calls at once: keep values in "
    "local variables, give backward what it needs as a hidden output, keep what lasts in an "
    "auxiliary state, or say stateful = True"
)
_SHARED = (
    "within ng.jit and other compiled functions several runs may go on at once, so backward could "
    "find what another forward left: give it what it needs as a hidden output, keep what lasts in "
    "an auxiliary state"
)


class Turn:
    """What orders the passes of a stateful application; granted beside what was requested."""

    __slots__ = ("kind", "variable")

    def __init__(self, variable: Any) -> None:
        self.kind, self.variable = "turn", variable

    def renewed(self) -> Turn:
        """The same for another run."""
        return self

    def again(self) -> Turn:
        """The same for work that is done a second time."""
        return self


class Places:
    """The objects of one PropertyOp."""

    def __init__(self, op: PropertyOp) -> None:
        self._op = op
        self._lock = threading.RLock()
        self._own: dict[tuple[Context, Specs], Operator] = {}
        self._shared: dict[tuple[Context, Specs], Operator] = {}
        self._spare: dict[tuple[Context, Specs], Operator] = {}  # made to be looked at
        self._gradient: dict[Specs, bool] = {}
        self._turn: Turn | None = None

    # resources --------------------------------------------------------------------------------

    def granted(self, device: Context, requests: Any) -> tuple[Any, ...]:
        """Resources of a push, and for a stateful application its turn."""
        found: tuple[Any, ...] = ()
        if requests:
            from nbgraph.resource import request  # it needs the engine

            found = request(requests, device)
        if not self._op.stateful:
            return found
        if self._turn is None:
            from nbgraph.engine import new_variable

            with self._lock:
                self._turn = self._turn or Turn(new_variable(f"operator {self._op.__name__}"))
        return (*found, self._turn)

    def requested(self, resources: Sequence[Any]) -> Sequence[Any]:
        """What of the resources was requested."""
        return tuple([r for r in resources if not isinstance(r, Turn)])

    # objects ----------------------------------------------------------------------------------

    def ready(self, device: Context, specs: Specs) -> Operator:
        """An object for these arguments, to be looked at or run; errors of its making are raised
        here."""
        key = device, specs
        with self._lock:
            found = self._own.get(key) or self._spare.get(key)
            if found is None:
                found = self._spare[key] = self._made(device, specs)
            return found

    def differentiable(self, specs: Specs) -> bool:
        """Whether operators of these arguments have a gradient; one is made where none was yet."""
        found = self._gradient.get(specs)
        if found is None:
            self.ready(cpu(), specs)
            found = self._gradient[specs]
        return found

    def operator(self, device: Context, specs: Specs) -> Operator:
        """The object of calls at once."""
        return self._taken(self._own, device, specs, "" if self._op.stateful else _STATELESS)

    def of_executor(self, held: dict[Any, Any], device: Context, specs: Specs) -> Operator:
        """The object of a stateful application in an executor, which keeps it in `held`."""
        return self._taken(held.setdefault(self._op, {}), device, specs, "")

    def of_function(self, device: Context, specs: Specs) -> Operator:
        """The object of a stateful application in a function that many call."""
        return self._taken(self._shared, device, specs, _SHARED)

    def _taken(
        self, store: dict[Any, Operator], device: Context, specs: Specs, fixed: str
    ) -> Operator:
        key = device, specs
        found = store.get(key)
        if found is not None:
            return found
        with self._lock:
            if key not in store:
                made = self._spare.pop(key, None) or self._made(device, specs)
                for one in (made, *getattr(made, "candidates", ())):
                    fix(one, fixed)
                store[key] = made
            return store[key]

    def _made(self, device: Context, specs: Specs) -> Operator:
        op = self._op
        arguments = op.known(specs).arguments
        made = op.property.create_operator(
            device, [s.shape for s in arguments], [s.dtype for s in arguments]
        )
        if made is None:
            raise DeviceError(
                f"{op.__name__}: create_operator gives no implementation for {device!r}; add one, "
                f"or run it on {cpu()!r}"
            )
        candidates: list[Any] = list(made) if isinstance(made, (list, tuple)) else [made]
        if not candidates or not all(isinstance(one, Operator) for one in candidates):
            raise ArgumentError(
                f"{op.__name__}: create_operator returned {made!r}; return an ng.Operator, or a "
                "list of them"
            )
        self._gradient[specs] = all(map(has_backward, candidates))
        if len(candidates) == 1:
            return candidates[0]
        key = tuple(op.parameters.items()), device, specs
        return Choice(candidates, op.owner.tuner, key, stateful=op.stateful)

    def within(self, runs: Any, held: dict[Any, Any] | None) -> Any:
        """What runs `runs`, the operator or its gradient, there: see `ArrayOp.within`."""
        if not self._op.stateful:
            return runs
        return Within(runs, self.of_function if held is None else partial(self.of_executor, held))


class ByObject:
    """The part of an operator, and of its gradient, that has an object do the work."""

    places: Places
    run_by: Callable[..., None]

    def trains(self, is_train: bool) -> bool:
        """What the object is told."""
        return is_train

    def operand_specs(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Specs:
        """Of the forward operator's operands."""
        return tuple(map(Spec.of, inputs))

    def within(self, held: dict[Any, Any] | None) -> Any:
        """See ArrayOp."""
        return self.places.within(self, held)

    def run(
        self, inputs: Any, outputs: Any, requests: Any, attributes: Any, **options: Any
    ) -> None:
        """See ArrayOp.run."""
        self.run_in(self.places.operator, inputs, outputs, requests, attributes, **options)

    def run_in(
        self,
        find: Find,
        inputs: Any,
        outputs: Any,
        requests: Any,
        attributes: Any,
        *,
        resources: Sequence[Any] = (),
        is_train: bool = False,
        run_ctx: RunContext | None = None,
    ) -> None:
        """The same by the object that `find(device, specs)` gives."""
        where = run_ctx or run_context(cpu())
        ctx = OpContext(self.trains(is_train), where, self.places.requested(resources))
        specs = self.operand_specs(inputs, attributes)
        self.run_by(find(ctx.device, specs), inputs, outputs, requests, ctx, specs)


class Within:
    """A stateful application, or its gradient, in an executor or in a function."""

    __slots__ = ("_find", "_runs")

    def __init__(self, runs: ByObject, find: Find) -> None:
        self._runs, self._find = runs, find

    def run(self, *arrays: Any, **options: Any) -> None:
        """See ArrayOp.run."""
        self._runs.run_in(self._find, *arrays, **options)
