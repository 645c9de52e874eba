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
from nbgraph.operator.request import OpReqType, assign
from nbgraph.operator.row_op import RowOp
from nbgraph.shape import axes_of

Array = np.ndarray[Any, Any]
_KEPT = 1024  # calls that an operator knows
Shape = tuple[int, ...]
Attributes = Mapping[str, Any]
SHORT = 1 << 16  # elements up to which one kernel is better than several that workers share


def runs(shape: Sequence[int], axes: Sequence[int]) -> list[tuple[int, int]]:
    """Adjacent axes as ranges, the last first; axes of size 1 may join any.

    >>> runs((2, 3, 4, 1), (0, 2, 3)), runs((2, 3), ())
    ([(2, 4), (0, 1)], [(0, 0)])
    """
    found: list[tuple[int, int]] = []
    for d in sorted(axes, reverse=True):
        if found and all(n == 1 for n in shape[d + 1 : found[-1][0]]):
            found[-1] = d, found[-1][1]
        else:
            found.append((d, d + 1))
    return found or [(0, 0)]


class ByRows(NamedTuple):
    """A row program that gives the result; that is to be seen in `shape`, with all axes."""

    op: RowOp
    attributes: Attributes
    shape: Shape


class ReduceOp(ArrayOp):
    """An operator of one operand that leaves one value of all elements along axes.

    `combine`: it is that of the elements, in the result's dtype; of `averages` divided by how many
    there are. `rows`: of floats it is the row program that `rows(attributes)` gives, with its
    scalar parameters. `asks`: a scalar operator, and how its values of the elements are combined,
    exactly, in whatever order. `axes`: the reduced axes, by default those that the attribute
    `axis` names.

    Carriers agree in every bit: a row program does it, or many floats are combined in blocks, run
    by run of adjacent axes, the last first. `compute` is for what is exact, and for no elements.
    """

    kind = "reduce"

    def __init__(
        self,
        name: str,
        infer: Callable[..., Spec],
        compute: Callable[..., None],
        *,
        combine: Combine | None = None,
        averages: bool = False,
        rows: Callable[[Attributes], tuple[RowOp, Attributes]] | None = None,
        asks: tuple[Mapper, Combine] | None = None,
        axes: Callable[[Shape, Attributes], Shape] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, infer, compute, **options)
        self.combine: Combine | None = combine
        self.averages, self.asks = averages, asks
        self._rows, self._axes = rows, axes

    def axes(self, shape: Shape, attributes: Attributes) -> Shape:
        """The axes of an operand of this shape that are reduced, from 0, in order."""
        if self._axes is not None:
            return self._axes(shape, attributes)
        return tuple(sorted(axes_of(self.__name__, attributes["axis"], len(shape))))

    def by_rows(self, given: Spec, made: Spec, attributes: Attributes) -> ByRows | None:
        """The row program for an operand and a result like these, if one does it."""
        size = math.prod(given.shape)
        if self._rows is None or not size:
            return None
        if size > SHORT and self.combine is not None and made.dtype.itemsize > 2:
            if self.folds(given, made) or is_float(given.dtype):
                return None
        op, own = self._rows(attributes)
        axes = self.axes(given.shape, attributes)
        how = {"axis": axes, "keepdims": True, **own}
        (spec,) = op.infer([given], how)
        return ByRows(op, how, spec.shape) if spec.dtype == made.dtype else None

    def taken_dtype(self, given: Spec, made: Spec, attributes: Attributes) -> np.dtype[Any] | None:
        """The dtype that elements are cast to first, or their own; None where kernels do not cast
        to it."""
        asked = attributes.get("dtype")
        if asked is None or asked == given.dtype or self.folds(given, made):
            return given.dtype
        return made.dtype if is_float(made.dtype) else None

    def folds(self, given: Spec, made: Spec) -> bool:
        """Whether kernels that combine elements in their own order give the same bits: those of
        extremes, and of whole numbers."""
        if self.combine is None or self.averages or 0 in given.shape or 0 in made.shape:
            return False
        if is_float(given.dtype):
            return self.combine in ("max", "min") and given.dtype == made.dtype
        whole = made.dtype.kind in "iu" or given.dtype.kind == made.dtype.kind == "b"
        return whole and given.dtype.kind in "iub"

    def run(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        attributes: Attributes,
        **others: Any,
    ) -> None:
        """See ArrayOp."""
        (x,), (out,) = inputs, outputs
        key = "run", x.shape, x.dtype, out.shape, out.dtype, *attributes.items()
        known: Any = self.carried.get(key)
        if known is None:
            dtype = self.taken_dtype(Spec.of(x), Spec.of(out), attributes)
            dtype = x.dtype if dtype is None else dtype
            (spec,) = self.infer([Spec(x.shape, dtype)], attributes)
            known = dtype, spec, self.by_rows(Spec(x.shape, dtype), spec, attributes)
            if len(self.carried) >= _KEPT:
                self.carried.clear()
            self.carried[key] = known
        dtype, spec, found = known
        x = x.astype(dtype, copy=False)
        if spec.dtype != out.dtype:  # as everywhere: the result, then a cast
            own = np.empty(*spec)
            self.run([x], [own], [OpReqType.kWriteTo], attributes)
            assign(out, requests[0], own.astype(out.dtype))
        elif found is None:
            super().run([x], outputs, requests, attributes, **others)
        else:
            seen = out.reshape(found.shape)  # ones are added and left out: it is a view
            found.op.run([x], [seen], requests, found.attributes)

    def ready(
        self, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Attributes
    ) -> Ready | None:
        """See ArrayOp."""
        given, made = Spec.of(inputs[0]), Spec.of(outputs[0])
        found = self.by_rows(given, made, attributes)
        if found is None or self.taken_dtype(given, made, attributes) != given.dtype:
            return None
        return found.op.ready(inputs, [outputs[0].reshape(found.shape)], found.attributes)
