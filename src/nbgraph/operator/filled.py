"""Operators without operands that give one value everywhere: `zeros`, `ones`, `full`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.operator.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.deferred import UnknownShape
from nbgraph.shape import Shapes


class FilledOp(ArrayOp):
    """An operator of the attributes `shape` and `dtype`. In a graph an extent of the shape may be
    None: it follows from where the array is used (`nbgraph.graph.infer`)."""

    def infer(self, specs: Sequence[Spec], attributes: Attributes) -> tuple[Spec, ...]:
        """See ArrayOp; UnknownShape where an extent is not known."""
        if None in attributes["shape"]:
            raise UnknownShape(f"{self.__name__}: shape={attributes['shape']} is not known in full")
        return super().infer(specs, attributes)

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        """See ArrayOp."""
        return in_shapes, [attributes["shape"]]

    def infer_dtypes(
        self, in_dtypes: Sequence[Any], out_dtypes: Sequence[Any], attributes: Attributes
    ) -> tuple[Sequence[Any], Sequence[Any]] | None:
        """See ArrayOp."""
        return in_dtypes, [attributes["dtype"]]
