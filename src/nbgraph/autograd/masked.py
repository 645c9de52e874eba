"""Selections by masks in traced functions, as in `y[mask] += 1`. Their size is only known when the
graph runs, so all elements are computed, and the write selects with `where`."""

from typing import Any, NoReturn

import numpy as np

from nbgraph.array.core import Array
from nbgraph.graph.refusals import AbsentError
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.call import call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.carrier.operators import Operators
from nbgraph.ops.carrier.protocols import Protocols
from nbgraph.ops.define import library


class Selected(Operators, Protocols):
    """The elements of a traced array at a traced mask, for elementwise operators.

    `whole` has 1 where the mask is False, so that no derivative there is infinite. The other
    operand is a selection by the same mask, or has at most `axes` axes, those after the mask's.
    """

    __slots__ = ("axes", "mask", "whole")
    __nbgraph_priority__ = 40

    def __init__(self, mask: Any, whole: Any, axes: int) -> None:
        self.mask, self.whole, self.axes = mask, whole, axes

    @classmethod
    def __nbgraph_call__(cls, op: Any, operands: Any, attributes: Any, out: Any) -> Any:
        """Apply an operator to all elements; see `nbgraph.operator.call`."""
        part = next(v for v in (*operands, *(out or ())) if isinstance(v, cls))
        if not isinstance(op, Mapper) or op.nout != 1 or out is not None:
            part.refuse(op.__name__)
        whole = call(op, [part.beside(op.__name__, v) for v in operands], attributes)
        return cls(part.mask, whole, part.axes)

    def beside(self, name: str, value: Any) -> Any:
        """Return the other operand for all elements; raise AbsentError if it depends on the mask's
        size."""
        if isinstance(value, Selected) and value.mask.entry == self.mask.entry:
            return value.whole
        if isinstance(value, Selected) or np.ndim(value) > self.axes:
            self.refuse(name)
        return value

    def refuse(self, what: str = "x[mask]") -> NoReturn:
        """Raise AbsentError for a use that needs the number of elements."""
        raise AbsentError(
            f"{what}: the mask ({self.mask}) has no values while a function is traced, so how many "
            "elements it selects is not known. Change them one by one and write them back, as in "
            "x[mask] = ng.exp(x[mask]) + 1, or use ng.where(mask, x, other)"
        )

    __getattr__ = __array__ = refuse  # type: ignore[assignment]
    __bool__ = __len__ = __iter__ = __float__ = refuse  # type: ignore[assignment]


def selection(x: Any, key: Any) -> Selected | None:
    """Return `x[key]` for a mask (traced, or an NDArray from outside the function) and full slices;
    None for another key."""
    parts = key if isinstance(key, tuple) else (key,)
    masks = [
        k for k, p in enumerate(parts) if isinstance(p, (Symbol, Array)) and p.dtype.kind == "b"
    ]
    whole = [p for p in parts if type(p) is slice and p.start is p.stop is p.step is None]
    dots = [k for k, p in enumerate(parts) if p is Ellipsis]
    if len(masks) != 1 or 1 + len(whole) + len(dots) != len(parts):
        return None
    (place,) = masks
    mask: Any = parts[place]
    behind = len(parts) - 1 - place - len([k for k in dots if k > place])
    axes = behind if dots and dots[0] < place else x.ndim - place - mask.ndim
    first = x.ndim - axes - mask.ndim
    if axes < behind or first < 0 or mask.shape != x.shape[first : first + mask.ndim]:
        return None
    if axes or not isinstance(mask, Symbol):  # of an NDArray it makes a node
        mask = library.reshape(mask, (*mask.shape, *(1,) * axes))
    return Selected(mask, library.where(mask, x, np.ones((), x.dtype)), axes)
