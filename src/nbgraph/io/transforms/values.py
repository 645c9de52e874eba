"""Transforms of values: casts, user functions, one-hot rows and smoothed labels."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype, is_float
from nbgraph.errors import (
    ArgumentError,
    DTypeError,
    LabelError,
    ShapeError,
    require_number,
    require_whole,
)
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import ColumnTransform, changed
from nbgraph.io.transforms.draws import Draws
from nbgraph.shape import Array, Shape


def _dtype(what: str, value: Any) -> str | None:
    return None if value is None else as_dtype(value).name


class Cast(ColumnTransform):
    """Give a column another dtype.

    Parameters
    ----------
    dtype : dtype
        A cast of floats to integers drops the fraction; NaN and numbers out of range raise
        DTypeError.

    >>> Cast("float32")((np.array([[1, 2]]),), Draws(0, 0, [0]))[0].dtype
    dtype('float32')
    """

    dtype: Any = "float32"
    _checks = {"dtype": (_dtype,)}

    def described(self, desc: DataDesc) -> DataDesc:
        return changed(desc, dtype=as_dtype(self.dtype))

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        dtype = as_dtype(self.dtype)
        if dtype.kind in "iu" and x.dtype != dtype and x.size:
            ends = np.iinfo(dtype)
            inside = (x >= ends.min) & (x <= ends.max)
            if not inside.all():
                wrong = np.argwhere(~inside)[0]
                raise DTypeError(
                    f"{self.name}: column {desc.name!r}, sample {draws.index[wrong[0]]} has "
                    f"{x[tuple(wrong)]}, which {dtype} does not hold ({ends.min} to {ends.max})"
                )
        return x.astype(dtype)


class Lambda(ColumnTransform):
    """Apply a function of the whole column, an array (n, *shape), to it.

    Parameters
    ----------
    function : callable
        It returns an array with the same number of samples. For random results write a function
        f(columns, draws) instead, which a list of transforms takes as it is.
    shape : tuple of int, optional
        Shape of a sample of the result.
    dtype : dtype, optional
        Dtype of the result. Without `shape` or `dtype` the function is called once with a sample
        of zeros to determine it.

    >>> Lambda(np.square)((np.array([[1.0, 2.0]]),), Draws(0, 0, [0]))[0].tolist()
    [[1.0, 4.0]]
    """

    function: Callable[[Array], Any]
    shape: Shape | None = None
    dtype: Any = None
    _checks = {"dtype": (_dtype,)}

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"{self.name}: function={self.function!r}; expected a function")
        super().__post_init__()

    def described(self, desc: DataDesc) -> DataDesc:
        if self.shape is not None and self.dtype is not None:
            return changed(desc, shape=self.shape, dtype=self.dtype)
        zeros = np.zeros((1, *(max(n, 1) for n in desc.shape)), desc.dtype)
        result = np.asarray(self.function(zeros))
        shape = self.shape
        if shape is None:
            alike = result.shape == zeros.shape
            shape = desc.shape if alike else result.shape[1:]
        return changed(desc, shape=shape, dtype=self.dtype or result.dtype)

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        result = np.asarray(self.function(x), self.dtype)
        if result.shape[:1] != (len(x),) or self.shape not in {None, result.shape[1:]}:
            expected = (len(x), *(("...",) if self.shape is None else self.shape))
            raise ShapeError(
                f"{self.name}: the function gives shape {result.shape} for column {desc.name!r} of "
                f"shape {x.shape}; expected {expected}"
            )
        return result


class OneHot(ColumnTransform):
    """Replace each label by a row of zeros with a one at the class.

    Parameters
    ----------
    classes : int
    dtype : dtype
    on : str
        By default the labels.

    Raises LabelError for a label that is not a class.

    >>> OneHot(3, on="all")((np.array([2, 0]),), Draws(0, 0, [0, 1]))[0].tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """

    classes: int
    dtype: Any = "float32"
    on: str | tuple[str, ...] = field(default="label", kw_only=True)
    _checks = {"classes": (require_whole,), "dtype": (_dtype,)}

    def described(self, desc: DataDesc) -> DataDesc:
        if tuple(desc.shape) not in {(), (1,)}:
            raise ShapeError(
                f"{self.name}: column {desc.name!r} has samples of shape {tuple(desc.shape)}; "
                "expected one class for each sample"
            )
        return changed(desc, shape=(self.classes,), dtype=as_dtype(self.dtype))

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        values = x.reshape(len(x))
        wrong = np.flatnonzero(~((values >= 0) & (values < self.classes) & (values == values // 1)))
        if wrong.size:
            raise LabelError(
                f"{self.name}: column {desc.name!r}, sample {draws.index[wrong[0]]} has label "
                f"{values[wrong[0]]}; expected a class from 0 to {self.classes - 1}"
            )
        rows = np.zeros((len(x), self.classes), as_dtype(self.dtype))
        rows[np.arange(len(x)), values.astype(np.int64)] = 1
        return rows


class LabelSmoothing(ColumnTransform):
    """Move a share of each label's probability to all classes evenly.

    Parameters
    ----------
    share : float, from 0 to 1
    on : str
        By default the labels, probabilities of classes: see OneHot.

    >>> LabelSmoothing(0.2, on="all")((np.array([[0.0, 1.0]]),), Draws(0, 0, [0]))[0].tolist()
    [[0.1, 0.9]]
    """

    share: float = 0.1
    on: str | tuple[str, ...] = field(default="label", kw_only=True)
    _checks = {"share": (require_number, 0, 1)}

    def described(self, desc: DataDesc) -> DataDesc:
        require_probabilities(self.name, desc)
        return desc

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        return x * x.dtype.type(1 - self.share) + x.dtype.type(self.share / x.shape[-1])


def require_probabilities(name: str, desc: DataDesc) -> None:
    """Raise ArgumentError unless a column has probabilities of classes."""
    if not is_float(desc.dtype) or not len(desc.shape):
        raise ArgumentError(
            f"{name}: column {desc.name!r} has samples {desc.dtype}{list(desc.shape)}; expected "
            "probabilities of classes, floats (classes,); put OneHot(classes) before it"
        )
