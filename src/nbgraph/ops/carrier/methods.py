"""NumPy's methods of arrays, each a function of the library; what they do is told there."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from nbgraph import ops as library
from nbgraph.errors import ArgumentError, ShapeError

ops: Any = library  # to type checkers, who see the class before it is mixed in, no carrier
_INT, _TUPLE, _WHOLE = {int}, {tuple}, (int, np.integer)


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


def is_coded(x: Any, sizes: Any) -> bool:
    """Return whether a shape has codes of MXNet's `Reshape` that mean nothing in NumPy's."""
    if not isinstance(sizes, (tuple, list)) or not all(isinstance(n, _WHOLE) for n in sizes):
        return False
    if min(sizes, default=1) > 0:
        return False
    return min(sizes) < -1 or (0 in sizes and 0 not in (x.shape or (1,)))


class Methods:
    """What is called as a method and gives an array: copies, shapes, parts, orders."""

    __slots__ = ()

    # copies -----------------------------------------------------------------------------------

    def astype(self, dtype: Any, copy: bool = True) -> Self:
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

    def copy(self) -> Self:
        """The values in memory of their own."""
        return ops.copy(self)

    @property
    def real(self) -> Self:
        """The real part of each element: a view."""
        return ops.real(self)

    @property
    def imag(self) -> Self:
        """The imaginary part of each element: a view; of arrays that are not complex zeros."""
        return ops.imag(self)

    def conj(self) -> Self:
        """The complex conjugate of each element."""
        return ops.conj(self)

    conjugate = conj

    def detach(self) -> Self:
        """The same values, a constant for derivatives."""
        return ops.stop_gradient(self)

    def _apart(self: Any, array: Any, copy: bool) -> Any:
        """Return a reshaped array, as a copy or not: for classes with memory, who may refuse."""
        return ops.copy(array) if copy else array

    # shapes -----------------------------------------------------------------------------------

    def reshape(
        self, *sizes: Any, shape: Any = None, copy: bool | None = None, reverse: bool = False
    ) -> Self:
        """The elements in C order under another shape, a view where memory allows one.

        Parameters
        ----------
        *sizes : ints, or one tuple of them, also as `shape`; one may be -1, what is left; MXNet's
            0, -2, -3 and -4 are those of `ng.nd.Reshape`
        copy : True always copies, False refuses to (ValueError)
        reverse : whether MXNet's are read from the last axis
        """
        sizes = _several("reshape", sizes if shape is None else (*sizes, shape))
        if reverse or is_coded(self, sizes):
            reshaped = ops.Reshape(self, sizes, reverse=reverse)
        else:
            reshaped = ops.reshape(self, sizes)
        return reshaped if copy is None else self._apart(reshaped, copy)

    def ravel(self) -> Self:
        """One axis with all elements, a view where memory allows one."""
        return ops.ravel(self)

    def flatten(self) -> Self:
        """One axis with all elements, in memory of its own."""
        return self.reshape(-1, copy=True)

    def transpose(self, *axes: Any) -> Self:
        """Axes in another order, by default reversed: a view."""
        return ops.transpose(self, _several("transpose", axes) if axes else None)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Two axes exchanged: a view."""
        return ops.swapaxes(self, axis1, axis2)

    def squeeze(self, axis: Any = None) -> Self:
        """Without these axes of size 1, or all of them: a view."""
        return ops.squeeze(self, axis)

    def expand_dims(self, axis: Any = 0) -> Self:
        """With new axes of size 1: a view."""
        return ops.expand_dims(self, axis)

    def broadcast_to(self, shape: Any) -> Self:
        """Repeated to this shape without copies; not to be written."""
        return ops.broadcast_to(self, shape)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The diagonal of two axes as the last axis: a view."""
        return ops.diagonal(self, offset, axis1, axis2)

    @property
    def T(self) -> Self:
        """Axes reversed: a view."""
        return ops.transpose(self)

    @property
    def mT(self) -> Self:
        """The last two axes exchanged: a view."""
        shape = getattr(self, "shape", None)
        if shape is not None and len(shape) < 2:
            raise ShapeError(f"mT: an array of shape {shape} has no last two axes")
        return ops.matrix_transpose(self)

    # parts and orders -------------------------------------------------------------------------

    def take(self, indices: Any, axis: int | None = None, *, out: Any = None) -> Self:
        """The elements at integer indices along an axis, by default of the flattened array."""
        return ops.take(self, indices, axis, out=out)

    def repeat(self, repeats: Any, axis: int | None = None) -> Self:
        """Each element so many times, along an axis or flattened."""
        return ops.repeat(self, repeats, axis)

    def nonzero(self: Any) -> Any:
        """Indices of the elements that are not zero, one array for each axis; waits."""
        return ops.nonzero(self)

    def argsort(self, axis: int = -1) -> Self:
        """Indices that sort along an axis."""
        return ops.argsort(self, axis=axis)

    def searchsorted(self, v: Any, side: str = "left") -> Self:
        """Where values would have to go to keep this sorted array sorted."""
        return ops.searchsorted(self, v, side=side)

    # element by element -----------------------------------------------------------------------

    def clip(self, min: Any = None, max: Any = None, *, out: Any = None) -> Self:
        """Limited to [min, max]; None means no limit."""
        if min is None and max is None:
            return ops.copy(self, out=out)
        if min is None or max is None:
            limit, bound = (ops.minimum, max) if min is None else (ops.maximum, min)
            return limit(self, bound, out=out)
        return ops.clip(self, min, max, out=out)

    def round(self, decimals: int = 0, *, out: Any = None) -> Self:
        """Rounded to so many decimals, halves to even."""
        return ops.round(self, decimals=decimals or None, out=out)

    def dot(self, other: Any) -> Self:
        """The dot product (`ng.dot`): of vectors, or of the last axis with the second last."""
        return ops.dot(self, other)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        return self.round(ndigits or 0)
