"""Results whose shape depends on values: nonzero, unique and its kin; and membership.

These cannot be inferred before they are computed: they are marked `dynamic`, are computed at
once, and no derivative passes them. A class of arrays takes part by `__nbgraph_dynamic__`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.call import carrier_of
from nbgraph.operator.registry import register
from nbgraph.ops.define import public

Array = np.ndarray[Any, Any]


def dynamic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function of NumPy arrays whose results have shapes that depend on values.

    The function itself is kept as `compute`. For other arrays the class that carries operators
    is asked: its `__nbgraph_dynamic__(compute, operands, options)` waits for the values, computes,
    and wraps the results. A class without it is refused.
    """

    @functools.wraps(function)
    def apply(*operands: Any, **options: Any) -> Any:
        carrier: Any = carrier_of(operands)
        if carrier is None:
            return function(*map(np.asarray, operands), **options)
        hook = getattr(carrier, "__nbgraph_dynamic__", None)
        if hook is None:
            raise ArgumentError(
                f"{function.__name__}: the shape of the result depends on values, which a "
                f"{carrier.__name__} does not have; compute it outside of the graph"
            )
        return hook(function, operands, options)

    apply.compute = function  # type: ignore[attr-defined]
    return apply


@register
@dynamic
def nonzero(x: Any) -> tuple[Any, ...]:
    """The indices of the elements that are not zero: an array for each axis.

    >>> nonzero([[0, 1], [2, 0]])
    (array([0, 1]), array([1, 0]))
    """
    return np.nonzero(x)


@register
@dynamic
def argwhere(x: Any) -> Any:
    """The indices of the elements that are not zero: a row for each.

    >>> argwhere([[0, 1], [2, 0]])
    array([[0, 1],
           [1, 0]])
    """
    return np.argwhere(x)


@register
@dynamic
def extract(condition: Any, x: Any) -> Any:
    """The elements at which the condition, of the same shape, is true.

    >>> extract([True, False, True], [1, 2, 3])
    array([1, 3])
    """
    if condition.shape != x.shape:
        raise ShapeError(
            f"extract: condition has shape {condition.shape}, x has {x.shape}; give equal shapes"
        )
    return x[condition.astype(bool)]


# different values -------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """Different values in order, where each is first, which each element is, how often."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Different values in order, and how often each is there."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Different values in order, and which of them each element is."""

    values: Any
    inverse_indices: Any


@register
@dynamic
def unique_all(x: Any) -> UniqueAll:
    """The different values in order, with all that `np.unique` can tell. No NaN equals another.

    >>> unique_all([3, 1, 3]).counts
    array([1, 2])
    """
    values, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return UniqueAll(values, first, inverse.reshape(x.shape), counts)


@register
@dynamic
def unique_counts(x: Any) -> UniqueCounts:
    """The different values in order, and how often each is there. No NaN equals another.

    >>> unique_counts([3, 1, 3]).values
    array([1, 3])
    """
    return UniqueCounts(*np.unique(x, return_counts=True, equal_nan=False))


@register
@dynamic
def unique_inverse(x: Any) -> UniqueInverse:
    """The different values in order, and which of them each element is. No NaN equals another.

    >>> unique_inverse([3, 1, 3]).inverse_indices
    array([1, 0, 1])
    """
    values, inverse = np.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverse(values, inverse.reshape(x.shape))


@register
@dynamic
def unique_values(x: Any) -> Any:
    """The different values in order. No NaN equals another.

    >>> unique_values([3, 1, 3])
    array([1, 3])
    """
    return np.unique(x, equal_nan=False)


@register
@dynamic
def unique(x: Any) -> Any:
    """The different values in order, NaN once.

    >>> unique([3, 1, 3])
    array([1, 3])
    """
    return np.unique(x)


# membership -------------------------------------------------------------------------------------

_ISIN = ArrayOp(
    "isin",
    lambda x1, x2, *, invert: Spec(x1.shape, np.dtype(bool)),
    lambda inputs, outputs, *, invert: np.copyto(outputs[0], np.isin(*inputs, invert=invert)),
    operands=("x1", "x2"),
)


@public(_ISIN)
def isin(x1: Any, x2: Any, *, invert: bool = False, out: Any = None) -> Any:
    """Whether each element of `x1` is among those of `x2`, or is not (`invert`).

    >>> isin([1, 2, 3], [3, 1])
    array([ True, False,  True])
    """
    return _ISIN(x1, x2, invert=bool(invert), out=out)
