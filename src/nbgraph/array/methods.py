"""NumPy's methods of arrays, each a function of the library; what they do is told there."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.eager import library
from nbgraph.array.push import same
from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.call import call


def _several(name: str, values: tuple[Any, ...]) -> Any:
    """Sizes or axes, given one by one or as a tuple."""
    if len(values) == 1 and (values[0] is None or np.ndim(values[0]) > 0):
        return values[0]
    if any(np.ndim(v) for v in values):
        raise ArgumentError(f"{name}: {values!r}; give integers, or one tuple of them")
    return values


class Methods:
    """What is called as a method and gives an array: copies, shapes, parts, scans."""

    __slots__ = ()

    # copies -----------------------------------------------------------------------------------

    def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
        """The values cast to a dtype; the array itself with `copy=False` where it has that dtype.

        >>> import nbgraph as ng
        >>> ng.array([1.5, 2.5]).astype("int32")
        array([1, 2], dtype=int32)
        """
        return library("astype")(self, as_dtype(dtype), copy=copy)

    def copy(self: Any, device: Context | None = None) -> Any:
        """The values in memory of their own, on this device unless another is given."""
        if device is None or device == self.device:
            return library("copy")(self)
        return copy_of(self, device=device)

    def copyto(self: Any, other: Any) -> Any:
        """Write the values over another array, broadcast and cast, and return that array; for a
        device, return a copy there.

        >>> import nbgraph as ng
        >>> b = ng.zeros(3)
        >>> ng.arange(3).copyto(b)
        array([0., 1., 2.], dtype=float32)
        """
        if isinstance(other, Context):
            return copy_of(self, device=other)
        if not isinstance(other, Array):
            raise ArgumentError(
                f"copyto: other is a {type(other).__name__}; expected an NDArray or a device"
            )
        target: Any = other
        target[...] = self if other.device == self.device else copy_of(self, device=other.device)
        return target

    def fill(self: Any, value: Any) -> None:
        """One number everywhere."""
        self[...] = value

    # shapes -----------------------------------------------------------------------------------

    def reshape(self: Any, *shape: Any, copy: bool | None = None) -> Any:
        """The elements in C order under another shape, a view where memory allows one; `copy=True`
        always copies, `copy=False` refuses to."""
        found = library("reshape")(self, _several("reshape", shape))
        shares = found._chunk is self._chunk
        if copy is False and not shares:
            raise ValueError(
                f"reshape: strides {self.strides} of shape {self.shape} have no view of that "
                "shape; leave copy=False out"
            )
        return library("copy")(found) if copy and shares else found

    def ravel(self: Any) -> Any:
        """One axis with all elements, a view where memory allows one."""
        return library("ravel")(self)

    def flatten(self: Any) -> Any:
        """One axis with all elements, in memory of its own."""
        return self.reshape(-1, copy=True)

    def transpose(self: Any, *axes: Any) -> Any:
        """Axes in another order, by default reversed: a view."""
        return library("transpose")(self, _several("transpose", axes) if axes else None)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Any:
        """Two axes exchanged: a view."""
        return library("swapaxes")(self, axis1, axis2)

    def squeeze(self: Any, axis: Any = None) -> Any:
        """Without these axes of size 1, or all of them: a view."""
        return library("squeeze")(self, axis)

    def expand_dims(self: Any, axis: Any = 0) -> Any:
        """With new axes of size 1: a view."""
        return library("expand_dims")(self, axis)

    def broadcast_to(self: Any, shape: Any) -> Any:
        """Repeated to this shape without copies; not to be written."""
        return library("broadcast_to")(self, shape)

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The diagonal of two axes as the last axis: a view."""
        return library("diagonal")(self, offset, axis1, axis2)

    @property
    def T(self: Any) -> Any:
        """Axes reversed: a view."""
        return library("transpose")(self)

    @property
    def mT(self: Any) -> Any:
        """The last two axes exchanged: a view."""
        if self.ndim < 2:
            raise ShapeError(f"mT: an array of shape {self.shape} has no last two axes")
        return library("matrix_transpose")(self)

    @property
    def flat(self: Any) -> Any:
        """An iterator over the elements as Python numbers; waits."""
        return iter(self.asnumpy().ravel().tolist())

    # parts and orders -------------------------------------------------------------------------

    def take(self: Any, indices: Any, axis: int | None = None, *, out: Any = None) -> Any:
        """The elements at integer indices along an axis, by default of the flattened array."""
        return library("take")(self, indices, axis, out=out)

    def repeat(self: Any, repeats: Any, axis: int | None = None) -> Any:
        """Each element so many times, along an axis or flattened."""
        return library("repeat")(self, repeats, axis)

    def nonzero(self: Any) -> Any:
        """Indices of the elements that are not zero, one array for each axis; waits."""
        return library("nonzero")(self)

    def sort(self: Any, axis: int = -1) -> None:
        """Sort along an axis, in place as NumPy's method does; `ng.sort` gives a new array."""
        self[...] = library("sort")(self, axis=axis)

    def argsort(self: Any, axis: int = -1) -> Any:
        """Indices that sort along an axis."""
        return library("argsort")(self, axis=axis)

    def searchsorted(self: Any, v: Any, side: str = "left") -> Any:
        """Where values would have to go to keep this sorted array sorted."""
        return library("searchsorted")(self, v, side=side)

    # element by element -----------------------------------------------------------------------

    def clip(self: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Any:
        """Limited to [min, max]; None is no limit."""
        if min is None and max is None:
            return call(same, [self], {}, out)
        if min is None or max is None:
            name, bound = ("minimum", max) if min is None else ("maximum", min)
            return library(name)(self, bound, out=out)
        return library("clip")(self, min, max, out=out)

    def round(self: Any, decimals: int = 0, *, out: Any = None) -> Any:
        """Rounded to so many decimals, halves to even."""
        return library("round")(self, decimals=decimals or None, out=out)

    def dot(self: Any, other: Any) -> Any:
        """The dot product (`ng.dot`): of vectors, or of the last axis with the second last."""
        return library("dot")(self, other)

    def __divmod__(self: Any, other: Any) -> Any:
        return library("divmod")(self, other)

    def __rdivmod__(self: Any, other: Any) -> Any:
        return library("divmod")(other, self)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        """As `round` of a number; without digits of an array of one element an int."""
        if ndigits is None and self.size == 1:
            return round(self.item())
        return self.round(ndigits or 0)
