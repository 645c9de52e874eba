"""From layouts to kernels, and pushing them: what every map on arrays comes down to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import Array, empty_of
from nbgraph.array.launch import Prepared, prepare
from nbgraph.array.layout import Layout, layout
from nbgraph.array.place import place
from nbgraph.operator.decorator import op
from nbgraph.operator.invoke import Plan
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.typing import holds
from nbgraph.ops.elementwise.casting import truth as truth
from nbgraph.shape import broadcast, overlap

WEAK = (bool, int, float)


@op
def same(x: Any) -> Any:
    """x: what fills, copies and casts are made of."""
    return x


class Carried:
    """What an operator gives for operands of certain layouts: its kernel and its outputs."""

    __slots__ = ("outputs", "plan", "prepared", "shape")

    def __init__(self, plan: Plan, shape: tuple[int, ...], outputs: tuple[Layout, ...]) -> None:
        self.plan, self.shape, self.outputs = plan, shape, outputs
        self.prepared: dict[Any, Prepared] = {}

    def takes(self, values: Sequence[Any]) -> bool:
        """Whether integers among these operands fit."""
        return all(map(holds, self.plan.typed.operands, values))

    @property
    def plain(self) -> Prepared | None:
        """The kernel of a call for new arrays, if there was one; calls with out= have others."""
        return self.prepared.get((("write",) * len(self.outputs), *self.outputs))


def carried(op: Mapper, values: Sequence[Any], parameters: Mapping[str, Any]) -> Carried:
    """What is known of an operator for arrays and numbers like these; worked out the first time.

    Raises where shapes, dtypes or numbers do not fit together.
    """
    weak = [v if type(v) in WEAK else v._layout for v in values]
    key = (
        *(type(v) if type(v) in WEAK else v for v in weak),
        *parameters.items(),
    )
    found = op.carried.get(key)
    if found is None or not found.takes(values):
        known = [v.dtype if isinstance(v, Layout) else v for v in weak]
        plan = op.invoker.plan_of(known, parameters)
        shapes = [v.shape if isinstance(v, Layout) else () for v in weak]
        shape = broadcast(op.__name__, list(zip(op.scalar.operands, shapes, strict=True)))
        outputs = tuple(layout(shape, dtype) for dtype in plan.typed.outputs)
        if len(op.carried) > 4096:
            op.carried.clear()
        found = op.carried[key] = Carried(plan, shape, outputs)
    return found


def push(
    op: Mapper,
    found: Carried,
    values: Sequence[Any],
    results: Sequence[Array],
    outs: Sequence[Any] | None,
    requests: Sequence[str] | None,
) -> None:
    """Push the kernel that fills `results`, of which `outs` (not None) existed before.

    Results have one shape, to which the operands broadcast; one whose request is "null" is left
    out. Their dtypes need not be the operator's own.
    """
    asked = tuple(requests) if requests is not None else ("write",) * len(results)
    if outs is not None:
        values = [v if type(v) in WEAK or not _clashes(v, results) else copied(v) for v in values]
    arrays = [v for v in values if type(v) not in WEAK]
    layouts = [None if type(v) in WEAK else v._layout for v in values]
    used = [r for r, a in zip(results, asked, strict=True) if a != "null"]
    made = [r._layout for r in results]
    # operands are as `found` says, unless one was copied to keep it from being overwritten
    apart = outs is None or (len(used) == 1 and all(a._chunk is not used[0]._chunk for a in arrays))
    key = (asked, *made) if outs is None else (asked, apart, *made, *layouts)
    prepared = found.prepared.get(key)
    if prepared is None:
        shape = used[0].shape
        with place(used[0].device).preparing():
            prepared = prepare(
                op, found.plan, shape, layouts, made, asked, disjoint=apart, once=apart
            )
        found.prepared[key] = prepared
    numbers = [v for v in values if type(v) in WEAK]
    record = prepared.record([a._address for a in (*arrays, *used)], numbers)
    writes = list(dict.fromkeys(r._chunk for r in used))
    reads = [c for c in dict.fromkeys(a._chunk for a in arrays) if c not in writes]
    whole = "add" not in asked and (
        outs is None or all(o is None or covers(o, values) for o in outs)
    )
    prepared.push(reads, writes, record, overwrites=whole)


def covers(out: Array, values: Sequence[Any]) -> bool:
    """Whether writing `out` leaves nothing of what its chunk held before."""
    if any(getattr(v, "_chunk", None) is out._chunk for v in values):
        return False
    holder = out._holder
    return holder is None or (out._layout.contiguous and out._layout.nbytes == holder.nbytes)


def _clashes(value: Array, results: Sequence[Array]) -> bool:
    """Whether an operand shares memory with an output otherwise than element by element."""
    for result in results:
        if result._chunk is value._chunk:
            if result._address == value._address and result._layout is value._layout:
                continue
            a, b = result._view(), value._view()
            if overlap(a, np.broadcast_to(b, a.shape)) == "partial":
                return True
    return False


def write(op: Mapper, value: Any, target: Array, request: str = "write") -> None:
    """Write (or add) what a scalar operator of one operand gives to an array, whatever the dtypes;
    nothing is checked or recorded."""
    found = carried(op, [value], {})
    push(op, found, [value], [target], [target], [request])


def copied(array: Array) -> Any:
    """A new row-major array with the values of `array`; not recorded."""
    return moved(array, layout(array.shape, array.dtype))


def moved(array: Array, own: Layout) -> Any:
    """A new array of that layout with the values of `array`, which broadcast; not recorded."""
    result = empty_of(own, array.device)
    write(same, array, result)
    return result
