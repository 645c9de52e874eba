"""Operators with one kernel for contiguous arrays: those with states that training updates, and
those whose GPU kernel, a thread per unit of work, also serves hosts.

NumPy arrays, requests to add, and large arrays on which NumPy is faster are left to the operator's
`compute`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec, constant
from nbgraph.operator.arrays.device_forms import Unit, form_of, unit
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import keep
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.operator.spec import items_of
from nbgraph.shape import Shapes

if TYPE_CHECKING:
    from nbgraph.operator.arrays.units import Units

_KEPT = 1024  # kernels cached per operator


class UnitOp(ArrayOp):
    """An ArrayOp with a kernel of units.

    `units`: `units(operands, outputs, **attributes)`: its Unit form, which also serves hosts.
    `suits`: `suits(operands, outputs, **attributes)`: whether the kernel is faster on hosts for
    these Specs; by default always. `others`: see ArrayOp.
    """

    kernels = ("host",)
    kernels_at_once = False

    def __init__(
        self,
        *args: Any,
        units: Callable[..., Units | None],
        suits: Callable[..., bool] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._units, self._suits = units, suits
        unit(self)(units)

    def lower(self, case: Application) -> Lowered | None:
        specs = case.specs, [Spec(x.shape, x.dtype) for x in case.outputs]
        empty = any(not x.size for x in case.arrays)
        if empty or (self._suits is not None and not self._suits(*specs, **case.attributes)):
            return None
        units = self._units(*specs, **case.attributes)
        if units is None:
            return None
        call = units.on_host(sum(x.size for x in case.arrays))
        return Lowered((_in_operator_order(self, call, case),), case.contiguous(), adds=False)


def unit_lowered(op: Any, case: Application) -> Lowered | None:
    """Return the kernel of an operator's Unit form for devices, over contiguous arrays, or None."""
    form = form_of(op, Unit)
    if form is None:
        return None
    key = "unit", *case.arrays, *items_of(case.attributes)
    if key in op.carried:
        return op.carried[key]
    results = [Spec(x.shape, x.dtype) for x in case.outputs]
    lowering, units = None, form.call(case.specs, results, **case.attributes)
    if units is not None:
        call = _in_operator_order(op, units.on_device(), case)
        call.device.name = op.__name__  # errors name the operator
        count = len(case.operands)  # kernels of results in pieces know their steps
        places = (*case.contiguous(stores=False)[:count], *(None for _ in case.outputs))
        lowering = Lowered((call,), places, adds=False)
    return keep(op.carried, key, lowering, _KEPT)


def _in_operator_order(op: Any, call: KernelCall, case: Application) -> KernelCall:
    """Return the call with its arrays in the operator's order: operands, then outputs."""
    order = tuple(range(len(case.arrays)))
    return replace(call, name=op.__name__, order=order, writes=len(case.outputs))


class UpdateOp(ArrayOp):
    """An operator with one output, and states that every run writes.

    `mapper`: results are the output, then new values of the states. `names`: mapping from the
    mapper's operands that are arrays to this operator's. `states`: names of operands that are
    written, in the order of the mapper's results.

    Its attributes are the mapper's other operands: numbers, by name.
    """

    kernels = ("host", "devices")
    kernels_at_once = adds = False  # the states are written in place

    def __init__(
        self,
        name: str,
        infer: Callable[..., Spec],
        mapper: Mapper,
        *,
        operands: Sequence[str],
        names: Mapping[str, str],
        states: Sequence[str],
        partial: Callable[..., tuple[Shapes, Shapes]],
    ) -> None:
        super().__init__(name, infer, gradient=constant, operands=operands, partial=partial)
        self.mapper, self.names = mapper, dict(names)
        self.auxiliary = tuple(states)

    def states(self, *, is_train: bool) -> Sequence[int]:
        """See ArrayOp; they are also written outside of training."""
        return [self.operands.index(name) for name in self.auxiliary]

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[Any]:
        """See ArrayOp: the mapper's operands that are attributes here."""
        return [attributes[n] for n in self.mapper.scalar.operands if n not in self.names]

    def mode(self, attributes: Attributes) -> bool | None:
        return False

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel, whose last outputs are the states, written in place."""
        operands, outputs, requests, attributes, _ = case
        states = self.states(is_train=True)
        plan = self.mapper.invoker.plan_of(
            self.arguments([x.dtype for x in operands], attributes), {}
        )
        places = self.arguments(range(len(operands)), attributes)
        read = [k for k, n in zip(places, self.mapper.scalar.operands) if n in self.names]
        layouts = self.arguments(operands, dict.fromkeys(attributes))
        written = [outputs[0], *(operands[k] for k in states)]
        asked = [requests[0], *["write"] * len(states)]
        call = map_call(plan, outputs[0].shape, layouts, written, asked, disjoint=True)
        call = replace(call, name=self.__name__, order=(*read, len(operands), *states))
        return Lowered((call,), (None,) * (len(operands) + 1))

    def arguments(self, values: Sequence[Any], attributes: Attributes) -> list[Any]:
        """Return the mapper's operands, from this operator's operands and attributes."""
        known = dict(zip(self.operands, values, strict=True))
        wanted = self.mapper.scalar.operands
        return [known[self.names[n]] if n in self.names else attributes[n] for n in wanted]
