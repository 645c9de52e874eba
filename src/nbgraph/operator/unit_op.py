"""Operators whose kernel for GPUs, a thread for each unit of work, is their kernel for hosts, too.

The form is in `nbgraph.ops.gpu`, which is loaded with the first such kernel. NumPy arrays, requests
to add and large arrays where NumPy is quicker are left to the operator's function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nbgraph.operator.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.elsewhere import Unit, form_of
from nbgraph.operator.kernel_call import Lowered
from nbgraph.operator.layout import Layout, layout


class UnitOp(ArrayOp):
    """An ArrayOp that runs its Unit form on hosts.

    Parameters
    ----------
    suits : callable, optional
        `suits(operands, outputs, **attributes)`: whether the kernel is the quicker way for these
        Specs; by default it always is.
    others
        See ArrayOp.
    """

    kernels = ("host",)
    kernels_at_once = False

    def __init__(
        self, *args: Any, suits: Callable[..., bool] | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._suits = suits

    def lower(
        self,
        operands: Sequence[Layout],
        outputs: Sequence[Layout],
        requests: Sequence[str],
        attributes: Attributes,
        *,
        host: bool,
    ) -> Lowered | None:
        """See ArrayOp: one kernel of contiguous arrays."""
        specs = [[Spec(x.shape, x.dtype) for x in own] for own in (operands, outputs)]
        empty = any(not x.size for x in (*operands, *outputs))
        if empty or (self._suits is not None and not self._suits(*specs, **attributes)):
            return None
        form = form_of(self, Unit)
        call = None if form is None else form.call(*specs, **attributes)
        if call is None:
            return None
        from nbgraph.kernels.cuda.unit import on_host  # as the form

        places = [None if x.contiguous else layout(x.shape, x.dtype) for x in (*operands, *outputs)]
        for k, (own, request) in enumerate(zip(outputs, requests, strict=True), len(operands)):
            if request == "add":  # the kernel stores
                places[k] = layout(own.shape, own.dtype)
        call = replace(
            call,
            name=self.__name__,
            code=on_host(call.code),
            order=tuple(range(len(places))),
            writes=len(outputs),
            cost=sum(x.size for x in (*operands, *outputs)),
            device=None,
        )
        return Lowered((call,), tuple(places), adds=False)


def small(most: int) -> Callable[..., bool]:
    """Return a `suits` for results of fewer than `most` elements: NumPy is quicker at more."""

    def suits(operands: Sequence[Spec], outputs: Sequence[Spec], **attributes: Any) -> bool:
        return math.prod(outputs[0].shape) < most

    return suits
