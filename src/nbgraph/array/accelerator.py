"""Arrays on GPUs: which kernels do what is asked, and what is refused.

Kernels are those of the host's loops; see `nbgraph.kernels.cuda`. Nothing is copied to the host for
an operator that has none: it is refused, with the remedy.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from nbgraph.array.elsewhere import composed, formed, write_elements
from nbgraph.array.issue import launches_of
from nbgraph.array.lowered import push_lowered
from nbgraph.array.parts import write_view
from nbgraph.array.place import Values, refuse
from nbgraph.array.push import copied
from nbgraph.array.transfer import fetch, send
from nbgraph.device import Context
from nbgraph.engine import Variable
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.kernels.kernel import deferring
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Attributes


class Accelerator:
    """See `place.Place`."""

    host = False

    def preparing(self) -> Any:
        """Return a context in which kernels for the host are described, not compiled."""
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
        call: KernelCall,
        reads: Sequence[Variable],
        writes: Sequence[Any],
        block: Sequence[int],
        *,
        overwrites: bool,
    ) -> None:
        """See Place. What cannot be compiled is told at the call."""
        device: Context = writes[0].device
        launches = launches_of(call)
        if not call.size:
            return
        ready = launches.ready(block, device.device_id)
        in_charge().push_to_device(
            device,
            functools.partial(launches.issue, record=block, ready=ready),
            const_vars=reads,
            mutate_vars=writes,
            name=call.name,
            prop=OVERWRITE if overwrites else NORMAL,
        )

    def write_elements(self, array: Any, value: Any, indices: Sequence[Any], key: Any) -> None:
        """See Place."""
        write_elements(array, value, indices, key)

    def composed(
        self, op: Any, values: Sequence[Any], attributes: Attributes, specs: Sequence[Any]
    ) -> list[Any] | None:
        """See Place."""
        return composed(op, values, attributes, specs)

    def carry_out(self, op: Any, given: tuple[Any, ...], *, whole: bool) -> bool:
        """See Place."""
        inputs, results, requests, attributes, *_ = given
        done = False
        with deferring():
            if op.kernels:
                done = push_lowered(op, inputs, results, requests, attributes, whole=whole)
            elif op.view is not None:
                done = write_view(op, inputs[0], results[0], requests[0], attributes)
        if not done:
            done = formed(op, inputs, results, requests, attributes, whole=whole)
        if not done:
            refuse(op.__name__, results[0].device)
        return True
