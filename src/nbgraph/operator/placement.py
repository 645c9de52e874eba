"""Where arrays lie: shape, dtype and strides, of arrays that exist and of copies to be made."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from nbgraph.shape import Space

if TYPE_CHECKING:
    from nbgraph.kernels.loops import Layout

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Placed(Protocol):
    """What is asked of an array: it need not exist."""

    @property
    def shape(self) -> Shape:
        """Extents."""
        ...

    @property
    def strides(self) -> Shape:
        """Bytes from element to element along each axis."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the elements."""
        ...


class Placement(NamedTuple):
    """An array that need not exist."""

    shape: Shape
    dtype: np.dtype[Any]
    strides: Shape

    @classmethod
    def packed(cls, a: Placed, order: Sequence[int]) -> Placement:
        """An array like `a` in memory of its own, whose axes from the outermost are `order`.

        >>> Placement.packed(np.zeros((2, 3), "int8"), (1, 0)).strides
        (1, 2)
        """
        steps, step = [0] * len(a.shape), a.dtype.itemsize
        for d in reversed(order):
            steps[d] = step
            step *= max(1, a.shape[d])
        return cls(a.shape, a.dtype, tuple(steps))

    def empty(self) -> Array:
        """A NumPy array that lies like this."""
        return np.ndarray(self.shape, self.dtype, strides=self.strides)

    def copy(self, array: Array) -> Array:
        """The values of an array in a new one that lies like this."""
        copy = self.empty()
        copy[...] = array
        return copy


def merged(shape: Shape, axes: Sequence[int], strides: Shape) -> bool:
    """Whether elements along these axes, in their order, lie one step apart.

    >>> merged((2, 3, 4), (0, 1), (12, 4, 1)), merged((2, 3, 4), (0, 2), (12, 4, 1))
    (True, False)
    """
    dims = [d for d in axes if shape[d] != 1]
    pairs = itertools.pairwise(dims)
    return 0 in shape or all(strides[a] == strides[b] * shape[b] for a, b in pairs)


def classes_of(
    arrays: Sequence[Placed], where: Space, operands: int, one: Sequence[bool] = ()
) -> tuple[Layout, ...]:
    """Compile-time classes of the steps along a run: "c" beside each other, "0" one element (of the
    first `operands`, and of arrays that have `one` a run), "s" others.

    One strided array makes all strided, so that an operator has few kernels.
    """
    found: list[Layout] = []
    for k, (a, step) in enumerate(zip(arrays, where.steps, strict=True)):
        if (one and one[k]) or (step == 0 and k < operands and where.inner != 1):
            found.append("0")
        else:
            found.append("c" if step == a.dtype.itemsize or where.inner == 1 else "s")
    return tuple("s" if "s" in found and c == "c" else c for c in found)
