"""Methods that are about an array's memory: copies elsewhere, writes, values. Others are shared by
all carriers (`nbgraph.ops.carrier.methods`)."""

from __future__ import annotations

from typing import Any, Self

from nbgraph import ops as library
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, noun
from nbgraph.ops.carrier import methods

ops: Any = library  # to type checkers, who see the class before it is mixed in, no carrier


class Methods(methods.Methods):
    """NumPy's methods of arrays, with those that know of memory."""

    __slots__ = ()

    def copy(self, device: Context | None = None) -> Self:
        """Return the values in memory of their own, on this device unless another is given."""
        if device is None:
            return ops.copy(self)
        array: Any = self
        return ops.copy(self) if device == array.device else copy_of(array, device=device)

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
            raise ArgumentError(f"copyto: other is {noun(other)}; expected an NDArray or a device")
        target: Any = other
        target[...] = self if other.device == self.device else copy_of(self, device=other.device)
        return target

    def fill(self: Any, value: Any) -> None:
        """Write one number everywhere."""
        self[...] = value

    def sort(self: Any, axis: int = -1) -> None:
        """Sort along an axis, in place as NumPy's method does; `ng.sort` gives a new array."""
        self[...] = ops.sort(self, axis=axis)

    @property
    def flat(self: Any) -> Any:
        """An iterator over the elements as Python numbers; waits."""
        return iter(self.asnumpy().ravel().tolist())

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        """Return what `round` of a number gives; without digits of an array of one element an
        int."""
        if ndigits is None and self.size == 1:
            return round(self.item())
        return self.round(ndigits or 0)

    def _apart(self: Any, array: Any, copy: bool) -> Any:
        shares = array._chunk is self._chunk
        if not copy and not shares:
            raise ValueError(
                f"reshape: strides {self.strides} of shape {self.shape} have no view of that "
                "shape; leave copy=False out"
            )
        return ops.copy(array) if copy and shares else array
