"""The quick way of operators over whole arrays that one kernel does: see `route`.

An operator with a state or a resource has none, but those that draw have their own (`drawn`);
results that are views have `views`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from nbgraph.array.core import Array
from nbgraph.array.route import Routes, routes_of
from nbgraph.engine.inline import in_charge
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.array_op import ArrayOp, Attributes, told
from nbgraph.operator.call import recording
from nbgraph.operator.kernel_call import KernelCall, lowered
from nbgraph.operator.layout import Layout

_NEW: Sequence[bool] = ()  # in_place: no output existed before
_KEPT = 256  # sets of attributes whose quick way an operator knows


class Ways(Protocol):
    """The quick way of an operator."""

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """Return what a call like one before gives, or None where the general way is needed."""
        ...

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """Remember the kernel of a call, which is over; `values` are its operands as arrays, and
        `attributes` are normalised."""
        ...


def ways(op: ArrayOp, attributes: Attributes, operands: Sequence[Any]) -> Ways | None:
    """Return the quick way of an operator with these attributes and so many operands, or None where
    it can have none."""
    if op.draws:
        from nbgraph.array import drawn

        return drawn.WAYS
    if not (op.copies or "host" in op.kernels) or op.auxiliary or op.resources:
        return None
    routes = routes_of(op, attributes, len(operands))
    return None if routes is None else ByRoutes(routes)


class ByRoutes:
    """Routes as the quick way."""

    __slots__ = ("routes",)

    def __init__(self, routes: Routes) -> None:
        self.routes = routes

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """See Ways."""
        if not self.routes.count:
            return None
        engine = in_charge()
        if isinstance(engine, ThreadedEngine):
            engine._open_gate()
        result = self.routes.push(engine.site_id(2), tuple(operands))
        if result is None:
            return None
        recorder = recording.get()
        if recorder is not None:
            outputs = result if type(result) is tuple else (result,)
            recorder.record(op, operands, op.normalise(attributes), outputs, _NEW)
        return result

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """See Ways."""
        outputs = [r._layout for r in results]
        entry = _kernel(op, [v._layout for v in values], outputs, attributes)
        if entry is not None and self.routes.learn(entry[0], outputs, values, entry[1]):
            if len(op.shortcuts) >= _KEPT:
                op.shortcuts.clear()
            op.shortcuts[told(attributes, values)] = self.routes.push


def _kernel(
    op: Any, layouts: Sequence[Layout], outputs: Sequence[Layout], attributes: Attributes
) -> tuple[KernelCall | None, Sequence[int]] | None:
    """Return the kernel over these arrays as they lie, and the order of its operands' addresses."""
    if op.copies:
        from nbgraph.array.copying import prepare_copy

        return prepare_copy(layouts[0], outputs[0]), (0,)
    lowering = lowered(op, layouts, outputs, ["write"] * len(outputs), attributes)
    call = None if lowering is None else lowering.alone
    return None if call is None else (call, call.order[: -call.writes])
