"""NumPy's methods of arrays, each a function of the library; what they do is told there."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.errors import ArgumentError, ShapeError

_INT, _TUPLE = {int}, {tuple}


def _several(name: str, values: tuple[Any, ...]) -> Any:
    """Sizes or axes, given one by one or as a tuple."""
    kinds = set(map(type, values))
    if kinds == _INT or (kinds == _TUPLE and len(values) == 1):
        return values[0] if kinds == _TUPLE else values
    if len(values) == 1 and (values[0] is None or np.ndim(values[0]) > 0):
        return values[0]
    if any(np.ndim(v) for v in values):
        raise ArgumentError(f"{name}: {values!r}; give integers, or one tuple of them")
    return values


class Methods:
    """What is called as a method and gives an array: copies, shapes, parts, orders."""

    __slots__ = ()

    # copies -----------------------------------------------------------------------------------

    def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
        """The values cast to a dtype.

        Parameters
        ----------
        dtype : dtype or its name
        copy : False gives the array itself where it has that dtype

        >>> import nbgraph as ng
        >>> ng.array([1.5, 2.5]).astype("int32")
        array([1, 2], dtype=int32)
        """
        return ops.astype(self, dtype, copy=copy)

    def copy(self: Any) -> Any:
        """The values in memory of their own."""
        return ops.copy(self)

    def detach(self: Any) -> Any:
        """The same values, a constant for derivatives."""
        return ops.stop_gradient(self)

    def _apart(self: Any, found: Any, copy: bool) -> Any:
        """What was reshaped, as a copy or not: for classes with memory, who may refuse."""
        return ops.copy(found) if copy else found

    # shapes -----------------------------------------------------------------------------------

    def reshape(self: Any, *shape: Any, copy: bool | None = None) -> Any:
        """The elements in C order under another shape, a view where memory allows one.

        Parameters
        ----------
        *shape : ints, or one tuple of them; one may be -1, what is left
        copy : True always copies, False refuses to (ValueError)
        """
        found = ops.reshape(self, _several("reshape", shape))
        return found if copy is None else self._apart(found, copy)

    def ravel(self: Any) -> Any:
        """One axis with all elements, a view where memory allows one."""
        return ops.ravel(self)

    def flatten(self: Any) -> Any:
        """One axis with all elements, in memory of its own."""
        return self.reshape(-1, copy=True)

    def transpose(self: Any, *axes: Any) -> Any:
        """Axes in another order, by default reversed: a view."""
        return ops.transpose(self, _several("transpose", axes) if axes else None)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Any:
        """Two axes exchanged: a view."""
        return ops.swapaxes(self, axis1, axis2)

    def squeeze(self: Any, axis: Any = None) -> Any:
        """Without these axes of size 1, or all of them: a view."""
        return ops.squeeze(self, axis)

    def expand_dims(self: Any, axis: Any = 0) -> Any:
        """With new axes of size 1: a view."""
        return ops.expand_dims(self, axis)

    def broadcast_to(self: Any, shape: Any) -> Any:
        """Repeated to this shape without copies; not to be written."""
        return ops.broadcast_to(self, shape)

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The diagonal of two axes as the last axis: a view."""
        return ops.diagonal(self, offset, axis1, axis2)

    @property
    def T(self: Any) -> Any:
        """Axes reversed: a view."""
        return ops.transpose(self)

    @property
    def mT(self: Any) -> Any:
        """The last two axes exchanged: a view."""
        shape = self.shape
        if shape is not None and len(shape) < 2:
            raise ShapeError(f"mT: an array of shape {shape} has no last two axes")
        return ops.matrix_transpose(self)

    # parts and orders -------------------------------------------------------------------------

    def take(self: Any, indices: Any, axis: int | None = None, *, out: Any = None) -> Any:
        """The elements at integer indices along an axis, by default of the flattened array."""
        return ops.take(self, indices, axis, out=out)

    def repeat(self: Any, repeats: Any, axis: int | None = None) -> Any:
        """Each element so many times, along an axis or flattened."""
        return ops.repeat(self, repeats, axis)

    def nonzero(self: Any) -> Any:
        """Indices of the elements that are not zero, one array for each axis; waits."""
        return ops.nonzero(self)

    def argsort(self: Any, axis: int = -1) -> Any:
        """Indices that sort along an axis."""
        return ops.argsort(self, axis=axis)

    def searchsorted(self: Any, v: Any, side: str = "left") -> Any:
        """Where values would have to go to keep this sorted array sorted."""
        return ops.searchsorted(self, v, side=side)

    # element by element -----------------------------------------------------------------------

    def clip(self: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Any:
        """Limited to [min, max]; None is no limit."""
        if min is None and max is None:
            return ops.copy(self, out=out)
        if min is None or max is None:
            limit, bound = (ops.minimum, max) if min is None else (ops.maximum, min)
            return limit(self, bound, out=out)
        return ops.clip(self, min, max, out=out)

    def round(self: Any, decimals: int = 0, *, out: Any = None) -> Any:
        """Rounded to so many decimals, halves to even."""
        return ops.round(self, decimals=decimals or None, out=out)

    def dot(self: Any, other: Any) -> Any:
        """The dot product (`ng.dot`): of vectors, or of the last axis with the second last."""
        return ops.dot(self, other)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        return self.round(ndigits or 0)
