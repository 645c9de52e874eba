"""Extremes and questions of whole axes: max, min, any, all, count_nonzero.

The slope of an extreme is shared equally by the elements that attain it. NaN counts as the
extreme, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from nbgraph.kernels.loops import Combine
from nbgraph.operator.array_op import Gradients
from nbgraph.operator.reduce_op import ReduceOp
from nbgraph.operator.registry import register
from nbgraph.ops.define import hashable_axis, library, public
from nbgraph.ops.elementwise.arithmetic import divide, multiply
from nbgraph.ops.elementwise.casting import truth
from nbgraph.ops.elementwise.comparison import equal
from nbgraph.ops.reductions.reductions import kept, reduced, reduction_infer, spread, sum

Array = np.ndarray[Any, Any]


def shared_equally(x: Any, g: Gradients) -> Any:
    """The in-gradient of an extreme of `x`: to the elements equal to it, in equal parts."""
    (out,), (spec,) = g.outputs, g.specs
    axis, keepdims = g.attributes["axis"], g.attributes["keepdims"]
    attained = equal(x, kept(out, spec, axis, keepdims=keepdims))
    attained = library.astype(attained, spec.dtype)
    share = divide(attained, sum(attained, axis, keepdims=True))
    return multiply(spread(g.out_grad, spec, axis, keepdims=keepdims), share)


def _extreme(name: Literal["max", "min"], ufunc: np.ufunc) -> ReduceOp:
    return ReduceOp(
        name,
        reduction_infer(name, lambda given, asked: given, empty=False),
        reduced(name, lambda x, axes, out: np.copyto(out, _fold(ufunc, x, axes, out))),
        combine=name,
        gradient=lambda g: [shared_equally(g.inputs[0], g)],
        keeps=("x", "out"),
    )


def _fold(ufunc: np.ufunc, x: Array, axes: tuple[int, ...], out: Array) -> Array:
    return np.reshape(ufunc.reduce(x, axis=axes), out.shape)


_MAX, _MIN = _extreme("max", np.maximum), _extreme("min", np.minimum)


@public(_MAX, "amax")
def max(
    x: Any,
    axis: Any = None,
    *,
    keepdims: bool = False,
    exclude: bool = False,
    out: Any = None,
) -> Any:
    """The largest element over axes; NaN where there is one. ShapeError of no elements.

    Parameters
    ----------
    x : array
    axis : int, several ints, or None for all
    keepdims : whether these axes stay, with size 1
    exclude : whether it is over all axes but these

    Several elements that are the largest share the gradient in equal parts.

    >>> max([[1, 4], [3, 2]], axis=0)
    array([3, 4])
    """
    if exclude:
        return library.reduce_others(x, "max", axis, keepdims=keepdims, out=out)
    return _MAX(x, axis=hashable_axis("max", axis), keepdims=bool(keepdims), out=out)


@public(_MIN, "amin")
def min(
    x: Any,
    axis: Any = None,
    *,
    keepdims: bool = False,
    exclude: bool = False,
    out: Any = None,
) -> Any:
    """The smallest element over axes; NaN where there is one. ShapeError of no elements.

    Parameters
    ----------
    x : array
    axis : int, several ints, or None for all
    keepdims : whether these axes stay, with size 1
    exclude : whether it is over all axes but these

    Several elements that are the smallest share the gradient in equal parts.

    >>> min([[1, 4], [3, 2]], axis=0)
    array([1, 2])
    """
    if exclude:
        return library.reduce_others(x, "min", axis, keepdims=keepdims, out=out)
    return _MIN(x, axis=hashable_axis("min", axis), keepdims=bool(keepdims), out=out)


amax, amin = max, min


# questions --------------------------------------------------------------------------------------


def _question(name: str, dtype: str, answer: Callable[..., Any], combine: Combine) -> ReduceOp:
    return ReduceOp(
        name,
        reduction_infer(name, lambda given, asked: np.dtype(dtype)),
        reduced(
            name,
            lambda x, axes, out: np.copyto(out, np.reshape(answer(x, axis=axes), out.shape)),
        ),
        asks=(truth, combine),
    )


_ANY = _question("any", "bool", np.any, "max")
_ALL = _question("all", "bool", np.all, "min")
_COUNT = _question("count_nonzero", "int64", np.count_nonzero, "add")


@public(_ANY)
def any(x: Any, axis: Any = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Whether any element is not zero; NaN is not zero.

    Parameters
    ----------
    x : array
    axis : int, several ints, or None for all
    keepdims : whether these axes stay, with size 1

    Returns
    -------
    array of bool

    >>> any([[0, 0], [0, 1]], axis=0)
    array([False,  True])
    """
    return _ANY(x, axis=hashable_axis("any", axis), keepdims=bool(keepdims), out=out)


@public(_ALL)
def all(x: Any, axis: Any = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Whether no element is zero; True of no elements.

    Parameters
    ----------
    x, axis, keepdims : as those of `any`

    Returns
    -------
    array of bool

    >>> all([[0, 1], [1, 1]], axis=0)
    array([False,  True])
    """
    return _ALL(x, axis=hashable_axis("all", axis), keepdims=bool(keepdims), out=out)


@public(_COUNT)
def count_nonzero(x: Any, axis: Any = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """How many elements are not zero.

    Parameters
    ----------
    x, axis, keepdims : as those of `any`

    Returns
    -------
    array of int64

    >>> count_nonzero([[0, 1], [1, 1]], axis=0)
    array([1, 2])
    """
    return _COUNT(x, axis=hashable_axis("count_nonzero", axis), keepdims=bool(keepdims), out=out)


@register
def ptp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The largest element less the smallest.

    Parameters
    ----------
    x, axis, keepdims : as those of `max`

    >>> ptp([[1, 4], [3, 2]], axis=0)
    array([2, 2])
    """
    largest, smallest = max(x, axis, keepdims=keepdims), min(x, axis, keepdims=keepdims)
    return library.subtract(largest, smallest)
