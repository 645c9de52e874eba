"""Operators of the library under the names that MXNet has for them.

All of them broadcast and promote, so that `elemwise_add` and `broadcast_add` are one; comparisons
give bool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.operator.registry import register
from nbgraph.ops.define import composed, library
from nbgraph.ops.draws.dropout import dropout
from nbgraph.ops.elementwise.arithmetic import add, divide, multiply, power, remainder, subtract
from nbgraph.ops.elementwise.casting import astype, stop_gradient
from nbgraph.ops.elementwise.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    maximum,
    minimum,
    not_equal,
)
from nbgraph.ops.elementwise.logic import logical_and, logical_or, logical_xor
from nbgraph.ops.elementwise.trigonometric import hypot
from nbgraph.ops.named.layering import named, one_of
from nbgraph.ops.ordering.placing import argmax
from nbgraph.ops.reductions.extremes import max, min
from nbgraph.ops.reductions.reductions import sum
from nbgraph.ops.reductions.statistics import mean, var
from nbgraph.ops.shapes.joining import concatenate
from nbgraph.ops.shapes.slicing import flip

_SPELLINGS: tuple[tuple[Any, str], ...] = (
    (add, "broadcast_add broadcast_plus elemwise_add"),
    (subtract, "broadcast_sub broadcast_minus elemwise_sub"),
    (multiply, "broadcast_mul elemwise_mul"),
    (divide, "broadcast_div elemwise_div"),
    (remainder, "broadcast_mod modulo"),
    (power, "broadcast_power"),
    (hypot, "broadcast_hypot"),
    (maximum, "broadcast_maximum"),
    (minimum, "broadcast_minimum"),
    (equal, "broadcast_equal"),
    (not_equal, "broadcast_not_equal"),
    (greater, "broadcast_greater"),
    (greater_equal, "broadcast_greater_equal"),
    (less, "broadcast_lesser lesser"),
    (less_equal, "broadcast_lesser_equal lesser_equal"),
    (logical_and, "broadcast_logical_and"),
    (logical_or, "broadcast_logical_or"),
    (logical_xor, "broadcast_logical_xor"),
    (sum, "sum_axis"),
    (max, "max_axis"),
    (min, "min_axis"),
    (flip, "reverse"),
)


def _names(op: Any, names: str) -> None:
    register(op, *names.split(), owner=_names)


for _op, _listed in _SPELLINGS:
    _names(_op, _listed)


@composed(aliases=("ElementWiseSum",))
def add_n(*args: Any, name: str | None = None) -> Any:
    """The sum of arrays, given one by one or as a list.

    Parameters
    ----------
    *args : arrays whose shapes broadcast, or one list of them; dtypes promote

    Returns
    -------
    array of the broadcast shape

    >>> add_n([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    array([ 9., 12.])
    """
    total, *rest = _several(args)
    for one in rest:
        total = add(total, one)
    return named(total, name)


def _several(arrays: Sequence[Any]) -> Sequence[Any]:
    """Operands as MXNet takes them: also as one list of arrays."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        given: Sequence[Any] = arrays[0]
        if given and hasattr(given[0], "shape"):
            return given
    return arrays


@register
def Concat(*data: Any, dim: int = 1, num_args: int | None = None, name: str | None = None) -> Any:
    """Arrays one after another along an axis, by default the second.

    Parameters
    ----------
    *data : arrays of one shape but for that axis, or one list of them
    dim : int, the axis
    num_args : ignored, as MXNet's scripts give it

    >>> Concat([[1], [2]], [[3], [4]])
    array([[1, 3],
           [2, 4]])
    """
    return named(concatenate(list(_several(data)), dim), name)


@composed("data", aliases=("cast",))
def Cast(data: Any, dtype: Any, *, name: str | None = None) -> Any:
    """`astype` by MXNet's name: the elements in another dtype; a gradient comes back in the old
    one.

    Parameters
    ----------
    data : array
    dtype : dtype or its name; floats are cut to whole numbers

    >>> Cast([1.5, -1.5], "int32")
    array([ 1, -1], dtype=int32)
    """
    return named(astype(data, dtype), name)


@composed("data")
def BlockGrad(data: Any, *, name: str | None = None) -> Any:
    """`stop_gradient` by MXNet's name: the elements as they are, a constant for derivatives.

    Parameters
    ----------
    data : array

    >>> BlockGrad([1.0, 2.0])
    array([1., 2.])
    """
    return named(stop_gradient(data), name)


@composed("data")
def Dropout(
    data: Any, *, p: float = 0.5, mode: str = "training", axes: Any = (), name: str | None = None
) -> Any:
    """`dropout` by MXNet's name (Srivastava et al., 2014): in training elements are 0 with
    probability `p`, and the others are divided by 1 - p.

    Parameters
    ----------
    data : array, floats
    p : float, 0 up to 1
    mode : "training": outside of training data stays as it is; "always"
    axes : ints, along which elements are dropped together

    Returns
    -------
    array of the shape of data

    Raises
    ------
    ArgumentError for another mode.

    >>> Dropout([1.0, 2.0], p=0.9)
    array([1., 2.])
    """
    always = one_of("Dropout", "mode", mode, ("training", "always")) == "always"
    if not axes:
        return named(dropout(data, p, always=always), name)
    held = library.max(library.ones_like(stop_gradient(data)), axis=tuple(axes), keepdims=True)
    return named(multiply(data, dropout(held, p, always=always)), name)


@composed("data")
def moments(data: Any, axes: Any = None, *, keepdims: bool = False) -> tuple[Any, Any]:
    """Mean and variance over axes.

    Parameters
    ----------
    data : array
    axes : int, several, or None for all
    keepdims : whether these axes stay, with size 1

    Returns
    -------
    two arrays: mean, and variance (divided by n)

    >>> moments([1.0, 3.0])
    (np.float64(2.0), np.float64(1.0))
    """
    return mean(data, axes, keepdims=keepdims), var(data, axes, keepdims=keepdims)


@composed("data")
def argmax_channel(data: Any) -> Any:
    """`argmax` along the second axis: the class of the largest score.

    Parameters
    ----------
    data : array (samples, classes, ...)

    Returns
    -------
    array (samples, ...) of int64, the first of several places; a constant for derivatives

    >>> argmax_channel([[1, 3, 2], [5, 4, 0]])
    array([1, 0])
    """
    return argmax(data, 1)


@composed("data")
def nansum(data: Any, axis: Any = None, *, keepdims: bool = False, exclude: bool = False) -> Any:
    """The sum over axes of what is not NaN, 0 where there is nothing.

    Parameters
    ----------
    data : array
    axis : int, several, or None for all
    keepdims : whether these axes stay, with size 1
    exclude : whether it is over all axes but these

    >>> float(nansum([1.0, float("nan"), 2.0]))
    3.0
    """
    return sum(_filled(data, 0), axis, keepdims=keepdims, exclude=exclude)


@composed("data")
def nanprod(data: Any, axis: Any = None, *, keepdims: bool = False, exclude: bool = False) -> Any:
    """The product over axes of what is not NaN, 1 where there is nothing.

    Parameters
    ----------
    data : array
    axis : int, several, or None for all
    keepdims : whether these axes stay, with size 1
    exclude : whether it is over all axes but these

    >>> float(nanprod([2.0, float("nan"), 3.0]))
    6.0
    """
    return library.prod(_filled(data, 1), axis, keepdims=keepdims, exclude=exclude)


def _filled(data: Any, value: int) -> Any:
    return library.where(library.isnan(data), value, data)


@composed("data")
def rcbrt(data: Any) -> Any:
    """1 / cbrt(data).

    Parameters
    ----------
    data : array; integers become floats

    >>> rcbrt([8.0])
    array([0.5])
    """
    return library.reciprocal(library.cbrt(data))
