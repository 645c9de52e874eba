"""Dispatch on a dtype: the same body for every supported type of element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from nbgraph.dtype import SUPPORTED, as_dtype, name_of
from nbgraph.errors import DTypeError

_Result = TypeVar("_Result")


def dtype_switch(
    dtype: Any,
    body: Callable[[Any], _Result],
    *,
    only: Sequence[str] = SUPPORTED,
    where: str = "dtype_switch",
) -> _Result:
    """`body(DType)` with the scalar type of a dtype, as in `blob.get(2, DType)`.

    `only` restricts the dtypes. Raises DTypeError for one that is not known or not taken.

    >>> dtype_switch("float32", lambda DType: DType(0.1) + DType(0.2))
    np.float32(0.3)
    >>> dtype_switch("int8", np.dtype, only=("float32", "float64"), where="softmax")
    Traceback (most recent call last):
    nbgraph.errors.DTypeError: softmax: int8 is not taken; dtypes: float32, float64
    """
    try:
        found = as_dtype(dtype)
    except DTypeError as error:
        raise DTypeError(f"{where}: {error}") from None
    except TypeError:
        raise DTypeError(f"{where}: {dtype!r} is no dtype; dtypes: {', '.join(only)}") from None
    if name_of(found) not in only:
        raise DTypeError(f"{where}: {found} is not taken; dtypes: {', '.join(only)}")
    return body(np.dtype(found).type)
