"""Arrays on GPUs: which kernels do what is asked, and what is refused.

Kernels are those of the host's loops; see `nbgraph.kernels.cuda`. Nothing is copied to the host for
an operator that has none: it is refused, with the remedy.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.core import Array, empty_of
from nbgraph.array.drawn import push_drawn
from nbgraph.array.elsewhere import composed, formed, write_elements
from nbgraph.array.gemms import push_multiplied
from nbgraph.array.issue import launches_of
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import layout
from nbgraph.array.leading import prepare_axes
from nbgraph.array.own import push_own
from nbgraph.array.parts import write_view
from nbgraph.array.place import ELSEWHERE, Values, refuse
from nbgraph.array.push import copied, same, write
from nbgraph.array.reduce import block_on
from nbgraph.array.rows import push_rows
from nbgraph.array.transfer import fetch, send
from nbgraph.device import Context
from nbgraph.engine import Variable, current
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.kernels.kernel import deferring
from nbgraph.kernels.loops import Combine
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.ops.define import axes_of

_COMBINES: dict[str, Combine] = {
    "sum": "add",
    "sum_to": "add",
    "prod": "multiply",
    "max": "max",
    "min": "min",
}


class Accelerator:
    """See `place.Place`."""

    host = False

    def __init__(self) -> None:
        ELSEWHERE[0] = True

    def preparing(self) -> Any:
        """Kernels for the host are described, not compiled."""
        return deferring()

    def read(self, array: Any) -> Values:
        """See Place."""
        return fetch(array if array._layout.contiguous else copied(array))

    def begin(self, array: Any, values: Values) -> None:
        """See Place."""
        send(array, values)

    overwrite = begin

    def push(
        self,
        prepared: Prepared,
        reads: Sequence[Variable],
        writes: Sequence[Any],
        record: Sequence[int],
        *,
        overwrites: bool,
    ) -> None:
        """See Place. What cannot be compiled is told at the call."""
        device: Context = writes[0].device
        launches = launches_of(prepared)
        if not prepared.hi:
            return
        ready = launches.ready(record, device.device_id)
        current().push_to_device(
            device,
            functools.partial(launches.issue, record=record, ready=ready),
            const_vars=reads,
            mutate_vars=writes,
            name=prepared.name,
            prop=OVERWRITE if overwrites else NORMAL,
        )

    def write_elements(self, array: Any, value: Any, indices: Sequence[Any], key: Any) -> None:
        """See Place."""
        write_elements(array, value, indices, key)

    def composed(
        self,
        op: Any,
        values: Sequence[Any],
        attributes: Mapping[str, Any],
        specs: Sequence[Any],
    ) -> list[Any] | None:
        """See Place."""
        return composed(op, values, attributes, specs)

    def carry_out(self, op: Any, given: tuple[Any, ...], *, whole: bool) -> bool:
        """See Place."""
        inputs, results, requests, attributes, *_ = given
        done = False
        with deferring():
            if op.kind == "rows":
                done = push_rows(op, *given, whole=whole)
            elif op.kind == "own":
                done = push_own(op, *given, whole=whole)
            elif op.kind == "drawn":
                done = push_drawn(op, *given, whole=whole)
            elif op.__name__ in _COMBINES and len(inputs) == 1:
                done = _reduce(op.__name__, inputs[0], results[0], requests[0], attributes)
            elif op.kind == "product":
                done = push_multiplied(op, inputs, results[0], requests[0], attributes, whole=whole)
            elif op.view is not None:
                done = write_view(op, inputs[0], results[0], requests[0], attributes)
        if not done:
            done = formed(op, inputs, results, requests, attributes, whole=whole)
        if not done:
            refuse(op.__name__, results[0].device)
        return True


def _reduce(name: str, x: Array, out: Any, request: OpReqType, attributes: Any) -> bool:
    """A reduction as kernels one after another, with scratch memory between them."""
    if request is OpReqType.kNullOp or not out.size:
        return True
    combine = _COMBINES[name]
    axes = _axes(name, x.shape, out.shape, attributes)
    if not out._layout.contiguous or request is OpReqType.kAddTo:
        made = empty_of(layout(out.shape, out.dtype), out.device)
        _stages(x, made, axes, combine)
        write(same, made, out, WORDS[request])
        return True
    _stages(x, out, axes, combine)
    return True


def _stages(x: Any, out: Any, axes: Sequence[int], combine: Combine) -> None:
    given: Any = x if x._layout.contiguous else copied(x)
    block = block_on(out.device, x.size)
    ready = prepare_axes(given._layout, axes, out._layout, "write", combine, block)
    for k, stage in enumerate(ready.stages):
        last = k == len(ready.stages) - 1
        target = out if last else empty_of(ready.scratch[k], out.device)
        record = stage.record([given._address, target._address], ())
        stage.push([given._chunk], [target._chunk], record, overwrites=target is not out)
        given = target


def _axes(
    name: str, shape: tuple[int, ...], left: tuple[int, ...], attributes: Any
) -> tuple[int, ...]:
    if name != "sum_to":
        return tuple(axes_of(name, attributes["axis"], len(shape)))
    lead = len(shape) - len(left)
    ones = (d + lead for d, n in enumerate(left) if n == 1 and shape[d + lead] != 1)
    return (*range(lead), *ones)
