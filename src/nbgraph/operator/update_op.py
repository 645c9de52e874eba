"""Scalar operators whose further results are written over their operands, as nodes of graphs.

Arrays need none of this: there the scalar operator is called with `out=`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nbgraph.operator.array_op import ArrayOp, Attributes, Spec, constant
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.map_call import map_call
from nbgraph.operator.mapper import Mapper
from nbgraph.shape import Shapes


class UpdateOp(ArrayOp):
    """An operator with one output, and states that every run writes.

    Parameters
    ----------
    mapper : Mapper
        Its results: the output, then new values of the states.
    names : mapping from the mapper's operands that are arrays to this operator's
    states : names of operands that are written, in the order of the mapper's results

    Its attributes are the mapper's other operands: numbers, by name.
    """

    kernels = ("host", "devices")
    kernels_at_once = adds = False  # the states are written where they lie

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
        """See ArrayOp; they are written outside of training, too."""
        return [self.operands.index(name) for name in self.auxiliary]

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[Any]:
        """See ArrayOp: the operands of the scalar operator that are attributes."""
        return [attributes[n] for n in self.mapper.scalar.operands if n not in self.names]

    def mode(self, attributes: Attributes) -> bool | None:
        """See ArrayOp."""
        return False

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel, whose last outputs are states and written where they lie."""
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
        """Operands of the mapper, from those of this operator and its attributes."""
        known = dict(zip(self.operands, values, strict=True))
        wanted = self.mapper.scalar.operands
        return [known[self.names[n]] if n in self.names else attributes[n] for n in wanted]
