"""Reductions with `exclude`, `where` and `initial`."""

from typing import Any

import numpy as np

from nbgraph.dtype import inexact
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.ops.define import (
    as_array,
    as_known,
    axes_of,
    composed,
    deferrable,
    hashable_axis,
    library,
)

# what combines an initial value with a reduction
_JOINED = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}
_NEUTRAL = {"sum": 0, "prod": 1, "any": False, "all": True}


@composed("x", "where", "initial")
@deferrable()
def reduce_others(
    x: Any,
    reduction: str,
    axis: Any = None,
    *,
    exclude: bool = False,
    where: Any = True,
    initial: Any = None,
    out: Any = None,
    **how: Any,
) -> Any:
    """A reduction with `exclude`, `where` or `initial`.

    reduction : the name of one, as "sum"
    axis : int or several ints; None for all
    exclude : whether to reduce all axes but these; with None or () all axes, as in MXNet
    where : array of bool that broadcasts to x: which elements count
    initial : number or array of no axes that counts as one more element
    **how : its other parameters
    ! ShapeError if `where` does not broadcast to x, or a maximum or minimum lacks `initial`;
        DTypeError unless `where` is bool.
    >>> reduce_others([[1, 2], [3, 4]], "sum", 0, exclude=True)
    array([3, 7])
    >>> reduce_others([[1, 2], [3, 4]], "max", 0, where=[True, False], initial=0)
    array([3, 0])
    """
    x, axis = as_known(reduction, x), hashable_axis(reduction, axis)
    if exclude:
        stay = () if axis is None else axes_of(reduction, axis, len(x.shape))
        axis = tuple(d for d in range(len(x.shape)) if d not in stay)
    if where is not True:
        if reduction == "mean":
            return _mean(x, axis, _mask(reduction, x, where), out=out, **how)
        if initial is None and reduction in ("max", "min"):
            raise ShapeError(
                f"{reduction}: where= needs initial=, as {reduction} of no elements has no value; "
                "give the value that is returned then"
            )
        x = library.where(_mask(reduction, x, where), x, neutral(reduction, x.dtype))
    if initial is None:
        return getattr(library, reduction)(x, axis, out=out, **how)
    if 0 in x.shape and reduction in ("max", "min"):
        x, axis = _padded(x, axis, neutral(reduction, x.dtype))
    reduced = getattr(library, reduction)(x, axis, **how)
    first = as_array(initial)
    if first.shape != ():
        raise ShapeError(f"{reduction}: initial has shape {first.shape}; give one number")
    first = library.astype(first, reduced.dtype)
    if isinstance(first, np.generic | np.ndarray) and reduced.dtype.kind in "iuf":
        first = first.item()  # a number with an array has a fast path
    return getattr(library, _JOINED[reduction])(reduced, first, out=out)


def _mask(reduction: str, x: Any, where: Any) -> Any:
    """Return `where` as an array of bool of the shape of `x`."""
    mask = as_known(reduction, where)
    if mask.dtype != bool:
        raise DTypeError(
            f"{reduction}: where has dtype {mask.dtype}; give bool, as {reduction}(x, where=x > 0)"
        )
    if mask.shape == x.shape:
        return mask
    try:
        fits = np.broadcast_shapes(mask.shape, x.shape) == x.shape
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(
            f"{reduction}: where of shape {mask.shape} does not broadcast to x of shape {x.shape}"
        )
    return library.broadcast_to(mask, x.shape)


def neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """Return the neutral element of a reduction in this dtype, for excluded elements."""
    if reduction in _NEUTRAL:
        return _NEUTRAL[reduction]
    if dtype.kind == "b":
        return reduction == "min"
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return int(info.min if reduction == "max" else info.max)
    return -np.inf if reduction == "max" else np.inf


def _padded(x: Any, axis: Any, value: Any) -> tuple[Any, Any]:
    """Return an array whose empty reduced axes have one neutral element, and the axes."""
    axes = axes_of("reduction", axis, len(x.shape))
    shape = tuple(1 if d in axes and not n else n for d, n in enumerate(x.shape))
    return library.full_like(x, value, shape=shape), axes


def _mean(
    x: Any, axis: Any, mask: Any, *, dtype: Any = None, keepdims: bool = False, out: Any = None
) -> Any:
    """Return the mean of the elements where a mask is true; NaN for none."""
    count = library.sum(mask, axis, keepdims=keepdims)
    wide = dtype if dtype is not None or inexact(x.dtype) else np.float64
    total = library.sum(library.where(mask, x, 0), axis, wide, keepdims=keepdims)
    return library.divide(total, library.astype(count, total.dtype), out=out)
