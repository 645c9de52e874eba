"""Reductions over axes as operators over whole arrays that kernels do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.kernels.loops import Combine
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.ready import Ready
from nbgraph.operator.request import OpReqType
from nbgraph.operator.row_op import RowOp
from nbgraph.shape import axes_of

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Attributes = Mapping[str, Any]
_SHORT = 1 << 16  # elements up to which a row program does it; others are blocked as `compute` says


class ByRows(NamedTuple):
    """A row program that gives the result; that is to be seen in `shape`, with all axes."""

    op: RowOp
    attributes: Attributes
    shape: Shape


class ReduceOp(ArrayOp):
    """An operator of one operand that leaves one value of all elements along axes.

    `combine`: it is that of the elements, in the result's dtype. `rows`: of floats it is the row
    program that `rows(attributes)` gives with its scalar parameters; None where there is none for
    those. `asks`: a scalar operator, and how its values of the elements are combined, exactly, in
    whatever order. `axes`: the reduced axes, by default those that the attribute `axis` names.

    Carriers agree in every bit: what depends on the order of the elements is done by the row
    program, or by `compute`, never by a kernel of another kind.
    """

    kind = "reduce"

    def __init__(
        self,
        name: str,
        infer: Callable[..., Spec],
        compute: Callable[..., None],
        *,
        combine: Combine | None = None,
        rows: Callable[[Attributes], tuple[RowOp, Attributes] | None] | None = None,
        asks: tuple[Mapper, Combine] | None = None,
        axes: Callable[[Shape, Attributes], Shape] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, infer, compute, **options)
        self.combine: Combine | None = combine
        self.asks = asks
        self._rows, self._axes = rows, axes

    def axes(self, shape: Shape, attributes: Attributes) -> Shape:
        """The axes of an operand of this shape that are reduced, from 0, in order."""
        if self._axes is not None:
            return self._axes(shape, attributes)
        return tuple(sorted(axes_of(self.__name__, attributes["axis"], len(shape))))

    def by_rows(self, given: Spec, made: Spec, attributes: Attributes) -> ByRows | None:
        """The row program for an operand and a result like these, if one does it."""
        if self._rows is None or not 0 < math.prod(given.shape) <= _SHORT:
            return None
        found = self._rows(attributes)
        if found is None:
            return None
        op, own = found
        axes = self.axes(given.shape, attributes)
        how = {"axis": axes, "keepdims": True, **own}
        (spec,) = op.infer([given], how)
        return ByRows(op, how, spec.shape) if spec.dtype == made.dtype else None

    def folds(self, given: Spec, made: Spec) -> bool:
        """Whether kernels that combine elements in their own order give the same bits: those of
        extremes, and of whole numbers."""
        if self.combine is None or 0 in given.shape or 0 in made.shape:
            return False
        if is_float(given.dtype):
            extreme = self.combine in ("max", "min") and given.dtype.itemsize > 2
            return extreme and given.dtype == made.dtype
        return made.dtype.kind in "iu" and given.dtype.kind in "iub"

    def run(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        attributes: Attributes,
        **others: Any,
    ) -> None:
        """See ArrayOp."""
        found = self.by_rows(Spec.of(inputs[0]), Spec.of(outputs[0]), attributes)
        if found is None:
            super().run(inputs, outputs, requests, attributes, **others)
        else:
            seen = outputs[0].reshape(found.shape)  # ones are added and left out: it is a view
            found.op.run(inputs, [seen], requests, found.attributes)

    def ready(
        self, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Attributes
    ) -> Ready | None:
        """See ArrayOp."""
        found = self.by_rows(Spec.of(inputs[0]), Spec.of(outputs[0]), attributes)
        if found is None:
            return None
        return found.op.ready(inputs, [outputs[0].reshape(found.shape)], found.attributes)
