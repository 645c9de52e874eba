"""Operators whose states move in training, by a kernel where one does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nbgraph.operator.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.kernel_call import KernelCall, Lowered
from nbgraph.operator.layout import Layout, layout


class MovingOp(ArrayOp):
    """An ArrayOp with auxiliary states that a graph may run as a kernel. Its `run` is what the
    kernel is to do, and is run for arrays."""

    kernels = ("host",)
    kernels_at_once = False
    adds = False  # the kernel stores

    def still(self, attributes: Attributes) -> bool:
        """Return whether the states never move, whatever a run says."""
        return False

    def mode(self, attributes: Attributes) -> bool | None:
        """See ArrayOp."""
        return False if self.still(attributes) else None

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[int]:
        """See ArrayOp: whether the states move (1 or 0)."""
        return (int(is_train and not self.still(attributes)),)

    def lower(
        self,
        operands: Sequence[Layout],
        outputs: Sequence[Layout],
        requests: Sequence[str],
        attributes: Attributes,
        *,
        host: bool,
    ) -> Lowered | None:
        """See ArrayOp: one kernel of contiguous arrays, all outputs of which are written."""
        call = self.moving_call([Spec(x.shape, x.dtype) for x in operands], attributes)
        if call is None:
            return None
        places = [None if x.contiguous else layout(x.shape, x.dtype) for x in (*operands, *outputs)]
        for k, request in enumerate(requests):
            if request == "add":  # the kernel stores
                own = outputs[k]
                places[len(operands) + k] = layout(own.shape, own.dtype)
        call = self.told_mode(replace(call, order=tuple(range(len(places))), writes=len(outputs)))
        return Lowered((call,), tuple(places), adds=False)

    def told_mode(self, call: KernelCall) -> KernelCall:
        """Return the call with its last word as a number: whether the states move."""
        scalars = (("i", "int64"),)
        return replace(call, name=self.__name__, words=call.words[:-1], scalars=scalars)

    def moving_call(self, specs: Sequence[Spec], attributes: Attributes) -> KernelCall | None:
        """Return the kernel for contiguous operands of these Specs, or None where none does it.

        The block's addresses are those of the operands, then of the outputs; its last word is
        whether the states move (1 or 0)."""
        raise NotImplementedError(f"{type(self).__name__} has no moving_call(); write one")
