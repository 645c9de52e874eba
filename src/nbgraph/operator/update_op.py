"""Scalar operators whose further results are written over their operands, as nodes of graphs.

Arrays need none of this: there the scalar operator is called with `out=`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.operator.array_op import ArrayOp, Spec, constant
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

    kind = "update"

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

    def arguments(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> list[Any]:
        """Operands of the mapper, from those of this operator and its attributes."""
        known = dict(zip(self.operands, values, strict=True))
        wanted = self.mapper.scalar.operands
        return [known[self.names[n]] if n in self.names else attributes[n] for n in wanted]
