"""The lifetime of an operator's objects: which one runs a pass, and whether it may be changed.

|                 | not stateful             | stateful                                       |
|-----------------|--------------------------|------------------------------------------------|
| a call at once  | one for shapes, dtypes   | one for the application, for both passes       |
| an executor     | the same one             | one for the executor, for all of its programs  |
| a function that | the same one             | one that cannot be changed: runs may overlap,  |
| many call (jit) |                          | so backward could find another forward's       |

Objects of operators that are not stateful are frozen. The passes of a stateful application follow
each other in the order of their pushes: they share an engine variable.
"""

import threading
from functools import partial
from typing import Any

from nbgraph.device import Context, cpu
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.operator.environment import Turn
from nbgraph.operator.full.choosing import Choice
from nbgraph.operator.full.gradient import Find, Specs
from nbgraph.operator.full.operator import Operator, fix, has_backward
from nbgraph.scopes import forkable

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


class Places:
    """The objects of one PropertyOp."""

    def __init__(self, op: Any) -> None:
        self._op = op
        self._lock = forkable(threading.RLock())
        self._own: dict[tuple[Context, Specs], Operator] = {}
        self._shared: dict[tuple[Context, Specs], Operator] = {}
        self._spare: dict[tuple[Context, Specs], Operator] = {}  # created only for inspection
        self._gradient: dict[Specs, bool] = {}
        self._turn: Turn | None = None

    def granted(self, device: Context, requests: Any) -> tuple[Any, ...]:
        """Return the resources of a push, and the turn of a stateful application."""
        resources: tuple[Any, ...] = ()
        if requests:
            from nbgraph.resource import request  # loads the engine

            resources = request(requests, device)
        if not self._op.stateful:
            return resources
        if self._turn is None:
            from nbgraph.engine import new_variable

            with self._lock:
                self._turn = self._turn or Turn(new_variable(f"operator {self._op.__name__}"))
        return (*resources, self._turn)

    def ready(self, device: Context, specs: Specs) -> Operator:
        """Return an object for these arguments; raises the errors of its creation."""
        key = device, specs
        with self._lock:
            operator = self._own.get(key) or self._spare.get(key)
            if operator is None:
                operator = self._spare[key] = self._operator(device, specs)
            return operator

    def differentiable(self, specs: Specs) -> bool:
        """Return whether operators for these arguments have a gradient; creates one to find out."""
        known_answer = self._gradient.get(specs)
        if known_answer is None:
            self.ready(cpu(), specs)
            known_answer = self._gradient[specs]
        return known_answer

    def operator(self, device: Context, specs: Specs) -> Operator:
        """Return the object of immediate calls."""
        return self._stored(self._own, device, specs, "" if self._op.stateful else _STATELESS)

    def of_executor(self, states: dict[Any, Any], device: Context, specs: Specs) -> Operator:
        """Return the object of a stateful application in an executor, which keeps it in
        `states`."""
        return self._stored(states.setdefault(self._op, {}), device, specs, "")

    def of_function(self, device: Context, specs: Specs) -> Operator:
        """Return the object of a stateful application in a compiled function."""
        return self._stored(self._shared, device, specs, _SHARED)

    def _stored(
        self, store: dict[Any, Operator], device: Context, specs: Specs, fixed: str
    ) -> Operator:
        key = device, specs
        operator = store.get(key)
        if operator is not None:
            return operator
        with self._lock:
            if key not in store:
                fresh = self._spare.pop(key, None) or self._operator(device, specs)
                for one in (fresh, *getattr(fresh, "candidates", ())):
                    fix(one, fixed)
                store[key] = fresh
            return store[key]

    def _operator(self, device: Context, specs: Specs) -> Operator:
        op = self._op
        op.known(specs)  # raises if operands do not fit
        arguments = specs[: len(op.facts.arguments)]
        operator = op.property.create_operator(
            device, [s.shape for s in arguments], [s.dtype for s in arguments]
        )
        if operator is None:
            raise DeviceError(
                f"{op.__name__}: create_operator gives no implementation for {device!r}; add one, "
                f"or run it on {cpu()!r}"
            )
        candidates: list[Any] = (
            list(operator) if isinstance(operator, (list, tuple)) else [operator]
        )
        if not candidates or not all(isinstance(one, Operator) for one in candidates):
            raise ArgumentError(
                f"{op.__name__}: create_operator returned {operator!r}; return an ng.Operator, or "
                "a list of them"
            )
        self._gradient[specs] = all(map(has_backward, candidates))
        if len(candidates) == 1:
            return candidates[0]
        key = tuple(op.parameters.items()), device, specs
        return Choice(candidates, op.owner.tuner, key, stateful=op.stateful)

    def find_in(self, states: dict[Any, Any] | None) -> Find:
        """Return the function that finds a stateful application's object: see `Pass.find_in`."""
        return self.of_function if states is None else partial(self.of_executor, states)
