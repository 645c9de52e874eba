"""Blobs: the arguments of a simple operator's functions in place of arrays.

A blob has shape, dtype and device; `get` returns the array to write kernels over, on the host a
NumPy view. The subclasses annotate a blob's role in a signature: the gradient of the output, the
output's value, an operand.

>>> from nbgraph.device import cpu
>>> blob = TBlob(np.arange(6.0).reshape(1, 2, 3), cpu())
>>> blob
TBlob(shape=(1, 2, 3), dtype=float64, device=cpu(0))
>>> blob.get(2, np.float64)
array([[0., 1., 2.],
       [3., 4., 5.]])
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import SUPPORTED, as_dtype, name_of
from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.operator.full.arrays import read_only
from nbgraph.shape import Array, Shape

_Result = TypeVar("_Result")


class TBlob:
    """An array of any kind, by shape, dtype and device.

    Parameters
    ----------
    array : ndarray
        C-contiguous.
    device : Context
    writable : bool
        False for views of operands.
    """

    __slots__ = ("_array", "device")

    def __init__(self, array: Array, device: Context, *, writable: bool = False) -> None:
        self._array = array if writable else read_only(array)
        self.device = device

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self._array.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._array.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._array.dtype

    @property
    def data(self) -> Self:
        """The blob itself, for functions that read `out_grad.data`."""
        return self

    def get(self, dim: int | None = None, dtype: Any = None, stream: Any = None) -> Array:
        """Return the array, as a view.

        `dim` is the number of axes: surplus ones are flattened into the first, missing ones are
        added in front with size 1. `dtype` is checked, never converted. `stream` orders access on a
        device; the host has none. Raises DTypeError for another dtype.
        """
        if dtype is not None and np.dtype(dtype) != self.dtype:
            raise DTypeError(
                f"TBlob.get: the blob has dtype {self.dtype}, not {np.dtype(dtype)}; ask for "
                "blob.dtype, or convert what get() gives with astype"
            )
        if dim is None or dim == self.ndim:
            return self._array
        if not isinstance(dim, int) or dim < 1:
            raise ArgumentError(f"TBlob.get: dim={dim!r}; expected a number of axes from 1")
        return self._array.reshape(flattened(self.shape, dim))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the view as a NumPy array, or a copy."""
        return np.array(self._array, dtype, copy=copy)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype}, device={self.device!r})"
        )


class OutputGrad(TBlob):
    """The annotation of the gradient with respect to the output."""

    __slots__ = ()


class OutputValue(TBlob):
    """The annotation of the output of the forward pass, kept for the gradient."""

    __slots__ = ()


class Input0(TBlob):
    """The annotation of the first operand."""

    __slots__ = ()


class Input1(TBlob):
    """The annotation of the second operand."""

    __slots__ = ()


def flattened(shape: Shape, dim: int) -> tuple[int, ...]:
    """Return a shape with `dim` axes.

    >>> flattened((2, 3, 4), 2), flattened((2, 3), 3)
    ((6, 4), (1, 2, 3))
    """
    if len(shape) <= dim:
        return (1,) * (dim - len(shape)) + shape
    extra = len(shape) - dim
    return (math.prod(shape[: extra + 1]), *shape[extra + 1 :])


def dtype_switch(
    dtype: Any,
    body: Callable[[Any], _Result],
    *,
    only: Sequence[str] = SUPPORTED,
    where: str = "dtype_switch",
) -> _Result:
    """Return `body(DType)` for the scalar type of a dtype, as in `blob.get(2, DType)`.

    `only` restricts the dtypes. Raises DTypeError for one that is unknown or not allowed.

    >>> dtype_switch("float32", lambda DType: DType(0.1) + DType(0.2))
    np.float32(0.3)
    >>> dtype_switch("int8", np.dtype, only=("float32", "float64"), where="softmax")
    Traceback (most recent call last):
    nbgraph.errors.DTypeError: softmax: int8 is not taken; dtypes: float32, float64
    """
    try:
        known = as_dtype(dtype)
    except DTypeError as error:
        raise DTypeError(f"{where}: {error}") from None
    except TypeError:
        raise DTypeError(f"{where}: {dtype!r} is not a dtype; dtypes: {', '.join(only)}") from None
    if name_of(known) not in only:
        raise DTypeError(f"{where}: {known} is not taken; dtypes: {', '.join(only)}")
    return body(np.dtype(known).type)
