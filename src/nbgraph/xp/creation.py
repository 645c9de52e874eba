"""Creation of arrays. Floats default to `ng.config.default_float` (float32), integers to int64."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.array import NDArray, create, dlpack
from nbgraph.device import Context

__all__ = [
    "arange", "asarray", "empty", "zeros", "ones", "full", "eye", "linspace", "empty_like",
    "zeros_like", "ones_like", "full_like", "meshgrid", "tril", "triu", "from_dlpack",
]  # fmt: skip


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Context | None = None,
) -> NDArray:
    """Numbers from `start` (0 if `stop` is not given) up to but without `stop`.

    >>> arange(2, 8, 3)
    array([2, 5])
    """
    return ops.arange(start, stop, step, dtype, device=device)


def asarray(
    obj: Any,
    /,
    *,
    dtype: Any = None,
    device: Context | None = None,
    copy: bool | None = None,
) -> NDArray:
    """An array of nested sequences, numbers, or an array of another kind.

    `copy=None` copies unless `obj` is an NDArray of that dtype and device, True always copies;
    False borrows a NumPy array's memory, read-only, and raises ValueError where values would have
    to be copied.

    >>> asarray([[1, 2], [3, 4]], dtype="float32").shape
    (2, 2)
    """
    if copy is False:
        return _without_copy(obj, dtype, device)
    if isinstance(obj, NDArray) and not copy:
        return create.asarray(obj, dtype, device=device)
    return create.array(obj, dtype, device=device)


def _without_copy(obj: Any, dtype: Any, device: Context | None) -> NDArray:
    same = isinstance(obj, (NDArray, np.ndarray)) and dtype in (None, obj.dtype)
    made = create.asarray(obj, dtype, device=device) if same else None
    if made is not None and (made is obj or made._chunk.bin is None):
        return made
    raise ValueError(
        f"asarray: copy=False, but the values of this {type(obj).__name__} have to be copied to "
        "have that dtype and device; leave copy out"
    )


def empty(shape: Any, *, dtype: Any = None, device: Context | None = None) -> NDArray:
    """An array with any values."""
    return ops.empty(shape, dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Context | None = None) -> NDArray:
    """An array of zeros."""
    return ops.zeros(shape, dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Context | None = None) -> NDArray:
    """An array of ones."""
    return ops.ones(shape, dtype, device=device)


def full(
    shape: Any, fill_value: Any, *, dtype: Any = None, device: Context | None = None
) -> NDArray:
    """An array of one value; its dtype follows the value's type unless given."""
    return ops.full(shape, fill_value, dtype, device=device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Context | None = None,
) -> NDArray:
    """Ones on diagonal `k`, zeros elsewhere."""
    return ops.eye(n_rows, n_cols, k, dtype, device=device)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Context | None = None,
    endpoint: bool = True,
) -> NDArray:
    """`num` numbers at equal distances from `start` to `stop`, which is the last or left out."""
    return ops.linspace(start, stop, num, endpoint, dtype, device=device)


def empty_like(x: NDArray, /, *, dtype: Any = None, device: Context | None = None) -> NDArray:
    """Any values in the shape, and by default dtype and device, of `x`."""
    return empty(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def zeros_like(x: NDArray, /, *, dtype: Any = None, device: Context | None = None) -> NDArray:
    """Zeros in the shape, and by default dtype and device, of `x`."""
    return zeros(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def ones_like(x: NDArray, /, *, dtype: Any = None, device: Context | None = None) -> NDArray:
    """Ones in the shape, and by default dtype and device, of `x`."""
    return ones(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def full_like(
    x: NDArray, /, fill_value: Any, *, dtype: Any = None, device: Context | None = None
) -> NDArray:
    """One value in the shape, and by default dtype and device, of `x`."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)


def meshgrid(*arrays: NDArray, indexing: str = "xy") -> list[NDArray]:
    """Coordinates of a grid, one array for each axis."""
    return [ops.copy(x) for x in ops.meshgrid(*arrays, indexing=indexing)]


def tril(x: NDArray, /, *, k: int = 0) -> NDArray:
    """Zero above diagonal `k` of the last two axes."""
    return ops.tril(x, k)


def triu(x: NDArray, /, *, k: int = 0) -> NDArray:
    """Zero below diagonal `k` of the last two axes."""
    return ops.triu(x, k)


def from_dlpack(x: Any, /, *, device: Context | None = None, copy: bool | None = None) -> NDArray:
    """An array of another library that speaks DLPack; see `ng.from_dlpack`."""
    return dlpack.from_dlpack(x, device=device, copy=copy)
